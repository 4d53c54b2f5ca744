// SPDX-License-Identifier: Apache-2.0
// Directed tests of the tile coalescer, from docs/units/tile_coalescer.md.
#include "csim/base/rng.h"
#include "tests/programs/unit_engine.h"

enum { All = 0xffff, Wait = 6, Bins = 4, Live = 5 };

static tile_coalescer_t unit;
static tile_coalescer_params_t params;
static tile_coalescer_in_t in;
static tile_coalescer_out_t out;

static void begin(uint32_t engines) {
  err_auto_t err = {0};
  params = (tile_coalescer_params_t){engines, Bins, Wait, Live, 8, 4};
  if (!harness_tile_coalescer(engine, &params, &unit, &err)) {
    fail_msg("%s", err_text(&err));
  }
  memset(&in, 0, sizeof in);
  unit.reset(unit.self, &out);
}

// Inputs hold for one step, tile_ready for good.
static void step(void) {
  assert_int_equal(unit.step(unit.self, &in, &out), UnitOk);
  const bool ready = in.tile_ready;
  memset(&in, 0, sizeof in);
  in.tile_ready = ready;
}

ENGINE_STEPS(steps)

static void put(uint32_t x, uint32_t quadrant, uint32_t stamps, uint32_t tag) {
  assert_true(out.raster_ready);
  in.raster_valid = true;
  in.raster_op = TileCoalescerOpTile;
  in.raster_x = (uint16_t)x;
  in.raster_y = (uint16_t)(x / 2);
  in.raster_quadrant = (uint8_t)quadrant;
  in.raster_stamps = (uint8_t)stamps;
  in.raster_tag = (uint16_t)tag;
}

static void raster(uint32_t x, uint32_t quadrant, uint32_t stamps, uint32_t tag) {
  put(x, quadrant, stamps, tag);
  step();
}

static void put_end(void) {
  in.raster_valid = true;
  in.raster_op = TileCoalescerOpEnd;
}

static void put_done(uint32_t id) {
  in.done_valid = true;
  in.done_id = (uint8_t)id;
}

static void expect_tile(uint32_t id, uint32_t x, uint32_t stamps) {
  assert_true(out.tile_valid);
  assert_int_equal(out.tile_id, id);
  assert_int_equal(out.tile_x, x);
  assert_int_equal(out.tile_y, x / 2);
  assert_int_equal(out.tile_stamps, stamps);
}

static void expect_nothing(uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    assert_false(out.tile_valid);
    step();
  }
}

// Returns the steps until a TC tile is offered.
static uint32_t wait_tile(void) {
  uint32_t waited = 0;
  while (!out.tile_valid && waited < 100) {
    step();
    waited++;
  }
  assert_true(out.tile_valid);
  return waited;
}

static void take(void) {
  in.tile_ready = true;
  step();
  in.tile_ready = false;
}

static tile_coalescer_state_t now(void) {
  tile_coalescer_state_t s;
  unit.observe(unit.self, &s);
  return s;
}

ENGINE_TEST(test_full_tile) {
  begin(2);
  for (uint32_t q = 0; q < 4; q++) {
    raster(3, q, 15, 10 + q);
  }
  expect_nothing(3);  // accepted in 0 to 3, valid in 7
  expect_tile(0, 3, All);
  for (uint32_t s = 0; s < 16; s++) {
    assert_int_equal(out.tile_tag[s], 10 + 2 * (s / 8) + s / 2 % 2);
  }
  assert_int_equal(now().active, 0);
  assert_int_equal(now().live, 1);
  assert_true(out.quiescent);
  take();
  assert_false(out.tile_valid);
  assert_int_equal(out.tile_tag[3], 0);
  put_done(0);
  step();
  assert_int_equal(now().live, 0);
}

ENGINE_TEST(test_wait) {
  begin(2);
  raster(1, 2, 9, 77);
  assert_int_equal(wait_tile(), 2 + Wait);  // valid in t + 3 + Wait
  expect_tile(0, 1, 1 << 8 | 1 << 13);
  assert_int_equal(out.tile_tag[13], 77);
  assert_int_equal(out.tile_tag[9], 0);
  take();
  // Wait counts from the last raster tile.
  raster(2, 0, 1, 1);
  steps(Wait - 1);
  raster(2, 1, 1, 2);
  assert_int_equal(wait_tile(), 2 + Wait);
  expect_tile(1, 2, 1 | 4);
}

