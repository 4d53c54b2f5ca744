// SPDX-License-Identifier: Apache-2.0
// Counters that are read one at a time: what a unit counts for observation.
//
// Counter n grows by its step in each cycle with add_i[n], and wraps. count_o is combinational: the
// counter that index_i names, as it is before the coming edge; 0 where there is none.
// Cost: Counters x CountWidth flip-flops and as many bits of adders.
module counter_bank #(
  parameter int Counters = 4,     // at least 2
  parameter int CountWidth = 48,  // bits of a counter
  parameter int StepWidth = 1,    // bits of a step, at most CountWidth
  parameter int IndexWidth = 8    // bits of the index, enough for Counters
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  input  logic [Counters-1:0]           add_i,
  input  logic [Counters*StepWidth-1:0] step_i,
  input  logic [IndexWidth-1:0]         index_i,
  output logic [CountWidth-1:0]         count_o
);

  localparam int SelectWidth = $clog2(Counters);
  logic [CountWidth-1:0] counter_q [Counters];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      for (int n = 0; n < Counters; n = n + 1) counter_q[n] <= '0;
    end else begin
      for (int n = 0; n < Counters; n = n + 1) begin
        if (add_i[n]) counter_q[n] <= counter_q[n] + CountWidth'(step_i[n*StepWidth +: StepWidth]);
      end
    end
  end

  assign count_o = (32'(index_i) < Counters) ? counter_q[index_i[SelectWidth-1:0]] : '0;

endmodule
