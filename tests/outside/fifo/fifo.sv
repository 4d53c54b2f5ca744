// SPDX-License-Identifier: Apache-2.0
// Keeps words in their order. The contract is fifo.md.
//
// Illegal: a word without room. It is refused, and error_o becomes 1 until reset. A word that comes
// can leave in the next cycle at the earliest.
module fifo #(
  parameter int Depth  = 4,                // 2 to 16
  parameter int Width  = 16,               // bits of a word, 1 to 32
  localparam int Index = $clog2(Depth)
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  // Words that come
  input  logic             push_valid_i,
  input  logic [Width-1:0] push_data_i,
  // Words that leave
  output logic             pop_valid_o,
  input  logic             pop_ready_i,
  output logic [Width-1:0] pop_data_o,
  // Status
  output logic             quiescent_o,
  output logic             error_o,
  output logic [4:0]       count_o
);

  localparam logic [Index-1:0] Last = Index'(Depth - 1);

  // The places of the oldest word and of the next one; equal where there is none, or no room.
  logic [Index-1:0] read_q, write_q;
  logic full_q, error_q;
  logic [Depth*Width-1:0] data_q;

  wire empty = (read_q == write_q) & ~full_q;
  wire comes = push_valid_i & ~full_q;
  wire leaves = pop_ready_i & ~empty;
  wire [Index-1:0] read_next = read_q == Last ? '0 : read_q + 1'b1;
  wire [Index-1:0] write_next = write_q == Last ? '0 : write_q + 1'b1;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      read_q <= '0;
      write_q <= '0;
      full_q <= 1'b0;
      error_q <= 1'b0;
    end else begin
      error_q <= error_q | (push_valid_i & full_q);
      if (leaves) begin
        read_q <= read_next;
      end
      if (comes) begin
        write_q <= write_next;
      end
      if (comes != leaves) begin
        full_q <= comes & (write_next == read_q);
      end
    end
  end

  // (What no word has written is not read.)
  always_ff @(posedge clk_i) begin
    if (comes) begin
      data_q[32'(write_q)*Width +: Width] <= push_data_i;
    end
  end

  assign error_o = error_q;
  assign pop_valid_o = ~empty;
  assign pop_data_o = empty ? '0 : data_q[32'(read_q)*Width +: Width];
  assign count_o = full_q             ? 5'(Depth)
                   : write_q >= read_q ? 5'(write_q) - 5'(read_q)
                                       : 5'(Depth) - (5'(read_q) - 5'(write_q));
  assign quiescent_o = ~push_valid_i & ~leaves;

endmodule
