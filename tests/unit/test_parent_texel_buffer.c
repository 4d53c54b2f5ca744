// SPDX-License-Identifier: Apache-2.0
// Directed tests of the parent texel buffer, from docs/units/parent_texel_buffer.md.
#include "unit_engine.h"

static parent_texel_buffer_t unit;
static parent_texel_buffer_in_t in;
static parent_texel_buffer_out_t out;

static void begin(uint32_t entries, bool exact) {
  char error[HarnessErrorSize];
  parent_texel_buffer_params_t params = {.entries = entries, .exact = exact, .observe = true};
  if (!harness_parent_texel_buffer(engine, &params, &unit, error)) {
    fail_msg("%s", error);
  }
  memset(&in, 0, sizeof in);
  unit.reset(unit.self, &out);
}

static void step(void) {
  assert_int_equal(unit.step(unit.self, &in, &out), UnitOk);
  bool ready = in.parent_ready;
  memset(&in, 0, sizeof in);
  in.parent_ready = ready;
}

static void alloc(uint8_t index, uint8_t id, uint8_t ratio) {
  in.alloc_valid = true;
  in.alloc = (texel_generator_alloc_t){index, id, ratio};
}

static void update(uint8_t index, uint8_t count, uint16_t red, uint16_t green, uint16_t blue,
                   uint16_t alpha) {
  in.update_valid = true;
  in.update = (parent_texel_buffer_update_t){
      .index = index, .count = count, .sum = {red, green, blue, alpha}};
}

static void expect_parent(uint8_t id, bool failed, uint16_t red, uint16_t green, uint16_t blue,
                          uint16_t alpha) {
  assert_true(out.parent_valid);
  assert_int_equal(out.parent.id, id);
  assert_int_equal(out.parent.failed, failed);
  assert_int_equal(out.parent.value[0], red);
  assert_int_equal(out.parent.value[1], green);
  assert_int_equal(out.parent.value[2], blue);
  assert_int_equal(out.parent.value[3], alpha);
}

static uint64_t word(uint8_t id, bool done, uint8_t remaining, bool failed, uint64_t value) {
  return id | (uint64_t)done << 8 | (uint64_t)remaining << 9 | (uint64_t)failed << 13 | 1 << 14 |
         value << 15;
}

static uint64_t peek(uint8_t index) {
  in.peek_valid = true;
  in.peek_index = index;
  step();
  return out.peek_data;
}

static void test_example(void **state) {
  (void)state;
  begin(256, true);
  alloc(0, 8, 1);
  step();
  assert_true(out.alloc_write_valid);
  assert_int_equal(out.alloc_write_index, 0);
  assert_int_equal(out.alloc_write_id, 8);
  assert_int_equal(out.alloc_write_ratio, 1);
  alloc(1, 9, 0);
  step();
  assert_int_equal(out.alloc_write_id, 9);
  assert_int_equal(out.alloc_write_ratio, 0);
  update(1, 0, 9, 0, 0, 255);
  step();
  assert_false(out.alloc_write_valid);
  assert_int_equal(out.alloc_write_id | out.alloc_write_ratio, 0);
  assert_int_equal(out.update_write_index, 1);
  assert_int_equal(out.update_write_word, word(9, true, 0, false, 9 | 255ull << 36));
  assert_false(out.parent_valid);  // 8 is before it
  assert_int_equal(out.parent.id, 0);
  update(0, 1, 30, 2, 3, 510);
  step();
  expect_parent(8, false, 30, 2, 3, 510);
  step();
  expect_parent(8, false, 30, 2, 3, 510);  // until it is taken
  assert_true(out.quiescent);
  in.parent_ready = true;
  step();
  expect_parent(9, false, 9, 0, 0, 255);
  assert_false(out.quiescent);
  step();
  assert_false(out.parent_valid);
  assert_true(out.quiescent);
  assert_int_equal(out.error, ParentTexelBufferErrorNone);
}

static void test_sixteen(void **state) {
  (void)state;
  // Sixteen children one by one, each full: 4080 needs the twelfth bit.
  begin(16, true);
  alloc(0, 1, 15);
  step();
  for (uint32_t i = 0; i < 16; i++) {
    assert_false(out.parent_valid);
    update(0, 0, 255, 1, 0, 255);
    in.update.failed = i == 3;
    step();
    assert_int_equal(out.update_write_word >> 8 & 31, i < 15 ? (14 - i) << 1 : 1);
  }
  expect_parent(1, true, 4080, 16, 0, 4080);
}

static void test_paper_value(void **state) {
  (void)state;
  begin(16, false);
  alloc(0, 2, 1);
  step();
  update(0, 0, 255, 0x10f, 7, 0);
  step();
  update(0, 0, 2, 1, 0x108, 0);
  step();
  expect_parent(2, false, 1, 16, 15, 0);  // eight bits each, modulo 256
}

