// SPDX-License-Identifier: Apache-2.0
// Directed tests of the draw-command scheduler, from docs/units/draw_scheduler.md.
#include "tests/programs/unit_engine.h"

enum { Gpus = 3, Credits = 3, MaxPieces = 64 };

typedef struct {
  uint8_t gpu;
  bool compose;
  uint32_t id, first, count;
  bool by_all;
  uint16_t weight;
} piece_t;

static draw_scheduler_t unit;
static draw_scheduler_in_t in;
static draw_scheduler_out_t out;
static draw_scheduler_state_t table;
static piece_t pieces[MaxPieces];  // accepted, in order; of one cycle by GPU
static uint32_t piece_count;
static uint64_t owed;  // GPUs that give a credit back in the next cycle
static bool gives_credits;

static void begin(draw_scheduler_params_t params) {
  err_auto_t err = {0};
  if (!harness_draw_scheduler(engine, &params, &unit, &err)) {
    fail_msg("%s", err_text(&err));
  }
  memset(&in, 0, sizeof in);
  in.piece_ready = 7;
  piece_count = 0;
  owed = 0;
  gives_credits = true;
  unit.reset(unit.self, &out);
}

static void begin_default(void) {
  begin((draw_scheduler_params_t){.gpus = Gpus, .count_width = 64, .credits = Credits});
}

static void step(void) {
  in.credit = gives_credits ? owed : 0;
  owed &= ~in.credit;
  for (uint32_t g = 0; g < Gpus; g++) {
    if (out.piece_valid & in.piece_ready & 1u << g) {
      assert_true(piece_count < MaxPieces);
      pieces[piece_count++] =
          (piece_t){(uint8_t)g,      out.piece_compose, out.piece_id,    out.piece_first,
                    out.piece_count, out.piece_by_all,  out.piece_weight};
      owed |= 1u << g;
    }
  }
  assert_int_equal(unit.step(unit.self, &in, &out), UnitOk);
  unit.observe(unit.self, &table);
  in.progress_valid = 0;
}

static void wait_cycles(uint32_t n) {
  while (n-- > 0) {
    step();
  }
}

static void command(uint8_t op, uint8_t kind, uint32_t id, uint32_t first, uint32_t count) {
  in.cmd_valid = true;
  in.cmd_op = op;
  in.cmd_kind = kind;
  in.cmd_id = id;
  in.cmd_first = first;
  in.cmd_count = count;
  bool taken = false;
  for (uint32_t i = 0; i < 200 && !taken; i++) {
    taken = out.cmd_ready;
    step();
  }
  assert_true(taken);
  in.cmd_valid = false;
}

static void group(uint8_t kind, uint32_t primitives) {
  command(DrawSchedulerOpGroupStart, kind, 0, 0, primitives);
}
static void draw(uint32_t id, uint32_t count) {
  command(DrawSchedulerOpDraw, 0, id, 100 * id, count);
}
static void draw_by_all(uint32_t id, uint32_t count) {
  in.cmd_by_all = true;
  draw(id, count);
  in.cmd_by_all = false;
}
static void draw_weighted(uint32_t id, uint32_t count, uint16_t weight) {
  in.cmd_weight = weight;
  draw(id, count);
}
static void end(void) {
  command(DrawSchedulerOpGroupEnd, 0, 0, 0, 0);
  wait_cycles(4);
}

// The next piece in the log, and on which GPU.
static void expect(uint32_t at, uint8_t gpu, uint32_t id, uint32_t first, uint32_t count) {
  assert_true(at < piece_count);
  assert_int_equal(pieces[at].gpu, gpu);
  assert_int_equal(pieces[at].compose, false);
  assert_int_equal(pieces[at].id, id);
  assert_int_equal(pieces[at].first, first);
  assert_int_equal(pieces[at].count, count);
}

static void expect_compose(uint32_t at) {
  for (uint32_t g = 0; g < Gpus; g++) {
    assert_true(at + g < piece_count);
    assert_int_equal(pieces[at + g].gpu, g);
    assert_true(pieces[at + g].compose);
    assert_int_equal(pieces[at + g].id + pieces[at + g].first + pieces[at + g].count, 0);
  }
}

static void progress(uint32_t gpu, uint16_t count) {
  in.progress_valid |= 1u << gpu;
  in.progress[gpu] = count;
}

