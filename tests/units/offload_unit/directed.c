// SPDX-License-Identifier: Apache-2.0
// Directed tests of the offloading unit for lines, from docs/units/offload_unit.md.
#include "tests/programs/unit_engine.h"

#include "csim/units/atfim/package.h"

enum { MaxLog = 256 };

typedef struct {
  uint32_t unit;
  uint8_t slot;
  uint16_t failed;
  bool refused;
  uint32_t texel[AtfimParents];
} answer_t;

static offload_unit_t unit;
static offload_unit_in_t in;
static offload_unit_out_t out;
static offload_unit_state_t state_now;
static uint32_t packages[MaxLog][AtfimPackageWords];
static answer_t answers[MaxLog];
static uint32_t package_count, answer_count;

static const offload_unit_params_t Default = {16, 16, 4, 48, true};

static void begin(offload_unit_params_t params) {
  err_auto_t err = {0};
  if (!harness_offload_unit(engine, &params, &unit, &err)) {
    fail_msg("%s", err_text(&err));
  }
  memset(&in, 0, sizeof in);
  in.package_ready = true;
  in.answer_ready = UINT64_MAX;
  package_count = answer_count = 0;
  unit.reset(unit.self, &out);
}

// Clocks once; takes what leaves in this cycle.
static void step(void) {
  if (out.package_valid && in.package_ready) {
    assert_true(package_count < MaxLog);
    memcpy(packages[package_count++], out.package, sizeof out.package);
  }
  if (out.answer_valid & in.answer_ready) {
    assert_true(answer_count < MaxLog);
    answer_t *a = &answers[answer_count++];
    *a = (answer_t){(uint32_t)__builtin_ctzll(out.answer_valid),
                    out.answer_slot,
                    out.answer_failed,
                    out.answer_refused,
                    {0}};
    memcpy(a->texel, out.answer_texel, sizeof a->texel);
  }
  assert_int_equal(unit.step(unit.self, &in, &out), UnitOk);
  in.request_valid = 0;
  in.response_valid = in.reissue_valid = in.peek_valid = false;
  unit.observe(unit.self, &state_now);
}

ENGINE_STEPS(wait_cycles)

static uint64_t peek(uint8_t index) {
  in.peek_valid = true;
  in.peek_index = index;
  step();
  return out.peek_data;
}

// Word i of a request is seed + i.
static void ask(uint32_t u, uint32_t seed) {
  in.request_valid |= UINT64_C(1) << u;
  for (uint32_t i = 0; i < AtfimRequestWords; i++) {
    in.request[u][i] = seed + i;
  }
}

static void respond(uint16_t id, uint8_t epoch, uint32_t seed) {
  atfim_response_t r = {
      .id = id, .epoch = epoch, .failed = (uint16_t)seed, .refused = seed >> 16 & 1};
  for (uint32_t k = 0; k < AtfimParents; k++) {
    r.texel[k] = seed * 0x01010101u + k;
  }
  assert_true(out.response_ready);
  in.response_valid = true;
  atfim_response_pack(&r, in.response);
}

static void reissue(uint8_t epoch) {
  in.reissue_valid = true;
  in.reissue_epoch = epoch;
}

static uint32_t id_of(uint32_t at) {
  assert_true(at < package_count);
  return packages[at][0] >> 12 & 0x7ff;
}

static uint32_t epoch_of(uint32_t at) {
  assert_true(at < package_count);
  return packages[at][0] >> 24;
}

// Compares the outputs with the contract's example in its cycle t.
static void expect_example(uint32_t t) {
  static const int Ids[] = {-1, -1, -1, 0, 2, 1, 3};
  assert_int_equal(out.request_ready, t < 2 ? 3 : t < 11 ? 0 : 2);
  assert_int_equal(out.request_slot[0], t == 1 ? 1 : 0);
  assert_int_equal(out.request_slot[1], t == 1 ? 1 : 0);
  assert_int_equal(out.package_valid, t >= 3 && t <= 6);
  if (out.package_valid) {
    assert_int_equal(out.package[0], 0x70 | 4 << 7 | Ids[t] << 12);
    for (int i = 0; i < AtfimRequestWords; i++) {
      assert_int_equal(out.package[1 + i], 1000 * Ids[t] + i);
    }
  }
  assert_int_equal(out.answer_valid, t == 10 ? 2 : 0);
  if (t == 10) {
    assert_int_equal(out.answer_slot, 0);
    assert_int_equal(out.answer_failed, 0x215a);
    assert_true(out.answer_refused);
    for (uint32_t k = 0; k < AtfimParents; k++) {
      assert_int_equal(out.answer_texel[k], 0x1215au * 0x01010101u + k);
    }
  }
}

