// SPDX-License-Identifier: Apache-2.0
// Directed tests of the texel generator, from docs/units/texel_generator.md. What a tile needs is
// taken from csim/texture/virtual_texture.h, which is written apart.
#include "csim/base/rng.h"
#include "csim/texture/texture_layout.h"
#include "csim/texture/virtual_texture.h"
#include "tests/programs/unit_engine.h"

enum { Slots = 4, MaxBeats = 400, Latency = 18, Parents = 16, MostBeats = 160 };

static texel_generator_t unit;
static texel_generator_in_t in;
static texel_generator_out_t out;
static texel_generator_beat_t beats[MaxBeats];
static uint32_t beat_cycle[MaxBeats], beat_count, request_count, cycle;
static texel_generator_request_t last_request;

static void begin(void) {
  err_auto_t err = {0};
  texel_generator_params_t params = {
      .descriptors = 16, .slots = Slots, .count_width = 48, .observe = true};
  if (!harness_texel_generator(engine, &params, &unit, &err)) {
    fail_msg("%s", err_text(&err));
  }
  memset(&in, 0, sizeof in);
  in.request_ready = in.beat_ready = true;
  in.cycle = 1;
  beat_count = request_count = cycle = 0;
  unit.reset(unit.self, &out);
}

// Clocks once; takes what leaves in this cycle.
static void step(void) {
  if (out.request_valid && in.request_ready) {
    last_request = out.request;
    request_count++;
  }
  if (out.beat_valid && in.beat_ready) {
    assert_true(beat_count < MaxBeats);
    beat_cycle[beat_count] = cycle;
    beats[beat_count++] = out.beat;
  }
  assert_int_equal(unit.step(unit.self, &in, &out), UnitOk);
  cycle++;
  in.cycle++;
  in.descriptor_valid = in.package_valid = in.peek_valid = in.free_valid = false;
}

static void wait_cycles(uint32_t n) {
  while (n-- > 0) {
    step();
  }
}

static void describe(uint16_t width, uint16_t height, uint8_t wrap_x, uint8_t wrap_y) {
  in.descriptor_valid = true;
  in.descriptor = (texel_generator_descriptor_t){5, 1, width, height, wrap_x, wrap_y};
  step();
}

static void send(const texel_generator_package_t *p) {
  assert_true(out.package_ready);
  in.package_valid = true;
  in.package = *p;
  step();
}

static uint64_t peek(texel_generator_peek_e select, uint16_t index) {
  in.peek_valid = true;
  in.peek_select = (uint8_t)select;
  in.peek_index = index;
  step();
  return out.peek_data;
}

static void give_back(uint8_t slot) {
  in.free_valid = true;
  in.free_slot = slot;
  step();
}

static const uint16_t Side = 64;

// Parents (0, 0) to (3, 3) of a texture of 64 x 64, k 2, without slope.
static texel_generator_package_t simple(uint16_t id) {
  return (texel_generator_package_t){
      .id = id, .descriptor = 5, .extent = 2, .tile_x = 1, .tile_y = 5};
}

// The example of the contract, cycle by cycle.
ENGINE_TEST(test_example) {
  begin();
  assert_true(out.package_ready && out.quiescent);
  describe(Side, Side, TexelGeneratorWrapRepeat, TexelGeneratorWrapRepeat);
  const texel_generator_package_t p = simple(3);
  send(&p);  // t
  for (uint32_t t = 1; t <= 24; t++) {
    assert_int_equal(out.request_valid, t == 5);
    assert_int_equal(out.beat_valid, t >= 18 && t <= 21);
    assert_int_equal(out.quiescent, t > 21);
    if (t == 5) {
      assert_int_equal(out.request.slot, 0);
      assert_int_equal(out.request.id, 3);
      assert_int_equal(out.request.mask, 0xffff);
      assert_int_equal(out.request.extent, 2);
      assert_false(out.request.refused);
    }
    if (out.beat_valid) {
      // Line 64 has the base; line t - 18 of the row is the children of parents 0, 4, 8 and 12.
      uint32_t m = t - 18;
      assert_int_equal(out.beat.line, 64 + m);
      assert_int_equal(out.beat.texel, 0xffff);
      assert_int_equal(out.beat.last, t == 21);
      for (uint32_t k = 0; k < 16; k++) {
        assert_int_equal(out.beat.parent[k], k / 4 * 4 + m);
      }
    }
    step();
  }
  assert_int_equal(out.error, TexelGeneratorErrorNone);
  assert_int_equal(peek(TexelGeneratorPeekCounter, TexelGeneratorCounterPackages), 1);
  assert_int_equal(peek(TexelGeneratorPeekCounter, TexelGeneratorCounterGroups), 4);
  assert_int_equal(peek(TexelGeneratorPeekCounter, TexelGeneratorCounterBeats), 4);
  assert_int_equal(peek(TexelGeneratorPeekCounter, TexelGeneratorCounterChildren), 64);
  assert_int_equal(peek(TexelGeneratorPeekCounter, TexelGeneratorCounters), 0);
}