static void test_ring(void **state) {
  (void)state;
  // Full, refused while full even as one leaves, and around the end.
  begin(16, true);
  for (uint32_t i = 0; i < 16; i++) {
    alloc((uint8_t)i, (uint8_t)i, 0);
    step();
  }
  update(0, 0, 1, 2, 3, 4);
  step();
  in.parent_ready = true;
  alloc(0, 99, 0);
  step();
  assert_int_equal(out.error, ParentTexelBufferErrorAlloc);
  assert_false(out.alloc_write_valid);
  assert_int_equal(peek(0), 0);  // not live
  alloc(0, 100, 3);
  step();
  assert_int_equal(peek(0), word(100, false, 3, false, 0));
  for (uint32_t i = 1; i < 16; i++) {
    update((uint8_t)i, 0, 0, 0, 0, (uint16_t)i);
    step();
    expect_parent((uint8_t)i, false, 0, 0, 0, (uint16_t)i);
  }
  update(0, 3, 7, 0, 0, 0);
  step();
  expect_parent(100, false, 7, 0, 0, 0);
  step();
  assert_false(out.parent_valid);
}

static void test_peek(void **state) {
  (void)state;
  begin(16, true);
  alloc(0, 5, 1);
  assert_int_equal(peek(0), 0);  // what was before the cycle
  assert_int_equal(peek(0), word(5, false, 1, false, 0));
  update(0, 0, 3, 0, 0, 1);
  in.update.failed = true;
  assert_int_equal(peek(0), word(5, false, 1, false, 0));
  step();
  assert_int_equal(out.peek_data, word(5, false, 1, false, 0));  // until the next one
  assert_int_equal(peek(0), word(5, false, 0, true, 3 | 1ull << 36));
  assert_int_equal(peek(1), 0);
  assert_int_equal(peek(16), 0);  // beyond the last
}

static void expect_refused(uint8_t index, uint8_t count, uint32_t ring) {
  begin(16, true);
  alloc(0, 5, 0);
  step();
  alloc(1, 6, 1);
  update(0, 0, 1, 1, 1, 1);
  step();
  uint64_t before = ring < 16 ? peek((uint8_t)ring) : 0;
  update(index, count, 1, 1, 1, 1);
  step();
  assert_int_equal(out.error, ParentTexelBufferErrorUpdate);
  assert_false(out.update_write_valid);
  assert_int_equal(out.update_write_word, 0);
  assert_int_equal(ring < 16 ? peek((uint8_t)ring) : 0, before);
}

static void test_errors(void **state) {
  (void)state;
  expect_refused(0, 0, 0);    // done
  expect_refused(1, 2, 1);    // more than are missing
  expect_refused(2, 0, 2);    // not reserved
  expect_refused(17, 0, 1);   // beyond the last entry
  begin(16, true);
  alloc(1, 7, 0);  // not the tail
  step();
  assert_int_equal(out.error, ParentTexelBufferErrorAlloc);
  update(0, 0, 1, 1, 1, 1);
  step();
  assert_int_equal(out.error, ParentTexelBufferErrorAlloc);  // the first stays
  assert_int_equal(peek(0), 0);
  begin(16, true);
  alloc(16, 7, 0);  // the tail only in its low bits
  step();
  assert_int_equal(out.error, ParentTexelBufferErrorAlloc);
  begin(16, true);
  alloc(0, 7, 0);
  update(0, 0, 1, 1, 1, 1);  // not live yet
  step();
  assert_int_equal(out.error, ParentTexelBufferErrorUpdate);
  assert_int_equal(peek(0), word(7, false, 0, false, 0));
  begin(16, true);
  alloc(1, 7, 0);
  update(0, 0, 1, 1, 1, 1);
  step();
  assert_int_equal(out.error, ParentTexelBufferErrorAlloc);  // the lower of two
  unit.reset(unit.self, &out);
  assert_int_equal(out.error, ParentTexelBufferErrorNone);
}

static void test_reset(void **state) {
  (void)state;
  begin(16, true);
  for (uint32_t i = 0; i < 5; i++) {
    alloc((uint8_t)i, 1, 0);
    step();
  }
  update(0, 0, 1, 1, 1, 1);
  step();
  assert_true(out.parent_valid);
  unit.reset(unit.self, &out);
  assert_false(out.parent_valid);
  assert_false(out.update_write_valid);
  assert_int_equal(peek(1), 0);
  alloc(0, 3, 0);
  step();
  assert_int_equal(out.error, ParentTexelBufferErrorNone);
  assert_int_equal(peek(0), word(3, false, 0, false, 0));
}

static void test_params(void **state) {
  (void)state;
  static const uint32_t Wrong[] = {0, 8, 15, 24, 512};
  char error[HarnessErrorSize];
  for (uint32_t i = 0; i < sizeof Wrong / sizeof *Wrong; i++) {
    parent_texel_buffer_params_t params = {.entries = Wrong[i], .exact = true, .observe = true};
    assert_false(harness_parent_texel_buffer(engine, &params, &unit, error));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      ENGINE_TEST(test_example), ENGINE_TEST(test_sixteen), ENGINE_TEST(test_paper_value),
      ENGINE_TEST(test_ring), ENGINE_TEST(test_peek), ENGINE_TEST(test_errors),
      ENGINE_TEST(test_reset), ENGINE_TEST(test_params)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