// Raster tiles of several primitives, the older one first, in one cycle where they do not overlap.
ENGINE_TEST(test_overlap) {
  begin(2);
  raster(1, 0, 3, 1);
  raster(1, 0, 6, 2);  // stamp 1 is the older one's
  raster(1, 0, 1, 3);  // stamp 0, behind both
  steps(2);
  assert_int_equal(now().held[0], 2);
  assert_int_equal(now().covered[0], 1 | 2 | 16);
  wait_tile();
  expect_tile(0, 1, 1 | 2 | 16);
  assert_int_equal(out.tile_tag[0], 1);
  assert_int_equal(out.tile_tag[1], 1);
  assert_int_equal(out.tile_tag[4], 2);
  take();
  // The stamps left have one raster tile each; their place lives.
  steps(Wait + 3);
  assert_false(out.tile_valid);
  assert_true(out.quiescent);
  put_done(0);
  step();
  step();
  expect_tile(0, 1, 1 | 2);
  assert_int_equal(out.tile_tag[0], 3);
  assert_int_equal(out.tile_tag[1], 2);
}

ENGINE_TEST(test_bins_full) {
  begin(1);
  for (uint32_t i = 0; i < Bins + 1; i++) {
    raster(5, 3, 1, i);
  }
  raster(5, 3, 1, 9);
  assert_int_equal(now().held[0], Bins);
  step();  // Bins raster tiles without a move: it issues without waiting
  expect_tile(0, 5, 1 << 10);
  assert_int_equal(out.tile_tag[10], 0);
  step();
  for (uint32_t i = 1; i < Bins; i++) {
    take();
    put_done(0);
    step();
    wait_tile();
    assert_int_equal(out.tile_tag[10], i);
  }
}

ENGINE_TEST(test_evict) {
  begin(2);
  raster(1, 0, 1, 1);
  steps(2);
  raster(2, 0, 1, 2);
  raster(3, 0, 1, 3);
  assert_int_equal(now().evict, 0);
  step();
  assert_int_equal(now().evict, 1);  // the longest idle
  step();
  expect_tile(0, 1, 1);
  assert_int_equal(now().active, 2);
  step();
  assert_int_equal(now().active, 3);
  // The lowest of equals, and only one at a time.
  begin(3);
  for (uint32_t x = 1; x < 4; x++) {
    raster(x, 0, 1, x);
  }
  steps(Wait + 8);
  expect_tile(0, 1, 1);  // holds the others up
  assert_int_equal(now().active, 6);
  raster(4, 0, 1, 4);
  raster(5, 0, 1, 5);
  steps(Wait + 4);
  assert_int_equal(now().evict, 2);
  assert_true(out.quiescent);
}

ENGINE_TEST(test_end) {
  begin(2);
  put_end();
  step();
  steps(2);
  assert_true(out.quiescent);  // with nothing to end it is dropped
  raster(1, 0, 15, 1);
  put_end();
  step();
  raster(1, 1, 15, 2);
  wait_tile();
  expect_tile(0, 1, 0x33);
  assert_int_equal(out.tile_tag[4], 1);
  take();
  put_done(0);
  step();
  wait_tile();
  expect_tile(0, 1, 0xcc);
}

ENGINE_TEST(test_round) {
  begin(3);
  for (uint32_t x = 1; x < 4; x++) {
    raster(x, 0, 1, x);
  }
  put_end();
  step();
  in.tile_ready = true;
  for (uint32_t x = 1; x < 4; x++) {
    wait_tile();
    expect_tile(x - 1, x, 1);
    step();
  }
}

ENGINE_TEST(test_ids) {
  begin(1);
  in.tile_ready = true;
  for (uint32_t x = 0; x < Live + 1; x++) {
    raster(x, 0, 15, x);
    for (uint32_t q = 1; q < 4; q++) {
      raster(x, q, 15, x);
    }
    steps(6);
  }
  assert_int_equal(now().live, (1 << Live) - 1);
  assert_int_equal(now().covered[0], All);  // none is free
  steps(4);
  assert_true(out.quiescent);
  put_done(3);
  step();
  step();
  expect_tile(3, Live, All);
}