// ---- Policies ----

ENGINE_TEST(test_least_remaining) {
  begin_default();
  group(DrawSchedulerGroupOpaque, 0);
  static const uint32_t Counts[] = {50, 20, 30, 5, 5, 1, 100}, Gpu[] = {0, 1, 2, 1, 1, 2, 1};
  // Remaining after each: 50 0 0, 50 20 0, 50 20 30, 50 25 30, 50 30 30, 50 30 31, 50 130 31.
  for (uint32_t i = 0; i < 7; i++) {
    draw(i + 1, Counts[i]);
  }
  end();
  for (uint32_t i = 0; i < 7; i++) {
    expect(i, (uint8_t)Gpu[i], i + 1, 100 * (i + 1), Counts[i]);
  }
  expect_compose(7);
  assert_int_equal(piece_count, 10);
  assert_int_equal(table.scheduled[0], 50);
  assert_int_equal(table.scheduled[1], 130);
  assert_int_equal(table.scheduled[2], 31);
  // The next group: the counts go on, and progress lowers them.
  progress(0, 50);
  progress(1, 100);
  step();
  group(DrawSchedulerGroupOpaque, 0);
  draw(20, 31);
  draw(21, 1);
  end();
  expect(10, 0, 20, 2000, 31);  // 0 30 31
  expect(11, 1, 21, 2100, 1);   // 31 30 31
  assert_int_equal(table.processed[1], 100);
  assert_int_equal(out.error, DrawSchedulerErrorNone);
}

ENGINE_TEST(test_ties) {
  // Equal remaining: the first after the GPU chosen last; draws of no triangle go around.
  begin_default();
  group(DrawSchedulerGroupOpaque, 0);
  for (uint32_t i = 0; i < 5; i++) {
    draw(i, 0);
  }
  draw(5, 7);  // GPU 2
  draw(6, 0);  // 0
  draw(7, 0);  // 1, as 2 is busier
  draw(8, 0);  // 0
  end();
  static const uint8_t Gpu[] = {0, 1, 2, 0, 1, 2, 0, 1, 0};
  for (uint32_t i = 0; i < 9; i++) {
    assert_int_equal(pieces[i].gpu, Gpu[i]);
  }
}

ENGINE_TEST(test_ties_lowest) {
  begin((draw_scheduler_params_t){
      .gpus = Gpus, .count_width = 10, .credits = Credits, .tie_lowest = true});
  group(DrawSchedulerGroupOpaque, 0);
  static const uint32_t Counts[] = {0, 0, 3, 0, 3, 3, 0};
  static const uint8_t Gpu[] = {0, 0, 0, 1, 1, 2, 0};
  for (uint32_t i = 0; i < 7; i++) {
    draw(i, Counts[i]);
  }
  end();
  for (uint32_t i = 0; i < 7; i++) {
    assert_int_equal(pieces[i].gpu, Gpu[i]);
  }
  // A counter of ten bits is refused beyond 1023, and nothing else happens.
  group(DrawSchedulerGroupOpaque, 0);
  draw(9, 1017);  // 3 3 3: GPU 0
  assert_int_equal(out.error, DrawSchedulerErrorNone);
  end();
  assert_int_equal(table.scheduled[0], 1020);
  group(DrawSchedulerGroupOpaque, 0);
  draw(10, 1021);  // 1020 3 3: 3 + 1021 does not fit GPU 1
  end();
  assert_int_equal(table.scheduled[1], 3);
  assert_int_equal(out.error, DrawSchedulerErrorWrap);
  draw(11, 1);  // sticky: a draw outside a group does not change the code
  wait_cycles(2);
  assert_int_equal(out.error, DrawSchedulerErrorWrap);
}

ENGINE_TEST(test_round_robin) {
  begin_default();
  in.policy = DrawSchedulerPolicyRoundRobin;
  group(DrawSchedulerGroupOpaque, 0);
  step();  // popped with the policy of this cycle
  in.policy = DrawSchedulerPolicyLeastRemaining;
  for (uint32_t i = 0; i < 7; i++) {
    draw(i, i == 1 ? 1000 : 1);
  }
  end();
  for (uint32_t i = 0; i < 7; i++) {
    assert_int_equal(pieces[i].gpu, i % 3);
  }
  group(DrawSchedulerGroupOpaque, 0);
  draw(7, 1);
  end();
  expect(10, 2, 7, 700, 1);  // 3 1001 2
}

