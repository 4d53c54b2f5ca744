// SPDX-License-Identifier: Apache-2.0
// Directed tests of the texel generator, from docs/units/texel_generator.md.
#include <math.h>

#include "csim/unit/atfim_package.h"
#include "csim/base/rng.h"
#include "unit_engine.h"

enum { Entries = 16, MaxBeats = 96, Latency = 13 };

static texel_generator_t unit;
static texel_generator_in_t in;
static texel_generator_out_t out;
static texel_generator_beat_t beats[MaxBeats];
static uint32_t beat_count, request_count, alloc_count;
static texel_generator_request_t last_request;
static texel_generator_alloc_t last_alloc;

static void begin(uint32_t entries, uint32_t line_bytes) {
  char error[HarnessErrorSize];
  texel_generator_params_t params = {.descriptors = 16, .entries = entries,
                                     .line_bytes = line_bytes, .count_width = 48,
                                     .observe = true};
  if (!harness_texel_generator(engine, &params, &unit, error)) {
    fail_msg("%s", error);
  }
  memset(&in, 0, sizeof in);
  in.request_ready = in.beat_ready = true;
  beat_count = request_count = alloc_count = 0;
  unit.reset(unit.self, &out);
}

// Clocks once; takes what leaves in this cycle.
static void step(void) {
  if (out.request_valid && in.request_ready) {
    last_request = out.request;
    request_count++;
  }
  if (out.alloc_valid) {
    last_alloc = out.alloc;
    alloc_count++;
  }
  if (out.beat_valid && in.beat_ready) {
    assert_true(beat_count < MaxBeats);
    beats[beat_count++] = out.beat;
  }
  assert_int_equal(unit.step(unit.self, &in, &out), UnitOk);
  in.descriptor_valid = in.package_valid = in.peek_valid = in.parent_free = false;
}

static void wait_cycles(uint32_t n) {
  while (n-- > 0) {
    step();
  }
}

static void describe(uint16_t index, uint32_t base, uint16_t width, uint16_t height, uint8_t wrap) {
  in.descriptor_valid = true;
  in.descriptor = (texel_generator_descriptor_t){index, base, width, height, wrap, wrap};
  step();
}

static void send(const atfim_package_t *p) {
  assert_true(out.package_ready);
  in.package_valid = true;
  atfim_package_pack(p, in.package);
  step();
}

static uint64_t peek(texel_generator_peek_e select, uint16_t index) {
  in.peek_valid = true;
  in.peek_select = (uint8_t)select;
  in.peek_index = index;
  step();
  return out.peek_data;
}

static atfim_package_t simple(uint8_t mask) {
  return (atfim_package_t){.id = 3, .descriptor = 5, .ratio = 2, .mask = mask, .step_x = 384,
                           .x = {7}, .y = {2}, .dx = {0, 1}};
}

// The example of the contract, cycle by cycle.
static void test_example(void **state) {
  (void)state;
  begin(Entries, 64);
  assert_true(out.package_ready);
  describe(5, 1, 8, 8, TexelGeneratorWrapRepeat);
  const atfim_package_t p = simple(3);
  send(&p);  // t
  for (uint32_t t = 1; t <= 16; t++) {
    assert_int_equal(out.request_valid, t == 3);
    assert_int_equal(out.alloc_valid, t == 4 || t == 5);
    assert_int_equal(out.beat_valid, t == 13 || t == 14);
    assert_int_equal(out.quiescent, t > 14);
    if (t == 3) {
      assert_int_equal(out.request.id, 3);
      assert_int_equal(out.request.mask, 3);
      assert_int_equal(out.request.ratio, 1);
      assert_false(out.request.refused);
    }
    if (out.alloc_valid) {
      assert_int_equal(out.alloc.index, t - 4);
      assert_int_equal(out.alloc.id, t - 4);
      assert_int_equal(out.alloc.ratio, 1);
    }
    if (out.beat_valid) {
      assert_int_equal(out.beat.parent, t - 13);
      assert_int_equal(out.beat.ratio, 1);
      assert_int_equal(out.beat.line[0], 260);
      assert_int_equal(out.beat.line[1], 256);
      assert_int_equal(out.beat.texel[0], t - 13 + 10);
      assert_int_equal(out.beat.texel[1], t - 13 + 8);
    }
    step();
  }
  assert_int_equal(out.error, TexelGeneratorErrorNone);
  assert_int_equal(peek(TexelGeneratorPeekCounter, TexelGeneratorCounterPackages), 1);
  assert_int_equal(peek(TexelGeneratorPeekCounter, TexelGeneratorCounterParents), 2);
  assert_int_equal(peek(TexelGeneratorPeekCounter, TexelGeneratorCounterChildren), 4);
  assert_int_equal(peek(TexelGeneratorPeekCounter, TexelGeneratorCounters), 0);
}