// The example of the contract, cycle by cycle; v is t + 9.
ENGINE_TEST(test_example) {
  static const uint32_t last_ids[] = {0, 3, 1};
  begin((offload_unit_params_t){2, 2, 4, 48, true});
  for (uint32_t t = 0; t <= 11; t++) {
    expect_example(t);
    if (t < 2) {
      ask(0, 1000 * t);
      ask(1, 1000 * (2 + t));
    }
    if (t == 9) {
      respond(2, 0, 0x1215a);
    }
    if (t == 11) {
      reissue(1);
    }
    step();
  }
  assert_int_equal(state_now.epoch, 1);
  assert_int_equal(state_now.pending[0], 3);
  assert_int_equal(state_now.pending[1], 2);
  assert_int_equal(state_now.waiting[0] | state_now.waiting[1], 0);
  assert_int_equal(state_now.free[1], 1);
  for (uint32_t i = 0; i < 3; i++) {  // picked in the three cycles from v + 3 on
    step();
    assert_int_equal(state_now.pending[last_ids[i] / 2] >> last_ids[i] % 2 & 1, 0);
    assert_int_equal(state_now.waiting[last_ids[i] / 2] >> last_ids[i] % 2 & 1, 1);
  }
  wait_cycles(4);
  assert_true(out.quiescent);
  assert_int_equal(package_count, 7);
  for (uint32_t i = 0; i < 3; i++) {
    assert_int_equal(id_of(4 + i), last_ids[i]);
    assert_int_equal(epoch_of(4 + i), 1);
    assert_int_equal(packages[4 + i][1], 1000 * last_ids[i]);
    assert_int_equal(packages[4 + i][3], 1000 * last_ids[i] + 2);
  }
  assert_int_equal(peek(OffloadUnitCounterRequests), 4);
  assert_int_equal(peek(OffloadUnitCounterPackages), 7);
  assert_int_equal(peek(OffloadUnitCounterResponses), 1);
  assert_int_equal(peek(OffloadUnitCounterDropped), 0);
  assert_int_equal(peek(OffloadUnitCounters), 0);
  assert_int_equal(out.error, OffloadUnitErrorNone);
}

// One unit with much to send does not keep others from it.
ENGINE_TEST(test_round_robin) {
  static const uint32_t order[] = {0x40, 0x00, 0x10, 0x41, 0x01, 0x11, 0x02, 0x12, 0x03};
  begin((offload_unit_params_t){5, 16, 4, 48, true});
  in.package_ready = false;
  ask(4, 0);
  step();
  wait_cycles(3);  // unit 4 was picked last
  for (uint32_t i = 0; i < 4; i++) {
    ask(0, i);
    if (i < 3) {
      ask(1, i);
    }
    if (i == 0) {
      ask(4, i);
    }
    step();
  }
  in.package_ready = true;
  wait_cycles(20);
  assert_int_equal(package_count, 9);
  for (uint32_t i = 0; i < 9; i++) {
    assert_int_equal(id_of(i), order[i]);
  }
}

// Slots go upwards and around, also past answered ones.
ENGINE_TEST(test_next_slot) {
  begin((offload_unit_params_t){1, 4, 4, 48, true});
  for (uint32_t i = 0; i < 3; i++) {
    ask(0, i);
    step();
  }
  wait_cycles(6);
  respond(0, 0, 1);
  step();
  assert_int_equal(out.request_slot[0], 3);  // answered, not taken: not free
  step();
  assert_int_equal(out.request_slot[0], 0);
  ask(0, 10);  // slot 0; slot 3 is next in the order of sending
  step();
  ask(0, 13);
  step();
  assert_int_equal(out.request_ready, 0);
  assert_int_equal(out.request_slot[0], 0);
  wait_cycles(6);
  reissue(9);
  step();
  wait_cycles(8);
  static const uint32_t order[] = {0, 1, 2, 0, 3, 0, 1, 2, 3};
  assert_int_equal(package_count, 9);
  for (uint32_t i = 0; i < 9; i++) {
    assert_int_equal(id_of(i), order[i]);
    assert_int_equal(epoch_of(i), i < 5 ? 0 : 9);
  }
  assert_int_equal(packages[5][1], 10);
  assert_int_equal(packages[8][1], 13);

  // Slot 0 is asked for again while 4 and 5 wait behind a full queue: it comes after them.
  begin((offload_unit_params_t){1, 8, 4, 48, true});
  in.package_ready = false;
  for (uint32_t i = 0; i < 6; i++) {
    ask(0, i);
    step();
  }
  wait_cycles(4);
  respond(0, 0, 1);
  step();
  step();
  ask(0, 6);
  step();
  assert_int_equal(state_now.pending[0], 0x31);
  in.package_ready = true;
  wait_cycles(12);
  static const uint32_t around[] = {0, 1, 2, 3, 4, 5, 0};
  assert_int_equal(package_count, 7);
  for (uint32_t i = 0; i < 7; i++) {
    assert_int_equal(id_of(i), around[i]);
    assert_int_equal(packages[i][1], i);
  }
}