ENGINE_TEST(test_duplicated) {
  // Duplicated, by kind or by policy: to all, each takes it when it can; no table, no compose.
  for (uint8_t policy = 0; policy <= DrawSchedulerPolicyDuplicateAll;
       policy += DrawSchedulerPolicyDuplicateAll) {
    begin_default();
    in.policy = policy;
    group(policy ? DrawSchedulerGroupTransparent : DrawSchedulerGroupDuplicated, 12);
    in.piece_ready = 2;
    draw(1, 5);
    draw(2, 7);
    wait_cycles(9);
    assert_int_equal(piece_count, 1);  // GPU 1; the second draw waits for the others
    assert_int_equal(out.piece_valid, 5);
    assert_int_equal(out.piece_id, 1);
    in.piece_ready = 6;
    step();
    in.piece_ready = 7;
    end();
    assert_int_equal(piece_count, 6);
    expect(1, 2, 1, 100, 5);
    expect(2, 0, 1, 100, 5);
    expect(3, 0, 2, 200, 7);
    expect(5, 2, 2, 200, 7);
    assert_int_equal(table.scheduled[0] | table.scheduled[1] | table.scheduled[2], 0);
    assert_int_equal(out.error, DrawSchedulerErrorNone);
  }
}

ENGINE_TEST(test_duplicated_without_credit) {
  // The GPUs with a credit get the draw, the others later; the next one waits for all.
  begin_default();
  gives_credits = false;
  group(DrawSchedulerGroupDuplicated, 0);
  for (uint32_t i = 0; i < 4; i++) {
    draw(i, 1);
  }
  wait_cycles(5);
  assert_int_equal(piece_count, 9);
  assert_int_equal(out.piece_valid, 0);
  gives_credits = true;
  owed = 4;
  wait_cycles(4);
  assert_int_equal(piece_count, 10);
  expect(9, 2, 3, 300, 1);
  owed = 7;
  wait_cycles(6);
  assert_int_equal(piece_count, 12);
  expect(10, 0, 3, 300, 1);
  expect(11, 1, 3, 300, 1);
}

// ---- Transparent groups ----

ENGINE_TEST(test_cuts) {
  // Ten primitives: 4, 3, 3. A draw over all of them, empty draws, a draw at a boundary.
  begin_default();
  group(DrawSchedulerGroupTransparent, 10);
  draw(1, 2);
  draw(2, 0);
  draw(3, 7);
  draw(4, 1);
  end();
  wait_cycles(40);
  static const struct {
    uint8_t gpu;
    uint32_t id, first, count;
  } Want[] = {{0, 1, 100, 2}, {0, 3, 300, 2}, {1, 3, 302, 3}, {2, 3, 305, 2}, {2, 4, 400, 1}};
  for (uint32_t i = 0; i < 5; i++) {
    expect(i, Want[i].gpu, Want[i].id, Want[i].first, Want[i].count);
  }
  expect_compose(5);
  assert_int_equal(out.error, DrawSchedulerErrorNone);
  // Fewer primitives than GPUs.
  group(DrawSchedulerGroupTransparent, 2);
  draw(5, 2);
  end();
  wait_cycles(40);
  expect(8, 0, 5, 500, 1);
  expect(9, 1, 5, 501, 1);
  expect_compose(10);
  assert_int_equal(table.scheduled[0], 0);
}

ENGINE_TEST(test_range_error) {
  begin_default();
  group(DrawSchedulerGroupTransparent, 5);
  draw(1, 6);  // more than are left: refused whole
  draw(2, 5);
  end();
  wait_cycles(40);
  assert_int_equal(pieces[0].id, 2);
  assert_int_equal(out.error, DrawSchedulerErrorRange);
  begin_default();
  group(DrawSchedulerGroupTransparent, 5);
  draw(1, 4);
  end();  // composes, but says that one is missing
  wait_cycles(40);
  expect_compose(2);
  assert_int_equal(out.error, DrawSchedulerErrorRange);
}

// ---- Credits and errors ----

