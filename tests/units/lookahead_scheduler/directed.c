// SPDX-License-Identifier: Apache-2.0
// Directed tests of the composition scheduler with lookahead, from
// docs/units/lookahead_scheduler.md, and random traffic that must never come to rest.
#include "csim/base/rng.h"
#include "tests/programs/unit_engine.h"

enum { MaxStarts = 64 };

typedef struct {
  uint8_t source, destination, cgid;
  bool front;
} start_t;

static lookahead_scheduler_t unit;
static lookahead_scheduler_in_t in;
static lookahead_scheduler_out_t out;
static lookahead_scheduler_state_t table;
static start_t starts[MaxStarts];
static uint32_t start_count, gpus;

static void begin(uint32_t n, uint32_t max_depth) {
  err_auto_t err = {0};
  lookahead_scheduler_params_t params = {.gpus = n, .max_depth = max_depth};
  if (!harness_lookahead_scheduler(engine, &params, &unit, &err)) {
    fail_msg("%s", err_text(&err));
  }
  memset(&in, 0, sizeof in);
  memset(&table, 0, sizeof table);
  in.start_ready = true;
  start_count = 0;
  gpus = n;
  unit.reset(unit.self, &out);
}

static void step(void) {
  if (out.start_valid && in.start_ready) {
    starts[start_count++ % MaxStarts] =
        (start_t){out.start_source, out.start_destination, out.start_cgid, out.start_front};
  }
  assert_int_equal(unit.step(unit.self, &in, &out), UnitOk);
  unit.observe(unit.self, &table);
  in.message_valid = 0;
}

ENGINE_STEPS(wait_cycles)

static void ready(uint32_t gpu, lookahead_scheduler_message_e kind, uint8_t depth) {
  in.message_valid |= 1u << gpu;
  in.message_op[gpu] = (uint8_t)kind;
  in.message_depth[gpu] = depth;
  in.message_peer[gpu] = 0;
}

static void ending(uint32_t gpu, uint8_t peer) {
  in.message_valid |= 1u << gpu;
  in.message_op[gpu] = LookaheadSchedulerMessageEnding;
  in.message_peer[gpu] = peer;
  in.message_depth[gpu] = 0;
}

static void expect(uint32_t at, uint8_t source, uint8_t destination) {
  assert_true(at < start_count);
  assert_int_equal(starts[at].source, source);
  assert_int_equal(starts[at].destination, destination);
}

static void ready_all(lookahead_scheduler_message_e kind, uint8_t depth) {
  for (uint32_t g = 0; g < gpus; g++) {
    ready(g, kind, depth);
  }
  step();
}

static void end_all(void) {
  for (uint32_t idle = 0; idle < 5;) {
    for (uint32_t g = 0; g < gpus; g++) {
      uint64_t open = table.sent[g] & ~table.ended[g];
      if (open) {
        ending(g, (uint8_t)__builtin_ctzll(open));
      }
    }
    idle = in.message_valid ? 0 : idle + 1;
    step();
  }
}

ENGINE_TEST(test_least_busy_first) {
  // Depth 2: first each GPU one transfer on each side, then the second ones.
  begin(3, 8);
  ready_all(LookaheadSchedulerMessageReadyOpaque, 2);
  wait_cycles(12);
  assert_int_equal(start_count, 6);
  static const uint8_t Pairs[][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 2}, {1, 0}, {2, 1}};
  for (uint32_t i = 0; i < 6; i++) {
    expect(i, Pairs[i][0], Pairs[i][1]);
    assert_int_equal(starts[i].cgid, 1);
    assert_false(starts[i].front);
  }
  for (uint32_t g = 0; g < 3; g++) {
    assert_int_equal(table.sending[g], 2);
    assert_int_equal(table.receiving[g], 2);
  }
  assert_int_equal(table.ready, 7);
  // Two senders report to one receiver in one cycle.
  ending(0, 1);
  ending(2, 1);
  step();
  assert_int_equal(table.receiving[1], 0);
  assert_int_equal(table.sending[0], 1);
  end_all();
  assert_int_equal(table.ready, 0);
  for (uint32_t g = 0; g < 3; g++) {
    assert_int_equal(table.sent[g] | table.received[g] | table.ended[g], 0);
    assert_int_equal(table.sending[g] | table.receiving[g], 0);
  }
  assert_int_equal(out.error, LookaheadSchedulerErrorNone);
}

