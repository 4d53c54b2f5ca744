// SPDX-License-Identifier: Apache-2.0
// Cover points of the parent texel buffer, inside its top; plan.yaml of its tests names them.

// Beats and updates
beat_first: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.beat_ok && u_dut.left[u_dut.beat_slot] == 8'd0);
beat_many: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.beat_ok && u_dut.left[u_dut.beat_slot] == 8'd254);
beat_and_update_of_one_slot: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.beat_ok && u_dut.update_ok && u_dut.beat_slot == u_dut.update_slot);
last_beat_with_update: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.beat_ok && u_dut.update_ok &&
  u_dut.beat_slot == u_dut.update_slot && u_dut.beat_last_i &&
  u_dut.left[u_dut.update_slot] == 8'd1);
waits_for_last_beat: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.update_ok && !u_dut.completes && u_dut.left[u_dut.update_slot] == 8'd1);
update_whole: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.update_ok && u_dut.update_add_i == 16'hffff);
update_one_parent: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.update_ok && $onehot(u_dut.update_add_i));
update_begins: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.update_ok && (u_dut.update_add_i & ~u_dut.begun) != '0 &&
  (u_dut.update_add_i & u_dut.begun) != '0);
same_row_in_a_row: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.update_ok && $past(u_dut.update_ok) && u_dut.update_slot == $past(u_dut.update_slot) &&
  (u_dut.update_add_i & $past(u_dut.update_add_i)) != '0);
other_row_in_a_row: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.update_ok && $past(u_dut.update_ok) && u_dut.update_slot != $past(u_dut.update_slot));
update_fails: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.update_ok && (u_dut.update_add_i & u_dut.update_failed_i) != '0);
failed_before: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.update_ok && (u_dut.update_add_i & ~u_dut.update_failed_i & u_dut.begun &
                      u_dut.failed_q[u_dut.update_slot]) != '0);
// Rows
three_at_once: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.beat_ok && u_dut.update_ok && u_dut.leave);
rows_all_complete: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.complete_count == $bits(u_dut.complete_count)'(Slots));
row_waits: cover property (@(posedge clk_i) disable iff (!rst_ni)
  row_valid_o && !u_dut.row_ready_i);
row_each_cycle: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.leave && $past(u_dut.leave));
row_out_of_order: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.leave && $past(u_dut.leave) && row_slot_o < $past(row_slot_o));
row_with_failure: cover property (@(posedge clk_i) disable iff (!rst_ni)
  row_valid_o && row_failed_o != '0);
row_used_again: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.beat_ok && $past(u_dut.leave) && u_dut.beat_slot == $past(u_dut.leave_slot));
last_slot: cover property (@(posedge clk_i) disable iff (!rst_ni)
  row_valid_o && 32'(row_slot_o) == Slots - 1);
// Refusal, reset, quiescence, peek
beat_after_last: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.beat_valid_i && !u_dut.beat_ok && u_dut.seen_q[u_dut.beat_slot]);
slot_beyond: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.update_valid_i && 32'(u_dut.update_slot_i) >= Slots);
works_after_error: cover property (@(posedge clk_i) disable iff (!rst_ni)
  error_o != 4'(parent_texel_buffer_pkg::ErrNone) && u_dut.leave);
reset_in_use: cover property (@(posedge clk_i) !rst_ni && u_dut.begun_q != '0);
quiescent_in_use: cover property (@(posedge clk_i) disable iff (!rst_ni)
  quiescent_o && row_valid_o);
peek_begun: cover property (@(posedge clk_i) disable iff (!rst_ni) u_dut.peek_data_o[49]);
