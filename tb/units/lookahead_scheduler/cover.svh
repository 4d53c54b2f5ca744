// SPDX-License-Identifier: Apache-2.0
// Cover points of the composition scheduler with lookahead, inside its top; plan.yaml names them.

logic cover_transparent;  // a transparent group's start
logic [NumGpus-1:0] cover_mixed_groups, cover_twice, cover_at_depth;
logic [NumGpus-1:0] cover_receivers, cover_receivers_later;  // that the source has, and above it
assign cover_transparent = u_dut.is_start & |(u_dut.source & u_dut.transparent_q);
for (genvar g = 0; g < NumGpus; g = g + 1) begin : gen_cover
  assign cover_mixed_groups[g] = ready_o[g] && cgid_o[g*8] != cgid_o[0];
  assign cover_twice[g] = $countones(u_dut.named_to[g*NumGpus +: NumGpus]) > 1;
  assign cover_at_depth[g] = ready_o[g] && sending_o[g*4 +: 4] == depth_o[g*4 +: 4];
  assign cover_receivers[g] = u_dut.takers[g] &&
    |(u_dut.pair[g*NumGpus +: NumGpus] & u_dut.source);
end
assign cover_receivers_later = cover_receivers & u_dut.u_start.above_source;

// Messages
all_ready_at_once: cover property (@(posedge clk_i) disable iff (!rst_ni) &u_dut.taken_ready);
two_endings_of_a_receiver: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_twice != '0);
ending_with_start: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.is_start && u_dut.ending != '0);
cgid_wraps: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.enter[0] && cgid_o[7:0] == 8'hff);
// Pending entries
pending: cover property (@(posedge clk_i) disable iff (!rst_ni) pending_o != '0);
pending_enters: cover property (@(posedge clk_i) disable iff (!rst_ni)
  (pending_o & u_dut.enter) != '0);
ready_in_reset_of_entry: cover property (@(posedge clk_i) disable iff (!rst_ni)
  (u_dut.taken_ready & u_dut.complete) != '0);
// Starts
start_opaque: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.is_start && !cover_transparent);
start_held: cover property (@(posedge clk_i) disable iff (!rst_ni)
  start_valid_o && !start_ready_i && |u_dut.sources);
start_each_cycle: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.is_start && $past(u_dut.is_start));
higher_level: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.is_start && !u_dut.level_q[0]);
highest_level: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.is_start && u_dut.level_q[MaxDepth-1]);
level_decides: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.is_start && u_dut.takers != u_dut.may_receive && u_dut.senders != u_dut.may_send);
level_exhausted: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.u_start.is_free && u_dut.sources == '0 && u_dut.level_q != '0 && u_dut.level_d != '0);
at_depth: cover property (@(posedge clk_i) disable iff (!rst_ni) cover_at_depth != '0);
source_in_turn: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.is_start && u_dut.u_start.sources_later != '0 &&
  u_dut.u_start.sources_later != u_dut.sources);
source_goes_around: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.is_start && u_dut.u_start.sources_later == '0);
receiver_in_turn: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.is_start && cover_receivers_later != '0 && cover_receivers_later != cover_receivers);
receiver_goes_around: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.is_start && cover_receivers_later == '0);
// Transparent
front: cover property (@(posedge clk_i) disable iff (!rst_ni) start_valid_o && start_front_o);
behind: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_transparent && u_dut.receiver > u_dut.source);
interval_grows: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_transparent && $countones(received_o) > 1);
// Groups
complete_alone: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.complete != '0 && (ready_o & ~u_dut.complete) != '0);
two_groups: cover property (@(posedge clk_i) disable iff (!rst_ni)
  ready_o[0] && cover_mixed_groups != '0);
// Errors
works_after_error: cover property (@(posedge clk_i) disable iff (!rst_ni)
  error_o != lookahead_scheduler_pkg::ErrNone && u_dut.is_start);
// Reset, quiescence
reset_in_group: cover property (@(posedge clk_i) !rst_ni && sending_o != '0);
quiescent_in_group: cover property (@(posedge clk_i) disable iff (!rst_ni)
  quiescent_o && sending_o != '0);