// Walks step by step into the texture, instead of dividing.
static uint32_t brought_in(int32_t c, int32_t size, uint8_t wrap) {
  if (wrap == TexelGeneratorWrapClamp) {
    return (uint32_t)(c < 0 ? 0 : c >= size ? size - 1 : c);
  }
  while (c < 0 || c >= size) {
    if (wrap == TexelGeneratorWrapRepeat) {
      c += c < 0 ? size : -size;
    } else {
      c = c < 0 ? -1 - c : 2 * size - 1 - c;
    }
  }
  return (uint32_t)c;
}

// Addresses of packages of all kinds against floating point and the stepwise walk.
static void test_addresses(void **state) {
  (void)state;
  rng_t r;
  rng_seed(&r, 7);
  for (uint32_t round = 0; round < 600; round++) {
    const uint32_t line_bytes = 16u << round / 200;
    if (round % 200 == 0) {
      begin(Entries, line_bytes);
    }
    uint8_t wrap = (uint8_t)rng_below(&r, 3);
    uint16_t size[2];
    for (uint32_t a = 0; a < 2; a++) {
      size[a] = (uint16_t)(1 + rng_below(&r, rng_chance(&r, 500) ? 12 : 8192));
    }
    describe(5, rng_below(&r, 1 << 22), size[0], size[1], wrap);
    const uint64_t base = (uint64_t)in.descriptor.base * 4096;
    atfim_package_t p = {.descriptor = 5, .ratio = (uint8_t)(1 + rng_below(&r, 16)),
                         .level = (uint8_t)rng_below(&r, 6),
                         .step_x = (int16_t)rng_u64(&r), .step_y = (int16_t)rng_u64(&r)};
    uint32_t k = rng_below(&r, 8), l = k / 4;
    p.mask = (uint8_t)(1 << k);
    p.dx[k] = (int8_t)((int)rng_below(&r, 16) - 8);
    p.dy[k] = (int8_t)((int)rng_below(&r, 16) - 8);
    p.offset[l] = rng_below(&r, 1 << 28);
    int32_t extent[2];
    for (uint32_t a = 0; a < 2; a++) {
      extent[a] = size[a] >> (p.level + l) ? size[a] >> (p.level + l) : 1;
    }
    p.x[l] = (int16_t)((int)rng_below(&r, (uint32_t)extent[0] + 32) - 16);
    p.y[l] = (int16_t)((int)rng_below(&r, (uint32_t)extent[1] + 32) - 16);
    p.x[1 - l] = p.y[1 - l] = INT16_MIN;  // nobody asks for that level
    beat_count = 0;
    send(&p);
    wait_cycles(Latency + 1);
    in.parent_free = true;
    step();
    assert_int_equal(beat_count, 1);
    for (uint32_t i = 0; i < p.ratio; i++) {
      double place = (2.0 * i - p.ratio + 1) / 2 / 256 / (l ? 2 : 1);
      int32_t cx = p.x[l] + p.dx[k] + (int32_t)floor(place * p.step_x + 0.5);
      int32_t cy = p.y[l] + p.dy[k] + (int32_t)floor(place * p.step_y + 0.5);
      uint32_t x = brought_in(cx, extent[0], wrap), y = brought_in(cy, extent[1], wrap);
      uint64_t tile = (uint64_t)(y / 4) * (((uint32_t)extent[0] + 3) / 4) + x / 4;
      uint64_t address = base + ((uint64_t)p.offset[l] + tile) * 64 + y % 4 * 16 + x % 4 * 4;
      address %= UINT64_C(1) << 34;
      assert_int_equal(beats[0].line[i], address / line_bytes * line_bytes / 16);
      assert_int_equal(beats[0].texel[i], address % line_bytes / 4);
    }
    for (uint32_t i = p.ratio; i < 16; i++) {
      assert_int_equal(beats[0].line[i] | beats[0].texel[i], 0);
    }
  }
  assert_int_equal(out.error, TexelGeneratorErrorNone);
}