// The length in a package's header is the parameter, whatever the request.
ENGINE_TEST(test_package_flits) {
  for (uint32_t flits = 2; flits <= 4; flits += 2) {
    begin((offload_unit_params_t){2, 2, flits, 48, true});
    ask(1, UINT32_MAX - 2);
    step();
    wait_cycles(4);
    assert_int_equal(package_count, 1);
    atfim_package_t p;
    atfim_package_unpack(packages[0], &p);
    assert_int_equal(p.flits, flits);
    assert_int_equal(p.id, 2);
    assert_int_equal(packages[0][0] & 0x7f, AtfimPackageCommand);
    assert_int_equal(packages[0][3], UINT32_MAX);  // bits that are no field's are passed on
  }
}

ENGINE_TEST(test_package_back_pressure) {
  begin(Default);
  in.package_ready = false;
  for (uint32_t u = 0; u < 16; u++) {
    ask(u, u);
  }
  step();
  wait_cycles(12);
  uint32_t waiting = 0;
  for (uint32_t u = 0; u < 16; u++) {
    waiting += (uint32_t)__builtin_popcount(state_now.waiting[u]);
  }
  assert_int_equal(waiting, 4);  // four in the queue, none in S
  assert_true(out.quiescent);
  assert_true(out.package_valid);
  assert_int_equal(out.package[0] >> 12 & 0x7ff, 0);
  // From here on one a cycle.
  in.package_ready = true;
  for (uint32_t c = 0; c < 16; c++) {
    assert_int_equal(package_count, c);
    step();
  }
  assert_int_equal(package_count, 16);
  for (uint32_t i = 0; i < 16; i++) {
    assert_int_equal(id_of(i), 16 * i);
  }
}

static void ask_all(void) {
  for (uint32_t i = 0; i < 4; i++) {
    for (uint32_t u = 0; u < 3; u++) {
      ask(u, 100 * u + i);
    }
    step();
  }
  wait_cycles(16);
}

ENGINE_TEST(test_answer_back_pressure) {
  begin((offload_unit_params_t){3, 4, 4, 48, true});
  ask_all();
  in.answer_ready = 3;  // not unit 2
  respond(9, 0, 1);
  step();
  respond(0, 0, 2);
  step();
  assert_false(out.response_ready);
  wait_cycles(5);
  assert_int_equal(answer_count, 0);  // behind the one for unit 2
  assert_int_equal(out.answer_valid, 4);
  assert_true(out.quiescent);
  assert_int_equal(state_now.free[2] | state_now.pending[2], 0);
  assert_int_equal(state_now.waiting[2], 0xd);
  in.answer_ready = 4;
  step();
  assert_int_equal(out.answer_valid, 1);
  assert_true(out.response_ready);
  assert_int_equal(state_now.free[2], 2);
  in.answer_ready = 7;
  step();
  assert_int_equal(answer_count, 2);
  assert_int_equal(answers[0].unit * 4 + answers[0].slot, 9);
  assert_int_equal(answers[1].unit * 4 + answers[1].slot, 0);
  // Answers that are taken at once: one a cycle, in any order of ids.
  static const uint16_t order[] = {11, 1, 8, 2, 10, 3, 7, 4, 6, 5};
  for (uint32_t i = 0; i < 10; i++) {
    respond(order[i], 0, i);
    step();
  }
  step();
  assert_int_equal(answer_count, 12);
  for (uint32_t i = 0; i < 10; i++) {
    assert_int_equal(answers[2 + i].unit * 4 + answers[2 + i].slot, order[i]);
    assert_int_equal(answers[2 + i].failed, i);
  }
  assert_int_equal(out.error, OffloadUnitErrorNone);
}