ENGINE_TEST(test_credits) {
  begin_default();
  gives_credits = false;
  group(DrawSchedulerGroupOpaque, 0);
  for (uint32_t i = 0; i < 9; i++) {
    draw(i, 0);
  }
  wait_cycles(4);
  assert_int_equal(piece_count, 9);  // three for each
  draw(9, 0);
  wait_cycles(20);
  assert_int_equal(piece_count, 9);
  gives_credits = true;
  owed = 6;  // not for GPU 0, whose turn it is
  wait_cycles(20);
  assert_int_equal(piece_count, 9);
  owed = 1;
  wait_cycles(4);
  expect(9, 0, 9, 900, 0);
  // A credit beyond the queue is refused, and the count stays right.
  begin_default();
  owed = 2;
  wait_cycles(2);
  assert_int_equal(out.error, DrawSchedulerErrorCredit);
  gives_credits = false;
  in.policy = DrawSchedulerPolicyRoundRobin;
  group(DrawSchedulerGroupOpaque, 0);
  for (uint32_t i = 0; i < 11; i++) {
    draw(i, 1);
  }
  wait_cycles(9);
  assert_int_equal(piece_count, 9);
}

ENGINE_TEST(test_progress_error) {
  begin_default();
  group(DrawSchedulerGroupOpaque, 0);
  draw(1, 10);
  end();
  progress(0, 11);
  step();
  assert_int_equal(out.error, DrawSchedulerErrorProgress);
  assert_int_equal(table.processed[0], 0);
  progress(0, 10);
  progress(1, 1);
  step();
  assert_int_equal(table.processed[0], 10);
  assert_int_equal(table.processed[1], 0);
  unit.reset(unit.self, &out);
  assert_int_equal(out.error, DrawSchedulerErrorNone);
  unit.observe(unit.self, &table);
  assert_int_equal(table.scheduled[0] | table.processed[0], 0);
}

ENGINE_TEST(test_sequence_errors) {
  for (int which = 0; which < 5; which++) {
    begin_default();
    if (which == 0) {
      draw(1, 1);  // no group
    }
    if (which == 1) {
      end();
    }
    if (which == 2) {
      command(3, 0, 0, 0, 0);
    }
    if (which == 3) {
      group(3, 0);
    }
    if (which == 4) {
      group(DrawSchedulerGroupOpaque, 0);
      group(DrawSchedulerGroupTransparent, 9);  // refused: the opaque group stays open
      draw(1, 9);
      end();
      expect(0, 0, 1, 100, 9);
      assert_int_equal(table.scheduled[0], 9);
    }
    wait_cycles(3);
    assert_int_equal(out.error, DrawSchedulerErrorSequence);
    assert_int_equal(piece_count, which == 4 ? 4 : 0);
    group(DrawSchedulerGroupDuplicated, 0);  // and the unit goes on
    draw(2, 1);
    end();
    assert_int_equal(piece_count, which == 4 ? 7 : 3);
  }
}

ENGINE_TEST(test_rate) {
  // One draw a cycle while credits last.
  begin_default();
  group(DrawSchedulerGroupOpaque, 0);
  for (uint32_t i = 0; i < 30; i++) {
    in.cmd_valid = true;
    in.cmd_op = DrawSchedulerOpDraw;
    in.cmd_count = 1;
    assert_true(out.cmd_ready);
    step();
    assert_int_equal(piece_count, i < 2 ? 0 : i - 1);
  }
}

// ---- Extensions ----

static draw_scheduler_params_t extended(void) {
  return (draw_scheduler_params_t){.gpus = Gpus,
                                   .count_width = 64,
                                   .credits = Credits,
                                   .opaque_ahead = 2,
                                   .by_all = true,
                                   .weights = true};
}

ENGINE_TEST(test_opaque_ahead) {
  begin(extended());
  gives_credits = false;
  group(DrawSchedulerGroupDuplicated, 0);
  draw(1, 5);
  end();
  group(DrawSchedulerGroupOpaque, 0);
  for (uint32_t i = 2; i < 6; i++) {
    draw(i, 0);
  }
  wait_cycles(9);
  assert_int_equal(piece_count, 6);  // one opaque draw each: two commands outstanding
  gives_credits = true;
  owed = 6;
  wait_cycles(9);
  assert_int_equal(piece_count, 6);  // it is GPU 0's turn, which has a credit, but two commands
  owed = 1;
  step();
  gives_credits = false;
  wait_cycles(3);
  expect(6, 0, 5, 500, 0);
  end();  // the compose order, and a duplicated draw, go up to the last credit
  assert_int_equal(piece_count, 10);
  group(DrawSchedulerGroupDuplicated, 0);
  draw(6, 1);
  end();
  assert_int_equal(piece_count, 12);  // 1 and 2 had one left, 0 none
  expect(10, 1, 6, 600, 1);
  expect(11, 2, 6, 600, 1);
  assert_int_equal(out.error, DrawSchedulerErrorNone);
}

