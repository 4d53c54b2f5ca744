// SPDX-License-Identifier: Apache-2.0
// Directed tests of the draw-command scheduler, from docs/units/draw_scheduler.md.
#include "directed.h"

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

int main(void) { return run_all_tests(NULL, NULL); }
