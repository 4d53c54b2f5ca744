// SPDX-License-Identifier: Apache-2.0
// Directed tests of the primitive distributor, from docs/units/primitive_distributor.md.
#include "csim/base/rng.h"
#include "tests/programs/unit_engine.h"

static primitive_distributor_t unit;
static primitive_distributor_params_t params;
static primitive_distributor_in_t in;
static primitive_distributor_out_t out;
static uint32_t all;

static void begin_narrow(uint32_t clusters, uint32_t batch, uint32_t pos_width,
                         uint32_t prim_width) {
  err_auto_t err = {0};
  params = (primitive_distributor_params_t){clusters, batch, pos_width, prim_width};
  if (!harness_primitive_distributor(engine, &params, &unit, &err)) {
    fail_msg("%s", err_text(&err));
  }
  memset(&in, 0, sizeof in);
  all = (1u << clusters) - 1;
  unit.reset(unit.self, &out);
}

static void begin(uint32_t clusters, uint32_t batch, uint32_t pos_width) {
  begin_narrow(clusters, batch, pos_width, 32);
}

// Inputs hold for one step, mask_ready for good.
static void step(void) {
  assert_int_equal(unit.step(unit.self, &in, &out), UnitOk);
  const uint16_t ready = in.mask_ready;
  memset(&in, 0, sizeof in);
  in.mask_ready = ready;
}

ENGINE_STEPS(steps)

static void put_configure(uint32_t wt, uint32_t width) {
  assert_true(out.configure_ready);
  in.configure_valid = true;
  in.configure_wt = (uint8_t)wt;
  in.configure_width = (uint16_t)width;
}

static void configure(uint32_t wt, uint32_t width) {
  put_configure(wt, width);
  step();
  steps(params.pos_width + 9);
}

static void put(uint8_t op, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1) {
  in.primitive_valid = true;
  in.primitive_op = op;
  in.primitive_x0 = (uint16_t)x0;
  in.primitive_y0 = (uint16_t)y0;
  in.primitive_x1 = (uint16_t)x1;
  in.primitive_y1 = (uint16_t)y1;
}

// Offers until it is accepted.
static void give(uint8_t op, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1) {
  bool taken = false;
  for (uint32_t i = 0; i < 100 && !taken; i++) {
    put(op, x0, y0, x1, y1);
    taken = out.primitive_ready;
    step();
  }
  assert_true(taken);
}

static void box(uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1) {
  give(PrimitiveDistributorOpBox, x0, y0, x1, y1);
}

static void empty(void) { give(PrimitiveDistributorOpEmpty, 0, 0, 0, 0); }
static void close_batch(void) { give(PrimitiveDistributorOpClose, 0, 0, 0, 0); }

// Waits for masks. Returns the steps.
static uint32_t wait_masks(void) {
  uint32_t waited = 0;
  while (out.mask_valid == 0 && waited < 200) {
    step();
    waited++;
  }
  assert_int_equal(out.mask_valid, all);
  return waited;
}

static void take_masks(void) {
  in.mask_ready = (uint16_t)all;
  step();
  in.mask_ready = 0;
}

static void expect_masks(uint32_t first, uint32_t count) {
  for (uint32_t c = 0; c < params.clusters; c++) {
    assert_int_equal(out.mask_first[c], first);
    assert_int_equal(out.mask_count[c], count);
  }
}

static void expect_state(bool configured, uint32_t row_step, uint32_t next) {
  primitive_distributor_state_t state;
  unit.observe(unit.self, &state);
  assert_int_equal(state.configured, configured);
  assert_int_equal(state.row_step, row_step);
  assert_int_equal(state.next, next);
}

// The clusters that own a TC tile of the box, one tile after the other.
static uint32_t owners(uint32_t wt, uint32_t width, uint32_t x0, uint32_t y0, uint32_t x1,
                       uint32_t y1) {
  uint32_t clusters = 0;
  for (uint32_t y = y0; y <= y1; y++) {
    for (uint32_t x = x0; x <= x1; x++) {
      clusters |= 1u << (y / wt * ((width + wt - 1) / wt) + x / wt) % params.clusters;
    }
  }
  return clusters;
}

// Which clusters the only primitive of the batch goes to; takes the masks.
static uint32_t only(void) {
  close_batch();
  wait_masks();
  uint32_t clusters = 0;
  for (uint32_t c = 0; c < params.clusters; c++) {
    assert_int_equal(out.mask_count[c], 1);
    clusters |= (out.mask_bits[c] & 1u) << c;
  }
  take_masks();
  return clusters;
}

static void try_boxes(uint32_t clusters, uint32_t pos_width, uint32_t maps, uint32_t boxes) {
  rng_t rng;
  rng_seed(&rng, clusters);
  begin(clusters, 4, pos_width);
  const uint32_t most = 1u << pos_width;
  for (uint32_t m = 0; m < maps; m++) {
    const uint32_t wt = 1 + rng_below(&rng, m % 2 ? 64 : 6), width = 1 + rng_below(&rng, most);
    configure(wt, width);
    for (uint32_t b = 0; b < boxes; b++) {
      const uint32_t x0 = rng_below(&rng, most), y0 = rng_below(&rng, most);
      const uint32_t x1 = x0 + rng_below(&rng, most - x0), y1 = y0 + rng_below(&rng, most - y0);
      box(x0, y0, x1, y1);
      assert_int_equal(only(), owners(wt, width, x0, y0, x1, y1));
    }
  }
}