ENGINE_TEST(test_opaque_ahead_of_credits) {
  // From Credits on it holds nothing up.
  for (uint32_t ahead = Credits; ahead <= 1023; ahead += 1020) {
    draw_scheduler_params_t params = extended();
    params.opaque_ahead = ahead;
    begin(params);
    gives_credits = false;
    group(DrawSchedulerGroupOpaque, 0);
    for (uint32_t i = 0; i < 10; i++) {
      draw(i, 0);
    }
    wait_cycles(9);
    assert_int_equal(piece_count, 9);
  }
}

ENGINE_TEST(test_chosen_afresh) {
  // A draw that waits, for a credit and with OpaqueAhead, goes where the choice has come to be.
  for (uint32_t ahead = 0; ahead <= 2; ahead += 2) {
    draw_scheduler_params_t params = extended();
    params.opaque_ahead = ahead;
    begin(params);
    gives_credits = false;
    group(DrawSchedulerGroupDuplicated, 0);
    for (uint32_t i = 0; i < (ahead ? 1u : 2u); i++) {
      draw(i, 1);
    }
    end();
    group(DrawSchedulerGroupOpaque, 0);
    draw(4, 5);
    draw(5, 7);
    draw(6, 9);
    wait_cycles(4);
    uint32_t before = piece_count;
    owed = 2;
    gives_credits = true;
    step();
    gives_credits = false;
    draw(7, 1);
    wait_cycles(6);
    assert_int_equal(piece_count, before);  // GPU 0 has the fewest left
    progress(1, 7);
    wait_cycles(3);
    assert_int_equal(piece_count, before + 1);
    expect(before, 1, 7, 700, 1);
  }
}

ENGINE_TEST(test_by_all) {
  begin(extended());
  group(DrawSchedulerGroupOpaque, 0);
  draw(1, 50);
  draw_by_all(2, 14);
  draw(3, 0);  // a tie of 1 and 2: the first after 0, which was chosen last
  end();
  expect(0, 0, 1, 100, 50);
  assert_false(pieces[0].by_all);
  for (uint8_t g = 0; g < Gpus; g++) {
    expect(1 + g, g, 2, 200, 14);
    assert_true(pieces[1 + g].by_all);
  }
  expect(4, 1, 3, 300, 0);
  assert_false(pieces[4].by_all);
  expect_compose(5);
  assert_false(pieces[5].by_all);
  assert_int_equal(table.scheduled[0], 50);
  assert_int_equal(table.scheduled[1] | table.scheduled[2], 0);
  progress(1, 14);  // is not reported
  step();
  assert_int_equal(out.error, DrawSchedulerErrorProgress);
}

ENGINE_TEST(test_by_all_without_credit) {
  begin(extended());
  gives_credits = false;
  group(DrawSchedulerGroupOpaque, 0);
  for (uint32_t i = 0; i < 4; i++) {
    draw_by_all(i, 1);
  }
  wait_cycles(5);
  assert_int_equal(piece_count, 9);  // OpaqueAhead is not for them
  gives_credits = true;
  owed = 4;
  wait_cycles(4);
  assert_int_equal(piece_count, 10);
  expect(9, 2, 3, 300, 1);
  assert_true(pieces[9].by_all);
}

ENGINE_TEST(test_by_all_elsewhere) {
  // The flag means nothing in other groups, with duplicate all, and where it is not built.
  begin(extended());
  group(DrawSchedulerGroupTransparent, 3);
  draw_by_all(1, 3);
  end();
  wait_cycles(40);
  expect(0, 0, 1, 100, 1);
  expect(2, 2, 1, 102, 1);
  in.policy = DrawSchedulerPolicyDuplicateAll;
  group(DrawSchedulerGroupOpaque, 0);
  draw_by_all(2, 1);
  end();
  in.policy = 0;
  group(DrawSchedulerGroupDuplicated, 0);
  draw_by_all(3, 1);
  end();
  assert_int_equal(piece_count, 12);
  for (uint32_t i = 0; i < piece_count; i++) {
    assert_false(pieces[i].by_all);
  }
  begin_default();
  group(DrawSchedulerGroupOpaque, 0);
  draw_by_all(4, 7);
  end();
  expect(0, 0, 4, 400, 7);
  expect_compose(1);
  assert_int_equal(table.scheduled[0], 7);
}

