// SPDX-License-Identifier: Apache-2.0
// Directed tests of the parent texel buffer, from docs/units/parent_texel_buffer.md.
#include "tests/programs/unit_engine.h"

static parent_texel_buffer_t unit;
static parent_texel_buffer_in_t in;
static parent_texel_buffer_out_t out;

static void begin(uint32_t slots) {
  err_auto_t err = {0};
  parent_texel_buffer_params_t params = {.slots = slots, .observe = true};
  if (!harness_parent_texel_buffer(engine, &params, &unit, &err)) {
    fail_msg("%s", err_text(&err));
  }
  memset(&in, 0, sizeof in);
  unit.reset(unit.self, &out);
}

// Inputs hold for one step, row_ready for good.
static void step(void) {
  assert_int_equal(unit.step(unit.self, &in, &out), UnitOk);
  const bool ready = in.row_ready;
  memset(&in, 0, sizeof in);
  in.row_ready = ready;
}

static void beat(uint8_t slot, bool last) {
  in.beat_valid = true;
  in.beat = (parent_texel_buffer_beat_t){slot, last};
}

// Red of each parent of the mask.
static void update(uint8_t slot, uint16_t add, uint16_t red) {
  in.update_valid = true;
  in.update = (parent_texel_buffer_update_t){.slot = slot, .add = add};
  for (uint32_t p = 0; p < 16; p++) {
    in.update.sum[4 * p] = red;
  }
}

static void expect_row(uint8_t slot, uint16_t failed) {
  assert_true(out.row_valid);
  assert_int_equal(out.row.slot, slot);
  assert_int_equal(out.row.failed, failed);
}

static uint64_t peek(uint32_t slot, uint32_t parent) {
  in.peek_valid = true;
  in.peek_index = (uint16_t)(16 * slot + parent);
  step();
  return out.peek_data;
}

static uint64_t word(uint64_t value, bool failed, bool begun, uint64_t left, bool seen) {
  return value | (uint64_t)failed << 48 | (uint64_t)begun << 49 | left << 50 | (uint64_t)seen << 58;
}

// A package of one beat.
static void package(uint8_t slot, uint16_t add, uint16_t red) {
  beat(slot, true);
  step();
  update(slot, add, red);
  step();
}

ENGINE_TEST(test_example) {
  begin(16);
  beat(2, false);
  step();
  assert_true(out.beat_write_valid);
  assert_int_equal(out.beat_write_slot, 2);
  assert_int_equal(out.beat_write_left, 1);
  assert_false(out.beat_write_seen);
  beat(2, true);
  step();
  assert_int_equal(out.beat_write_left, 2);
  assert_true(out.beat_write_seen);
  update(2, 0x0001, 10);
  step();
  assert_false(out.beat_write_valid);
  assert_int_equal(out.beat_write_left, 0);
  assert_int_equal(out.update_write_slot, 2);
  assert_int_equal(out.update_write_left, 1);
  assert_int_equal(out.update_write_begun, 0x0001);
  assert_int_equal(out.update_write_value[0], 10);
  assert_int_equal(out.update_write_value[20], 0);
  assert_false(out.row_valid);
  update(2, 0x0021, 0);
  in.update.sum[0] = 20;
  in.update.sum[20] = 7;
  step();
  assert_int_equal(out.update_write_left, 0);
  assert_int_equal(out.update_write_begun, 0x0021);
  expect_row(2, 0);
  assert_int_equal(out.row.value[0], 30);
  assert_int_equal(out.row.value[20], 7);
  step();
  expect_row(2, 0);  // until it is taken
  assert_true(out.quiescent);
  in.row_ready = true;
  step();
  assert_false(out.row_valid);
  assert_int_equal(out.row.value[0], 0);
  assert_true(out.quiescent);
  assert_int_equal(out.error, ParentTexelBufferErrorNone);
}

ENGINE_TEST(test_full_sums) {
  // Sixteen updates in a row of 255 for each parent and channel: 4080 needs the twelfth bit.
  begin(2);
  for (uint32_t i = 0; i < 16; i++) {
    beat(1, i == 15);
    step();
  }
  for (uint32_t i = 0; i < 16; i++) {
    assert_false(out.row_valid);
    update(1, 0xffff, 255);
    for (uint32_t v = 0; v < 64; v++) {
      in.update.sum[v] = (uint16_t)(v % 4 == 3 ? 1 : 255);
    }
    step();
  }
  expect_row(1, 0);
  for (uint32_t v = 0; v < 64; v++) {
    assert_int_equal(out.row.value[v], v % 4 == 3 ? 16 : 4080);
  }
}

