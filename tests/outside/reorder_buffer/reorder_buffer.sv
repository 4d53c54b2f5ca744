// SPDX-License-Identifier: Apache-2.0
// Gives results in the order in which their operations began. The contract is reorder_buffer.md.
//
// Illegal: a result for a slot in which nothing is under way, or that has one. It is refused, and
// error_o keeps which it was first until reset.
module reorder_buffer #(
  parameter int Slots  = 4,                // 2 to 16
  parameter int Width  = 16,               // bits of a result, 1 to 32
  localparam int Index = $clog2(Slots)
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  // Operations that begin
  input  logic             begin_valid_i,
  output logic             begin_ready_o,
  // Results, in any order
  input  logic             result_valid_i,
  input  logic [Index-1:0] result_slot_i,
  input  logic [Width-1:0] result_data_i,
  // Results in order
  output logic             leave_valid_o,
  input  logic             leave_ready_i,
  output logic [Width-1:0] leave_data_o,
  // Status
  output logic             quiescent_o,
  output logic [1:0]       error_o,
  output logic [Index-1:0] next_o
);

  localparam logic [Index-1:0] Last = Index'(Slots - 1);

  logic [Index-1:0] oldest_q, next_q;
  logic [Index:0] count_q;
  logic [Slots-1:0] done_q;
  logic [Slots*Width-1:0] data_q;
  logic [1:0] error_q;

  wire begins = begin_valid_i & begin_ready_o;
  wire leaves = leave_ready_i & leave_valid_o;

  // Slots under way, apart from one that leaves: the first ones from the oldest on.
  logic [Slots-1:0] under_way;
  always_comb begin
    for (int i = 0; i < Slots; i = i + 1) begin
      under_way[i] = (Index + 1)'(i >= 32'(oldest_q) ? i - 32'(oldest_q)
                                                     : i + Slots - 32'(oldest_q)) < count_q;
      if (leaves && i == 32'(oldest_q)) begin
        under_way[i] = 1'b0;
      end
    end
  end

  logic [Slots-1:0] asked;
  always_comb begin
    for (int i = 0; i < Slots; i = i + 1) begin
      asked[i] = result_valid_i & (32'(result_slot_i) == i);
    end
  end

  wire not_begun = result_valid_i & ((asked & under_way) == '0);
  wire twice = ~not_begun & ((asked & done_q) != '0);
  wire kept = result_valid_i & ~not_begun & ~twice;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      oldest_q <= '0;
      next_q <= '0;
      count_q <= '0;
      done_q <= '0;
      error_q <= 2'd0;
    end else begin
      if (leaves) begin
        oldest_q <= oldest_q == Last ? '0 : oldest_q + 1'b1;
        done_q[oldest_q] <= 1'b0;
      end
      if (begins) begin
        next_q <= next_q == Last ? '0 : next_q + 1'b1;
      end
      count_q <= count_q + (Index + 1)'(begins) - (Index + 1)'(leaves);
      if (kept) begin
        done_q[result_slot_i] <= 1'b1;
      end
      if (error_q == 2'd0) begin
        error_q <= {twice, not_begun};
      end
    end
  end

  // (Without a result it is not read.)
  always_ff @(posedge clk_i) begin
    if (kept) begin
      data_q[32'(result_slot_i)*Width +: Width] <= result_data_i;
    end
  end

  assign begin_ready_o = count_q != (Index + 1)'(Slots);
  assign leave_valid_o = done_q[oldest_q];
  assign leave_data_o = leave_valid_o ? data_q[32'(oldest_q)*Width +: Width] : '0;
  assign error_o = error_q;
  assign next_o = next_q;
  assign quiescent_o = ~begins & ~leaves & ~result_valid_i;

endmodule
