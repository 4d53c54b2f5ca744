// SPDX-License-Identifier: Apache-2.0
// For Yosys' techmap: adders and comparators as tb/prove/bits.c builds them, so that what golden model
// and RTL do with the same words is the same graph, which the solver need not find equal.
(* techmap_celltype = "$lt $gt $le $ge" *)
module ripple_compare (A, B, Y);
  parameter _TECHMAP_CELLTYPE_ = "";
  parameter A_SIGNED = 0;
  parameter B_SIGNED = 0;
  parameter A_WIDTH = 1;
  parameter B_WIDTH = 1;
  parameter Y_WIDTH = 1;
  input [A_WIDTH-1:0] A;
  input [B_WIDTH-1:0] B;
  output [Y_WIDTH-1:0] Y;

  localparam Width = A_WIDTH > B_WIDTH ? A_WIDTH : B_WIDTH;
  localparam IsSwapped = _TECHMAP_CELLTYPE_ == "$gt" || _TECHMAP_CELLTYPE_ == "$le";
  localparam IsNot = _TECHMAP_CELLTYPE_ == "$ge" || _TECHMAP_CELLTYPE_ == "$le";
  wire _TECHMAP_FAIL_ = A_SIGNED && B_SIGNED;
  wire [Width-1:0] x = IsSwapped ? B : A;
  wire [Width-1:0] y = IsSwapped ? A : B;
  wire [Width:0] below;
  assign below[0] = 1'b0;
  genvar i;
  generate
    for (i = 0; i < Width; i = i + 1) begin
      assign below[i+1] = (x[i] ^ y[i]) ? y[i] : below[i];
    end
  endgenerate
  assign Y = IsNot ? !below[Width] : below[Width];
endmodule

(* techmap_celltype = "$add $sub" *)
module ripple_add (A, B, Y);
  parameter _TECHMAP_CELLTYPE_ = "";
  parameter A_SIGNED = 0;
  parameter B_SIGNED = 0;
  parameter A_WIDTH = 1;
  parameter B_WIDTH = 1;
  parameter Y_WIDTH = 1;
  input [A_WIDTH-1:0] A;
  input [B_WIDTH-1:0] B;
  output [Y_WIDTH-1:0] Y;

  localparam IsDifference = _TECHMAP_CELLTYPE_ == "$sub";
  wire [Y_WIDTH-1:0] x, y;
  generate
    if (A_SIGNED && B_SIGNED) begin
      wire signed [A_WIDTH-1:0] signed_a = A;
      wire signed [B_WIDTH-1:0] signed_b = B;
      assign x = signed_a;
      assign y = signed_b;
    end else begin
      assign x = A;
      assign y = B;
    end
  endgenerate
  wire [Y_WIDTH-1:0] z = IsDifference ? ~y : y;
  wire [Y_WIDTH:0] carry;
  assign carry[0] = IsDifference;
  genvar i;
  generate
    for (i = 0; i < Y_WIDTH; i = i + 1) begin
      assign Y[i] = x[i] ^ z[i] ^ carry[i];
      assign carry[i+1] = (x[i] & z[i]) | ((x[i] ^ z[i]) & carry[i]);
    end
  endgenerate
endmodule
