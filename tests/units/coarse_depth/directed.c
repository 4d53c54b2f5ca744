// SPDX-License-Identifier: Apache-2.0
// Directed tests of the shared coarse depth, from docs/units/coarse_depth.md.
#include "tests/programs/unit_engine.h"

enum { Blocks = 64, Epoch = 64, Far = 255, AllLanes = 3 };

static coarse_depth_t unit;
static coarse_depth_in_t in;
static coarse_depth_out_t out;

// Three GPUs, depths of 8 bits; no block in use.
static void begin(void) {
  err_auto_t err = {0};
  coarse_depth_params_t params = {
      .gpus = 3, .blocks = Blocks, .depth_width = 8, .base_width = 2, .epoch = Epoch};
  if (!harness_coarse_depth(engine, &params, &unit, &err)) {
    fail_msg("%s", err_text(&err));
  }
  memset(&in, 0, sizeof in);
  unit.reset(unit.self, &out);
}

// Inputs hold for one step, send_ready for good.
static void step(void) {
  assert_int_equal(unit.step(unit.self, &in, &out), UnitOk);
  const uint64_t ready = in.send_ready;
  memset(&in, 0, sizeof in);
  in.send_ready = ready;
}

ENGINE_STEPS(steps)

static void forget(uint8_t base, uint32_t blocks) {
  in.forget_valid = true;
  in.forget_base = base;
  in.forget_blocks = blocks;
}

static void put_tell(uint16_t block, uint32_t depth) {
  in.tell_valid = true;
  in.tell_block = block;
  in.tell_depth = depth;
}

static void put_hear(uint16_t block, uint32_t depth, uint8_t base) {
  in.hear_valid = true;
  in.hear_block = block;
  in.hear_depth = depth;
  in.hear_base = base;
}

static void put_look(uint16_t block) {
  in.look_valid = true;
  in.look_block = block;
}

static void tell(uint16_t block, uint32_t depth) {
  put_tell(block, depth);
  step();
}

static void hear(uint16_t block, uint32_t depth, uint8_t base) {
  put_hear(block, depth, base);
  step();
}

static uint32_t look(uint16_t block) {
  put_look(block);
  step();
  assert_true(out.seen_valid);
  return out.seen_depth;
}

// A base whose sweep is over.
static void begin_base(uint8_t base, uint32_t blocks) {
  begin();
  forget(base, blocks);
  step();
  steps((blocks + 15) / 16);
  assert_true(out.quiescent);
}

static void expect_state(bool sweep, bool walk, bool due) {
  coarse_depth_state_t state;
  unit.observe(unit.self, &state);
  assert_int_equal(state.sweep, sweep);
  assert_int_equal(state.walk, walk);
  assert_int_equal(state.due, due);
}

static void expect_message(uint16_t block, uint32_t depth, uint8_t base) {
  assert_int_equal(out.send_valid, AllLanes);
  assert_int_equal(out.send_block, block);
  assert_int_equal(out.send_depth, depth);
  assert_int_equal(out.send_base, base);
}

// Waits for a message of all lanes and takes it. Returns the steps.
static uint32_t wait_message(uint16_t block, uint32_t depth, uint8_t base, uint32_t most) {
  uint32_t waited = 0;
  in.send_ready = 0;
  while (!out.send_valid && waited < most) {
    step();
    waited++;
  }
  expect_message(block, depth, base);
  in.send_ready = AllLanes;
  step();
  in.send_ready = 0;
  return waited;
}

ENGINE_TEST(test_share) {
  begin_base(1, Blocks);
  assert_int_equal(look(17), Far);
  tell(17, 100);  // in the queue
  step();         // started
  assert_true(out.told_write_valid);
  assert_int_equal(out.told_write_block, 17);
  assert_int_equal(out.told_write_depth, 100);
  assert_false(out.hidden_write_valid);
  step();
  expect_state(false, false, true);
  assert_int_equal(look(17), Far);  // not before it is sent
  steps(Epoch - 2);
  expect_state(false, false, true);
  step();
  expect_state(false, true, false);
  // Word 0 has nothing due, so its step and that of word 1 take two cycles each.
  assert_int_equal(wait_message(17, 100, 1, 8), 4);
  steps(3);
  assert_int_equal(look(17), 100);
  steps(8);
  assert_true(out.quiescent);
}

