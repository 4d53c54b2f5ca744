// SPDX-License-Identifier: Apache-2.0
// Directed tests of the extensions of the draw-command scheduler, from
// docs/units/draw_scheduler.md: opaque draws ahead, duplication by all, weights, changes of policy.
#include "directed.h"

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

// Each GPU has two commands outstanding but 1 and 2, which have more left than 0.
static void begin_eligible(bool tie_lowest) {
  draw_scheduler_params_t params = extended();
  params.eligible = true;
  params.tie_lowest = tie_lowest;
  begin(params);
  gives_credits = false;
  group(DrawSchedulerGroupOpaque, 0);
  draw(1, 5);
  draw(2, 9);
  draw(3, 9);
  draw(4, 1);
  wait_cycles(4);
  expect(3, 0, 4, 400, 1);
}

ENGINE_TEST(test_eligible) {
  for (uint32_t lowest = 0; lowest <= 1; lowest++) {
    begin_eligible(lowest);
    draw(5, 1);
    draw(6, 1);
    wait_cycles(4);
    expect(4, 1, 5, 500, 1);  // 6, 9 and 9 are left; GPU 0 may not be given it
    expect(5, 2, 6, 600, 1);  // the last that may
    draw(7, 1);
    wait_cycles(9);
    assert_int_equal(piece_count, 6);  // nobody may
    gives_credits = true;
    owed = 2;
    step();
    gives_credits = false;
    wait_cycles(3);
    expect(6, 1, 7, 700, 1);  // GPU 1 has more left than 0, and may
    draw(8, 1);
    gives_credits = true;
    owed = 5;
    step();
    gives_credits = false;
    wait_cycles(3);
    expect(7, 0, 8, 800, 1);  // of two that may the one with less left
    assert_int_equal(out.error, DrawSchedulerErrorNone);
  }
}

// While nobody may be given a draw the choice is that of all GPUs.
ENGINE_TEST(test_eligible_wrap) {
  for (uint32_t given_back = 0; given_back <= 1; given_back++) {
    draw_scheduler_params_t params = extended();
    params.eligible = true;
    params.count_width = 10;
    params.opaque_ahead = 1;
    begin(params);
    gives_credits = false;
    group(DrawSchedulerGroupOpaque, 0);
    draw(1, 1000);
    draw(2, 5);
    draw(3, 5);
    wait_cycles(4);
    progress(0, 1000);
    gives_credits = given_back;
    owed = 2;
    wait_cycles(2);
    gives_credits = false;
    draw(4, 100);
    wait_cycles(4);
    assert_int_equal(out.error, given_back ? DrawSchedulerErrorNone : DrawSchedulerErrorWrap);
    assert_int_equal(piece_count, 3 + given_back);
    assert_int_equal(table.scheduled[1], given_back ? 105 : 5);
  }
}

ENGINE_TEST(test_eligible_round_robin) {
  begin_eligible(false);
  end();
  piece_count = 0;
  in.policy = DrawSchedulerPolicyRoundRobin;
  gives_credits = true;
  owed = 5;
  wait_cycles(2);
  gives_credits = false;
  group(DrawSchedulerGroupOpaque, 0);
  draw(5, 1);  // GPU 1's turn, which has a command too many
  wait_cycles(9);
  assert_int_equal(piece_count, 0);
  gives_credits = true;
  owed = 3;
  wait_cycles(4);
  expect(0, 1, 5, 500, 1);
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
