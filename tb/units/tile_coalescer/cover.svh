// SPDX-License-Identifier: Apache-2.0
// Cover points of the tile coalescer, inside its top; plan.yaml of its tests names them.

take_place: cover property (@(posedge clk_i) disable iff (!rst_ni) u_dut.take != '0);
append_raster: cover property (@(posedge clk_i) disable iff (!rst_ni) u_dut.append != '0);
append_waits_for_room: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.head_tile && (u_dut.has_place & u_dut.full) != '0);
append_waits_for_issue: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.head_tile && (u_dut.has_place & u_dut.issue) != '0);
move_and_append: cover property (@(posedge clk_i) disable iff (!rst_ni)
  (u_dut.append & u_dut.moves) != '0);
issue_full: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.issues && u_dut.next_stamps == '1);
issue_partial: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.issues && u_dut.next_stamps != '1);
issue_evicted: cover property (@(posedge clk_i) disable iff (!rst_ni)
  (u_dut.issue & u_dut.evicted) != '0);
issue_waited: cover property (@(posedge clk_i) disable iff (!rst_ni)
  (u_dut.issue & u_dut.waited & ~u_dut.evicted) != '0);
issue_keeps_raster: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.issues && u_dut.leaves == '0);
issue_each_cycle: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.issues && tile_valid_o && tile_ready_i);
engines_compete: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.issues && !$onehot(u_dut.able));
place_lives: cover property (@(posedge clk_i) disable iff (!rst_ni)
  (u_dut.wants & u_dut.is_live) != '0);
no_id: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.able != '0 && !u_dut.some_id);
tile_waits: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.able != '0 && tile_valid_o && !tile_ready_i);
evict_longest: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.head_tile && u_dut.evict != '0);
evict_leaves: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.head_end && u_dut.leaves != '0);
end_waits: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.head_end && u_dut.active != '0);
end_passes: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.head_end && u_dut.pop);
done_with_issue: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.done_ok && u_dut.issues);
works_after_error: cover property (@(posedge clk_i) disable iff (!rst_ni)
  error_o != '0 && u_dut.issues);
reset_in_use: cover property (@(posedge clk_i) !rst_ni && u_dut.active != '0);
quiescent_in_use: cover property (@(posedge clk_i) disable iff (!rst_ni)
  quiescent_o && u_dut.active != '0);