// Three full packages: 16 entries last for two, the third waits for the eighth that comes free.
static void test_credits(void **state) {
  (void)state;
  begin(Entries, 64);
  describe(5, 1, 8, 8, TexelGeneratorWrapRepeat);
  const atfim_package_t p = simple(255);
  for (uint32_t i = 0; i < 3; i++) {
    send(&p);
  }
  wait_cycles(40);
  assert_int_equal(beat_count, 16);
  assert_int_equal(request_count, 2);
  assert_int_equal(last_alloc.index, 15);
  assert_int_equal(last_alloc.id, 1 << 3 | 7);
  for (uint32_t i = 0; i < 7; i++) {
    in.parent_free = true;
    step();
  }
  wait_cycles(20);
  assert_int_equal(request_count, 2);
  assert_true(out.quiescent);
  in.parent_free = true;
  step();
  wait_cycles(30);
  assert_int_equal(request_count, 3);
  assert_int_equal(beat_count, 24);
  assert_int_equal(last_alloc.index, 7);
  assert_int_equal(last_alloc.id, 2 << 3 | 7);
  assert_int_equal(out.error, TexelGeneratorErrorNone);
}

// No gap between packages, and none when a package has one parent only.
static void test_rate(void **state) {
  (void)state;
  for (uint32_t ones = 1; ones <= 8; ones *= 8) {
    begin(256, 64);
    describe(5, 1, 8, 8, TexelGeneratorWrapRepeat);
    const atfim_package_t p = simple((uint8_t)((1 << ones) - 1));
    uint32_t first = 0, last = 0;
    for (uint32_t t = 0, sent = 0; t < 80; t++) {
      if (out.beat_valid) {
        first = first ? first : t;
        last = t;
      }
      in.package_valid = sent < 4;
      sent += in.package_valid && out.package_ready;
      atfim_package_pack(&p, in.package);
      step();
    }
    assert_int_equal(first, 13);
    assert_int_equal(last - first + 1, 4 * ones);
    assert_int_equal(beat_count, 4 * ones);
  }
}

// A beat that is not taken holds all stages; nothing is lost.
static void test_back_pressure(void **state) {
  (void)state;
  begin(256, 64);
  describe(5, 1, 8, 8, TexelGeneratorWrapRepeat);
  const atfim_package_t p = simple(255);
  in.beat_ready = false;
  for (uint32_t i = 0; i < 4; i++) {
    send(&p);
    wait_cycles(7);
  }
  wait_cycles(20);
  assert_true(out.beat_valid);
  assert_true(out.quiescent);
  assert_int_equal(out.beat.parent, 0);
  assert_int_equal(alloc_count, 10);  // a parent a stage
  in.beat_ready = true;
  wait_cycles(60);
  assert_int_equal(beat_count, 32);
  for (uint32_t i = 0; i < 32; i++) {
    assert_int_equal(beats[i].parent, i);
  }
  // Requests: two in the queue, then L waits, two more in the package queue.
  in.request_ready = false;
  for (uint32_t i = 0; i < 5; i++) {
    send(&p);
    wait_cycles(10);
  }
  wait_cycles(40);
  assert_false(out.package_ready);
  assert_int_equal(beat_count, 48);
  in.request_ready = true;
  wait_cycles(60);
  assert_int_equal(beat_count, 72);
  assert_int_equal(request_count, 9);
}

static void test_dropped(void **state) {
  (void)state;
  begin(Entries, 64);
  in.epoch = 9;
  describe(5, 1, 8, 8, TexelGeneratorWrapRepeat);
  atfim_package_t p = simple(3);
  p.epoch = 8;
  send(&p);
  wait_cycles(20);
  assert_int_equal(request_count + beat_count + alloc_count, 0);
  assert_int_equal(out.error, TexelGeneratorErrorNone);
  assert_int_equal(peek(TexelGeneratorPeekCounter, TexelGeneratorCounterDropped), 1);
  p.epoch = 9;
  send(&p);
  wait_cycles(20);
  assert_int_equal(beat_count, 2);
}

static void refuse(atfim_package_t p) {
  begin(Entries, 64);
  describe(5, 1, 8, 8, TexelGeneratorWrapRepeat);
  describe(13, 1, 8193, 8, TexelGeneratorWrapRepeat);  // refused, so that 13 is absent
  unit.reset(unit.self, &out);
  describe(5, 1, 8, 8, TexelGeneratorWrapRepeat);
  assert_int_equal(out.error, TexelGeneratorErrorNone);
  send(&p);
  wait_cycles(20);
  assert_int_equal(request_count, 1);
  assert_true(last_request.refused);
  assert_int_equal(last_request.mask, p.mask);
  assert_int_equal(last_request.id, 3);
  assert_int_equal(beat_count + alloc_count, 0);
  assert_int_equal(out.error, TexelGeneratorErrorPackage);
  assert_int_equal(peek(TexelGeneratorPeekCounter, TexelGeneratorCounterRefused), 1);
  assert_int_equal(peek(TexelGeneratorPeekCounter, TexelGeneratorCounterPackages), 0);
}