// ---- Children

typedef struct {
  frame_texture_t texture;
  texture_layout_t layout;
  virtual_texture_t v;
  texel_generator_package_t package;
} tile_t;

static void tile_make(tile_t *t, uint32_t width, uint32_t height, uint32_t level,
                      const virtual_texture_t *v) {
  t->texture = (frame_texture_t){.width = width, .height = height};
  while (!t->texture.levels || width >> t->texture.levels || height >> t->texture.levels) {
    t->texture.levels++;
  }
  texture_layout_make(&t->layout, &t->texture, TextureAlign);
  t->v = *v;
  t->v.width = frame_side(width, level);
  t->v.height = frame_side(height, level);
  t->package = (texel_generator_package_t){.id = 7,
                                           .descriptor = 5,
                                           .level = (uint8_t)level,
                                           .offset = t->layout.offset[level],
                                           .reading = v->reading,
                                           .extent = v->k,
                                           .along_y = v->along_y,
                                           .slope = v->q & 7};
}

// How often each texel of each line goes to each parent, and how often it should.
typedef struct {
  uint32_t line;
  uint8_t texel, parent;
  int32_t times;
} use_t;

static void use(use_t *uses, uint32_t *count, uint32_t line, uint32_t texel, uint32_t parent,
                int32_t times) {
  for (uint32_t i = 0; i < *count; i++) {
    if (uses[i].line == line && uses[i].texel == texel && uses[i].parent == parent) {
      uses[i].times += times;
      return;
    }
  }
  uses[(*count)++] = (use_t){line, (uint8_t)texel, (uint8_t)parent, times};
}

// A beat keeps the combination unit's limits: of a column along the axis a parent takes one texel.
static void check_beat(const tile_t *t, const texel_generator_beat_t *b) {
  assert_int_not_equal(b->texel, 0);
  for (uint32_t i = 0; i < 16; i++) {
    if (!(b->texel >> i & 1)) {
      assert_int_equal(b->parent[i], 0);
      continue;
    }
    for (uint32_t j = 0; j < i; j++) {
      bool same_column = t->v.along_y ? i / 4 == j / 4 : i % 4 == j % 4;
      assert_false((b->texel >> j & 1) && same_column && b->parent[i] == b->parent[j]);
    }
  }
}