ENGINE_TEST(test_weights) {
  begin(extended());
  in.weighted = true;
  group(DrawSchedulerGroupOpaque, 0);
  static const uint16_t Counts[] = {1, 900, 5, 6, 7}, Weights[] = {65535, 2, 3, 4, 9};
  static const uint8_t Gpu[] = {0, 1, 2, 1, 2};  // 65535 0 0, 65535 2 0, 65535 2 3, 65535 6 3
  for (uint32_t i = 0; i < 5; i++) {
    draw_weighted(i + 1, Counts[i], Weights[i]);
  }
  end();
  for (uint32_t i = 0; i < 5; i++) {
    expect(i, Gpu[i], i + 1, 100 * (i + 1), Counts[i]);
    assert_int_equal(pieces[i].weight, Weights[i]);
  }
  assert_int_equal(pieces[5].weight, 0);  // compose
  assert_int_equal(table.scheduled[0], 65535);
  assert_int_equal(table.scheduled[1], 6);
  assert_int_equal(table.scheduled[2], 12);
  progress(1, 6);
  progress(2, 13);
  step();
  assert_int_equal(table.processed[1], 6);
  assert_int_equal(table.processed[2], 0);
  assert_int_equal(out.error, DrawSchedulerErrorProgress);
}

ENGINE_TEST(test_mode) {
  begin(extended());
  group(DrawSchedulerGroupOpaque, 0);
  draw_weighted(1, 10, 3);
  end();
  assert_int_equal(table.scheduled[0], 10);
  // Drained: the table may change what it counts.
  progress(0, 10);
  step();
  in.weighted = true;
  group(DrawSchedulerGroupOpaque, 0);
  step();               // popped
  in.weighted = false;  // taken over with the group start only
  draw_weighted(2, 10, 3);
  end();
  assert_int_equal(table.scheduled[1], 3);
  // Not drained: refused, no group is open, and what the table counts stays.
  group(DrawSchedulerGroupDuplicated, 0);
  wait_cycles(2);
  assert_int_equal(out.error, DrawSchedulerErrorMode);
  uint32_t before = piece_count;
  draw(3, 1);
  wait_cycles(3);
  assert_int_equal(piece_count, before);
  in.weighted = true;
  group(DrawSchedulerGroupOpaque, 0);
  draw_weighted(4, 10, 1);  // GPU 2
  end();
  assert_int_equal(table.scheduled[2], 1);
  // Where weights are not built, weighted means nothing.
  begin_default();
  in.weighted = true;
  group(DrawSchedulerGroupOpaque, 0);
  draw_weighted(5, 10, 3);
  end();
  for (uint32_t i = 0; i < 2; i++) {
    in.weighted = !in.weighted;  // with work outstanding
    group(DrawSchedulerGroupOpaque, 0);
    end();
  }
  assert_int_equal(table.scheduled[0], 10);
  assert_int_equal(pieces[0].weight, 0);
  assert_int_equal(out.error, DrawSchedulerErrorNone);
}

ENGINE_TEST(test_weights_wrap) {
  draw_scheduler_params_t params = extended();
  params.count_width = 10;
  begin(params);
  in.weighted = true;
  group(DrawSchedulerGroupOpaque, 0);
  draw_weighted(1, 5000, 1023);
  wait_cycles(3);
  assert_int_equal(out.error, DrawSchedulerErrorNone);
  in.cmd_by_all = true;  // counts nowhere, so nothing can wrap
  draw_weighted(3, 1, 1024);
  in.cmd_by_all = false;
  wait_cycles(3);
  assert_int_equal(piece_count, 4);
  assert_int_equal(out.error, DrawSchedulerErrorNone);
  draw_weighted(2, 1, 1024);
  end();
  assert_int_equal(out.error, DrawSchedulerErrorWrap);
  assert_int_equal(table.scheduled[0], 1023);
  assert_int_equal(table.scheduled[1], 0);
}

int main(void) { return run_all_tests(NULL, NULL); }
