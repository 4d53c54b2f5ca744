// SPDX-License-Identifier: Apache-2.0
// Behavioural models of the OSU standard cells that synthesis uses. The library's own are built of
// user-defined primitives, which Verilator 5.006 rejects. rtl/synth/prove_cells.sh proves each
// equal to its function in the liberty file.
module AND2X1 (input A, input B, output Y); assign Y = A & B; endmodule
module AND2X2 (input A, input B, output Y); assign Y = A & B; endmodule
module AOI21X1 (input A, input B, input C, output Y); assign Y = ~((A & B) | C); endmodule
module AOI22X1 (input A, input B, input C, input D, output Y);
  assign Y = ~((A & B) | (C & D));
endmodule
module BUFX2 (input A, output Y); assign Y = A; endmodule
module BUFX4 (input A, output Y); assign Y = A; endmodule
module CLKBUF1 (input A, output Y); assign Y = A; endmodule
module CLKBUF2 (input A, output Y); assign Y = A; endmodule
module CLKBUF3 (input A, output Y); assign Y = A; endmodule
module FAX1 (input A, input B, input C, output YC, output YS);
  assign YC = (A & B) | (B & C) | (C & A);
  assign YS = A ^ B ^ C;
endmodule
module HAX1 (input A, input B, output YC, output YS);
  assign YC = A & B;
  assign YS = A ^ B;
endmodule
module INVX1 (input A, output Y); assign Y = ~A; endmodule
module INVX2 (input A, output Y); assign Y = ~A; endmodule
module INVX4 (input A, output Y); assign Y = ~A; endmodule
module INVX8 (input A, output Y); assign Y = ~A; endmodule
module MUX2X1 (input A, input B, input S, output Y); assign Y = ~(S ? A : B); endmodule
module NAND2X1 (input A, input B, output Y); assign Y = ~(A & B); endmodule
module NAND3X1 (input A, input B, input C, output Y); assign Y = ~(A & B & C); endmodule
module NOR2X1 (input A, input B, output Y); assign Y = ~(A | B); endmodule
module NOR3X1 (input A, input B, input C, output Y); assign Y = ~(A | B | C); endmodule
module OAI21X1 (input A, input B, input C, output Y); assign Y = ~((A | B) & C); endmodule
module OAI22X1 (input A, input B, input C, input D, output Y);
  assign Y = ~((A | B) & (C | D));
endmodule
module OR2X1 (input A, input B, output Y); assign Y = A | B; endmodule
module OR2X2 (input A, input B, output Y); assign Y = A | B; endmodule
module XNOR2X1 (input A, input B, output Y); assign Y = ~(A ^ B); endmodule
module XOR2X1 (input A, input B, output Y); assign Y = A ^ B; endmodule
module DFFPOSX1 (input CLK, input D, output reg Q); always @(posedge CLK) Q <= D; endmodule