// Sends the tile and holds its beats against the children of its parents. Returns the beats.
static uint32_t run_tile(tile_t *t, uint32_t x, uint32_t y) {
  static use_t uses[512];
  uint32_t count = 0, base = TextureAlign / TextureLineBytes;
  uint16_t mask = 0;
  t->package.tile_x = (uint16_t)x;
  t->package.tile_y = (uint16_t)y;
  for (uint32_t n = 0; n < Parents; n++) {
    int32_t a, b;
    if (!virtual_texture_parent(&t->v, x, y, n, &a, &b)) {
      continue;
    }
    mask |= (uint16_t)(1 << n);
    for (uint32_t i = 0; i < 1u << t->v.k; i++) {
      uint32_t cx, cy;
      virtual_texture_child(&t->v, a, b, i, &cx, &cy);
      use(uses, &count, base + texture_line(&t->layout, &t->texture, t->package.level, cx, cy),
          texture_place(cx, cy), n, 1);
    }
  }
  beat_count = request_count = 0;
  send(&t->package);
  while (!request_count) {
    step();
  }
  assert_int_equal(last_request.refused, mask == 0);
  if (!mask) {
    return 0;
  }
  assert_int_equal(last_request.mask, mask);
  assert_int_equal(last_request.extent, t->v.k);
  while (!beat_count || !beats[beat_count - 1].last) {
    step();
  }
  give_back(last_request.slot);
  for (uint32_t i = 0; i < beat_count; i++) {
    assert_int_equal(beats[i].slot, last_request.slot);
    assert_int_equal(beats[i].along_y, t->v.along_y);
    assert_int_equal(beats[i].last, i + 1 == beat_count);
    check_beat(t, &beats[i]);
    for (uint32_t k = 0; k < 16; k++) {
      if (beats[i].texel >> k & 1) {
        use(uses, &count, beats[i].line, k, beats[i].parent[k], -1);
      }
    }
  }
  for (uint32_t i = 0; i < count; i++) {
    if (uses[i].times != 0) {
      fail_msg("%ux%u, k %u, q %d: line %u texel %u of parent %u: %d too few", t->v.width,
               t->v.height, t->v.k, t->v.q, uses[i].line, uses[i].texel, uses[i].parent,
               uses[i].times);
    }
  }
  return beat_count;
}

static const uint32_t Sizes[][2] = {{64, 64}, {37, 50}, {128, 5}, {16, 16}, {21, 90},
                                    {1, 9},   {33, 1},  {1, 1},   {250, 3}, {70, 70}};
enum { SizeCount = sizeof Sizes / sizeof *Sizes };

// Tiles of all kinds, most of them at seams: each child once, nothing else.
ENGINE_TEST(test_children) {
  rng_t r;
  rng_seed(&r, 1);
  begin();
  uint32_t tiles = 0, most = 0;
  for (uint32_t i = 0; i < 3000; i++) {
    uint32_t n = rng_below(&r, SizeCount), level = rng_below(&r, 3);
    virtual_texture_t v = {.reading = (uint8_t)rng_below(&r, 2),
                           .k = (uint8_t)(1 + rng_below(&r, 4)),
                           .along_y = rng_below(&r, 2),
                           .q = (int8_t)((int)rng_below(&r, 5) - 2),
                           .wrap_x = (uint8_t)rng_below(&r, 3),
                           .wrap_y = (uint8_t)rng_below(&r, 3)};
    tile_t t;
    if (Sizes[n][0] >> level == 0 && Sizes[n][1] >> level == 0) {
      continue;
    }
    tile_make(&t, Sizes[n][0], Sizes[n][1], level, &v);
    if (v.reading == VirtualLattice && (v.along_y ? t.v.height : t.v.width) >> v.k == 0) {
      continue;
    }
    describe((uint16_t)Sizes[n][0], (uint16_t)Sizes[n][1], v.wrap_x, v.wrap_y);
    virtual_range_t range = virtual_texture_range(&t.v);
    for (uint32_t j = 0; j < 4; j++) {
      int32_t a = range.a0 + (int32_t)rng_below(&r, (uint32_t)(range.a1 - range.a0 + 1));
      int32_t b = range.b0 + (int32_t)rng_below(&r, (uint32_t)(range.b1 - range.b0 + 1));
      uint32_t x, y, place;
      virtual_texture_tile(&t.v, j & 1 ? a : range.a1, j & 2 ? b : range.b1, &x, &y, &place);
      uint32_t took = run_tile(&t, x, y);
      most = took > most ? took : most;
      tiles++;
    }
  }
  assert_true(tiles > 5000);
  assert_true(most <= MostBeats);
}