ENGINE_TEST(test_depth_of_both) {
  // The smaller of the two depths bounds a pair, and the receiver's counts what it receives.
  begin(4, 8);
  ready(0, LookaheadSchedulerMessageReadyOpaque, 8);
  ready(1, LookaheadSchedulerMessageReadyOpaque, 1);
  ready(2, LookaheadSchedulerMessageReadyOpaque, 8);
  ready(3, LookaheadSchedulerMessageReadyOpaque, 8);
  step();
  wait_cycles(30);
  assert_int_equal(table.receiving[1], 1);
  assert_int_equal(table.sending[1], 1);
  assert_int_equal(table.depth[1], 1);
  assert_int_equal(start_count, 2 + 6);  // all six among 0, 2 and 3
  uint32_t from = (uint32_t)__builtin_ctzll(table.received[1]);
  ending(from, 1);
  step();
  wait_cycles(4);
  assert_int_equal(table.receiving[1], 1);
  assert_int_equal(__builtin_popcountll(table.received[1]), 2);
  assert_int_equal(start_count, 9);
}

ENGINE_TEST(test_sources_in_turn) {
  // Among equal pairs the source after the last one wins, around; among its receivers the next
  // upwards.
  begin(4, 8);
  ready(1, LookaheadSchedulerMessageReadyOpaque, 1);
  ready(3, LookaheadSchedulerMessageReadyOpaque, 1);
  step();
  wait_cycles(6);
  expect(0, 1, 3);
  expect(1, 3, 1);
  ready(0, LookaheadSchedulerMessageReadyOpaque, 1);
  ready(2, LookaheadSchedulerMessageReadyOpaque, 1);
  step();
  wait_cycles(6);
  expect(2, 0, 2);
  expect(3, 2, 0);
  ending(1, 3);
  ending(3, 1);
  step();
  wait_cycles(6);
  // 3 after 2; all it may send to are busy but 1. That has been granted. So nothing.
  assert_int_equal(start_count, 4);
  ending(0, 2);
  step();
  wait_cycles(6);
  expect(4, 3, 2);
  expect(5, 0, 1);
  assert_int_equal(start_count, 6);
}

ENGINE_TEST(test_transparent) {
  // The interval counts from the grant on: 0 may send to 2 as soon as 1 is granted to 2.
  begin(3, 8);
  ready_all(LookaheadSchedulerMessageReadyTransparent, 2);
  wait_cycles(20);
  assert_int_equal(start_count, 6);
  for (uint32_t i = 0; i < 6; i++) {
    assert_int_equal(starts[i].front, starts[i].source > starts[i].destination);
  }
  expect(0, 0, 1);
  expect(1, 1, 2);
  uint32_t far = 0, near = 0;
  for (uint32_t i = 0; i < 6; i++) {
    far = starts[i].source == 0 && starts[i].destination == 2 ? i : far;
    near = starts[i].source == 1 && starts[i].destination == 2 ? i : near;
  }
  assert_true(near < far);
  end_all();
  assert_int_equal(table.ready, 0);
  // With depth 1 a grant waits for the endings of both ends.
  begin(3, 8);
  ready_all(LookaheadSchedulerMessageReadyTransparent, 1);
  wait_cycles(20);
  assert_int_equal(start_count, 2);
  ending(1, 2);
  step();
  wait_cycles(6);
  expect(2, 1, 0);
  assert_int_equal(start_count, 3);  // not 0 to 2: 0 still sends; not 2 to 0: 0 receives
  ending(0, 1);
  step();
  wait_cycles(6);
  expect(3, 2, 1);
  expect(4, 0, 2);
  assert_int_equal(start_count, 5);
}

