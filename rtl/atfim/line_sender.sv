// SPDX-License-Identifier: Apache-2.0
// Sends the lines of a group of 16 children, one a cycle, until all children have left: the last
// part of the texel generator. Cycle contract: docs/units/texel_generator.md (E, the line stages).
//
// Child j is in lane j / 4, a column along the axis; its coordinates come wrapped. All pairs are
// compared as a group is loaded; a beat has the line of the first child that is left, and every
// other one of that line that needs no texel and no column which a lower one takes.
// Two texels of a group are close, along at most 3 apart and across 51, unless they lie on two
// sides of a level's seam, and then one of them is among its first 51. So their lowest 6 bits and
// whether any higher one is set tell whether they are equal.
// Latency: one cycle to E, three from there to the beat. Rate: a beat a cycle, a group a cycle if a
// beat takes it whole.
`include "assert.svh"

module line_sender #(
  parameter bit Observe = 1'b1             // 0: cause_i is 0, and so is every cause
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  // Groups
  output logic             ready_o,        // E is empty, or empties in this cycle
  input  logic [1:0]       cause_i,        // why it is empty then, unless a group is loaded
  input  logic             load_i,         // illegal while not ready
  input  logic [15:0]      existing_i,     // children, not 0
  input  logic [4*13-1:0]  along_i,        // texels of each lane
  input  logic [16*13-1:0] across_i,       // of each child
  input  logic [5:0]       slot_i,
  input  logic             last_i,         // group of its package
  input  logic             along_y_i,      // the major axis
  input  logic [11:0]      pitch_i,        // lines of a row of the level
  input  logic [27:0]      base_i,         // line of its first texel
  input  logic [7:0]       parent_i,       // of each lane, along the axis: 2 bits
  output logic [5:0]       slot_o,         // of the group in E
  input  logic             hold_i,         // it may not send yet
  // Lines
  output logic             beat_valid_o,
  input  logic             beat_ready_i,
  output logic [5:0]       beat_slot_o,
  output logic             beat_last_o,
  output logic             beat_along_y_o,
  output logic [27:0]      beat_line_o,
  output logic [15:0]      beat_texel_o,
  output logic [63:0]      beat_parent_o,
  // Status
  output logic             busy_o,         // E may send, or a line stage is occupied
  output logic             step_o,         // beats move in this cycle
  output logic [1:0]       cause_o,        // why there is no beat
  output logic             cause_moves_o,  // a cause changes, if E and line stages are empty
  output logic             counted_o,      // a beat goes from line stage 0 to 1
  output logic [4:0]       texels_o        // its texels
);

  // ---- E: the group whose lines are sent ------------------------------------------------

  logic e_valid, e_last, e_sends, step, emit;
  logic [15:0] rest_q, first, candidate, taken;
  logic [4*13-1:0] e_along_q;
  logic [16*13-1:0] e_across_q;
  logic [5:0] e_slot_q;
  logic e_group_last_q, e_along_y_q;
  logic [11:0] e_pitch_q;
  logic [27:0] e_base_q;
  logic [7:0] e_parent_q;

  assign e_valid = rest_q != '0;
  assign e_last = rest_q == taken;
  assign e_sends = e_valid & ~hold_i;
  assign emit = step & e_sends;
  assign ready_o = ~e_valid | (emit & e_last);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) rest_q <= '0;
    else if (load_i) rest_q <= existing_i;
    else if (emit) rest_q <= rest_q & ~taken;
    if (load_i) begin
      e_along_q <= along_i;
      e_across_q <= across_i;
      e_slot_q <= slot_i;
      e_group_last_q <= last_i;
      e_along_y_q <= along_y_i;
      e_pitch_q <= pitch_i;
      e_base_q <= base_i;
      e_parent_q <= parent_i;
    end
  end

  // What tells texels of a group apart: whether a bit above their low ones is set, and these.
  localparam int Low = 6;
  localparam int Near = Low + 1;
  logic [4*Near-1:0] along;
  logic [16*Near-1:0] across;

  for (genvar l = 0; l < 4; l = l + 1) begin : gen_near_along
    assign along[l*Near +: Near] = {along_i[l*13+Low +: 13-Low] != '0, along_i[l*13 +: Low]};
  end
  for (genvar j = 0; j < 16; j = j + 1) begin : gen_near_across
    assign across[j*Near +: Near] = {across_i[j*13+Low +: 13-Low] != '0, across_i[j*13 +: Low]};
  end

  // Each child and those below it, compared as a group comes into E.
  for (genvar j = 0; j < 16; j = j + 1) begin : gen_child
    if (j == 0) begin : gen_lowest
      assign candidate[j] = rest_q[j];
      assign taken[j] = candidate[j];
    end else begin : gen_above
      logic [j-1:0] line_q, block_q;               // bit i: child i with child j
      for (genvar i = 0; i < j; i = i + 1) begin : gen_pair
        logic same_texel;
        if (i / 4 == j / 4) begin : gen_lane
          assign same_texel = across[j*Near +: Near] == across[i*Near +: Near];
        end else begin : gen_lanes
          assign same_texel = along[j/4*Near +: Near] == along[i/4*Near +: Near];
        end
        always_ff @(posedge clk_i) begin
          if (load_i) begin
            line_q[i] <= (along[j/4*Near+2 +: Near-2] == along[i/4*Near+2 +: Near-2]) &
                         (across[j*Near+2 +: Near-2] == across[i*Near+2 +: Near-2]);
            block_q[i] <= same_texel;
          end
        end
      end
      assign candidate[j] = rest_q[j] & (first[j] | ((first[j-1:0] & line_q) != '0));
      assign taken[j] = candidate[j] & ((candidate[j-1:0] & block_q) == '0);
    end
  end

  assign first = rest_q & (~rest_q + 16'd1);

  // ---- Line stages -----------------------------------------------------------------------

  logic [2:0] f_valid_q;
  logic f_along_y0_q, f_along_y1_q, f_along_y2_q, f_last0_q, f_last1_q, f_last2_q;
  logic [5:0] f_slot0_q, f_slot1_q, f_slot2_q;
  logic [10:0] first_along, first_across, f_row, f_along_q, f_across_q, f_x_q;
  logic [15:0] f_taken_q;
  logic [7:0] f_low_along_q, f_m_q;
  logic [31:0] f_low_across_q;
  logic [11:0] f_pitch_q;
  logic [27:0] f_base0_q, f_base1_q, f_line_q;
  logic [22:0] f_rows_q;
  logic [15:0] spot, f_spot_q, f_texel_q;        // y x 4 + x with x along
  logic [63:0] spot_parent, f_spot_parent_q, f_parent_q;

  assign step = ~f_valid_q[2] | beat_ready_i;
  assign f_row = f_along_y0_q ? f_along_q : f_across_q;

  always_comb begin
    first_along = '0;
    first_across = '0;
    for (int l = 0; l < 4; l = l + 1) begin
      if (first[4*l +: 4] != '0) first_along = first_along | e_along_q[l*13+2 +: 11];
    end
    for (int j = 0; j < 16; j = j + 1) begin
      if (first[j]) first_across = first_across | e_across_q[j*13+2 +: 11];
    end
  end

  // Which child is taken at each place, and its parent: m, n.
  for (genvar s = 0; s < 16; s = s + 1) begin : gen_spot
    logic [15:0] hit;
    logic [3:0] hit_lane;
    logic [1:0] m, n;
    for (genvar j = 0; j < 16; j = j + 1) begin : gen_hit
      assign hit[j] = f_taken_q[j] & (f_low_along_q[(j/4)*2 +: 2] == 2'(s % 4)) &
                      (f_low_across_q[j*2 +: 2] == 2'(s / 4));
    end
    assign hit_lane = {hit[15:12] != '0, hit[11:8] != '0, hit[7:4] != '0, hit[3:0] != '0};
    assign m = (f_m_q[1:0] & {2{hit_lane[0]}}) | (f_m_q[3:2] & {2{hit_lane[1]}}) |
               (f_m_q[5:4] & {2{hit_lane[2]}}) | (f_m_q[7:6] & {2{hit_lane[3]}});
    assign n[0] = (hit & 16'haaaa) != '0;
    assign n[1] = (hit & 16'hcccc) != '0;
    assign spot[s] = hit != '0;
    assign spot_parent[s*4 +: 4] = f_along_y0_q ? {m, n} : {n, m};
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) f_valid_q <= '0;
    else if (step) f_valid_q <= {f_valid_q[1:0], e_sends};
    if (emit) begin
      f_slot0_q <= e_slot_q;
      f_last0_q <= e_group_last_q & e_last;
      f_along_y0_q <= e_along_y_q;
      f_along_q <= first_along;
      f_across_q <= first_across;
      f_taken_q <= taken;
      f_m_q <= e_parent_q;
      f_pitch_q <= e_pitch_q;
      f_base0_q <= e_base_q;
      for (int l = 0; l < 4; l = l + 1) f_low_along_q[l*2 +: 2] <= e_along_q[l*13 +: 2];
      for (int j = 0; j < 16; j = j + 1) f_low_across_q[j*2 +: 2] <= e_across_q[j*13 +: 2];
    end
    if (step & f_valid_q[0]) begin
      f_slot1_q <= f_slot0_q;
      f_last1_q <= f_last0_q;
      f_along_y1_q <= f_along_y0_q;
      f_rows_q <= 23'(f_row) * 23'(f_pitch_q);
      f_x_q <= f_along_y0_q ? f_across_q : f_along_q;
      f_base1_q <= f_base0_q;
      f_spot_q <= spot;
      f_spot_parent_q <= spot_parent;
    end
    if (step & f_valid_q[1]) begin
      f_slot2_q <= f_slot1_q;
      f_last2_q <= f_last1_q;
      f_along_y2_q <= f_along_y1_q;
      f_line_q <= f_base1_q + 28'(f_rows_q) + 28'(f_x_q);
      for (int s = 0; s < 16; s = s + 1) begin
        f_texel_q[s] <= f_along_y1_q ? f_spot_q[(s % 4) * 4 + s / 4] : f_spot_q[s];
        f_parent_q[s*4 +: 4] <= f_along_y1_q ? f_spot_parent_q[((s % 4) * 4 + s / 4) * 4 +: 4]
                                             : f_spot_parent_q[s*4 +: 4];
      end
    end
  end

  assign beat_valid_o = f_valid_q[2];
  assign beat_slot_o = beat_valid_o ? f_slot2_q : '0;
  assign beat_last_o = beat_valid_o & f_last2_q;
  assign beat_along_y_o = beat_valid_o & f_along_y2_q;
  assign beat_line_o = beat_valid_o ? f_line_q : '0;
  assign beat_texel_o = beat_valid_o ? f_texel_q : '0;
  assign beat_parent_o = beat_valid_o ? f_parent_q : '0;

  // ---- Why there is no beat --------------------------------------------------------------

  localparam logic [1:0] NoRequest = 2'd2;
  logic [1:0] e_cause_q, f_cause0_q, f_cause1_q, f_cause2_q, f_cause;

  assign f_cause = (Observe && e_valid) ? NoRequest : e_cause_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      e_cause_q <= '0;
      f_cause0_q <= '0;
      f_cause1_q <= '0;
      f_cause2_q <= '0;
    end else begin
      if (ready_o) e_cause_q <= cause_i;
      if (step) begin
        f_cause0_q <= f_cause;
        f_cause1_q <= f_cause0_q;
        f_cause2_q <= f_cause1_q;
      end
    end
  end

  assign cause_o = f_cause2_q;
  assign cause_moves_o = (ready_o & (e_cause_q != cause_i)) |
                         (step & ({f_cause0_q, f_cause1_q, f_cause2_q} != {3{f_cause}}));

  assign step_o = step;
  assign slot_o = e_slot_q;
  assign busy_o = e_sends | (f_valid_q != '0);
  assign counted_o = step & f_valid_q[0];
  always_comb begin
    texels_o = '0;
    for (int j = 0; j < 16; j = j + 1) texels_o = texels_o + 5'(f_taken_q[j]);
  end

`ifdef VERILATOR
  // Rule 1: each beat takes the first child, so that a group ends.
  `NOCTURNE_ASSERT(BeatTakesFirst, e_valid |-> (taken & first) == first)
`endif

endmodule