// Away from seams every line once: N, up to 3N with slope, isotropic N parents' rows.
ENGINE_TEST(test_beats) {
  begin();
  for (uint32_t k = 1; k <= 4; k++) {
    for (int32_t q = -2; q <= 2; q++) {
      for (uint32_t reading = 0; reading < 2; reading++) {
        for (uint32_t along_y = 0; along_y < 2; along_y++) {
          virtual_texture_t v = {
              .reading = (uint8_t)reading, .k = (uint8_t)k, .along_y = along_y, .q = (int8_t)q};
          tile_t t;
          tile_make(&t, 1024, 1024, 0, &v);
          describe(1024, 1024, TexelGeneratorWrapRepeat, TexelGeneratorWrapRepeat);
          uint32_t across = reading ? 8 : 30, n = 1u << k;
          uint32_t took = run_tile(&t, along_y ? across : 5, along_y ? 5 : across);
          uint32_t least = reading ? (k == 1 ? 4 : 4 * n) : n, lines = 0;
          assert_in_range(took, least, reading ? 4 * n : 3 * n);
          assert_true(q || took == least);
          // No line twice.
          for (uint32_t i = 0; i < beat_count; i++) {
            lines++;
            for (uint32_t j = 0; j < i; j++) {
              assert_true(beats[i].line != beats[j].line);
            }
          }
          assert_int_equal(lines, took);
        }
      }
    }
  }
}

// The last parents of a clamped texture one texel high need the most beats: 31 columns of children
// are clamped to its last texel, and four parents take each.
ENGINE_TEST(test_most_beats) {
  uint32_t most = 0;
  begin();
  for (uint32_t width = 16; width <= 81; width++) {
    for (uint32_t height = 1; height <= 5; height += 4) {
      virtual_texture_t v = {.k = 4, .q = 2, .wrap_x = FrameWrapClamp, .wrap_y = FrameWrapClamp};
      tile_t t;
      uint32_t x, y, place;
      tile_make(&t, width, height, 0, &v);
      describe((uint16_t)width, (uint16_t)height, TexelGeneratorWrapClamp, TexelGeneratorWrapClamp);
      virtual_range_t range = virtual_texture_range(&t.v);
      for (int32_t b = range.b0; b <= range.b1; b += 4) {
        virtual_texture_tile(&t.v, range.a1, b, &x, &y, &place);
        uint32_t took = run_tile(&t, x, y);
        most = took > most ? took : most;
      }
    }
  }
  assert_int_equal(most, MostBeats);
}

// ---- Flow

// A slot each, the lowest that is free; without one the package waits.
ENGINE_TEST(test_slots) {
  begin();
  describe(Side, Side, TexelGeneratorWrapRepeat, TexelGeneratorWrapRepeat);
  for (uint16_t i = 0; i < Slots + 2; i++) {
    const texel_generator_package_t p = simple(i);
    send(&p);
    wait_cycles(6);
    assert_int_equal(request_count, i < Slots ? i + 1u : Slots);
    if (i < Slots) {
      assert_int_equal(last_request.slot, i);
    }
  }
  wait_cycles(40);
  assert_true(out.quiescent);
  assert_int_equal(beat_count, 4 * Slots);
  give_back(2);
  wait_cycles(30);
  assert_int_equal(last_request.slot, 2);
  assert_int_equal(last_request.id, Slots);
  give_back(3);
  wait_cycles(30);
  give_back(1);
  give_back(0);
  wait_cycles(2);
  assert_int_equal(last_request.slot, 3);
  for (uint16_t i = 0; i < 2; i++) {
    const texel_generator_package_t p = simple(i);
    send(&p);
    wait_cycles(10);
    assert_int_equal(last_request.slot, i);
  }
  assert_int_equal(out.error, TexelGeneratorErrorNone);
}

// A beat a cycle, without a gap between packages.
ENGINE_TEST(test_rate) {
  for (uint8_t k = 1; k <= 4; k++) {
    begin();
    describe(256, 256, TexelGeneratorWrapRepeat, TexelGeneratorWrapRepeat);
    texel_generator_package_t p = simple(0);
    p.extent = k;
    uint32_t n = 1u << k;
    for (uint32_t t = 0, sent = 0; t < 120; t++) {
      in.package = p;
      in.package_valid = sent < Slots;
      sent += in.package_valid && out.package_ready;
      step();
    }
    assert_int_equal(beat_count, Slots * n);
    assert_int_equal(beat_cycle[0], Latency + 1);
    assert_int_equal(beat_cycle[beat_count - 1] - beat_cycle[0] + 1, Slots * n);
  }
}

