// SPDX-License-Identifier: Apache-2.0
// Cover points of the combination unit, inside its top; plan.yaml of its tests names them.

// Data and runs
data_each_cycle: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.data_keep && $past(u_dut.data_keep));
data_waits: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.data_valid_i && !u_dut.data_ready_o);
data_stale: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.data_take && !u_dut.data_keep);
data_failed: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.run_adds && u_dut.head_failed);
run_void: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.run_take && u_dut.run_void_i);
several_runs_of_a_line: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.run_adds && !u_dut.data_pop);
run_each_cycle: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.run_adds && $past(u_dut.run_adds));
run_whole: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.run_adds && u_dut.run_texel_i == 16'hffff);
run_empty: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.run_adds && u_dut.run_texel_i == '0);
run_along_x: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.run_adds && !u_dut.run_along_y_i);
run_along_y: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.run_adds && u_dut.run_along_y_i);
four_texels_of_a_parent: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.a_valid_q && u_dut.gen_alu[0].taken == 4'hf);
sixteen_parents: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.a_valid_q && u_dut.add == 16'hffff);
sum_largest: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.a_valid_q && u_dut.sum[9:0] == 10'd1020);
// Packages
requests_wait: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.request_valid_i && !u_dut.request_ready_o);
request_refused: cover property (@(posedge clk_i) disable iff (!rst_ni) u_dut.refused_push);
request_in_cycle_of_free: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.request_opens && u_dut.free_valid_q && u_dut.request_slot == u_dut.free_slot_q);
extent_1: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.row_ok && u_dut.extent == 3'd1);
extent_4: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.row_ok && u_dut.extent == 3'd4);
parents_outside: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.row_ok && u_dut.mask != 16'hffff);
row_with_failure: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.row_ok && (u_dut.row_failed_i & u_dut.mask) != '0);
row_each_cycle: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.row_ok && $past(u_dut.row_ok));
last_slot: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.free_valid_o && 32'(u_dut.free_slot_o) == Slots - 1);
// Responses
no_room: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.row_valid_i && !u_dut.row_ready_o);
refused_answered: cover property (@(posedge clk_i) disable iff (!rst_ni) u_dut.refused_leave);
refused_waits_for_row: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.row_ok && u_dut.refused_count != '0);
response_waits: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.response_valid_o && !u_dut.response_ready_i);
response_each_cycle: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.response_leave && $past(u_dut.response_leave));
data_while_no_room: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.data_keep && u_dut.row_valid_i && !u_dut.row_ready_o && u_dut.b_valid_q);
// Refusal, reset, quiescence, peek
request_of_open_slot: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.request_take && !u_dut.request_refused_i && u_dut.open_q[u_dut.request_slot]);
works_after_error: cover property (@(posedge clk_i) disable iff (!rst_ni)
  error_o != 4'(combination_unit_pkg::ErrNone) && u_dut.row_ok);
reset_in_use: cover property (@(posedge clk_i)
  !rst_ni && u_dut.open_q[0] && u_dut.data_count != '0);
quiescent_in_use: cover property (@(posedge clk_i) disable iff (!rst_ni)
  quiescent_o && u_dut.response_valid_o);
peek_counter: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.peek_valid_i && u_dut.peek_index_i == 8'(combination_unit_pkg::CounterRefused));
