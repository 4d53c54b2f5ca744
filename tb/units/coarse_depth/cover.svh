// SPDX-License-Identifier: Apache-2.0
// Cover points of the shared coarse depth, inside its top; plan.yaml of its tests names them.

// Looks
look_each_cycle: cover property (@(posedge clk_i) disable iff (!rst_ni)
  look_valid_i && seen_valid_o);
look_hidden: cover property (@(posedge clk_i) disable iff (!rst_ni)
  seen_valid_o && seen_depth_o != '1);
look_older: cover property (@(posedge clk_i) disable iff (!rst_ni)
  look_valid_i && u_dut.hides && look_block_i == hidden_write_block_o);
look_in_sweep: cover property (@(posedge clk_i) disable iff (!rst_ni)
  look_valid_i && u_dut.sweep_q && u_dut.look_in_use);
// Tells and hears
tell_new: cover property (@(posedge clk_i) disable iff (!rst_ni) u_dut.tells_new);
tell_known: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.operation_q == u_dut.OpTell && !u_dut.less_told && u_dut.less_hidden);
tell_hidden: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.operation_q == u_dut.OpTell && u_dut.less_told && !u_dut.less_hidden);
tell_again: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.tells_new && (u_dut.due & u_dut.lane) != '0);
tell_waits: cover property (@(posedge clk_i) disable iff (!rst_ni) tell_valid_i && !tell_ready_o);
hear_new: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.operation_q == u_dut.OpHear && u_dut.hides);
hear_known: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.operation_q == u_dut.OpHear && !u_dut.hides);
hear_other_base: cover property (@(posedge clk_i) disable iff (!rst_ni)
  hear_valid_i && hear_ready_o && !u_dut.is_of_base);
hear_waits: cover property (@(posedge clk_i) disable iff (!rst_ni) hear_valid_i && !hear_ready_o);
same_word_in_a_row: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.operation_q != u_dut.OpNone && (u_dut.hides || u_dut.tells_new) &&
  (u_dut.pop_tell || u_dut.pop_hear) && u_dut.start_word == u_dut.at_word);
turns: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.pop_tell && u_dut.some_hear && u_dut.hear_last_q);
last_block: cover property (@(posedge clk_i) disable iff (!rst_ni)
  told_write_valid_o && 32'(told_write_block_o) == Blocks - 1);
// Epochs, walks and messages
epoch_in_walk: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.tells_new && !u_dut.epoch_q && u_dut.walk_q);
epoch_waits_for_walk: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.epoch_q && u_dut.epoch_left_q == 16'd0 && u_dut.walk_q);
epoch_follows: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.tells_new && u_dut.ends_epoch);
step_of_many: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.is_step && !u_dut.no_other_due);
step_of_none: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.is_step && !u_dut.any_due);
step_waits: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.walk_q && !u_dut.is_step && u_dut.send_left != '0);
step_heard_nearer: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.is_step && u_dut.any_due && !u_dut.less_hidden);
lanes_apart: cover property (@(posedge clk_i) disable iff (!rst_ni)
  send_valid_o != '0 && send_valid_o != '1);
walk_ends: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.next_word && u_dut.word_q == u_dut.last_word_q);
// Forgets and sweeps
forget_in_sweep: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.forget && u_dut.sweep_q);
forget_in_walk: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.forget && u_dut.walk_q);
forget_with_operation: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.forget && (u_dut.hides || u_dut.tells_new));
forget_with_message: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.forget && u_dut.offers);
forget_all: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.forget && 32'(forget_blocks_i) == Blocks);
forget_to_none: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.forget && !u_dut.some_blocks);
dropped_in_sweep: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.sweep_q && u_dut.takes_tell && u_dut.tell_in_use);
// Refusal, reset, quiescence
works_after_error: cover property (@(posedge clk_i) disable iff (!rst_ni)
  error_o != '0 && u_dut.sends);
reset_in_use: cover property (@(posedge clk_i) !rst_ni && u_dut.walk_q);
quiescent_in_use: cover property (@(posedge clk_i) disable iff (!rst_ni)
  quiescent_o && u_dut.blocks_q != '0);
quiescent_message: cover property (@(posedge clk_i) disable iff (!rst_ni)
  quiescent_o && u_dut.offers);
