// SPDX-License-Identifier: Apache-2.0
// Directed tests of the image-composition scheduler, from docs/units/composition_scheduler.md.
#include "tests/programs/unit_engine.h"

enum { Gpus = 3, All = 7, MaxStarts = 32 };

typedef struct {
  uint8_t source, destination, cgid;
  bool front;
} start_t;

static composition_scheduler_t unit;
static composition_scheduler_in_t in;
static composition_scheduler_out_t out;
static composition_scheduler_state_t table;
static start_t starts[MaxStarts];
static uint32_t start_count;
static uint64_t released;

static void begin(bool lowest_first) {
  err_auto_t err = {0};
  composition_scheduler_params_t params = {.gpus = Gpus, .lowest_first = lowest_first};
  if (!harness_composition_scheduler(engine, &params, &unit, &err)) {
    fail_msg("%s", err_text(&err));
  }
  memset(&in, 0, sizeof in);
  memset(&table, 0, sizeof table);
  in.start_ready = true;
  in.release_ready = All;
  start_count = 0;
  released = 0;
  unit.reset(unit.self, &out);
}

static void step(void) {
  if (out.start_valid && in.start_ready) {
    assert_true(start_count < MaxStarts);
    starts[start_count++] =
        (start_t){out.start_source, out.start_destination, out.start_cgid, out.start_front};
  }
  released |= out.release_valid & in.release_ready;
  assert_int_equal(unit.step(unit.self, &in, &out), UnitOk);
  unit.observe(unit.self, &table);
  in.message_valid = 0;
}

ENGINE_STEPS(wait_cycles)

static void message(uint32_t gpu, composition_scheduler_message_e what) {
  in.message_valid |= 1u << gpu;
  in.message[gpu] = (uint8_t)what;
}

static void expect(uint32_t at, uint8_t source, uint8_t destination) {
  assert_true(at < start_count);
  assert_int_equal(starts[at].source, source);
  assert_int_equal(starts[at].destination, destination);
}

// Ends every transfer as it starts until nothing is under way.
static void drain(void) {
  for (uint32_t idle = 0; idle < 4;) {
    for (uint32_t g = 0; g < Gpus; g++) {
      if (table.receiving >> g & 1) {
        message(g, CompositionSchedulerMessageDone);
      }
    }
    idle = in.message_valid ? 0 : idle + 1;
    step();
  }
}

static void ready_all(composition_scheduler_message_e kind) {
  for (uint32_t g = 0; g < Gpus; g++) {
    message(g, kind);
  }
  step();
}

ENGINE_TEST(test_opaque) {
  begin(false);
  ready_all(CompositionSchedulerMessageReadyOpaque);
  wait_cycles(3);
  // Each to the next, all three at once: everybody sends and receives.
  assert_int_equal(table.sending, All);
  assert_int_equal(table.receiving, All);
  wait_cycles(20);
  assert_int_equal(start_count, 3);  // no more before a transfer ends
  drain();
  static const uint8_t Pairs[][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 2}, {1, 0}, {2, 1}};
  for (uint32_t i = 0; i < 6; i++) {
    expect(i, Pairs[i][0], Pairs[i][1]);
    assert_int_equal(starts[i].cgid, 1);
    assert_false(starts[i].front);
  }
  assert_int_equal(start_count, 6);
  assert_int_equal(released, All);
  assert_int_equal(table.ready | table.sending | table.receiving, 0);
  for (uint32_t g = 0; g < Gpus; g++) {
    assert_int_equal(table.sent[g] | table.received[g], 0);
    assert_int_equal(table.cgid[g], 1);
  }
  assert_int_equal(out.error, CompositionSchedulerErrorNone);
}

ENGINE_TEST(test_lowest_first) {
  begin(true);
  message(1, CompositionSchedulerMessageReadyOpaque);
  message(2, CompositionSchedulerMessageReadyOpaque);
  step();
  wait_cycles(4);
  message(0, CompositionSchedulerMessageReadyOpaque);
  step();
  wait_cycles(2);
  expect(0, 1, 2);
  expect(1, 2, 1);
  message(1, CompositionSchedulerMessageDone);
  message(2, CompositionSchedulerMessageDone);
  step();
  wait_cycles(6);
  // Sources in turn from 0; of 1 and 2 the sender 0 takes the lower; 1 takes 0; 2 waits.
  expect(2, 0, 1);
  expect(3, 1, 0);
  assert_int_equal(start_count, 4);
}

ENGINE_TEST(test_transparent) {
  // 0 -> 2 only when 2 has merged 1; front when the sender's number is the higher one.
  begin(false);
  ready_all(CompositionSchedulerMessageReadyTransparent);
  wait_cycles(10);
  expect(0, 0, 1);
  expect(1, 1, 2);
  assert_int_equal(start_count, 2);             // 1 and 2 receive; 2 -> 0 needs that 0 has merged 1
  message(1, CompositionSchedulerMessageDone);  // 1 holds 0 and 1
  step();
  wait_cycles(6);
  expect(2, 2, 1);
  assert_int_equal(start_count, 3);  // not 0 -> 2: 2 still receives from 1
  message(2, CompositionSchedulerMessageDone);
  step();
  wait_cycles(6);
  expect(3, 0, 2);
  expect(4, 1, 0);
  message(1, CompositionSchedulerMessageDone);
  message(2, CompositionSchedulerMessageDone);
  step();
  wait_cycles(6);
  assert_int_equal(start_count, 5);  // not 2 -> 0: 0 has not merged 1 yet
  message(0, CompositionSchedulerMessageDone);
  step();
  wait_cycles(6);
  expect(5, 2, 0);
  message(0, CompositionSchedulerMessageDone);
  step();
  wait_cycles(4);
  assert_int_equal(released, All);
  for (uint32_t i = 0; i < 6; i++) {
    assert_int_equal(starts[i].front, starts[i].source > starts[i].destination);
  }
}