// A beat that is not taken holds everything; nothing is lost. So does a request.
ENGINE_TEST(test_back_pressure) {
  begin();
  describe(Side, Side, TexelGeneratorWrapRepeat, TexelGeneratorWrapRepeat);
  in.beat_ready = false;
  for (uint16_t i = 0; i < Slots; i++) {
    const texel_generator_package_t p = simple(i);
    send(&p);
    wait_cycles(20);
  }
  assert_true(out.beat_valid && out.quiescent);
  assert_int_equal(beat_count, 0);
  in.beat_ready = true;
  wait_cycles(60);
  assert_int_equal(beat_count, 4 * Slots);
  for (uint32_t i = 0; i < beat_count; i++) {
    assert_int_equal(beats[i].slot, i / 4);
    assert_int_equal(beats[i].line, 64 + i % 4);
  }
  // Two requests wait in their queue, then R, P, L and two in the package queue are full.
  for (uint8_t i = 0; i < Slots; i++) {
    give_back(i);
  }
  in.request_ready = false;
  for (uint16_t i = 0; i < 7; i++) {
    const texel_generator_package_t p = simple(i);
    send(&p);
    wait_cycles(20);
  }
  assert_false(out.package_ready);
  assert_int_equal(beat_count, 4 * Slots);  // no beat before its request was taken
  in.request_ready = true;
  wait_cycles(60);
  assert_int_equal(beat_count, 8 * Slots);
}

ENGINE_TEST(test_dropped) {
  begin();
  in.epoch = 9;
  describe(Side, Side, TexelGeneratorWrapRepeat, TexelGeneratorWrapRepeat);
  texel_generator_package_t p = simple(1);
  p.epoch = 8;
  send(&p);
  wait_cycles(30);
  assert_int_equal(request_count + beat_count, 0);
  assert_int_equal(out.error, TexelGeneratorErrorNone);
  assert_int_equal(peek(TexelGeneratorPeekCounter, TexelGeneratorCounterDropped), 1);
  p.epoch = 9;
  send(&p);
  wait_cycles(30);
  assert_int_equal(request_count, 1);
  assert_int_equal(beat_count, 4);
}

ENGINE_TEST(test_refused) {
  static const struct {
    uint16_t descriptor;
    uint8_t level, reading, extent, slope;
    uint16_t tile_x, tile_y;
    bool refused;
  } cases[] = {{6, 0, 0, 2, 0, 1, 5, true},    {5 + 256, 0, 0, 2, 0, 1, 5, true},
               {5, 6, 0, 2, 0, 1, 5, true},    {5, 7, 1, 1, 0, 1, 5, true},
               {5, 6, 1, 1, 0, 1, 5, false},   {5, 0, 0, 0, 0, 1, 5, true},
               {5, 0, 0, 5, 0, 1, 5, true},    {5, 0, 0, 2, 3, 1, 5, true},
               {5, 0, 0, 2, 4, 1, 5, true},    {5, 0, 0, 2, 5, 1, 5, true},
               {5, 0, 0, 2, 6, 1, 5, false},   {5, 0, 0, 2, 2, 1, 5, false},
               {5, 3, 0, 3, 0, 1, 5, false},   {5, 3, 0, 4, 0, 1, 5, true},
               {5, 0, 0, 2, 0, 0, 5, true},    {5, 0, 0, 2, 0, 4, 5, false},
               {5, 0, 0, 2, 0, 5, 5, true},    {5, 0, 0, 2, 0, 1, 4, true},
               {5, 0, 0, 2, 0, 1, 20, false},  {5, 0, 0, 2, 0, 1, 21, true},
               {5, 0, 0, 2, 0, 1, 4095, true}, {5, 0, 0, 2, 0, 4095, 5, true}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    begin();
    describe(Side, Side, TexelGeneratorWrapRepeat, TexelGeneratorWrapRepeat);
    const texel_generator_package_t p = {.id = 77,
                                         .descriptor = cases[i].descriptor,
                                         .level = cases[i].level,
                                         .reading = cases[i].reading,
                                         .extent = cases[i].extent,
                                         .slope = cases[i].slope,
                                         .tile_x = cases[i].tile_x,
                                         .tile_y = cases[i].tile_y};
    send(&p);
    wait_cycles(40);
    assert_int_equal(request_count, 1);
    assert_int_equal(last_request.refused, cases[i].refused);
    assert_int_equal(last_request.id, 77);
    assert_int_equal(out.error,
                     cases[i].refused ? TexelGeneratorErrorPackage : TexelGeneratorErrorNone);
    assert_int_equal(beat_count != 0, !cases[i].refused);
    assert_int_equal(peek(TexelGeneratorPeekCounter, TexelGeneratorCounterRefused),
                     cases[i].refused);
    if (cases[i].refused) {
      assert_int_equal(last_request.mask | last_request.extent | last_request.slot, 0);
    }
  }
}

