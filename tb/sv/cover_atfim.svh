// SPDX-License-Identifier: Apache-2.0
// Cover points of the joined A-TFIM top, inside its top: tests/plans/atfim.yaml names
// them.

// Between the parts
parent_waits: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.parent_valid && !u_dut.parent_ready);
run_void: cover property (@(posedge clk_i) disable iff (!rst_ni) u_dut.run_valid && u_dut.run_void);
beat_waits: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.beat_valid && !u_dut.beat_ready);
request_waits: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.request_valid && !u_dut.request_ready);
take_waits: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.take_valid && !u_dut.take_ready);
all_parts_at_once: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.alloc_valid && u_dut.update_valid && u_dut.parent_valid && u_dut.run_valid);
no_entries_left: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.u_generator.credits_q == '0);
runs_full: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.u_consolidation.full && u_dut.u_consolidation.beat_count != '0);
shared_read: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.run_valid && !u_dut.run_last && !u_dut.run_void);
// Packages and responses
ratio_one: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.update_valid && u_dut.u_combination.head_ratio == 4'd0);
ratio_sixteen: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.update_valid && u_dut.u_combination.head_ratio == 4'd15);
response_refused: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.response_valid_o && u_dut.u_combination.response_refused);
response_failed: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.response_valid_o && u_dut.u_combination.response_failed != '0);
response_waits: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.response_valid_o && !u_dut.response_ready_i);
response_each_cycle: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.u_combination.response_leave && $past(u_dut.u_combination.response_leave));
data_stale: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.u_combination.data_take && !u_dut.u_combination.data_keep);
package_stale: cover property (@(posedge clk_i) disable iff (!rst_ni) u_dut.u_generator.drop);
no_merging: cover property (@(posedge clk_i) disable iff (!rst_ni)
  !Merge && u_dut.child_read_valid_o);
narrow: cover property (@(posedge clk_i) disable iff (!rst_ni) !Exact && u_dut.response_valid_o);
// Refusal, reset, quiescence, peek
error_generator: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.generator_error != '0);
error_consolidation: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.consolidation_error != '0);
works_after_error: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.error_o != '0 && u_dut.u_combination.response_leave);
reset_in_use: cover property (@(posedge clk_i)
  !rst_ni && u_dut.u_buffer.used_q != '0 && u_dut.u_consolidation.used_q != '0);
quiescent_in_use: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.quiescent_o && u_dut.u_buffer.used_q != '0);
peek_generator: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.peek_valid_i && u_dut.peek_unit_i == 2'd0);
peek_consolidation: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.peek_valid_i && u_dut.peek_unit_i == 2'd1);
peek_buffer: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.peek_valid_i && u_dut.peek_unit_i == 2'd2);
peek_combination: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.peek_valid_i && u_dut.peek_unit_i == 2'd3);