ENGINE_TEST(test_banks) {
  // Each parent alone, with four channels of its own; a sum of a parent that is not added to is
  // not seen, and 4095 + 1 is 0.
  begin(16);
  for (uint32_t p = 0; p < 16; p++) {
    beat(7, p == 15);
    step();
  }
  for (uint32_t p = 0; p < 16; p++) {
    update(7, (uint16_t)(1u << p), 1023);
    for (uint32_t c = 0; c < 4; c++) {
      in.update.sum[4 * p + c] = (uint16_t)(10 * p + c);
    }
    step();
  }
  expect_row(7, 0);
  for (uint32_t v = 0; v < 64; v++) {
    assert_int_equal(out.row.value[v], 10 * (v / 4) + v % 4);
  }
  begin(16);
  for (uint32_t i = 0; i < 6; i++) {
    beat(0, i == 5);
    step();
  }
  for (uint32_t i = 0; i < 5; i++) {
    update(0, 0x8000, i < 4 ? 1023 : 3);
    step();
  }
  assert_int_equal(out.update_write_value[60], 4095);
  update(0, 0x8000, 1);
  step();
  expect_row(0, 0);
  assert_int_equal(out.row.value[60], 0);
}

ENGINE_TEST(test_order) {
  // Rows leave as they become complete, one a cycle, the last slot first here.
  begin(4);
  for (uint8_t s = 0; s < 4; s++) {
    beat(s, true);
    step();
  }
  for (uint8_t s = 4; s-- > 0;) {
    update(s, 0x0010, s);
    step();
    expect_row(3, 0);
  }
  in.row_ready = true;
  for (uint8_t s = 4; s-- > 0;) {
    expect_row(s, 0);
    assert_int_equal(out.row.value[16], s);
    step();
  }
  assert_false(out.row_valid);
}

ENGINE_TEST(test_last_beat) {
  // A package whose beats all came back is not complete before its last beat; a last beat in the
  // cycle of an update has one to come.
  begin(4);
  beat(1, false);
  step();
  update(1, 1, 5);
  step();
  assert_false(out.row_valid);
  beat(1, false);
  step();
  beat(1, true);
  update(1, 1, 6);
  step();
  assert_false(out.row_valid);
  assert_int_equal(out.beat_write_left, 1);
  assert_int_equal(out.update_write_left, 1);
  update(1, 1, 7);
  step();
  expect_row(1, 0);
  assert_int_equal(out.row.value[0], 18);
}

ENGINE_TEST(test_stale_after_reuse) {
  // The next package of a slot has nothing of the one before.
  begin(2);
  in.row_ready = true;
  beat(1, true);
  step();
  update(1, 0xffff, 1000);
  in.update.failed = 0xffff;
  step();
  expect_row(1, 0xffff);
  step();
  assert_int_equal(peek(1, 3), 0);
  package(1, 0x0004, 3);
  expect_row(1, 0);
  for (uint32_t v = 0; v < 64; v++) {
    assert_int_equal(out.row.value[v], v == 8 ? 3 : 0);
  }
}

ENGINE_TEST(test_stale_after_reset) {
  // Nor has the first one after a reset, wherever those before it were.
  begin(2);
  package(0, 0xffff, 1000);  // complete
  beat(1, false);            // half way
  step();
  beat(1, true);
  step();
  update(1, 0xffff, 900);
  in.update.failed = 0xffff;
  step();
  unit.reset(unit.self, &out);
  assert_false(out.row_valid);
  assert_false(out.update_write_valid);
  for (uint32_t p = 0; p < 16; p++) {
    assert_int_equal(peek(0, p) | peek(1, p), 0);
  }
  in.row_ready = true;
  package(1, 0x8001, 3);
  expect_row(1, 0);
  for (uint32_t v = 0; v < 64; v++) {
    assert_int_equal(out.row.value[v], v == 0 || v == 60 ? 3 : 0);
  }
  package(0, 0x0002, 4);
  expect_row(0, 0);
  assert_int_equal(out.row.value[0], 0);
  assert_int_equal(out.row.value[4], 4);
  assert_int_equal(out.error, ParentTexelBufferErrorNone);
}

