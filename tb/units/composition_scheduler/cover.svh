// SPDX-License-Identifier: Apache-2.0
// Cover points of the composition scheduler, inside its top; plan.yaml of its tests names them.

logic cover_transparent, cover_choice;  // a start is chosen in this cycle
logic [NumGpus-1:0] cover_mixed_groups;
assign cover_choice = u_dut.is_start;
assign cover_transparent = cover_choice & |(u_dut.source & u_dut.transparent_q);
for (genvar g = 0; g < NumGpus; g = g + 1) begin : gen_cover
  assign cover_mixed_groups[g] = ready_o[g] && cgid_o[g*8] != cgid_o[0];
end

// Messages
all_ready_at_once: cover property (@(posedge clk_i) disable iff (!rst_ni) &u_dut.enter);
two_done_at_once: cover property (@(posedge clk_i) disable iff (!rst_ni)
  $countones(u_dut.done) > 1);
cgid_wraps: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.enter[0] && cgid_o[7:0] == 8'hff);
// Starts
start_opaque: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_choice && !cover_transparent);
start_held: cover property (@(posedge clk_i) disable iff (!rst_ni)
  start_valid_o && !start_ready_i && |u_dut.sources);
start_each_cycle: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_choice && $past(cover_choice));
sends_while_receiving: cover property (@(posedge clk_i) disable iff (!rst_ni)
  (sending_o & receiving_o) != '0);
source_in_turn: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_choice && u_dut.u_start.sources_later != '0 &&
  u_dut.u_start.sources_later != u_dut.sources);
source_goes_around: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_choice && u_dut.u_start.sources_later == '0);
receiver_in_turn: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_choice && !LowestFirst && u_dut.receivers_later != '0 &&
  u_dut.receivers_later != u_dut.receivers);
receiver_goes_around: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_choice && !LowestFirst && u_dut.receivers_later == '0);
receiver_lowest: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_choice && LowestFirst && (u_dut.receivers & u_dut.above_source) != '0 &&
  (u_dut.receiver & u_dut.above_source) == '0);
done_with_start: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_choice && u_dut.done != '0);
// Transparent
front: cover property (@(posedge clk_i) disable iff (!rst_ni) start_valid_o && start_front_o);
behind: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_transparent && u_dut.receiver > u_dut.source);
neighbours_only: cover property (@(posedge clk_i) disable iff (!rst_ni)
  |(ready_o & ~receiving_o & u_dut.transparent_q) &&
  |(ready_o & ~sending_o & u_dut.transparent_q) && u_dut.sources == '0 && sending_o != '0);
interval_grows: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_transparent && $countones(received_o) > 1);
// Groups
released: cover property (@(posedge clk_i) disable iff (!rst_ni) u_dut.complete != '0);
released_alone: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.complete != '0 && (ready_o & ~u_dut.complete) != '0);
release_held: cover property (@(posedge clk_i) disable iff (!rst_ni)
  (release_valid_o & ~release_ready_i) != '0);
two_groups: cover property (@(posedge clk_i) disable iff (!rst_ni)
  ready_o[0] && cover_mixed_groups != '0);
// Errors
ready_before_release: cover property (@(posedge clk_i) disable iff (!rst_ni)
  (u_dut.is_ready_message & release_valid_o) != '0);
works_after_error: cover property (@(posedge clk_i) disable iff (!rst_ni)
  error_o != composition_scheduler_pkg::ErrNone && cover_choice);
// Reset, quiescence
reset_in_group: cover property (@(posedge clk_i) !rst_ni && sending_o != '0);
quiescent_in_group: cover property (@(posedge clk_i) disable iff (!rst_ni)
  quiescent_o && sending_o != '0);
