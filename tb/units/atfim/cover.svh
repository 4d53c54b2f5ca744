// SPDX-License-Identifier: Apache-2.0
// Cover points of the joined layer of A-TFIM, inside its top; plan.yaml of its tests names them.

// Between the parts
beat_waits: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.beat_valid && !u_dut.beat_ready);
request_waits: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.request_valid && !u_dut.request_ready);
good_request_waits: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.request_valid && !u_dut.request_ready && !u_dut.request_refused);
beats_wait_for_request: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.u_generator.held && u_dut.u_generator.u_sender.e_valid);
take_waits: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.take_valid && !u_dut.take_ready);
row_waits: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.row_valid && !u_dut.row_ready);
run_void: cover property (@(posedge clk_i) disable iff (!rst_ni) u_dut.run_valid && u_dut.run_void);
all_parts_at_once: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.beat_valid && u_dut.update_valid && u_dut.row_valid && u_dut.run_valid);
beat_each_cycle: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.beat_valid && u_dut.beat_ready && $past(u_dut.beat_valid && u_dut.beat_ready));
no_slot_left: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.u_generator.free_q == '0);
shared_read: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.run_valid && !u_dut.run_last && !u_dut.run_void);
// Packages and responses
isotropic: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.package_valid_i && u_dut.package_ready_o && u_dut.package_i[52]);
along_y: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.run_valid && u_dut.run_along_y);
extent_four: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.request_valid && u_dut.request_extent == 3'd4);
no_merging: cover property (@(posedge clk_i) disable iff (!rst_ni)
  !Merge && u_dut.child_read_valid_o);
response_refused: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.response_valid_o && u_dut.response_o[48]);
response_failed: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.response_valid_o && u_dut.response_o[47:32] != '0);
response_waits: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.response_valid_o && !u_dut.response_ready_i);
data_stale: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.child_data_valid_i && u_dut.child_data_ready_o &&
  u_dut.child_data_epoch_i != u_dut.epoch_i);
package_stale: cover property (@(posedge clk_i) disable iff (!rst_ni) u_dut.u_generator.drop);
// Refusal, reset, quiescence, peek
error_generator: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.generator_error != '0);
error_consolidation: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.consolidation_error != '0);
works_after_error: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.error_o != '0 && u_dut.response_valid_o && u_dut.response_ready_i);
reset_in_use: cover property (@(posedge clk_i)
  !rst_ni && u_dut.u_generator.free_q != '1 && u_dut.u_consolidation.used_q != '0);
quiescent_in_use: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.quiescent_o && u_dut.u_generator.free_q != '1);
peek_generator: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.peek_valid_i && u_dut.peek_unit_i == atfim_pkg::PeekUnitGenerator);
peek_consolidation: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.peek_valid_i && u_dut.peek_unit_i == atfim_pkg::PeekUnitConsolidation);
peek_buffer: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.peek_valid_i && u_dut.peek_unit_i == atfim_pkg::PeekUnitBuffer);
peek_combination: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.peek_valid_i && u_dut.peek_unit_i == atfim_pkg::PeekUnitCombination);
