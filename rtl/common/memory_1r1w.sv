// SPDX-License-Identifier: Apache-2.0
// A memory with one write port and one synchronous read port: port a of memory_2r1w alone.
//
// Write-first with Bypass: a read in the cycle of a write to the same entry gives the new word;
// without it the old one.
// Latency: one cycle; the port keeps its word while its read is 0. Words are undefined until
// written.
module memory_1r1w #(
  parameter int Width = 16,    // bits of a word
  parameter int Depth = 64,    // words
  parameter bit Bypass = 1'b1, // whether a read is write-first
  localparam int AddressWidth = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  logic                    clk_i,
  input  logic                    write_i,
  input  logic [AddressWidth-1:0] write_address_i,
  input  logic [Width-1:0]        write_data_i,
  input  logic                    read_i,
  input  logic [AddressWidth-1:0] read_address_i,
  output logic [Width-1:0]        data_o
);

  memory_2r1w #(
    .Width(Width),
    .Depth(Depth),
    .Bypass(Bypass),
    .PortB(1'b0)
  ) u_memory (
    .clk_i(clk_i),
    .write_i(write_i),
    .write_address_i(write_address_i),
    .write_data_i(write_data_i),
    .a_read_i(read_i),
    .a_address_i(read_address_i),
    .a_data_o(data_o),
    .b_read_i(1'b0),
    .b_address_i({AddressWidth{1'b0}}),
    // Port b does not exist.
    // verilator lint_off PINCONNECTEMPTY
    .b_data_o()
    // verilator lint_on PINCONNECTEMPTY
  );

endmodule
