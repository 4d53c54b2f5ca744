// SPDX-License-Identifier: Apache-2.0
// Cover points of the offloading unit for lines, inside its top; plan.yaml of its tests names them.

// Requests
all_at_once: cover property (@(posedge clk_i) disable iff (!rst_ni)
  NumTextureUnits > 1 && &u_dut.accept);
slots_full: cover property (@(posedge clk_i) disable iff (!rst_ni)
  (u_dut.request_valid_i & ~u_dut.request_ready_o) != '0);
slot_used_again: cover property (@(posedge clk_i) disable iff (!rst_ni)
  (u_dut.accept & u_dut.leave) != '0);
in_turn: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.pick && u_dut.later != '0 && u_dut.later != u_dut.sending);
turn_around: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.pick && u_dut.later == '0 && NumTextureUnits > 1);
package_each_cycle: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.pick && $past(u_dut.pick));
link_stalls: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.sending != '0 && !u_dut.pick);
most_units: cover property (@(posedge clk_i) disable iff (!rst_ni)
  NumTextureUnits == 64 && u_dut.pick && &u_dut.number);
one_unit: cover property (@(posedge clk_i) disable iff (!rst_ni)
  NumTextureUnits == 1 && Slots == 1 && u_dut.pick);
// Responses
answers_each_cycle: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.leave != '0 && $past(u_dut.leave != '0));
answer_waits: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.answered && u_dut.leave == '0);
answer_with_failure: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.leave != '0 && u_dut.answer_failed_o != '0);
answer_of_refused: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.leave != '0 && u_dut.answer_refused_o);
out_of_order: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.respond && (u_dut.waiting_o & (u_dut.waiting_o - 1'b1)) != '0);
// Reissue
reissue_in_use: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.reissue && u_dut.waiting_o != '0);
reissue_with_everything: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.reissue && u_dut.pick && u_dut.respond);
reissue_with_accept: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.reissue && u_dut.accept != '0);
reissue_twice: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.reissue && $past(u_dut.reissue));
response_stale: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.accept_response && u_dut.stale);
old_package_on_its_way: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.package_valid_o && u_dut.package_epoch != u_dut.epoch_q);
// Refusal, reset, quiescence, peek
works_after_error: cover property (@(posedge clk_i) disable iff (!rst_ni)
  error_o != 4'(offload_unit_pkg::ErrNone) && u_dut.leave != '0);
reset_in_use: cover property (@(posedge clk_i) !rst_ni && u_dut.waiting_o != '0);
quiescent_in_use: cover property (@(posedge clk_i) disable iff (!rst_ni)
  quiescent_o && u_dut.waiting_o != '0);
peek_counter: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.peek_data_o != '0 && $past(u_dut.peek_valid_i));