ENGINE_TEST(test_errors) {
  const texel_generator_descriptor_t wrong[] = {
      {16, 1, 8, 8, 0, 0},   {5, 1, 0, 8, 0, 0}, {5, 1, 8, 0, 0, 0}, {5, 1, 8193, 8, 0, 0},
      {5, 1, 8, 8193, 0, 0}, {5, 1, 8, 8, 3, 0}, {5, 1, 8, 8, 0, 3}};
  for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    begin();
    in.descriptor_valid = true;
    in.descriptor = wrong[i];
    step();
    assert_int_equal(out.error, TexelGeneratorErrorDescriptor);
    assert_int_equal(peek(TexelGeneratorPeekDescriptor, 5), 0);
  }
  // A slot that is free, one that does not exist, one that is taken in this cycle; then one in use.
  for (uint32_t i = 0; i < 4; i++) {
    begin();
    describe(Side, Side, TexelGeneratorWrapRepeat, TexelGeneratorWrapRepeat);
    if (i >= 2) {
      const texel_generator_package_t p = simple(0);
      send(&p);
      wait_cycles(i == 2 ? 3 : 4);
    }
    give_back(i == 1 ? Slots : 0);
    assert_int_equal(out.error, i < 3 ? TexelGeneratorErrorSlot : TexelGeneratorErrorNone);
  }
  unit.reset(unit.self, &out);
  assert_int_equal(out.error, TexelGeneratorErrorNone);
  // Of several in one cycle the lowest is kept.
  for (uint32_t all = 0; all < 2; all++) {
    begin();
    if (all) {
      const texel_generator_package_t p = simple(0);
      send(&p);  // no descriptor
      wait_cycles(3);
      assert_int_equal(out.error, TexelGeneratorErrorNone);
    }
    in.free_valid = true;
    in.descriptor_valid = true;
    in.descriptor = wrong[0];
    step();
    assert_int_equal(out.error, all ? TexelGeneratorErrorPackage : TexelGeneratorErrorDescriptor);
  }
}

// A descriptor written in the cycle in which its package is loaded counts, one cycle later not.
ENGINE_TEST(test_write_through) {
  for (uint32_t late = 0; late < 2; late++) {
    begin();
    const texel_generator_package_t p = simple(1);
    send(&p);
    wait_cycles(late);
    describe(Side, Side, TexelGeneratorWrapRepeat, TexelGeneratorWrapRepeat);
    wait_cycles(30);
    assert_int_equal(beat_count, late ? 0 : 4);
    assert_int_equal(last_request.refused, late);
  }
}

// ---- Why no beat leaves

typedef struct {
  uint64_t taken, not_taken, no_package, no_slot, no_request, filling;
} causes_t;

