// SPDX-License-Identifier: Apache-2.0
// Cover points of the texel generator, inside its top; plan.yaml of its tests names them.

// Descriptors
descriptor_in_use: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.load && u_dut.write && u_dut.write_index == u_dut.load_index);
descriptor_largest: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.write && u_dut.descriptor_width_i == 14'd8192);
descriptor_one_texel: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.write && u_dut.descriptor_width_i == 14'd1);
descriptor_last: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.write && 32'(u_dut.descriptor_index_i) == Descriptors - 1);
// Packages
package_behind_package: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.start && u_dut.u_groups.c_valid_q);
extent_1: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.start && u_dut.r_extent_q == 3'd1);
extent_4: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.start && u_dut.r_extent_q == 3'd4);
reading_lattice: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.start && !u_dut.r_reading_q);
reading_isotropic: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.start && u_dut.r_reading_q);
axis_y: cover property (@(posedge clk_i) disable iff (!rst_ni) u_dut.start && u_dut.r_along_y_q);
slope_up: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.start && u_dut.r_slope_q == 3'd2);
slope_down: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.start && u_dut.r_slope_q == 3'd6);
parents_few: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.start && u_dut.mask != 16'hffff);
waits_for_slot: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.r_valid_q && !u_dut.stale && !u_dut.bad && u_dut.free_q == '0);
waits_for_requests: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.r_valid_q && !u_dut.stale && !u_dut.request_room);
slot_last: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.start && 32'(u_dut.slot) == Slots - 1);
slot_out_of_order: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.free_taken && u_dut.free_q == '0 && u_dut.free_slot_i != '0);
package_stale: cover property (@(posedge clk_i) disable iff (!rst_ni) u_dut.drop);
package_refused: cover property (@(posedge clk_i) disable iff (!rst_ni) u_dut.refuse);
package_outside: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.refuse && !u_dut.r_bad_q);
package_side_too_small: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.p_leaves && !u_dut.p_bad_q && !u_dut.p_reading_q && u_dut.shrunk_along == '0);
// Groups and lines
group_each_cycle: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.issue && $past(u_dut.issue));
beat_each_cycle: cover property (@(posedge clk_i) disable iff (!rst_ni)
  beat_valid_o && u_dut.beat_ready_i && $past(beat_valid_o && u_dut.beat_ready_i));
line_whole: cover property (@(posedge clk_i) disable iff (!rst_ni)
  beat_valid_o && u_dut.beat_texel_o == 16'hffff);
line_one_texel: cover property (@(posedge clk_i) disable iff (!rst_ni)
  beat_valid_o && $onehot(u_dut.beat_texel_o));
group_of_lines: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.u_sender.emit && u_dut.u_sender.e_last &&
  $past(u_dut.u_sender.emit && !u_dut.u_sender.e_last));
texel_wanted_twice: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.u_sender.emit && (u_dut.u_sender.candidate & ~u_dut.u_sender.taken) != '0);
wraps_along: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.issue && u_dut.u_groups.c_column[14]);
beat_waits: cover property (@(posedge clk_i) disable iff (!rst_ni)
  beat_valid_o && !u_dut.beat_ready_i);
request_waits: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.request_valid_o && !u_dut.request_ready_i);
// Why no beat leaves
gap_no_package: cover property (@(posedge clk_i) disable iff (!rst_ni)
  !beat_valid_o && u_dut.beat_cause == u_dut.NoPackage && $past(beat_valid_o));
gap_no_slot: cover property (@(posedge clk_i) disable iff (!rst_ni)
  Observe && !beat_valid_o && u_dut.beat_cause == u_dut.NoSlot && $past(beat_valid_o));
gap_no_request: cover property (@(posedge clk_i) disable iff (!rst_ni)
  Observe && !beat_valid_o && u_dut.beat_cause == u_dut.NoRequest && $past(beat_valid_o));
gap_filling: cover property (@(posedge clk_i) disable iff (!rst_ni)
  Observe && !beat_valid_o && u_dut.beat_cause == u_dut.Filling && $past(beat_valid_o));
// Refusal, reset, quiescence, peek
works_after_error: cover property (@(posedge clk_i) disable iff (!rst_ni)
  error_o != 4'(texel_generator_pkg::ErrNone) && beat_valid_o);
reset_in_use: cover property (@(posedge clk_i) !rst_ni && u_dut.u_groups.c_valid_q);
quiescent_in_use: cover property (@(posedge clk_i) disable iff (!rst_ni)
  quiescent_o && u_dut.u_groups.valid_q != '0);
peek_descriptor: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.peek_data_o[0] && $past(u_dut.peek_valid_i && !u_dut.peek_select_i));
peek_counter: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.peek_data_o != '0 && $past(u_dut.peek_valid_i && u_dut.peek_select_i));