ENGINE_TEST(test_release_early) {
  // A GPU that is done with all is released, and is not composed with in its next group by
  // those that are still in this one.
  begin(false);
  ready_all(CompositionSchedulerMessageReadyOpaque);
  wait_cycles(4);
  message(0, CompositionSchedulerMessageDone);  // 2 -> 0
  message(1, CompositionSchedulerMessageDone);  // 0 -> 1
  step();
  wait_cycles(4);
  expect(3, 2, 1);
  assert_int_equal(start_count, 4);  // 0 -> 2 waits: 2 receives from 1; 1 -> 0: 1 still sends
  message(2, CompositionSchedulerMessageDone);  // 1 -> 2
  step();
  wait_cycles(4);
  message(0, CompositionSchedulerMessageDone);  // 1 -> 0
  message(2, CompositionSchedulerMessageDone);  // 0 -> 2
  step();
  wait_cycles(3);
  assert_int_equal(released, 1);  // 2 -> 1 is under way
  message(0, CompositionSchedulerMessageReadyOpaque);
  step();
  wait_cycles(6);
  assert_int_equal(table.cgid[0], 2);
  assert_int_equal(table.cgid[1], 1);
  assert_int_equal(start_count, 6);
  message(1, CompositionSchedulerMessageDone);
  step();
  wait_cycles(3);
  assert_int_equal(released, All);
  message(2, CompositionSchedulerMessageReadyOpaque);
  step();
  wait_cycles(4);
  assert_int_equal(starts[6].cgid, 2);
  assert_int_equal(out.error, CompositionSchedulerErrorNone);
}

ENGINE_TEST(test_back_pressure) {
  // A start that is not taken stays as it is, and nothing is started behind it.
  begin(false);
  in.start_ready = false;
  ready_all(CompositionSchedulerMessageReadyOpaque);
  for (uint32_t i = 0; i < 10; i++) {
    step();
    assert_true(out.start_valid);
    assert_int_equal(out.start_source, 0);
    assert_int_equal(out.start_destination, 1);
    assert_int_equal(table.sending, 1);
  }
  in.start_ready = true;
  step();
  assert_int_equal(out.start_source, 1);
  // So does a release; a ready before it is taken is refused.
  in.release_ready = 0;
  drain();
  wait_cycles(5);
  assert_int_equal(out.release_valid, All);
  message(1, CompositionSchedulerMessageReadyOpaque);
  step();
  assert_int_equal(out.error, CompositionSchedulerErrorReady);
  assert_int_equal(table.cgid[1], 1);
  in.release_ready = 2;
  step();
  assert_int_equal(out.release_valid, 5);
}

ENGINE_TEST(test_cgid_wraps) {
  begin(false);
  for (uint32_t n = 1; n <= 520; n++) {
    start_count = 0;
    released = 0;
    ready_all(n % 3 ? CompositionSchedulerMessageReadyOpaque
                    : CompositionSchedulerMessageReadyTransparent);
    drain();
    assert_int_equal(start_count, 6);
    assert_int_equal(released, All);
    for (uint32_t g = 0; g < Gpus; g++) {
      assert_int_equal(table.cgid[g], n % 256);
    }
    assert_int_equal(starts[0].cgid, n % 256);
  }
  // From 255 to 0 with one GPU ahead: unequal numbers do not exchange.
  begin(false);
  for (uint32_t n = 0; n < 255; n++) {
    start_count = 0;
    ready_all(CompositionSchedulerMessageReadyOpaque);
    drain();
  }
  start_count = 0;
  message(0, CompositionSchedulerMessageReadyOpaque);
  message(2, CompositionSchedulerMessageReadyOpaque);
  step();
  wait_cycles(4);
  assert_int_equal(starts[0].cgid, 0);
  assert_int_equal(start_count, 2);
  assert_int_equal(table.cgid[1], 255);
  assert_int_equal(out.error, CompositionSchedulerErrorNone);
}

ENGINE_TEST(test_errors) {
  begin(false);
  message(0, 3);
  step();
  assert_int_equal(out.error, CompositionSchedulerErrorMessage);
  assert_int_equal(table.ready, 0);
  begin(false);
  message(1, CompositionSchedulerMessageDone);  // nobody sends to it
  step();
  assert_int_equal(out.error, CompositionSchedulerErrorDone);
  assert_int_equal(table.received[1], 0);
  message(0, 3);  // sticky
  step();
  assert_int_equal(out.error, CompositionSchedulerErrorDone);
  begin(false);
  message(0, CompositionSchedulerMessageReadyOpaque);
  step();
  message(0, CompositionSchedulerMessageReadyOpaque);
  step();
  assert_int_equal(out.error, CompositionSchedulerErrorReady);
  assert_int_equal(table.cgid[0], 1);
  // The lowest of several codes.
  begin(false);
  message(0, 3);
  message(1, CompositionSchedulerMessageDone);
  step();
  assert_int_equal(out.error, CompositionSchedulerErrorMessage);
  // One group, two kinds: an error, and no start between them.
  begin(false);
  message(0, CompositionSchedulerMessageReadyOpaque);
  message(1, CompositionSchedulerMessageReadyTransparent);
  step();
  wait_cycles(5);
  assert_int_equal(out.error, CompositionSchedulerErrorKind);
  assert_int_equal(start_count, 0);
  unit.reset(unit.self, &out);
  assert_int_equal(out.error, CompositionSchedulerErrorNone);
}

int main(void) { return run_all_tests(NULL, NULL); }