ENGINE_TEST(test_owners) {
  try_boxes(2, 4, 12, 12);
  try_boxes(3, 6, 12, 12);
  try_boxes(6, 10, 12, 12);
  try_boxes(13, 7, 12, 12);
  try_boxes(16, 10, 12, 12);
}

// x / N is x M / 2^(PosWidth + 6) for x and N.
static void try_quotients(uint32_t clusters, uint32_t batch, uint32_t pos_width) {
  const uint32_t side = 1u << pos_width;
  begin(clusters, batch, pos_width);
  for (uint32_t wt = 1; wt <= 64; wt += wt < 16 ? 1 : 7) {
    configure(wt, side);
    for (uint32_t k = 0; k <= 2 * wt && k < side; k++) {
      const uint32_t x = side - 1 - k;
      box(x, 0, x, 0);
      assert_int_equal(only(), 1u << x / wt % clusters);
    }
  }
}

ENGINE_TEST(test_quotients) {
  try_quotients(16, 4, 10);
  try_quotients(6, 2, 4);
}

ENGINE_TEST(test_divider) {
  begin(6, 32, 10);
  expect_state(false, 0, 0);
  assert_true(out.primitive_ready && out.configure_ready && out.quiescent);
  put_configure(10, 128);
  put(PrimitiveDistributorOpBox, 20, 0, 29, 9);  // in the same cycle
  step();
  for (uint32_t i = 0; i < 10 + 9; i++) {
    expect_state(false, 0, 0);
    assert_false(out.primitive_ready || out.configure_ready || out.quiescent);
    step();
  }
  expect_state(true, 13 % 6, 0);
  assert_true(out.primitive_ready);
  assert_int_equal(only(), 1u << 2);
  assert_int_equal(out.error, PrimitiveDistributorErrorNone);
  configure(1, 1024);
  expect_state(true, 1024 % 6, 1);
  configure(64, 1);
  expect_state(true, 1, 1);
}

ENGINE_TEST(test_divider_of_narrow_positions) {
  begin(6, 2, 4);
  put_configure(3, 16);
  step();
  for (uint32_t i = 0; i < 4 + 9; i++) {
    expect_state(false, 0, 0);
    step();
  }
  expect_state(true, 6 % 6, 0);
}

ENGINE_TEST(test_latency) {
  begin(6, 32, 10);
  configure(1, 7);
  in.mask_ready = (uint16_t)all;
  box(3, 2, 3, 2);
  close_batch();
  assert_int_equal(wait_masks(), 4);
  expect_masks(0, 1);
  step();
  assert_int_equal(out.mask_valid, 0);
  assert_int_equal(out.mask_count[0], 0);
  // A row a cycle, as soon as all are set the last: r is 1, so a box of two columns needs five.
  box(0, 0, 1, 8);
  close_batch();
  assert_int_equal(wait_masks(), 4 + 4);
  step();
  // Five rows of one column.
  box(4, 0, 4, 4);
  close_batch();
  assert_int_equal(wait_masks(), 4 + 4);
}

ENGINE_TEST(test_rate) {
  begin(6, 32, 10);
  configure(4, 64);
  in.mask_ready = (uint16_t)all;
  for (uint32_t i = 0; i < 70; i++) {
    assert_true(out.primitive_ready);
    put(PrimitiveDistributorOpBox, i % 60, i, i % 60 + 3, i | 3);
    step();
    assert_int_equal(out.mask_valid, i == 35 || i == 67 ? all : 0);
  }
  expect_state(true, 16 % 6, 64);
}

ENGINE_TEST(test_batches) {
  begin(3, 4, 5);
  configure(2, 6);  // three columns: a row is a cluster each, r is 0
  close_batch();    // nothing to end
  steps(6);
  assert_true(out.quiescent && out.mask_valid == 0);
  box(0, 0, 1, 9);
  empty();
  box(2, 0, 5, 9);
  close_batch();
  wait_masks();
  expect_masks(0, 3);
  assert_int_equal(out.mask_bits[0], 1);
  assert_int_equal(out.mask_bits[1], 4);
  assert_int_equal(out.mask_bits[2], 4);
  in.mask_ready = 5;  // one lane after the other
  step();
  assert_int_equal(out.mask_valid, 2);
  assert_int_equal(out.mask_bits[0], 0);
  assert_int_equal(out.mask_first[2], 0);
  assert_int_equal(out.mask_bits[1], 4);
  // A batch that is full waits for the last lane, and nothing is lost behind it.
  in.mask_ready = 0;
  for (uint32_t i = 0; i < 4; i++) {
    box(4, 0, 4, 0);
  }
  for (uint32_t i = 0; i < 4; i++) {
    box(0, 0, 0, 0);
  }
  step();
  assert_false(out.primitive_ready);
  assert_true(out.quiescent);
  expect_state(true, 0, 3);
  in.mask_ready = 2;
  step();
  expect_masks(3, 4);
  assert_int_equal(out.mask_bits[2], 15);
  assert_int_equal(out.mask_bits[0], 0);
  in.mask_ready = (uint16_t)all;
  step();
  wait_masks();
  expect_masks(7, 4);
  assert_int_equal(out.mask_bits[0], 15);
}

