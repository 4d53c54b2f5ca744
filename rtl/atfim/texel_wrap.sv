// SPDX-License-Identifier: Apache-2.0
// Brings one texel coordinate into its level: repeat, clamp or mirror, any size.
// docs/units/texel_generator.md.
//
// The coordinate c of a child is less than 31 texels outside its level, -31 <= c < size + 31; any
// other gives any texel. It passes seven registers. Register 0 has its distance from the texture's
// edge, m = c or -1 - c; registers 1 to 5 take off 16, 8, 4, 2 and 1 times the size if that leaves
// nothing negative; register 6 has the texel. As m < size + 31, only a size below 32 is taken off
// more than once, and then m has 6 bits; and where a copy is turned, what is left of m has 5.
// Latency: seven loads; one coordinate a load. Sizes come with the coordinate, a register each.
// Cost: subtractors of 2, 3, 4, 5 and 5 bits, a comparison of 14.
`include "texel_generator_pkg.sv"

module texel_wrap (
  input  logic             clk_i,
  input  logic [6:0]       load_i,         // into each register
  input  logic signed [14:0] coordinate_i,
  input  logic [6*14-1:0]  size_i,         // of what goes into registers 1 to 6, 1 to 8192
  input  logic [1:0]       wrap_i,         // into register 6: 0 repeat, 1 clamp, 2 mirror
  output logic [12:0]      texel_o         // register 6
);

  logic [5:0] below_q;              // registers 0 to 5: left of the level
  logic [5:1] beyond_q, fits;       // registers 1 to 5: right of it, if not left
  logic [5:0] beyond;
  logic [6*14-1:0] rest_q;
  logic odd_q;                      // the copy's number, register 5

  always_ff @(posedge clk_i) begin
    if (load_i[0]) begin
      below_q[0] <= coordinate_i[14];
      rest_q[0 +: 14] <= coordinate_i[14] ? ~coordinate_i[13:0] : coordinate_i[13:0];
    end
  end

  assign beyond = {beyond_q, 1'b0};

  for (genvar i = 1; i < 6; i = i + 1) begin : gen_register
    logic [13:0] rest, size, left;

    assign rest = rest_q[(i-1)*14 +: 14];
    assign size = size_i[(i-1)*14 +: 14];

    if (i < 5) begin : gen_some     // 16, 8, 4, 2 sizes
      localparam int Shift = 5 - i;
      localparam int Width = 6 - Shift;
      logic [Width-1:0] part, less;

      assign part = size[Width-1:0];
      assign fits[i] = (size[13:Width] == '0) & (rest[5:Shift] >= part);
      assign less = rest[5:Shift] - part;
      assign left = {rest[13:6], fits[i] ? less : rest[5:Shift], rest[Shift-1:0]};
    end else begin : gen_one
      logic [4:0] less;

      assign fits[i] = rest >= size;
      assign less = rest[4:0] - size[4:0];
      assign left = fits[i] ? {9'd0, less} : rest;
      always_ff @(posedge clk_i) if (load_i[i]) odd_q <= fits[i];
    end

    always_ff @(posedge clk_i) begin
      if (load_i[i]) begin
        below_q[i] <= below_q[i-1];
        beyond_q[i] <= beyond[i-1] | fits[i];
        rest_q[i*14 +: 14] <= left;
      end
    end
  end

  logic [13:0] last, rest5, turned;
  logic turn;
  assign rest5 = rest_q[5*14 +: 14];
  assign last = size_i[5*14 +: 14] - 14'd1;
  assign turned = last - {9'd0, rest5[4:0]};
  assign turn = (wrap_i == texel_generator_pkg::WrapMirror) ? odd_q : below_q[5];

  always_ff @(posedge clk_i) begin
    if (load_i[6]) begin
      if (wrap_i == texel_generator_pkg::WrapClamp) begin
        texel_o <= below_q[5] ? '0 : beyond_q[5] ? last[12:0] : rest5[12:0];
      end else begin
        texel_o <= turn ? turned[12:0] : rest5[12:0];
      end
    end
  end

  logic unused;
  assign unused = ^{last[13], rest5[13], turned[13], beyond[5]};

endmodule