ENGINE_TEST(test_pending) {
  begin(2, 8);
  ready_all(LookaheadSchedulerMessageReadyOpaque, 1);
  wait_cycles(4);
  assert_int_equal(start_count, 2);
  ending(0, 1);
  step();
  // GPU 0 has merged what GPU 1 has not reported yet.
  ready(0, LookaheadSchedulerMessageReadyTransparent, 5);
  step();
  assert_int_equal(table.pending, 1);
  assert_int_equal(table.cgid[0], 1);
  assert_int_equal(table.depth[0], 1);
  wait_cycles(5);
  assert_int_equal(table.pending, 1);
  // A second one is refused.
  ready(0, LookaheadSchedulerMessageReadyOpaque, 3);
  step();
  assert_int_equal(out.error, LookaheadSchedulerErrorReady);
  ending(1, 0);
  step();
  assert_int_equal(table.ready, 3);
  step();
  assert_int_equal(table.ready, 1);
  assert_int_equal(table.pending, 0);
  assert_int_equal(table.cgid[0], 2);
  assert_int_equal(table.depth[0], 5);
  ready(1, LookaheadSchedulerMessageReadyTransparent, 1);
  step();
  wait_cycles(4);
  assert_int_equal(starts[2].cgid, 2);
  assert_int_equal(start_count, 4);
  // In the cycle in which the entry resets a ready enters at once.
  begin(2, 8);
  ready_all(LookaheadSchedulerMessageReadyOpaque, 1);
  wait_cycles(4);
  ending(0, 1);
  ending(1, 0);
  step();
  assert_int_equal(table.ready, 3);
  ready(1, LookaheadSchedulerMessageReadyOpaque, 2);
  step();
  assert_int_equal(table.ready, 2);
  assert_int_equal(table.pending, 0);
  assert_int_equal(table.cgid[1], 2);
  assert_int_equal(out.error, LookaheadSchedulerErrorNone);
}

ENGINE_TEST(test_back_pressure) {
  begin(3, 8);
  in.start_ready = false;
  ready_all(LookaheadSchedulerMessageReadyOpaque, 2);
  wait_cycles(2);
  for (uint32_t i = 0; i < 10; i++) {
    assert_true(out.start_valid);
    assert_int_equal(out.start_source, 0);
    assert_int_equal(out.start_destination, 1);
    assert_int_equal(table.sending[0], 1);
    assert_int_equal(table.sending[1], 0);
    step();
  }
  in.start_ready = true;
  step();
  assert_int_equal(out.start_source, 1);
}

ENGINE_TEST(test_level) {
  // A start a cycle; none in the cycle after the last pair of a level.
  begin(3, 8);
  ready_all(LookaheadSchedulerMessageReadyOpaque, 2);
  assert_false(out.start_valid);
  static const bool starts[] = {false, true, true, true, false, true, true, true, false};
  for (uint32_t i = 0; i < 9; i++) {
    step();
    assert_int_equal(out.start_valid, starts[i]);
  }
}

ENGINE_TEST(test_cgid_wraps) {
  begin(3, 8);
  for (uint32_t n = 1; n <= 520; n++) {
    start_count = 0;
    ready_all(
        n % 3 ? LookaheadSchedulerMessageReadyOpaque : LookaheadSchedulerMessageReadyTransparent,
        (uint8_t)(1 + n % 8));
    end_all();
    assert_int_equal(start_count, 6);
    assert_int_equal(table.ready, 0);
    assert_int_equal(table.cgid[0], n % 256);
    assert_int_equal(starts[0].cgid, n % 256);
  }
}

static void expect_error(uint8_t code) {
  step();
  assert_int_equal(out.error, code);
}

ENGINE_TEST(test_errors) {
  begin(3, 4);
  in.message_valid = 1;
  in.message_op[0] = 3;
  expect_error(LookaheadSchedulerErrorMessage);
  begin(3, 4);
  ready(0, LookaheadSchedulerMessageReadyOpaque, 0);
  expect_error(LookaheadSchedulerErrorDepth);
  assert_int_equal(table.ready, 0);
  begin(3, 4);
  ready(0, LookaheadSchedulerMessageReadyOpaque, 5);
  expect_error(LookaheadSchedulerErrorDepth);
  begin(3, 4);
  ending(1, 0);  // not granted
  expect_error(LookaheadSchedulerErrorEnding);
  assert_int_equal(table.sending[1] | table.receiving[0] | table.ended[1], 0);
  begin(3, 4);
  ending(1, 3);  // no such GPU
  expect_error(LookaheadSchedulerErrorEnding);
  begin(3, 4);
  ready_all(LookaheadSchedulerMessageReadyOpaque, 1);
  wait_cycles(6);
  ending(0, 1);
  expect_error(LookaheadSchedulerErrorNone);
  ending(0, 1);  // a second time
  expect_error(LookaheadSchedulerErrorEnding);
  assert_int_equal(table.ended[0], 2);
  assert_int_equal(table.receiving[1], 0);
  in.message_valid = 1;
  in.message_op[0] = 3;
  expect_error(LookaheadSchedulerErrorEnding);  // sticky
  // The lowest of several codes.
  begin(3, 4);
  ready(0, LookaheadSchedulerMessageReadyOpaque, 0);
  ending(1, 0);
  expect_error(LookaheadSchedulerErrorDepth);
  // One group, two kinds: an error, and no start between them.
  begin(3, 4);
  ready(0, LookaheadSchedulerMessageReadyOpaque, 1);
  ready(1, LookaheadSchedulerMessageReadyTransparent, 1);
  step();
  wait_cycles(5);
  assert_int_equal(out.error, LookaheadSchedulerErrorKind);
  assert_int_equal(start_count, 0);
}

