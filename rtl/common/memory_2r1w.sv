// SPDX-License-Identifier: Apache-2.0
// A memory with one write port and two synchronous read ports.
//
// Port a is write-first with Bypass: a read in the cycle of a write to the same entry gives
// the new word; without it, and on port b, the old one. Port b is left out (reads 0) with
// PortB 0.
// Latency: one cycle; a port keeps its word while its read is 0. Words are undefined until
// written.
module memory_2r1w #(
  parameter int Width = 16,    // bits of a word
  parameter int Depth = 64,    // words
  parameter bit Bypass = 1'b1, // whether port a is write-first
  parameter bit PortB = 1'b1,  // whether port b exists
  localparam int AddressWidth = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  logic                    clk_i,
  input  logic                    write_i,
  input  logic [AddressWidth-1:0] write_address_i,
  input  logic [Width-1:0]        write_data_i,
  input  logic                    a_read_i,
  input  logic [AddressWidth-1:0] a_address_i,
  output logic [Width-1:0]        a_data_o,
  input  logic                    b_read_i,
  input  logic [AddressWidth-1:0] b_address_i,
  output logic [Width-1:0]        b_data_o
);

  logic [Width-1:0] words_q [Depth];
  logic [Width-1:0] a_data_q;

  always_ff @(posedge clk_i) if (write_i) words_q[write_address_i] <= write_data_i;
  assign a_data_o = a_data_q;

  if (Bypass) begin : gen_bypass
    logic new_word;
    assign new_word = write_i && write_address_i == a_address_i;
    always_ff @(posedge clk_i) begin
      if (a_read_i) a_data_q <= new_word ? write_data_i : words_q[a_address_i];
    end
  end else begin : gen_old
    always_ff @(posedge clk_i) if (a_read_i) a_data_q <= words_q[a_address_i];
  end

  if (PortB) begin : gen_b
    logic [Width-1:0] b_data_q;
    always_ff @(posedge clk_i) if (b_read_i) b_data_q <= words_q[b_address_i];
    assign b_data_o = b_data_q;
  end else begin : gen_no_b
    logic unused_b;
    assign unused_b = ^{b_read_i, b_address_i};
    assign b_data_o = '0;
  end

endmodule
