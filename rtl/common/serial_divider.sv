// SPDX-License-Identifier: Apache-2.0
// Divides by a constant, one bit of the quotient a cycle: where a division is rare and may take its
// time. (ratio_divider divides in one cycle, for many times the area.)
//
// Busy for Width cycles after start_i. In the last of them next_o and next_rest_o are already the
// result; from then on quotient_o and rest_o are, until the next start. A start while busy begins
// anew.
// Cost: Width + clog2(Divisor) + clog2(Width) flip-flops and one subtractor. The quotient comes in
// where the number leaves.
`include "assert.svh"
module serial_divider #(
  parameter int Width = 32,    // bits of the number
  parameter int Divisor = 8,   // at least 2
  localparam int RestWidth = $clog2(Divisor) + 1
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 start_i,
  input  logic [Width-1:0]     number_i,
  output logic                 busy_o,
  output logic                 last_o,       // in the last busy cycle
  output logic [Width-1:0]     quotient_o,
  output logic [RestWidth-1:0] rest_o,
  output logic [Width-1:0]     next_o,       // of this cycle's step
  output logic [RestWidth-1:0] next_rest_o
);

  localparam int CountWidth = $clog2(Width + 1);

  logic [Width-1:0] quotient_q;
  logic [RestWidth-1:0] rest_q;
  logic [CountWidth-1:0] count_q;
  logic [RestWidth:0] step;
  logic fits;

  assign busy_o = count_q != '0;
  assign last_o = count_q == CountWidth'(1);
  assign quotient_o = quotient_q;
  assign rest_o = rest_q;

  assign step = {rest_q, quotient_q[Width-1]};
  assign fits = step >= (RestWidth+1)'(Divisor);
  assign next_o = {quotient_q[Width-2:0], fits};
  assign next_rest_o = fits ? RestWidth'(step - (RestWidth+1)'(Divisor)) : RestWidth'(step);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      quotient_q <= '0;
      rest_q <= '0;
      count_q <= '0;
    end else if (start_i) begin
      quotient_q <= number_i;
      rest_q <= '0;
      count_q <= CountWidth'(Width);
    end else if (busy_o) begin
      quotient_q <= next_o;
      rest_q <= next_rest_o;
      count_q <= count_q - CountWidth'(1);
    end
  end

  `NOCTURNE_ASSERT(RestBelowDivisor, rest_q < RestWidth'(Divisor))

endmodule
