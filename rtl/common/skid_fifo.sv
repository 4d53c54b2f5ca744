// SPDX-License-Identifier: Apache-2.0
// A small first-in first-out queue whose ready and valid depend on state only.
//
// It takes a word while it holds fewer than Depth, whatever leaves in the same cycle, and
// keeps full rate from Depth 2 on. data_o is 0 while empty.
// Cost: the words. A ring has two indices and a choice of word on the way out; with Shift the
// oldest of two words is always the same register, which shortens what follows data_o, but pop_i
// reaches every bit of it, which lengthens what comes before pop_i.
`include "assert.svh"
module skid_fifo #(
  parameter int Width = 8,      // bits of a word
  parameter int Depth = 2,      // words, a power of two, at least 2
  parameter bit Shift = 1'b0,   // the words shift; Depth is 2
  localparam int CountWidth = $clog2(Depth + 1)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  push_i,   // illegal when full
  input  logic [Width-1:0]      data_i,
  input  logic                  pop_i,    // illegal when empty
  output logic [Width-1:0]      data_o,   // the oldest
  output logic [CountWidth-1:0] count_o
);

  logic [CountWidth-1:0] count_q;

  assign count_o = count_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      count_q <= '0;
    end else begin
      if (push_i && !pop_i) count_q <= count_q + CountWidth'(1);
      if (pop_i && !push_i) count_q <= count_q - CountWidth'(1);
    end
  end

  if (Shift) begin : gen_shift
    logic [Width-1:0] first_q, second_q;

    assign data_o = first_q;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        first_q <= '0;
      end else if (pop_i || (push_i && count_q == '0)) begin
        first_q <= count_q[1] ? second_q : push_i ? data_i : '0;
      end
      if (push_i) second_q <= data_i;
    end
  end else begin : gen_ring
    localparam int IndexWidth = $clog2(Depth);
    logic [Width-1:0] words_q [Depth];
    logic [IndexWidth-1:0] head_q, tail_q;

    assign data_o = (count_q != '0) ? words_q[head_q] : '0;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        head_q <= '0;
        tail_q <= '0;
      end else begin
        if (push_i) tail_q <= tail_q + IndexWidth'(1);
        if (pop_i) head_q <= head_q + IndexWidth'(1);
      end
      if (push_i) words_q[tail_q] <= data_i;
    end
  end

  `NOCTURNE_ASSERT(PushHasRoom, push_i |-> count_q != CountWidth'(Depth))
  `NOCTURNE_ASSERT(PopHasWord, pop_i |-> count_q != '0)

endmodule