ENGINE_TEST(test_hear) {
  begin_base(2, Blocks);
  hear(5, 90, 2);
  step();
  assert_true(out.hidden_write_valid);
  assert_int_equal(out.hidden_write_block, 5);
  assert_int_equal(out.hidden_write_depth, 90);
  assert_int_equal(look(5), Far);  // the write is on its way
  assert_int_equal(look(5), 90);
  assert_int_equal(look(4), Far);
  hear(5, 91, 2);
  step();
  assert_false(out.hidden_write_valid);
  hear(5, 10, 1);  // older
  hear(5, 10, 3);  // newer
  steps(3);
  assert_int_equal(look(5), 90);
  assert_int_equal(out.error, CoarseDepthErrorNone);
}

ENGINE_TEST(test_tell_counts_nearer_only) {
  begin_base(0, Blocks);
  tell(3, Far);  // all ones say nothing
  steps(3);
  assert_true(out.quiescent);
  hear(3, 50, 0);
  tell(3, 50);  // as near as what is heard
  steps(3);
  assert_true(out.quiescent);
  tell(3, 49);
  steps(2);
  expect_state(false, false, true);
  tell(3, 49);  // as near as what was told
  step();
  assert_false(out.told_write_valid);
}

ENGINE_TEST(test_told_again) {
  begin_base(0, Blocks);
  tell(20, 80);
  tell(20, 70);
  tell(33, 60);
  wait_message(20, 70, 0, Epoch + 16);  // once, the newer
  wait_message(33, 60, 0, 16);
  steps(16);
  assert_true(out.quiescent);
  // Behind the walk it is due anew, before it it goes out with it.
  tell(0, 50);
  tell(50, 40);
  steps(Epoch + 8);
  tell(0, 45);
  tell(49, 30);
  steps(4);
  wait_message(0, 50, 0, 1);
  wait_message(49, 30, 0, 32);
  wait_message(50, 40, 0, 32);
  expect_state(false, false, true);
  wait_message(0, 45, 0, Epoch + 16);
}

ENGINE_TEST(test_step_hears_nearer) {
  begin_base(0, Blocks);
  tell(9, 100);
  hear(9, 50, 0);
  wait_message(9, 100, 0, Epoch + 16);
  step();
  assert_int_equal(look(9), 50);  // the own one is not nearer
}

ENGINE_TEST(test_lanes) {
  begin_base(3, Blocks);
  tell(62, 7);
  tell(63, 8);
  steps(Epoch + 16);
  expect_message(62, 7, 3);
  assert_true(out.send_valid == AllLanes && !out.quiescent);
  in.send_ready = 2;
  step();
  assert_int_equal(out.send_valid, 1);
  assert_int_equal(out.send_block, 62);
  steps(20);
  assert_int_equal(out.send_valid, 1);  // the other lane holds the walk up
  in.send_ready = 1;
  step();
  assert_int_equal(out.send_valid, 0);
  assert_int_equal(out.send_block, 0);
  in.send_ready = 0;
  step();
  expect_message(63, 8, 3);
  steps(20);
  assert_true(out.quiescent);  // all else is done
}

ENGINE_TEST(test_turns) {
  begin_base(0, Blocks);
  for (uint32_t i = 0; i < 8; i++) {
    put_tell((uint16_t)i, 100);
    put_hear((uint16_t)(16 + i), 100, 0);
    step();
    if (i >= 1) {
      assert_int_equal(out.hidden_write_valid, i % 2 == 1);
      assert_int_equal(out.told_write_valid, i % 2 == 0);
    }
  }
  assert_false(out.tell_ready && out.hear_ready);
}

// Each block of both tables.
ENGINE_TEST(test_all_blocks) {
  begin_base(0, Blocks);
  for (uint16_t b = 0; b < Blocks; b++) {
    hear(b, 100u + b, 0);
  }
  steps(3);
  for (uint16_t b = 0; b < Blocks; b++) {
    assert_int_equal(look(b), 100u + b);
  }
  for (uint16_t b = Blocks; b-- > 0;) {
    tell(b, 20u + b);
  }
  for (uint16_t b = 0; b < Blocks; b++) {
    wait_message(b, 20u + b, 0, 2 * Epoch);
  }
  steps(3);
  for (uint16_t b = 0; b < Blocks; b++) {
    assert_int_equal(look(b), 20u + b);
  }
}

