// A memory with one write port and one synchronous read port.
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
  input  logic [AddressWidth-1:0] address_i,
  output logic [Width-1:0]        data_o
);

  logic [Width-1:0] words_q [Depth];
  logic [Width-1:0] data_q;
  logic new_word;

  assign new_word = Bypass && write_i && write_address_i == address_i;

  always_ff @(posedge clk_i) begin
    if (write_i) words_q[write_address_i] <= write_data_i;
    if (read_i) data_q <= new_word ? write_data_i : words_q[address_i];
  end
  assign data_o = data_q;

endmodule