// Refused: no slot and no answer changes.
static void expect_refused(offload_unit_error_e error) {
  offload_unit_state_t before = state_now;
  uint32_t answered = answer_count;
  step();
  assert_memory_equal(&before, &state_now, sizeof before);
  wait_cycles(3);
  assert_int_equal(answer_count, answered);
  assert_int_equal(out.error, error);
}

ENGINE_TEST(test_refused) {
  static const uint16_t ids[] = {0, 12, 13, 2047};
  for (uint32_t i = 0; i < 4; i++) {  // free, beyond the last
    begin((offload_unit_params_t){3, 4, 4, 48, true});
    step();
    respond(ids[i], 0, 1);
    expect_refused(OffloadUnitErrorResponse);
    reissue(0);  // the first code stays
    expect_refused(OffloadUnitErrorResponse);
    assert_int_equal(peek(OffloadUnitCounterResponses), 0);
    unit.reset(unit.self, &out);
    assert_int_equal(out.error, OffloadUnitErrorNone);
  }
  begin((offload_unit_params_t){3, 4, 4, 48, true});
  ask_all();
  respond(5, 0, 1);
  step();
  wait_cycles(2);
  respond(5, 0, 1);  // given twice
  expect_refused(OffloadUnitErrorResponse);

  begin((offload_unit_params_t){3, 4, 4, 48, true});
  ask_all();
  in.answer_ready = 0;
  respond(5, 0, 1);
  step();
  respond(5, 0, 1);  // answered, not taken
  expect_refused(OffloadUnitErrorResponse);
  in.answer_ready = 7;
  wait_cycles(4);
  assert_int_equal(answer_count, 1);

  begin((offload_unit_params_t){3, 4, 4, 48, true});
  step();
  reissue(0);
  expect_refused(OffloadUnitErrorReissue);
  respond(0, 0, 1);
  expect_refused(OffloadUnitErrorReissue);

  begin((offload_unit_params_t){3, 4, 4, 48, true});
  step();
  reissue(0);
  respond(0, 0, 1);  // both in one cycle: the lower code
  expect_refused(OffloadUnitErrorResponse);
}

// A slot may be answered from the cycle after its pick on.
ENGINE_TEST(test_response_and_pick) {
  for (uint32_t late = 0; late < 3; late++) {
    begin((offload_unit_params_t){3, 4, 4, 48, true});
    ask(1, 0);
    step();
    wait_cycles(late);
    respond(4, 0, 3);
    step();  // late 0: the cycle of the pick
    wait_cycles(4);
    assert_int_equal(out.error, late == 0 ? OffloadUnitErrorResponse : OffloadUnitErrorNone);
    assert_int_equal(answer_count, late == 0 ? 0 : 1);
    assert_int_equal(package_count, 1);  // it is sent all the same
    assert_int_equal(packages[0][3], 2);
  }
}

ENGINE_TEST(test_old_epochs) {
  begin((offload_unit_params_t){3, 4, 4, 48, true});
  ask_all();
  reissue(200);
  respond(7, 0, 0xff);  // judged by the epoch before: an answer
  step();
  respond(6, 0, 1);  // too late
  step();
  respond(99, 1, 1);  // the epoch is looked at first
  step();
  wait_cycles(20);
  assert_int_equal(out.error, OffloadUnitErrorNone);
  assert_int_equal(answer_count, 1);
  assert_int_equal(answers[0].failed, 0xff);
  assert_int_equal(peek(OffloadUnitCounterDropped), 2);
  assert_int_equal(package_count, 12 + 11);
  for (uint32_t i = 12; i < 23; i++) {
    assert_int_equal(epoch_of(i), 200);
    assert_int_not_equal(id_of(i), 7);
  }
  respond(6, 200, 2);
  step();
  step();
  assert_int_equal(answer_count, 2);
  assert_int_equal(out.error, OffloadUnitErrorNone);
}