static void test_refused(void **state) {
  (void)state;
  refuse(simple(0));
  atfim_package_t p = simple(1);
  p.descriptor = 13;
  refuse(p);
  p.descriptor = 16 + 5;  // beyond the table, not folded into it
  refuse(p);
  p = simple(1);
  p.x[0] = -17;
  refuse(p);
  p.x[0] = 24;
  refuse(p);
  p = simple(1);
  p.y[0] = 24;
  refuse(p);
  p = simple(0x10);
  p.x[1] = 20;  // the coarser level has 4 texels
  refuse(p);
}

static void test_errors(void **state) {
  (void)state;
  static const texel_generator_descriptor_t wrong[] = {{16, 1, 8, 8, 0, 0},    {5, 1, 0, 8, 0, 0},
                                             {5, 1, 8, 0, 0, 0},     {5, 1, 8193, 8, 0, 0},
                                             {5, 1, 8, 16383, 0, 0}, {5, 1, 8, 8, 3, 0},
                                             {5, 1, 8, 8, 0, 3}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    begin(Entries, 64);
    in.descriptor_valid = true;
    in.descriptor = wrong[i];
    step();
    assert_int_equal(out.error, TexelGeneratorErrorDescriptor);
    assert_int_equal(peek(TexelGeneratorPeekDescriptor, 5), 0);
    assert_int_equal(peek(TexelGeneratorPeekDescriptor, 0), 0);
  }
  describe(5, 0x3fffff, 8192, 8191, 2);
  assert_true(peek(TexelGeneratorPeekDescriptor, 16 + 5) ==
              (1 | UINT64_C(0x3fffff) << 1 | UINT64_C(8192) << 23 | UINT64_C(8191) << 37 |
               UINT64_C(2) << 51 | UINT64_C(2) << 53));
  begin(Entries, 64);
  in.parent_free = true;
  step();
  assert_int_equal(out.error, TexelGeneratorErrorCredit);
  in.descriptor_valid = true;  // sticky
  in.descriptor = wrong[0];
  step();
  assert_int_equal(out.error, TexelGeneratorErrorCredit);
  unit.reset(unit.self, &out);
  assert_int_equal(out.error, TexelGeneratorErrorNone);
  // The first entry may come back in the cycle in which it is taken; then there is no error.
  begin(Entries, 64);
  describe(5, 1, 8, 8, TexelGeneratorWrapRepeat);
  const atfim_package_t p = simple(1);
  send(&p);
  step();
  in.parent_free = true;
  step();
  assert_true(out.request_valid);
  assert_int_equal(out.error, TexelGeneratorErrorNone);
  in.parent_free = true;
  step();
  assert_int_equal(out.error, TexelGeneratorErrorCredit);
}

// Of several errors in one cycle the lowest code is kept.
static void test_error_order(void **state) {
  (void)state;
  for (uint32_t all = 0; all < 2; all++) {
    begin(Entries, 64);
    if (all) {
      const atfim_package_t p = simple(0);
      send(&p);
      step();
      assert_int_equal(out.error, TexelGeneratorErrorNone);
    }
    in.parent_free = true;
    describe(16, 1, 8, 8, TexelGeneratorWrapRepeat);
    assert_int_equal(out.error, all ? TexelGeneratorErrorPackage : TexelGeneratorErrorDescriptor);
  }
}

// A descriptor written in the cycle in which its package is loaded counts, one cycle later not.
static void test_write_through(void **state) {
  (void)state;
  for (uint32_t late = 0; late < 2; late++) {
    begin(Entries, 64);
    const atfim_package_t p = simple(1);
    send(&p);
    wait_cycles(late);
    describe(5, 1, 8, 8, TexelGeneratorWrapRepeat);
    wait_cycles(20);
    assert_int_equal(beat_count, late ? 0 : 1);
    assert_int_equal(last_request.refused, late);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      ENGINE_TEST(test_example),       ENGINE_TEST(test_addresses), ENGINE_TEST(test_credits),
      ENGINE_TEST(test_rate),          ENGINE_TEST(test_back_pressure),
      ENGINE_TEST(test_dropped),       ENGINE_TEST(test_refused),   ENGINE_TEST(test_errors),
      ENGINE_TEST(test_error_order),   ENGINE_TEST(test_write_through)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