// ---- Random traffic: no deadlock, no violation

typedef struct {
  uint8_t sends[UnitMaxGpus], receives[UnitMaxGpus];  // grants in order
  uint32_t granted, issued, taken, merged;
  uint64_t arrived;  // mask of sources whose data is complete
  uint64_t merges;   // mask
  bool composing;
  uint32_t group;
} side_t;

static side_t sides[UnitMaxGpus];

// The rules of a grant, told from the GPUs' side.
static void hear_start(bool transparent) {
  uint32_t s = out.start_source, d = out.start_destination;
  side_t *a = &sides[s], *b = &sides[d];
  assert_true(s != d && a->composing && b->composing);
  assert_int_equal(a->group, b->group);
  assert_int_equal(out.start_cgid, a->group % 256);
  assert_int_equal(out.start_front, transparent && s > d);
  for (uint32_t i = 0; i < a->granted; i++) {
    assert_int_not_equal(a->sends[i], d);
  }
  if (transparent) {
    uint64_t have = 1ull << d;
    for (uint32_t i = 0; i < b->taken; i++) {
      have |= 1ull << b->receives[i];
    }
    assert_true(have >> (s > d ? s - 1 : s + 1) & 1);
  }
  a->sends[a->granted++] = (uint8_t)d;
  b->receives[b->taken++] = (uint8_t)s;
}

// A sender serves its grants in order; a receiver merges what has come, transparent in order.
static void run_side(rng_t *rng, uint32_t g, bool transparent) {
  side_t *a = &sides[g];
  if (a->issued < a->granted && rng_chance(rng, 300)) {
    ending(g, a->sends[a->issued]);
    sides[a->sends[a->issued]].arrived |= 1ull << g;
    a->issued++;
  }
  for (uint32_t i = 0; i < a->taken; i++) {
    uint64_t source = 1ull << a->receives[i];
    if (!(a->merges & source)) {
      if (a->arrived & source && rng_chance(rng, 300)) {
        a->merges |= source;
        a->merged++;
        break;
      }
      if (transparent) {
        break;
      }
    }
  }
  if (a->composing && a->issued == gpus - 1 && a->merged == gpus - 1) {
    *a = (side_t){.group = a->group};
  }
}

static void run_groups(uint64_t seed, uint32_t n, uint32_t groups) {
  rng_t rng;
  rng_seed(&rng, seed);
  begin(n, 8);
  memset(sides, 0, sizeof sides);
  uint64_t kinds = rng_u64(&rng);
  uint32_t still = 0, done = 0;
  for (uint32_t least = 0; least < groups;) {
    in.start_ready = rng_chance(&rng, 700);
    if (out.start_valid && in.start_ready) {
      hear_start(kinds >> (sides[out.start_source].group % 64) & 1);
      start_count = still = 0;
    }
    for (uint32_t g = 0; g < n; g++) {
      if (!sides[g].composing && rng_chance(&rng, 100)) {
        sides[g].composing = true;
        sides[g].group++;
        ready(g,
              kinds >> (sides[g].group % 64) & 1 ? LookaheadSchedulerMessageReadyTransparent
                                                 : LookaheadSchedulerMessageReadyOpaque,
              (uint8_t)(1 + rng_below(&rng, 8)));
        continue;
      }
      run_side(&rng, g, kinds >> (sides[g].group % 64) & 1);
    }
    step();
    least = groups;
    for (uint32_t g = 0; g < n; g++) {
      least = sides[g].group < least ? sides[g].group : least;
    }
    still = least > done ? 0 : still + 1;
    done = least > done ? least : done;
    if (still > 3000) {
      fail_msg("seed %llu, %u GPUs: at rest in group %u", (unsigned long long)seed, n, done);
    }
  }
  assert_int_equal(out.error, LookaheadSchedulerErrorNone);
}

ENGINE_TEST(test_never_at_rest) {
  static const uint32_t counts[] = {2, 3, 4, 8};
  for (uint32_t seed = 0; seed < 120; seed++) {
    run_groups(seed, counts[seed % 4], 20);
  }
}

int main(void) { return run_all_tests(NULL, NULL); }
