// SPDX-License-Identifier: Apache-2.0
// Cover points of the draw scheduler, inside its top; plan.yaml of its tests names them.

logic cover_piece, cover_by_all, cover_opaque, cover_least, cover_draw, cover_waits, cover_ahead;
logic cover_nobody;  // may be given the draw that waits
logic [$clog2(NumGpus)-1:0] cover_choice;  // the chosen GPU
logic [NumGpus-1:0] cover_equal;  // as few triangles left as the chosen GPU
logic [NumGpus-1:0] cover_below;  // GPUs below the chosen one
logic [NumGpus-1:0] cover_passed;  // fewer triangles left than the chosen GPU
assign cover_draw = u_dut.head_valid & (u_dut.head_op == draw_scheduler_pkg::OpDraw) & u_dut.open_q;
assign cover_piece = u_dut.load & ~u_dut.load_compose;
assign cover_by_all = cover_piece & (u_dut.kind_q == draw_scheduler_pkg::GroupOpaque) &
       u_dut.head_by_all;
assign cover_opaque = cover_piece & (u_dut.kind_q == draw_scheduler_pkg::GroupOpaque) &
       ~u_dut.head_by_all;
assign cover_least = cover_opaque & (u_dut.policy_q != draw_scheduler_pkg::PolicyRoundRobin);
assign cover_waits = u_dut.may_choose & ~u_dut.choice_wraps &
                     (u_dut.choice & u_dut.has_credit) == '0;
assign cover_ahead = u_dut.may_choose & ~u_dut.choice_wraps &
                     (u_dut.choice & u_dut.has_credit & ~u_dut.takes_opaque) != '0;
assign cover_nobody = u_dut.may_choose & ~u_dut.choice_wraps & (u_dut.takes_opaque == '0);
always_comb begin
  cover_choice = '0;
  for (int i = 0; i < NumGpus; i = i + 1) if (u_dut.choice[i]) cover_choice = $clog2(NumGpus)'(i);
end
for (genvar g = 0; g < NumGpus; g = g + 1) begin : gen_cover
  assign cover_equal[g] = u_dut.remaining_q[g] == u_dut.remaining_q[cover_choice] &&
                          g != 32'(cover_choice);
  assign cover_below[g] = g < 32'(cover_choice);
  assign cover_passed[g] = u_dut.remaining_q[g] < u_dut.remaining_q[cover_choice];
end

// Opaque draws
least_busy: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_least && u_dut.remaining_q[cover_choice] != '0 && cover_equal == '0);
tie_after_last: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_least && !TieLowest && (u_dut.choice & u_dut.after) != '0 &&
  (cover_equal & cover_below) != '0);
tie_goes_around: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_least && !TieLowest && (u_dut.choice & u_dut.after) == '0 && cover_equal != '0);
tie_lowest: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_least && TieLowest && (cover_equal & ~cover_below) != '0 &&
  (u_dut.choice & u_dut.after) == '0);
progress_beside_choice: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_least && u_dut.progress_ok[cover_choice]);
waits_for_credit: cover property (@(posedge clk_i) disable iff (!rst_ni) cover_waits);
choice_made_afresh: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_opaque && $past(cover_waits) && cover_choice != $past(cover_choice));
draw_each_cycle: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_opaque && $past(cover_opaque));
// Extensions
ahead_waits: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_ahead && quiescent_o && (u_dut.takes_opaque & ~u_dut.choice) != '0);
ahead_chosen_afresh: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_opaque && $past(cover_ahead) && cover_choice != $past(cover_choice));
ahead_copies_go_on: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_piece && u_dut.kind_q == draw_scheduler_pkg::GroupDuplicated &&
  (u_dut.has_credit & ~u_dut.takes_opaque) != '0);
eligible_passes: cover property (@(posedge clk_i) disable iff (!rst_ni)
  Eligible && cover_least && cover_passed != '0);
eligible_among_equals: cover property (@(posedge clk_i) disable iff (!rst_ni)
  Eligible && cover_least && cover_passed != '0 && (cover_equal & u_dut.takes_opaque) != '0);
eligible_none: cover property (@(posedge clk_i) disable iff (!rst_ni)
  Eligible && cover_nobody && quiescent_o);
eligible_at_last: cover property (@(posedge clk_i) disable iff (!rst_ni)
  Eligible && cover_least && $past(cover_nobody) && cover_choice != $past(cover_choice));
eligible_wraps_for_nobody: cover property (@(posedge clk_i) disable iff (!rst_ni)
  Eligible && u_dut.err_wrap && u_dut.takes_opaque == '0);
by_all_at_once: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_by_all && &u_dut.has_credit && u_dut.head_count != '0);
by_all_late: cover property (@(posedge clk_i) disable iff (!rst_ni)
  piece_by_all_o && u_dut.raise_late != '0);
by_all_among_opaque: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_by_all && $past(cover_opaque));
by_all_where_full: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_by_all && u_dut.choice_wraps);
by_all_elsewhere: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_piece && u_dut.head_by_all && u_dut.kind_q == draw_scheduler_pkg::GroupTransparent);
weight_counts: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_opaque && u_dut.weighted && 32'(u_dut.head_weight) != u_dut.head_count);
weight_not_counted: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_opaque && !u_dut.weighted && 32'(u_dut.head_weight) > u_dut.head_count);
weight_wraps: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.err_wrap && u_dut.weighted);
mode_to_weights: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.weighted && $past(!u_dut.weighted));
mode_to_triangles: cover property (@(posedge clk_i) disable iff (!rst_ni)
  Weights && !u_dut.weighted && $past(u_dut.weighted));