ENGINE_TEST(test_forget) {
  begin_base(1, Blocks);
  hear(60, 30, 1);
  tell(3, 20);
  steps(4);
  put_tell(4, 10);  // in the same cycle
  put_hear(4, 10, 1);
  put_look(60);
  forget(2, 49);
  step();
  assert_int_equal(out.seen_depth, 30);  // still the old base
  expect_state(true, false, false);
  put_tell(48, 1);
  put_hear(48, 1, 2);
  assert_int_equal(look(48), Far);
  steps(2);
  expect_state(true, false, false);
  step();  // four words
  expect_state(false, false, false);
  assert_true(out.quiescent);
  assert_int_equal(look(4), Far);
  assert_int_equal(look(48), Far);
  hear(3, 5, 1);
  steps(3);
  assert_int_equal(look(3), Far);
  steps(2 * Epoch);
  assert_int_equal(out.send_valid, 0);  // what was due is not sent
  forget(3, Blocks);
  step();
  steps(4);
  assert_int_equal(look(60), Far);  // not swept before
  assert_int_equal(out.error, CoarseDepthErrorNone);
}

// A forget in each cycle of another's sweep, and of a walk.
ENGINE_TEST(test_forget_any_time) {
  for (uint32_t wait = 0; wait < 24; wait++) {
    begin_base(0, Blocks);
    tell(0, 90);
    tell(63, 80);
    in.send_ready = AllLanes;
    steps(Epoch - 4 + wait);
    forget(1, Blocks);
    step();
    steps(wait % 5);
    forget(2, 40);
    step();
    steps(3);
    assert_true(out.quiescent || out.send_valid);
    for (uint16_t b = 0; b < 40; b++) {
      assert_int_equal(look(b), Far);
    }
    tell(0, 95);
    wait_message(0, 95, 2, Epoch + 32);
  }
}

ENGINE_TEST(test_message_keeps_its_base) {
  begin_base(1, Blocks);
  tell(6, 60);
  steps(Epoch + 8);
  expect_message(6, 60, 1);
  forget(2, Blocks);
  step();
  steps(10);
  expect_message(6, 60, 1);
  in.send_ready = AllLanes;
  step();
  assert_int_equal(out.send_valid, 0);
}

static void expect_error(uint8_t error) {
  step();
  assert_int_equal(out.error, error);
}

ENGINE_TEST(test_errors) {
  begin();  // nothing is in use
  assert_int_equal(look(0), Far);
  assert_int_equal(out.error, CoarseDepthErrorLook);
  begin_base(0, 20);
  put_tell(20, 1);
  expect_error(CoarseDepthErrorTell);
  put_hear(20, 1, 0);
  expect_error(CoarseDepthErrorTell);  // the first stays
  tell(19, 9);
  in.send_ready = 0;
  wait_message(19, 9, 0, Epoch + 16);  // works on
  begin_base(0, 20);
  put_hear(20, 1, 1);
  expect_error(CoarseDepthErrorNone);  // of another base, whose buffer may be larger
  put_hear(20, 1, 0);
  expect_error(CoarseDepthErrorHear);
  begin_base(0, 20);
  hear(2, 33, 0);
  steps(2);
  forget(1, Blocks + 1);
  expect_error(CoarseDepthErrorForget);
  assert_int_equal(look(2), 33);
  begin_base(0, 20);
  put_hear(20, 1, 0);
  put_tell(20, 1);
  put_look(20);
  expect_error(CoarseDepthErrorLook);  // the lowest
  unit.reset(unit.self, &out);
  assert_int_equal(out.error, CoarseDepthErrorNone);
}

ENGINE_TEST(test_no_blocks) {
  begin_base(0, Blocks);
  forget(1, 0);
  step();
  expect_state(false, false, false);
  put_tell(0, 1);
  expect_error(CoarseDepthErrorTell);
}

ENGINE_TEST(test_params) {
  const coarse_depth_params_t wrong[] = {
      {1, 64, 8, 2, 64}, {65, 64, 8, 2, 64},  {2, 31, 8, 2, 64}, {2, 65537, 8, 2, 64},
      {2, 64, 3, 2, 64}, {2, 64, 25, 2, 64},  {2, 64, 8, 1, 64}, {2, 64, 8, 9, 64},
      {2, 64, 8, 2, 63}, {2, 64, 8, 2, 65536}};
  err_auto_t err = {0};
  for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    assert_false(harness_coarse_depth(engine, &wrong[i], &unit, &err));
  }
}

int main(void) { return run_all_tests(NULL, NULL); }