// The counters, of a unit without packages; they add up to the cycles before the last of these
// peeks.
static causes_t causes(void) {
  causes_t c;
  c.taken = peek(TexelGeneratorPeekCounter, TexelGeneratorCounterTaken);
  c.not_taken = peek(TexelGeneratorPeekCounter, TexelGeneratorCounterNotTaken);
  c.no_slot = peek(TexelGeneratorPeekCounter, TexelGeneratorCounterNoSlot);
  c.no_request = peek(TexelGeneratorPeekCounter, TexelGeneratorCounterNoRequest);
  c.filling = peek(TexelGeneratorPeekCounter, TexelGeneratorCounterFilling);
  c.no_package = peek(TexelGeneratorPeekCounter, TexelGeneratorCounterNoPackage);
  assert_int_equal(c.taken, beat_count);
  assert_int_equal(c.taken + c.not_taken + c.no_slot + c.no_request + c.filling + c.no_package,
                   in.cycle - 2);
  return c;
}

ENGINE_TEST(test_causes) {
  // A package in an idle unit: four cycles to C; all else is NoPackage.
  begin();
  describe(Side, Side, TexelGeneratorWrapRepeat, TexelGeneratorWrapRepeat);
  wait_cycles(20);
  const texel_generator_package_t p = simple(0);
  send(&p);
  wait_cycles(60);
  causes_t c = causes();
  assert_int_equal(c.taken, 4);
  assert_int_equal(c.filling, 4);
  assert_int_equal(c.not_taken + c.no_slot + c.no_request, 0);
  // The same one behind the other, but for three slots: the gap is NoSlot, and one cycle to C.
  for (uint32_t i = 0; i < Slots; i++) {
    send(&p);
    wait_cycles(3);
  }
  wait_cycles(50);
  assert_int_equal(beat_count, 4 * Slots);
  give_back(2);
  wait_cycles(60);
  assert_int_equal(beat_count, 4 * Slots + 4);
  uint32_t gap = beat_cycle[4 * Slots] - beat_cycle[4 * Slots - 1] - 1;
  assert_true(gap > 30);
  c = causes();
  assert_int_equal(c.no_slot, gap - 1);
  assert_int_equal(c.filling, 4 + 4 + 1);
  assert_int_equal(c.no_request + c.not_taken, 0);
  // A bad package waits for the request queue as others do, without a slot, too.
  in.request_ready = false;
  for (uint8_t i = 0; i < Slots; i++) {
    give_back(i);
  }
  texel_generator_package_t bad = p;
  bad.extent = 0;
  for (uint32_t i = 0; i < 3; i++) {
    send(&bad);
  }
  wait_cycles(40);
  assert_true(out.quiescent);
  in.request_ready = true;
  wait_cycles(40);
  c = causes();
  assert_in_range(c.no_request, 30, 40);
  assert_int_equal(c.no_slot, gap - 1);
}

// A unit whose clock stands still while it is quiescent counts the same.
ENGINE_TEST(test_causes_skipped) {
  causes_t c[2];
  for (uint32_t skips = 0; skips < 2; skips++) {
    begin();
    describe(Side, Side, TexelGeneratorWrapRepeat, TexelGeneratorWrapRepeat);
    const texel_generator_package_t p = simple(0);
    uint32_t skipped = 0;
    for (uint32_t t = 0; t < 3000; t++) {
      // Each phase holds its inputs for so long that the unit comes to rest.
      uint32_t phase = t / 150 % 4;
      in.beat_ready = phase != 1;
      in.request_ready = phase != 3;
      bool acts = t % 150 < 4;
      in.package_valid = acts;
      in.package = p;
      in.free_valid = acts && phase == 1;
      in.free_slot = (uint8_t)(t % 150 % Slots);
      if (skips && t % 150 > 10 && out.quiescent) {
        in.cycle++;
        skipped++;
      } else {
        beat_count %= MaxBeats / 2;
        step();
      }
    }
    in.beat_ready = in.request_ready = true;
    for (uint8_t i = 0; i < 3 * Slots; i++) {
      give_back(i % Slots);
      wait_cycles(50);
      beat_count = 0;
    }
    beat_count = (uint32_t)peek(TexelGeneratorPeekCounter, TexelGeneratorCounterTaken);
    c[skips] = causes();
    assert_true(!skips || skipped > 1000);
  }
  assert_true(c[0].no_slot > 100 && c[0].not_taken > 100);
  assert_memory_equal(&c[0], &c[1], sizeof c[0]);
}

int main(void) { return run_all_tests(NULL, NULL); }
