// SPDX-License-Identifier: Apache-2.0
// Cover points of the combination unit, inside its top: tests/plans/combination_unit.yaml names
// them.

// Data and runs
data_each_cycle: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.data_keep && $past(u_dut.data_keep));
data_waits: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.data_valid_i && !u_dut.data_ready_o);
data_stale: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.data_take && !u_dut.data_keep);
data_failed: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.run_adds && u_dut.data_head_failed);
run_void: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.run_take && u_dut.run_void_i);
several_runs_of_a_line: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.run_adds && !u_dut.data_pop);
run_each_cycle: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.run_adds && $past(u_dut.run_adds));
run_of_sixteen: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.run_adds && u_dut.run_count_i == 4'd15);
run_beyond_sixteen: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.run_adds && u_dut.run_end > 5'd15);
lines_of_16: cover property (@(posedge clk_i) disable iff (!rst_ni)
  LineBytes == 16 && u_dut.run_adds);
lines_of_64: cover property (@(posedge clk_i) disable iff (!rst_ni)
  LineBytes == 64 && u_dut.run_adds);
// Requests and parents
requests_full: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.request_valid_i && !u_dut.request_ready_o);
request_refused: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.empty_leave && u_dut.head_refused);
eight_parents: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.parent_take && u_dut.parent_last && u_dut.seen_q == 3'd7);
one_parent: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.parent_take && u_dut.parent_last && u_dut.seen_q == 3'd0);
parents_out_of_number: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.parent_take && (u_dut.taken_q & ~(u_dut.number_bit - 8'd1)) != '0);
parent_each_cycle: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.parent_take && $past(u_dut.parent_take));
parent_with_failure: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.parent_take && u_dut.parent_failed_i);
no_room: cover property (@(posedge clk_i) disable iff (!rst_ni) u_dut.head_valid && !u_dut.room);
divided_by_sixteen: cover property (@(posedge clk_i) disable iff (!rst_ni)
  Exact && u_dut.d1_valid_q && u_dut.d1_placed_q && u_dut.d1_ratio_q == 4'd15);
divided_by_three: cover property (@(posedge clk_i) disable iff (!rst_ni)
  Exact && u_dut.d1_valid_q && u_dut.d1_placed_q && u_dut.d1_ratio_q == 4'd2);
shares: cover property (@(posedge clk_i) disable iff (!rst_ni)
  !Exact && u_dut.run_adds && u_dut.run_ratio_i == 4'd6);
// Responses
response_waits: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.response_valid_o && !u_dut.response_ready_i);
response_each_cycle: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.response_leave && $past(u_dut.response_leave));
response_with_failure: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.response_push && u_dut.failed_d != '0);
// Refusal, reset, quiescence, peek
error_parent: cover property (@(posedge clk_i) disable iff (!rst_ni) error_o == 4'd1);
works_after_error: cover property (@(posedge clk_i) disable iff (!rst_ni)
  error_o != 4'd0 && u_dut.response_push && u_dut.d2_placed_q);
reset_in_use: cover property (@(posedge clk_i)
  !rst_ni && u_dut.head_valid && u_dut.data_count != '0);
quiescent_in_use: cover property (@(posedge clk_i) disable iff (!rst_ni)
  quiescent_o && u_dut.head_valid);
peek_counter: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.peek_valid_i && u_dut.peek_index_i == 8'd6);