ENGINE_TEST(test_configure_waits) {
  begin(3, 4, 5);
  configure(2, 6);
  empty();
  for (uint32_t i = 0; i < 8; i++) {
    assert_false(out.configure_ready);  // in the queue, the places, the batch
    step();
  }
  assert_true(out.quiescent);
  close_batch();
  wait_masks();
  assert_false(out.configure_ready);
  in.mask_ready = 3;
  step();
  assert_false(out.configure_ready);
  in.mask_ready = 4;
  step();
  assert_true(out.configure_ready);
}

static void expect_refused(uint32_t wt, uint32_t width) {
  begin(6, 2, 4);
  configure(3, 16);
  put_configure(wt, width);
  step();
  assert_int_equal(out.error, PrimitiveDistributorErrorConfigure);
  expect_state(true, 0, 0);
  assert_true(out.configure_ready);
  box(3, 0, 5, 2);  // works on
  assert_int_equal(only(), 2);
}

ENGINE_TEST(test_configure_errors) {
  expect_refused(0, 16);
  expect_refused(65, 16);
  expect_refused(3, 0);
  expect_refused(3, 17);
  begin(6, 2, 4);
  configure(64, 16);
  configure(1, 1);
  assert_int_equal(out.error, PrimitiveDistributorErrorNone);
}

// A primitive that is illegal counts as an empty one.
static void expect_empty(uint8_t op, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1) {
  begin(6, 4, 4);
  configure(1, 16);
  give(op, x0, y0, x1, y1);
  step();
  assert_int_equal(out.error, PrimitiveDistributorErrorNone);
  step();
  assert_int_equal(out.error, PrimitiveDistributorErrorPrimitive);
  assert_int_equal(only(), 0);
  expect_state(true, 16 % 6, 1);
}

ENGINE_TEST(test_primitive_errors) {
  expect_empty(3, 1, 1, 2, 2);
  expect_empty(PrimitiveDistributorOpBox, 3, 1, 2, 2);
  expect_empty(PrimitiveDistributorOpBox, 1, 3, 2, 2);
  begin(6, 4, 4);  // not configured
  box(1, 1, 2, 2);
  assert_int_equal(only(), 0);
  assert_int_equal(out.error, PrimitiveDistributorErrorPrimitive);
  begin(6, 4, 4);
  empty();
  steps(2);
  assert_int_equal(out.error, PrimitiveDistributorErrorPrimitive);
  begin(6, 4, 4);
  close_batch();
  steps(2);
  assert_int_equal(out.error, PrimitiveDistributorErrorPrimitive);
  steps(4);
  assert_int_equal(out.mask_valid, 0);
  configure(1, 16);
  assert_int_equal(out.error, PrimitiveDistributorErrorPrimitive);
  unit.reset(unit.self, &out);
  assert_int_equal(out.error, PrimitiveDistributorErrorNone);
  expect_state(false, 0, 0);
}

// Batches of one: each primitive is a batch of its own.
ENGINE_TEST(test_single) {
  begin(2, 1, 4);
  configure(1, 2);
  for (uint32_t i = 0; i < 6; i++) {
    box(i % 2, 0, i % 2, 0);
    wait_masks();
    expect_masks(i, 1);
    assert_int_equal(out.mask_bits[i % 2], 1);
    assert_int_equal(out.mask_bits[1 - i % 2], 0);
    take_masks();
  }
}

// After the largest number, 63 of 6 bits, comes 0.
ENGINE_TEST(test_numbers_wrap) {
  begin_narrow(2, 3, 4, 6);
  configure(1, 2);
  for (uint32_t i = 0; i < 24; i++) {
    for (uint32_t k = 0; k < 3; k++) {
      box(k % 2, 0, k % 2, 0);
    }
    wait_masks();
    expect_masks(3 * i % 64, 3);
    take_masks();
  }
  expect_state(true, 0, 72 - 64);
}

ENGINE_TEST(test_params) {
  const primitive_distributor_params_t wrong[] = {
      {1, 32, 10, 32}, {17, 32, 10, 32}, {6, 0, 10, 32}, {6, 33, 10, 32},
      {6, 32, 3, 32},  {6, 32, 11, 32},  {6, 32, 10, 5}, {6, 32, 10, 33}};
  err_auto_t err = {0};
  for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    assert_false(harness_primitive_distributor(engine, &wrong[i], &unit, &err));
  }
}

int main(void) { return run_all_tests(NULL, NULL); }
