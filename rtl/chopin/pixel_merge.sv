// SPDX-License-Identifier: Apache-2.0
// Merges one incoming pixel with the local one: by depth if opaque, by the group's operator
// if transparent. CHOPIN (HPCA 2021), II-D, IV-C. Bit-exact rules:
// docs/units/pixel_distributor.md, section 8. Combinational.
// Cost: four 16-bit multipliers.
module pixel_merge (
  input  logic        transparent_i,
  input  logic        blend_i,        // transparent, and the local pixel is written; then:
  input  logic        front_i,        // what comes lies in front
  input  logic        add_i,
  input  logic        multiply_i,     // neither of the two: over
  input  logic [2:0]  depth_func_i,
  input  logic [3:0]  color_mask_i,
  input  logic        depth_write_i,
  input  logic        tag_enable_i,
  input  logic        test_base_i,
  input  logic [63:0] in_i,
  input  logic [63:0] local_i,
  input  logic        written_i,      // the local pixel, in this group
  output logic        write_o,
  output logic [63:0] pixel_o,        // 0 if not written
  output logic        tie_o
);

  localparam logic [2:0] FuncLess = 3'd1, FuncLessEqual = 3'd3, FuncGreater = 3'd4,
                         FuncGreaterEqual = 3'd6;

  // ---- Opaque ----------------------------------------------------------------------------

  logic less, equal, holds, wins, tag_less;
  logic [31:0] color;
  logic [63:0] opaque;

  assign less = in_i[55:32] < local_i[55:32];
  assign equal = in_i[55:32] == local_i[55:32];
  assign tag_less = in_i[63:57] < local_i[63:57];
  assign holds = (depth_func_i[0] & less) | (depth_func_i[1] & equal) |
                 (depth_func_i[2] & ~less & ~equal);
  assign tie_o = ~transparent_i & written_i & equal &
                 (~tag_enable_i | (in_i[63:57] == local_i[63:57]));

  always_comb begin
    wins = holds;
    if (!written_i && !test_base_i) wins = 1'b1;
    else if (written_i && tag_enable_i && equal) begin
      if (depth_func_i == FuncLess || depth_func_i == FuncGreater) wins = tag_less;
      else if (depth_func_i == FuncLessEqual || depth_func_i == FuncGreaterEqual) begin
        wins = ~tag_less;
      end
    end
    for (int k = 0; k < 4; k = k + 1) begin
      color[k*8 +: 8] = color_mask_i[k] ? in_i[k*8 +: 8] : local_i[k*8 +: 8];
    end
  end

  assign opaque = {depth_write_i ? in_i[63:57] : local_i[63:57], 1'b1,
                   depth_write_i ? in_i[55:32] : local_i[55:32], color};

  // ---- Transparent -----------------------------------------------------------------------

  // Over: upper + mul(one minus its alpha, lower). Multiply: 0 + mul(upper, lower). mul is the
  // upper half of t, and one more if the halves' sum carries. That carry is the last to be known,
  // so both sums are ready for it.
  function automatic logic [15:0] blended(input logic add, input logic multiply,
                                          input logic [15:0] keep, input logic [15:0] a,
                                          input logic [15:0] b);
    logic [15:0] base, above;
    logic [31:0] t;
    logic [16:0] sum, sum_carry, chosen;
    t = {16'd0, multiply ? a : keep} * {16'd0, b} + 32'd32768;
    base = multiply ? '0 : a;
    above = add ? b : t[31:16];
    sum = {1'b0, base} + {1'b0, above};
    sum_carry = {1'b0, base} + {1'b0, above} + 17'd1;
    chosen = ((t[15:0] > ~t[31:16]) & ~add) ? sum_carry : sum;
    blended = chosen[15:0] | {16{chosen[16]}};
  endfunction

  logic [63:0] upper, lower;
  assign upper = front_i ? in_i : local_i;
  assign lower = front_i ? local_i : in_i;

  assign write_o = transparent_i | wins;

  always_comb begin
    pixel_o = wins ? opaque : '0;
    if (blend_i) begin
      for (int c = 0; c < 4; c = c + 1) begin
        pixel_o[c*16 +: 16] = blended(add_i, multiply_i, ~upper[63:48], upper[c*16 +: 16],
                                      lower[c*16 +: 16]);
      end
    end else if (transparent_i) begin
      pixel_o = in_i;
    end
  end

endmodule
