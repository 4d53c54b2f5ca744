// SPDX-License-Identifier: Apache-2.0
// For Yosys' techmap: products of two unknown words of 6 bits or more stay open (product.h). Their
// words and what they give become ports NAME.a, NAME.b and NAME.y of the top; the prover works out
// those that the wrapper does not leave open.
(* techmap_celltype = "$mul" *)
module open_product (A, B, Y);
  parameter A_SIGNED = 0;
  parameter B_SIGNED = 0;
  parameter A_WIDTH = 1;
  parameter B_WIDTH = 1;
  parameter Y_WIDTH = 1;
  parameter _TECHMAP_CONSTMSK_A_ = 0;
  parameter _TECHMAP_CONSTMSK_B_ = 0;
  input [A_WIDTH-1:0] A;
  input [B_WIDTH-1:0] B;
  output [Y_WIDTH-1:0] Y;

  function integer open_bits(input [63:0] constant, input integer width);
    integer i;
    begin
      open_bits = 0;
      for (i = 0; i < width; i = i + 1) if (!constant[i]) open_bits = open_bits + 1;
    end
  endfunction
  wire _TECHMAP_FAIL_ = Y_WIDTH > 64 || A_WIDTH > 64 || B_WIDTH > 64 ||
      open_bits(_TECHMAP_CONSTMSK_A_, A_WIDTH) < 6 || open_bits(_TECHMAP_CONSTMSK_B_, B_WIDTH) < 6;
  (* keep *) wire [63:0] a, b, y;
  generate
    if (A_SIGNED && B_SIGNED) begin
      assign a = {{64{A[A_WIDTH-1]}}, A};
      assign b = {{64{B[B_WIDTH-1]}}, B};
    end else begin
      assign a = A;
      assign b = B;
    end
  endgenerate
  assign Y = y;
endmodule
