// SPDX-License-Identifier: Apache-2.0
// Issues a package's groups of 16 children, four columns of four parents, one a cycle, and takes
// each through nine address stages (texel_wrap): the middle part of the texel generator. Cycle
// contract: docs/units/texel_generator.md (C, the address stages).
//
// Latency: ten cycles from start_i to load_o. Rate: a group a cycle while step_i is 1; nothing
// moves while it is 0.
`include "texel_generator_pkg.sv"

module texel_groups #(
  parameter bit Observe = 1'b1             // 0: cause_o is 0
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  // Packages
  output logic             ready_o,        // C is empty, or its last group is issued
  input  logic             start_i,        // illegal while not ready
  input  logic [5:0]       slot_i,
  input  logic             reading_i,      // 0 lattice, 1 isotropic
  input  logic             along_y_i,      // the major axis
  input  logic [2:0]       extent_i,       // k, 1 to 4
  input  logic [2:0]       slope_i,        // q, -2 to 2
  input  logic [3:0]       in_along_i,     // parents inside, not 0
  input  logic [3:0]       in_across_i,
  input  logic [11:0]      tile_along_i,
  input  logic [11:0]      tile_across_i,
  input  logic [13:0]      side_along_i,   // texels
  input  logic [13:0]      side_across_i,
  input  logic [1:0]       wrap_along_i,
  input  logic [1:0]       wrap_across_i,
  input  logic [27:0]      base_i,         // line of the level's first texel
  input  logic [11:0]      pitch_i,        // tiles of a row of the level
  input  logic [1:0]       cause_i,        // why no group is issued
  // Groups
  input  logic             step_i,         // a group may leave, and all move on
  output logic             load_o,         // a group leaves
  output logic [15:0]      existing_o,     // children
  output logic [4*13-1:0]  along_o,        // texels of each lane
  output logic [16*13-1:0] across_o,       // of each child
  output logic [5:0]       slot_o,
  output logic             last_o,         // group of its package
  output logic             along_y_o,
  output logic [11:0]      pitch_o,
  output logic [27:0]      base_o,
  output logic [7:0]       parent_o,       // of each lane, along the axis: 2 bits
  output logic [1:0]       cause_o,        // why no group leaves
  // Status
  output logic             issue_o,        // a group enters the address stages
  output logic             moves_o         // a package, a group or a cause moves
);

  localparam int Stages = 9;           // of addresses
  localparam int Coordinate = 15;      // texels, signed

  // ---- C: the package whose groups are issued --------------------------------------------

  logic c_valid_q, c_reading_q, c_along_y_q, c_last, issue;
  logic [5:0] c_slot_q;
  logic [3:0] c_group_q, c_final_q, c_in_along_q, c_in_across_q;  // groups: the next, the last
  logic [2:0] c_extent_q, c_slope_q;
  logic [13:0] c_along_q, c_across_q;
  logic [1:0] c_wrap_along_q, c_wrap_across_q;
  logic [27:0] c_base_q;
  logic [11:0] c_pitch_q;
  logic [Coordinate-1:0] c_first_along_q, c_first_across_q;       // parents

  // The first and last column of parents inside, and their groups.
  logic [1:0] first_m, last_m;
  logic [3:0] first_group, last_group;

  assign first_m = in_along_i[0] ? 2'd0 : in_along_i[1] ? 2'd1 : in_along_i[2] ? 2'd2 : 2'd3;
  assign last_m = in_along_i[3] ? 2'd3 : in_along_i[2] ? 2'd2 : in_along_i[1] ? 2'd1 : 2'd0;
  assign first_group = (extent_i == 3'd1) ? {3'd0, first_m[1]}
                     : (extent_i == 3'd2) ? {2'd0, first_m}
                     : (extent_i == 3'd3) ? {1'b0, first_m, 1'b0} : {first_m, 2'd0};
  assign last_group = (extent_i == 3'd1) ? {3'd0, last_m[1]}
                    : (extent_i == 3'd2) ? {2'd0, last_m}
                    : (extent_i == 3'd3) ? {1'b0, last_m, 1'b1} : {last_m, 2'd3};

  assign c_last = c_group_q == c_final_q;
  assign issue = step_i & c_valid_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) c_valid_q <= 1'b0;
    else if (start_i) c_valid_q <= 1'b1;
    else if (issue & c_last) c_valid_q <= 1'b0;
    if (start_i) begin
      c_slot_q <= slot_i;
      c_group_q <= first_group;
      c_final_q <= last_group;
      c_in_along_q <= in_along_i;
      c_in_across_q <= in_across_i;
      c_reading_q <= reading_i;
      c_along_y_q <= along_y_i;
      c_extent_q <= extent_i;
      c_slope_q <= slope_i;
      c_along_q <= side_along_i;
      c_across_q <= side_across_i;
      c_wrap_along_q <= wrap_along_i;
      c_wrap_across_q <= wrap_across_i;
      c_base_q <= base_i;
      c_pitch_q <= pitch_i;
      c_first_along_q <= {1'b0, tile_along_i, 2'd0} - 15'd4;
      c_first_across_q <= {1'b0, tile_across_i, 2'd0} - 15'd20;
    end else if (issue) begin
      c_group_q <= c_group_q + 4'd1;
    end
  end

  // ---- Address stages: what goes along ---------------------------------------------------

  logic [Stages-1:0] valid_q;
  logic [Stages-1:0] move;                       // into this stage
  // Slot, last group, axis, row of tiles, base, columns' m, columns and rows inside.
  localparam int CarryWidth = 6 + 1 + 1 + 12 + 28 + 8 + 4 + 4;
  logic [Stages*CarryWidth-1:0] carry_q;
  logic [8*14-1:0] along_q, across_q;            // sides, of stages 0 to 7
  logic [8*4-1:0] wrap_q;                        // along, across

  // Lanes of the group in C.
  logic [3:0] lane_in;
  logic [7:0] lane_m;
  logic [4*6-1:0] lane_offset;                   // rows from the parent's first to the child
  logic [3:0] c_less;                            // N - 1

  assign c_less = {c_extent_q == 3'd4, c_extent_q >= 3'd3, c_extent_q >= 3'd2, 1'b1};

  for (genvar l = 0; l < 4; l = l + 1) begin : gen_lane
    localparam logic [1:0] Lane = 2'(l);
    logic [5:0] column;
    logic [3:0] child;
    logic [1:0] m;
    logic signed [6:0] along, twice, across, sum;

    logic unused_column;
    logic [5:0] parent;

    assign column = {c_group_q, Lane};
    assign child = column[3:0] & c_less;
    assign parent = column >> c_extent_q;
    assign m = parent[1:0];
    assign unused_column = ^parent[5:2];
    assign lane_m[l*2 +: 2] = m;
    assign lane_in[l] = c_in_along_q[m];
    // 2i - N + 1, times the slope, + 2; isotropic: + 2 (N - 1).
    assign along = $signed({2'd0, child, 1'b0}) - $signed({3'd0, c_less});
    assign twice = along <<< 1;
    always_comb begin
      case (c_slope_q)
        3'd1: across = along;
        3'd2: across = twice;
        3'd7: across = -along;
        3'd6: across = -twice;
        default: across = '0;
      endcase
    end
    assign sum = across + 7'sd2 + $signed({2'd0, c_reading_q ? c_less : 4'd0, 1'b0});
    assign lane_offset[l*6 +: 6] = {sum[6], sum[6:2]};
    logic unused_low;
    assign unused_low = ^sum[1:0];
  end

  // Stage 0: the group's first column, the rows of its parents, the lanes.
  logic [Coordinate-1:0] s0_column_q, s0_row_q, c_column;
  logic [4*6-1:0] s0_offset_q;
  logic [2:0] s0_shift_q;                        // k, isotropic
  // Stage 1: coordinates.
  logic [4*Coordinate-1:0] s1_column_q;
  logic [16*Coordinate-1:0] s1_row_q;

  assign c_column = (c_first_along_q << c_extent_q) + {9'd0, c_group_q, 2'd0};
  assign move = {valid_q[Stages-2:0] & {(Stages-1){step_i}}, issue};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else if (step_i) valid_q <= {valid_q[Stages-2:0], c_valid_q};
    if (move[0]) begin
      carry_q[0 +: CarryWidth] <= {c_slot_q, c_last, c_along_y_q, c_pitch_q, c_base_q, lane_m,
                                   lane_in, c_in_across_q};
      along_q[0 +: 14] <= c_along_q;
      across_q[0 +: 14] <= c_across_q;
      wrap_q[0 +: 4] <= {c_wrap_along_q, c_wrap_across_q};
      s0_column_q <= c_column;
      s0_row_q <= c_reading_q ? c_first_across_q << c_extent_q : c_first_across_q;
      s0_offset_q <= lane_offset;
      s0_shift_q <= c_reading_q ? c_extent_q : 3'd0;
    end
  end

  for (genvar i = 1; i < Stages; i = i + 1) begin : gen_stage
    always_ff @(posedge clk_i) begin
      if (move[i]) begin
        carry_q[i*CarryWidth +: CarryWidth] <= carry_q[(i-1)*CarryWidth +: CarryWidth];
      end
    end
    if (i < 8) begin : gen_size
      always_ff @(posedge clk_i) begin
        if (move[i]) begin
          along_q[i*14 +: 14] <= along_q[(i-1)*14 +: 14];
          across_q[i*14 +: 14] <= across_q[(i-1)*14 +: 14];
          wrap_q[i*4 +: 4] <= wrap_q[(i-1)*4 +: 4];
        end
      end
    end
  end

  // ---- Why an address stage is empty -----------------------------------------------------

  logic cause_moves;


  if (Observe) begin : gen_cause
    logic [Stages*2-1:0] cause_q;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) cause_q <= '0;
      else if (step_i) cause_q <= {cause_q[Stages*2-3:0], cause_i};
    end
    assign cause_o = cause_q[Stages*2-1 -: 2];
    assign cause_moves = step_i & (cause_q != {Stages{cause_i}});
  end else begin : gen_no_cause
    logic unused_cause;
    assign unused_cause = ^cause_i;
    assign cause_o = '0;
    assign cause_moves = 1'b0;
  end

  // ---- Stages 1 to 8: texels along and across --------------------------------------------

  logic [6:0] wrap_load;
  logic [6*14-1:0] size_along, size_across;      // stages 2 to 7

  assign wrap_load = move[8:2];
  assign size_along = along_q[2*14 +: 6*14];
  assign size_across = across_q[2*14 +: 6*14];

  for (genvar l = 0; l < 4; l = l + 1) begin : gen_column
    localparam logic [1:0] Lane = 2'(l);
    always_ff @(posedge clk_i) begin
      if (move[1]) begin
        s1_column_q[l*Coordinate +: Coordinate] <= {s0_column_q[Coordinate-1:2], Lane};
      end
    end
    texel_wrap u_along (
      .clk_i(clk_i),
      .load_i(wrap_load),
      .coordinate_i(s1_column_q[l*Coordinate +: Coordinate]),
      .size_i(size_along),
      .wrap_i(wrap_q[7*4+2 +: 2]),
      .texel_o(along_o[l*13 +: 13])
    );

    for (genvar n = 0; n < 4; n = n + 1) begin : gen_row
      localparam int Child = 4 * l + n;
      logic [Coordinate-1:0] step, offset;
      assign step = 15'(n) << s0_shift_q;
      assign offset = {{9{s0_offset_q[l*6+5]}}, s0_offset_q[l*6 +: 6]};
      always_ff @(posedge clk_i) begin
        if (move[1]) s1_row_q[Child*Coordinate +: Coordinate] <= s0_row_q + step + offset;
      end
      texel_wrap u_across (
        .clk_i(clk_i),
        .load_i(wrap_load),
        .coordinate_i(s1_row_q[Child*Coordinate +: Coordinate]),
        .size_i(size_across),
        .wrap_i(wrap_q[7*4 +: 2]),
        .texel_o(across_o[Child*13 +: 13])
      );
    end
  end

  // ---- To E --------------------------------------------------------------------------------

  for (genvar j = 0; j < 16; j = j + 1) begin : gen_existing
    assign existing_o[j] = carry_q[(Stages-1)*CarryWidth + 4 + j / 4] &
                           carry_q[(Stages-1)*CarryWidth + j % 4];
  end
  assign {slot_o, last_o, along_y_o, pitch_o, base_o, parent_o} =
      carry_q[(Stages-1)*CarryWidth + 8 +: CarryWidth - 8];
  assign load_o = step_i & valid_q[Stages-1];
  assign issue_o = issue;
  assign ready_o = ~c_valid_q | (issue & c_last);
  assign moves_o = (step_i & ((valid_q != '0) | c_valid_q)) | cause_moves;

  logic unused;
  assign unused = ^{s0_column_q[1:0], wrap_q[0 +: 7*4], along_q[0 +: 2*14], across_q[0 +: 2*14]};

endmodule
