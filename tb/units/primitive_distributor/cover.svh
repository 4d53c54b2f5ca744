// SPDX-License-Identifier: Apache-2.0
// Cover points of the primitive distributor, inside its top; plan.yaml of its tests names them.

configure_again: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.configures && u_dut.configured_q);
configure_with_primitive: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.configures && u_dut.accepts);
primitive_waits: cover property (@(posedge clk_i) disable iff (!rst_ni)
  primitive_valid_i && !primitive_ready_o && u_dut.rests);
one_row: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.over && u_dut.rows_left_q == 5'd1);
all_set_early: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.over && u_dut.rows_left_q > 5'd1);
row_goes_around: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.works && u_dut.rows_left_q != 5'd0 && u_dut.window[2*Clusters-1:Clusters] != '0);
primitive_each_cycle: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.over && u_dut.leaves_start && u_dut.leaves_divide && u_dut.pop && u_dut.accepts);
empty_primitive: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.joins && u_dut.rows_left_q == 5'd0);
full_batch: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.masks && !u_dut.close_q);
closed_batch: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.masks && u_dut.close_q);
close_of_nothing: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.over && u_dut.close_q && !u_dut.ends);
batch_waits: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.rows_q && u_dut.stays);
masks_follow: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.masks && u_dut.valid_q != '0);
lanes_apart: cover property (@(posedge clk_i) disable iff (!rst_ni)
  mask_valid_o != '0 && mask_valid_o != '1);
works_after_error: cover property (@(posedge clk_i) disable iff (!rst_ni)
  error_o != '0 && u_dut.masks);
reset_in_use: cover property (@(posedge clk_i) !rst_ni && u_dut.rows_q);
quiescent_stalled: cover property (@(posedge clk_i) disable iff (!rst_ni)
  quiescent_o && u_dut.rows_q);
