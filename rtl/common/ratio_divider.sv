// SPDX-License-Identifier: Apache-2.0
// Divides by R, a number of children from 1 to 16, rounding down: for the averages of the
// combination unit. A-TFIM (HPCA 2017), V-D; docs/units/combination_unit.md.
//
// quotient_o = floor(number_i / (ratio_i + 1)), exact for every number of Width bits: the
// number times 2^Shift / R, rounded up, errs by less than 15 x 2^Width / 2^Shift of a
// 1 / R, which Shift = Width + 4 keeps below it.
// Combinational: a choice of 16 constants and a Width x (Width + 5) multiplication, of which
// the upper Width bits are kept.
module ratio_divider #(
  parameter int Width = 13  // bits of the number
) (
  input  logic [Width-1:0] number_i,
  input  logic [3:0]       ratio_i,  // R - 1
  output logic [Width-1:0] quotient_o
);

  localparam int Shift = Width + 4;
  localparam int FactorWidth = Shift + 1;
  localparam int ProductWidth = Width + FactorWidth;
  localparam int One = 1 << Shift;

  logic [FactorWidth-1:0] factor;
  logic [ProductWidth-1:0] product;

  always_comb begin
    unique case (ratio_i)
      4'd0: factor = FactorWidth'(One);
      4'd1: factor = FactorWidth'(One / 2);
      4'd2: factor = FactorWidth'((One + 2) / 3);
      4'd3: factor = FactorWidth'(One / 4);
      4'd4: factor = FactorWidth'((One + 4) / 5);
      4'd5: factor = FactorWidth'((One + 5) / 6);
      4'd6: factor = FactorWidth'((One + 6) / 7);
      4'd7: factor = FactorWidth'(One / 8);
      4'd8: factor = FactorWidth'((One + 8) / 9);
      4'd9: factor = FactorWidth'((One + 9) / 10);
      4'd10: factor = FactorWidth'((One + 10) / 11);
      4'd11: factor = FactorWidth'((One + 11) / 12);
      4'd12: factor = FactorWidth'((One + 12) / 13);
      4'd13: factor = FactorWidth'((One + 13) / 14);
      4'd14: factor = FactorWidth'((One + 14) / 15);
      default: factor = FactorWidth'(One / 16);
    endcase
  end

  assign product = ProductWidth'(number_i) * ProductWidth'(factor);
  assign quotient_o = product[Shift +: Width];

  logic unused_product;
  assign unused_product = ^{product[ProductWidth-1], product[Shift-1:0]};

endmodule