ENGINE_TEST(test_failed) {
  // A failed read stays with its parents, whichever beat it is of, and with no other.
  begin(4);
  for (uint32_t i = 0; i < 3; i++) {
    beat(3, i == 2);
    step();
  }
  update(3, 0x000f, 1);
  in.update.failed = 0x8001;  // parent 15 takes nothing
  step();
  update(3, 0x00ff, 1);
  in.update.failed = 0x0010;
  step();
  assert_int_equal(out.update_write_failed, 0x0011);
  update(3, 0x00ff, 1);
  step();
  expect_row(3, 0x0011);
}

ENGINE_TEST(test_peek) {
  begin(4);
  beat(3, false);
  assert_int_equal(peek(3, 0), 0);  // what was before the cycle
  assert_int_equal(peek(3, 0), word(0, false, false, 1, false));
  update(3, 0x0002, 9);
  in.update.failed = 0x0002;
  in.update.sum[7] = 255;
  beat(3, true);
  step();
  const uint64_t value = 9 | 255ull << 36;
  assert_int_equal(peek(3, 1), word(value, true, true, 1, true));
  step();
  assert_int_equal(out.peek_data, word(value, true, true, 1, true));  // until the next one
  assert_int_equal(peek(3, 2), word(0, false, false, 1, true));
  assert_int_equal(peek(2, 1), 0);
  assert_int_equal(peek(4, 0), 0);  // beyond the last
  assert_int_equal(peek(63, 15), 0);
}

static void refused_beat(uint8_t slot) {
  beat(slot, true);
  step();
  assert_int_equal(out.error, ParentTexelBufferErrorBeat);
  assert_false(out.beat_write_valid);
}

static void refused_update(uint8_t slot) {
  update(slot, 0xffff, 1);
  step();
  assert_int_equal(out.error, ParentTexelBufferErrorUpdate);
  assert_false(out.update_write_valid);
}

ENGINE_TEST(test_errors) {
  begin(4);
  refused_beat(4);  // beyond the last slot
  assert_int_equal(peek(0, 0), 0);
  begin(4);
  beat(2, true);
  step();
  refused_beat(2);  // after the last one
  assert_int_equal(peek(2, 0), word(0, false, false, 1, true));
  update(2, 1, 8);
  step();
  expect_row(2, 0);  // works on
  refused_beat(2);   // complete
  begin(4);
  for (uint32_t i = 0; i < 255; i++) {
    beat(1, false);
    step();
  }
  assert_int_equal(out.error, ParentTexelBufferErrorNone);
  update(1, 1, 1);
  refused_beat(1);  // 255, whatever leaves in this cycle
  assert_int_equal(peek(1, 0), word(1, false, true, 254, false));
  begin(4);
  refused_update(6);  // beyond the last
  begin(4);
  refused_update(0);  // without beats
  assert_int_equal(peek(0, 0), 0);
  begin(4);
  beat(0, false);
  refused_update(0);  // the beat does not count yet
  assert_int_equal(peek(0, 0), word(0, false, false, 1, false));
  begin(4);
  package(3, 1, 5);
  refused_update(3);  // complete
  expect_row(3, 0);
  assert_int_equal(out.row.value[0], 5);
  beat(3, false);
  step();
  assert_int_equal(out.error, ParentTexelBufferErrorUpdate);  // the first stays
  begin(4);
  beat(5, false);
  update(1, 1, 1);
  step();
  assert_int_equal(out.error, ParentTexelBufferErrorBeat);  // the lower of two
  unit.reset(unit.self, &out);
  assert_int_equal(out.error, ParentTexelBufferErrorNone);
}

ENGINE_TEST(test_params) {
  static const uint32_t Wrong[] = {0, 1, 3, 24, 128};
  err_auto_t err = {0};
  for (uint32_t i = 0; i < sizeof Wrong / sizeof *Wrong; i++) {
    parent_texel_buffer_params_t params = {.slots = Wrong[i], .observe = true};
    assert_false(harness_parent_texel_buffer(engine, &params, &unit, &err));
  }
}

int main(void) { return run_all_tests(NULL, NULL); }
