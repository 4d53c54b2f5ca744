// SPDX-License-Identifier: Apache-2.0
// Cover points of the texel generator, inside its top: tests/plans/texel_generator.yaml names
// them.

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
  u_dut.start && u_dut.c_rest_q != '0);
package_of_one: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.start && u_dut.l_number_q == 4'd1);
package_of_eight: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.start && u_dut.l_number_q == 4'd8);
waits_for_entries: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.l_valid_q && !u_dut.stale && !u_dut.bad && 32'(u_dut.credits_q) < 32'(u_dut.l_number_q));
waits_for_requests: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.l_valid_q && !u_dut.stale && !u_dut.request_room);
package_stale: cover property (@(posedge clk_i) disable iff (!rst_ni) u_dut.drop);
package_refused: cover property (@(posedge clk_i) disable iff (!rst_ni) u_dut.refuse);
package_unknown: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.refuse && !u_dut.l_known_q);
package_outside: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.refuse && u_dut.l_known_q && u_dut.outside != '0);
package_empty: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.refuse && u_dut.l_mask_q == '0);
// Parents and children
parent_each_cycle: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.issue && $past(u_dut.issue));
coarser_level: cover property (@(posedge clk_i) disable iff (!rst_ni) u_dut.issue && u_dut.coarse);
finer_level: cover property (@(posedge clk_i) disable iff (!rst_ni) u_dut.issue && !u_dut.coarse);
sixteen_children: cover property (@(posedge clk_i) disable iff (!rst_ni)
  beat_valid_o && u_dut.beat_ratio_o == 4'd15);
one_child: cover property (@(posedge clk_i) disable iff (!rst_ni)
  beat_valid_o && u_dut.beat_ratio_o == 4'd0);
even_ratio: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.issue && u_dut.c_ratio_q == 4'd5);
negative_step: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.issue && u_dut.c_step_x_q[15] && !u_dut.c_step_y_q[15] && u_dut.c_ratio_q != '0);
repeats: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.issue && u_dut.c_wrap_x_q == 2'd0 && u_dut.c_wrap_y_q == 2'd0);
clamps: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.issue && u_dut.c_wrap_x_q == 2'd1 && u_dut.c_wrap_y_q == 2'd2);
mirrors: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.issue && u_dut.c_wrap_x_q == 2'd2 && u_dut.c_wrap_y_q == 2'd1);
left_of_the_level: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.issue && u_dut.first_x[14]);
level_of_one_texel: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.issue && u_dut.c_size_q[13:0] == 14'd1 && u_dut.c_size_q[27:14] > 14'd1);
lines_of_16: cover property (@(posedge clk_i) disable iff (!rst_ni)
  LineBytes == 16 && beat_valid_o);
lines_of_32: cover property (@(posedge clk_i) disable iff (!rst_ni)
  LineBytes == 32 && beat_valid_o);
lines_of_64: cover property (@(posedge clk_i) disable iff (!rst_ni)
  LineBytes == 64 && beat_valid_o);
beat_waits: cover property (@(posedge clk_i) disable iff (!rst_ni)
  beat_valid_o && !u_dut.beat_ready_i);
request_waits: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.request_valid_o && !u_dut.request_ready_i);
ring_around: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.issue && u_dut.tail_q == '0);
// Refusal, reset, quiescence, peek
error_package: cover property (@(posedge clk_i) disable iff (!rst_ni) error_o == 4'd1);
error_descriptor: cover property (@(posedge clk_i) disable iff (!rst_ni) error_o == 4'd2);
error_credit: cover property (@(posedge clk_i) disable iff (!rst_ni) error_o == 4'd3);
works_after_error: cover property (@(posedge clk_i) disable iff (!rst_ni)
  error_o != 4'd0 && beat_valid_o);
reset_in_use: cover property (@(posedge clk_i) !rst_ni && u_dut.c_rest_q != '0);
quiescent_in_use: cover property (@(posedge clk_i) disable iff (!rst_ni)
  quiescent_o && u_dut.valid_q != '0);
peek_descriptor: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.peek_data_o[0] && $past(u_dut.peek_valid_i && !u_dut.peek_select_i));
peek_counter: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.peek_data_o != '0 && $past(u_dut.peek_valid_i && u_dut.peek_select_i));
