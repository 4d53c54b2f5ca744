// SPDX-License-Identifier: Apache-2.0
// Cover points of the parent texel buffer, inside its top:
// tests/plans/parent_texel_buffer.yaml names them.

// Ring
ring_full: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.used_q == $bits(u_dut.used_q)'(Entries));
ring_around: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.alloc_ok && u_dut.tail == '0 && u_dut.used_q != '0);
three_at_once: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.alloc_ok && u_dut.update_ok && u_dut.leave);
reserved_as_last_leaves: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.alloc_ok && u_dut.leave && u_dut.used_q == 1);
// Updates
one_child: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.update_ok && u_dut.update_count_i == 4'd0);
all_children_at_once: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.update_ok && u_dut.update_count_i == 4'd15);
counted_down: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.update_ok && !u_dut.new_done && u_dut.update_count_i != 4'd0);
update_of_the_newest: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.update_ok && u_dut.used_q > 1 && u_dut.update_entry == u_dut.tail - 1'b1);
same_entry_in_a_row: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.update_ok && u_dut.update_entry == $past(u_dut.update_entry) && $past(u_dut.update_ok));
failed_child: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.update_ok && u_dut.update_failed_i && !u_dut.new_done);
failed_before: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.update_ok && u_dut.new_failed && !u_dut.update_failed_i);
narrow_sum: cover property (@(posedge clk_i) disable iff (!rst_ni)
  !Exact && u_dut.update_ok && u_dut.new_done);
// Parents that leave
parent_waits: cover property (@(posedge clk_i) disable iff (!rst_ni)
  parent_valid_o && !u_dut.parent_ready_i);
completed_behind: cover property (@(posedge clk_i) disable iff (!rst_ni)
  !parent_valid_o && u_dut.update_ok && u_dut.new_done && u_dut.update_entry != u_dut.head_q);
parent_each_cycle: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.leave && $past(u_dut.leave));
parent_with_failure: cover property (@(posedge clk_i) disable iff (!rst_ni)
  parent_valid_o && parent_failed_o);
// Refusal, reset, quiescence, peek
error_alloc: cover property (@(posedge clk_i) disable iff (!rst_ni) error_o == 4'd1);
error_update: cover property (@(posedge clk_i) disable iff (!rst_ni) error_o == 4'd2);
alloc_when_full: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.alloc_valid_i && u_dut.used_q == $bits(u_dut.used_q)'(Entries));
update_of_the_dead: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.update_valid_i && u_dut.used_q == '0);
works_after_error: cover property (@(posedge clk_i) disable iff (!rst_ni)
  error_o != 4'd0 && u_dut.leave);
reset_in_use: cover property (@(posedge clk_i) !rst_ni && u_dut.used_q != '0);
quiescent_in_use: cover property (@(posedge clk_i) disable iff (!rst_ni)
  quiescent_o && u_dut.used_q != '0);
peek_live: cover property (@(posedge clk_i) disable iff (!rst_ni) u_dut.peek_data_o[14]);