ENGINE_TEST(test_errors) {
  begin(2);
  raster(1, 0, 0, 1);
  assert_int_equal(out.error, TileCoalescerErrorNone);
  step();
  assert_int_equal(out.error, TileCoalescerErrorRaster);
  raster(1, 0, 1, 1);  // works on
  wait_tile();
  put_done(2);
  step();
  assert_int_equal(out.error, TileCoalescerErrorRaster);
  begin(2);
  put_done(0);
  step();
  assert_int_equal(out.error, TileCoalescerErrorDone);
  for (uint32_t taken = 0; taken < 2; taken++) {
    begin(2);
    raster(1, 0, 1, 1);
    wait_tile();
    put_done(0);
    in.tile_ready = taken;
    step();
    assert_int_equal(out.error, TileCoalescerErrorDone);
    assert_int_equal(now().live, 1);
  }
  begin(2);
  put_done(Live);
  step();
  assert_int_equal(out.error, TileCoalescerErrorDone);
  begin(2);
  raster(1, 0, 0, 1);
  put_done(1);
  step();
  assert_int_equal(out.error, TileCoalescerErrorRaster);  // the lower
  unit.reset(unit.self, &out);
  assert_int_equal(out.error, TileCoalescerErrorNone);
}

// Every stamp leaves once, with the tags of its place in order; one TC tile of a place lives; what
// was there before an end is gone before what comes after it.
enum { Places = 3, MostStamps = 1 << 13 };
static uint8_t given[Places][16][MostStamps], drawn[Places][16][MostStamps];
static uint32_t gave[Places][16], took[Places][16];

static void check_tile(uint32_t *place_of, uint32_t draw) {
  const uint32_t p = out.tile_x;
  for (uint32_t i = 0; i < Live; i++) {
    assert_false(place_of[i] == p + 1);
  }
  place_of[out.tile_id] = p + 1;
  int before = -1;
  for (uint32_t s = 0; s < 16; s++) {
    if (out.tile_stamps >> s & 1) {
      const uint32_t k = took[p][s]++;
      assert_true(k < gave[p][s]);
      assert_int_equal(out.tile_tag[s], given[p][s][k]);
      assert_true(before < 0 || before == drawn[p][s][k]);
      before = drawn[p][s][k];
    }
  }
  assert_true(before >= 0 && (uint8_t)(draw - (uint32_t)before) < 4);
}

ENGINE_TEST(test_scoreboard) {
  rng_t rng;
  rng_seed(&rng, 5);
  begin(2);
  uint32_t place_of[Live] = {0}, draw = 0;
  memset(gave, 0, sizeof gave);
  memset(took, 0, sizeof took);
  for (uint32_t c = 0; c < 8000; c++) {
    const uint32_t rate = c % 2000 < 1000 ? 900 : 200;
    if (c < 7700 && out.raster_ready && rng_chance(&rng, 800)) {
      if (rng_chance(&rng, 50)) {
        put_end();
        draw++;
      } else {
        const uint32_t p = rng_below(&rng, Places), q = rng_below(&rng, 4);
        const uint32_t stamps = 1 + rng_below(&rng, 15), tag = rng_below(&rng, 256);
        put(p, q, stamps, tag);
        for (uint32_t i = 0; i < 4; i++) {
          const uint32_t s = (q / 2 * 2 + i / 2) * 4 + q % 2 * 2 + i % 2;
          if (stamps >> i & 1) {
            drawn[p][s][gave[p][s]] = (uint8_t)draw;
            given[p][s][gave[p][s]++] = (uint8_t)tag;
          }
        }
      }
    }
    in.tile_ready = rng_chance(&rng, rate);
    const uint32_t id = rng_below(&rng, Live);
    if (place_of[id] && rng_chance(&rng, rate)) {
      put_done(id);
      place_of[id] = 0;
    }
    if (out.tile_valid && in.tile_ready) {
      check_tile(place_of, draw);
    }
    step();
  }
  assert_memory_equal(gave, took, sizeof gave);
  assert_int_equal(out.error, TileCoalescerErrorNone);
}

ENGINE_TEST(test_params) {
  const tile_coalescer_params_t wrong[] = {
      {0, 4, 20, 32, 11, 10}, {9, 4, 20, 32, 11, 10}, {2, 0, 20, 32, 11, 10},
      {2, 9, 20, 32, 11, 10}, {2, 4, 0, 32, 11, 10},  {2, 4, 1024, 32, 11, 10},
      {2, 4, 20, 1, 11, 10},  {2, 4, 20, 65, 11, 10}, {2, 4, 20, 32, 0, 10},
      {2, 4, 20, 32, 17, 10}, {2, 4, 20, 32, 11, 0},  {2, 4, 20, 32, 11, 11}};
  err_auto_t err = {0};
  for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    assert_false(harness_tile_coalescer(engine, &wrong[i], &unit, &err));
  }
}

int main(void) { return run_all_tests(NULL, NULL); }