// A second reissue in the cycle behind the first: all that waits has the second epoch last.
ENGINE_TEST(test_reissue_twice) {
  begin((offload_unit_params_t){1, 4, 4, 48, true});
  ask(0, 7);
  step();
  ask(0, 8);
  step();
  wait_cycles(20);
  assert_int_equal(package_count, 2);
  reissue(3);
  step();
  reissue(5);
  step();
  wait_cycles(20);
  uint32_t last[2] = {0, 0};
  for (uint32_t i = 2; i < package_count; i++) {
    assert_int_equal(packages[i][1], 7 + id_of(i));
    last[id_of(i)] = epoch_of(i);
  }
  assert_int_equal(last[0], 5);
  assert_int_equal(last[1], 5);
  assert_int_equal(state_now.waiting[0], 3);
  assert_int_equal(out.error, OffloadUnitErrorNone);
}

// A reissue meets a package in each stage: it goes out twice at most, with the new epoch last.
ENGINE_TEST(test_reissue_under_way) {
  for (uint32_t late = 0; late < 8; late++) {
    begin((offload_unit_params_t){1, 4, 4, 48, true});
    for (uint32_t c = 0; c < 24; c++) {
      if (c < 2) {
        ask(0, 7 + c);
      }
      if (c == late) {
        reissue(3);
      }
      step();
    }
    // Slot s is accepted in s and picked in s + 1: with the old epoch until the reissue's own
    // cycle.
    uint32_t old = late > 2 ? 2 : late;
    assert_int_equal(package_count, 2 + old);
    for (uint32_t i = 0; i < package_count; i++) {
      assert_int_equal(epoch_of(i), i < old ? 0 : 3);
    }
    uint32_t seen = 0;
    for (uint32_t i = old; i < package_count; i++) {
      assert_int_equal(packages[i][1], 7 + id_of(i));
      seen |= 1u << id_of(i);
    }
    assert_int_equal(seen, 3);
    assert_int_equal(state_now.waiting[0], 3);
    assert_int_equal(out.error, OffloadUnitErrorNone);
  }
}

ENGINE_TEST(test_reset) {
  begin((offload_unit_params_t){3, 4, 4, 48, true});
  for (uint32_t c = 0; c < 12; c++) {
    in.package_ready = false;
    in.answer_ready = 0;
    for (uint32_t i = 0; i < c; i++) {
      if (i < 4) {
        ask(i % 3, i);
      }
      if (i == 6) {
        reissue(8);
      }
      if (i == 10) {
        respond(0, 8, 1);
      }
      in.peek_valid = i == 5;
      step();
    }
    unit.reset(unit.self, &out);
    unit.observe(unit.self, &state_now);
    assert_int_equal(state_now.epoch, 0);
    for (uint32_t u = 0; u < 3; u++) {
      assert_int_equal(state_now.free[u], 15);
      assert_int_equal(state_now.pending[u] | state_now.waiting[u], 0);
    }
    assert_true(out.quiescent);
    assert_false(out.package_valid);
    assert_int_equal(out.answer_valid | out.peek_data, 0);
    assert_int_equal(out.request_ready, 7);
    for (uint8_t i = 0; i < OffloadUnitCounters; i++) {
      assert_int_equal(peek(i), 0);
    }
    wait_cycles(3);
    assert_false(out.package_valid);
    unit.reset(unit.self, &out);
  }
}

// The largest: 64 units of 32 slots, all ids.
ENGINE_TEST(test_all_ids) {
  begin((offload_unit_params_t){64, 32, 4, 48, true});
  bool sent[2048] = {false};
  in.package_ready = false;
  for (uint32_t c = 0; c < 32; c++) {
    for (uint32_t u = 0; u < 64; u++) {
      ask(u, 32 * u + c);
    }
    assert_int_equal(out.request_slot[63], c);
    step();
  }
  assert_int_equal(out.request_ready, 0);
  in.package_ready = true;
  for (uint32_t c = 0; c < 2060; c++) {
    package_count = answer_count = 0;
    if (out.package_valid) {
      uint32_t id = out.package[0] >> 12 & 0x7ff;
      assert_int_equal(out.package[1], id);
      assert_false(sent[id]);
      sent[id] = true;
      respond((uint16_t)id, 0, id);
    }
    step();
    if (out.answer_valid) {
      uint32_t id = (uint32_t)__builtin_ctzll(out.answer_valid) * 32 + out.answer_slot;
      assert_int_equal(out.answer_texel[0], id * 0x01010101u);
    }
  }
  for (uint32_t i = 0; i < 2048; i++) {
    assert_true(sent[i]);
  }
  assert_int_equal(out.error, OffloadUnitErrorNone);
}

int main(void) { return run_all_tests(NULL, NULL); }