mode_refused: cover property (@(posedge clk_i) disable iff (!rst_ni) u_dut.act[u_dut.ActMode]);
// Duplicated draws
duplicated_at_once: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_piece && u_dut.kind_q == draw_scheduler_pkg::GroupDuplicated && &u_dut.has_credit);
duplicated_late: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.piece_kind_q == draw_scheduler_pkg::GroupDuplicated && !u_dut.compose_q &&
  u_dut.raise_late != '0);
duplicated_table_still: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_piece && u_dut.kind_q == draw_scheduler_pkg::GroupDuplicated && u_dut.head_count != '0);
accepted_one_by_one: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.piece_kind_q == draw_scheduler_pkg::GroupDuplicated &&
  (piece_valid_o & piece_ready_i) != '0 && u_dut.stay != '0);
// Transparent groups
ranges_uneven: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.div_last && u_dut.rest_next != '0);
fewer_than_gpus: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.div_last && u_dut.quotient_next == '0 && u_dut.rest_next != '0);
draw_cut: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_piece && u_dut.kind_q == draw_scheduler_pkg::GroupTransparent && !u_dut.pop);
draw_cut_twice: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_piece && u_dut.cut_q && !u_dut.pop);
draw_empty: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_draw && u_dut.kind_q == draw_scheduler_pkg::GroupTransparent && u_dut.pop && !u_dut.load &&
  !u_dut.err_range);
draw_waits_for_ranges: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_draw && u_dut.kind_q == draw_scheduler_pkg::GroupTransparent && u_dut.div_busy);
piece_waits_for_credit: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_draw && u_dut.kind_q == draw_scheduler_pkg::GroupTransparent && !u_dut.div_busy &&
  u_dut.free &&
  !u_dut.has_credit[u_dut.current_q]);
// Group ends
compose_opaque: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.load_compose && u_dut.kind_q == draw_scheduler_pkg::GroupOpaque);
compose_transparent: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.load_compose && u_dut.kind_q == draw_scheduler_pkg::GroupTransparent);
compose_late: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.compose_q && u_dut.raise_late != '0);
duplicated_end: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.head_valid && u_dut.head_op == draw_scheduler_pkg::OpGroupEnd && u_dut.open_q &&
  u_dut.kind_q == draw_scheduler_pkg::GroupDuplicated);
// Policies
round_robin: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_opaque && u_dut.policy_q == draw_scheduler_pkg::PolicyRoundRobin &&
  u_dut.choice != u_dut.least);
round_robin_around: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_opaque && u_dut.policy_q == draw_scheduler_pkg::PolicyRoundRobin && cover_choice == '0);
duplicate_all: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.head_valid && u_dut.head_op == draw_scheduler_pkg::OpGroupStart && !u_dut.open_q &&
  policy_i == draw_scheduler_pkg::PolicyDuplicateAll &&
  u_dut.head_kind != draw_scheduler_pkg::GroupDuplicated && u_dut.head_kind != 2'd3);
policy_held: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_opaque && policy_i != u_dut.policy_q);
// Progress, credits
all_report: cover property (@(posedge clk_i) disable iff (!rst_ni)
  $countones(u_dut.progress_ok) > 1);
credit_spent_and_returned: cover property (@(posedge clk_i) disable iff (!rst_ni)
  (u_dut.spend & credit_i) != '0);
counter_above_63_bits: cover property (@(posedge clk_i) disable iff (!rst_ni)
  CountWidth == 64 && cover_opaque && scheduled_o[CountWidth-1]);
// Errors
error_lowest: cover property (@(posedge clk_i) disable iff (!rst_ni)
  error_o == draw_scheduler_pkg::ErrNone &&
  $countones({u_dut.err_sequence || u_dut.err_wrap || u_dut.err_range,
                               u_dut.progress_refused != '0, u_dut.credit_refused != '0,
                               u_dut.act[u_dut.ActMode]}) > 1);
works_after_error: cover property (@(posedge clk_i) disable iff (!rst_ni)
  error_o != draw_scheduler_pkg::ErrNone && cover_opaque);
// Reset, quiescence
reset_in_group: cover property (@(posedge clk_i) !rst_ni && u_dut.open_q && u_dut.valid_q != '0);
reset_while_dividing: cover property (@(posedge clk_i) !rst_ni && u_dut.div_busy);
quiescent_waiting: cover property (@(posedge clk_i) disable iff (!rst_ni)
  quiescent_o && u_dut.head_valid && piece_valid_o != '0);
