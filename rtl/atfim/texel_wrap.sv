// SPDX-License-Identifier: Apache-2.0
// Brings one texel coordinate into its level: repeat, clamp or mirror, any size.
// docs/units/texel_generator.md.
//
// A coordinate c with |c| < 32 size passes seven registers. Register 0 has its distance from the
// texture's edge, m = c or -1 - c; registers 1 to 5 take off 16, 8, 4, 2 and 1 times the size if
// that leaves nothing negative; register 6 has the texel.
// Latency: seven loads; one coordinate a load. The sizes come with the coordinate, a register each.
// Cost: five subtractors of 14 bits.
`include "texel_generator_pkg.sv"

module texel_wrap (
  input  logic             clk_i,
  input  logic [6:0]       load_i,         // into each register
  input  logic signed [14:0] coordinate_i,
  input  logic [7*14-1:0]  size_i,         // of what goes into each register, 1 to 8192
  input  logic [1:0]       wrap_i,         // into register 6: 0 repeat, 1 clamp, 2 mirror
  output logic [12:0]      texel_o         // register 6
);

  logic [5:0] below_q, beyond_q;    // registers 0 to 5: left of the level, right of it
  logic [6*14-1:0] rest_q;
  logic odd_q;                      // the copy's number, register 5

  logic beyond;
  assign beyond = ~coordinate_i[14] & (coordinate_i[13:0] >= size_i[0 +: 14]);

  always_ff @(posedge clk_i) begin
    if (load_i[0]) begin
      below_q[0] <= coordinate_i[14];
      beyond_q[0] <= beyond;
      rest_q[0 +: 14] <= coordinate_i[14] ? ~coordinate_i[13:0] : coordinate_i[13:0];
    end
  end

  for (genvar i = 1; i < 6; i = i + 1) begin : gen_register
    localparam int Shift = 5 - i;
    logic [13:0] rest;
    logic [18:0] part;              // size times 16, 8, 4, 2, 1
    logic fits;
    logic [13:0] less;

    assign rest = rest_q[(i-1)*14 +: 14];
    assign part = {5'd0, size_i[i*14 +: 14]} << Shift;
    assign fits = {5'd0, rest} >= part;
    assign less = rest - part[13:0];

    always_ff @(posedge clk_i) begin
      if (load_i[i]) begin
        below_q[i] <= below_q[i-1];
        beyond_q[i] <= beyond_q[i-1];
        rest_q[i*14 +: 14] <= fits ? less : rest;
      end
    end
    if (i == 5) begin : gen_odd
      always_ff @(posedge clk_i) if (load_i[i]) odd_q <= fits;
    end
  end

  logic [13:0] last, rest5, turned;
  logic turn;
  assign rest5 = rest_q[5*14 +: 14];
  assign last = size_i[6*14 +: 14] - 14'd1;
  assign turned = last - rest5;
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
  assign unused = ^{last[13], rest5[13], turned[13]};

endmodule
