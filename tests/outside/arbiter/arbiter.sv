// SPDX-License-Identifier: Apache-2.0
// Grants requests round-robin while there are credits. The contract is arbiter.md.
//
// Illegal: a credit when all are there. It is refused, and error_o becomes 1 until reset.
// A request is granted in the cycle after its acceptance at the earliest; one grant a cycle.
module arbiter #(
  parameter int Inputs  = 4,               // 2 to 16
  parameter int Width   = 16,              // bits of a request, 8 to 32
  parameter int Credits = 4,               // 1 to 15
  localparam int Index  = $clog2(Inputs)
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  // Requests, one kept of each input
  input  logic [Inputs-1:0]       request_valid_i,
  output logic [Inputs-1:0]       request_ready_o,
  input  logic [Inputs*Width-1:0] request_data_i,
  // Grants; each costs a credit
  output logic                    grant_valid_o,
  input  logic                    grant_ready_i,
  output logic [Index-1:0]        grant_source_o,
  output logic [Width-1:0]        grant_data_o,
  // A credit comes back
  input  logic                    credit_i,
  // Status
  output logic                    error_o,
  output logic                    quiescent_o,
  output logic [3:0]              left_o
);

  logic [Inputs-1:0] full_q;
  logic [Inputs*Width-1:0] data_q;
  logic [Index-1:0] last_q, source_q;
  logic valid_q, error_q;
  logic [Width-1:0] out_q;
  logic [3:0] left_q;

  // The first full one after the last granted.
  logic [Index-1:0] chosen;
  logic any;
  logic [Index-1:0] place;
  always_comb begin
    chosen = '0;
    place = '0;
    any = 1'b0;
    for (int i = Inputs; i >= 1; i = i - 1) begin
      place = Index'((32'(last_q) + i) % Inputs);
      if (full_q[place]) begin
        chosen = place;
        any = 1'b1;
      end
    end
  end

  wire [Inputs-1:0] accepted = request_valid_i & ~full_q;
  wire leaves = valid_q & grant_ready_i;
  wire grants = (~valid_q | leaves) & any & (left_q != 4'd0);
  wire [3:0] rest = left_q - 4'(grants);
  wire refused = credit_i & (rest == 4'(Credits));
  wire returned = credit_i & ~refused;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      full_q <= '0;
      data_q <= '0;
      last_q <= Index'(Inputs - 1);
      source_q <= '0;
      valid_q <= 1'b0;
      out_q <= '0;
      left_q <= 4'(Credits);
      error_q <= 1'b0;
    end else begin
      for (int i = 0; i < Inputs; i = i + 1) begin
        if (accepted[i]) begin
          full_q[i] <= 1'b1;
          data_q[i*Width +: Width] <= request_data_i[i*Width +: Width];
        end
      end
      if (grants) begin
        full_q[chosen] <= 1'b0;
        last_q <= chosen;
      end
      if (leaves | grants) begin
        valid_q <= grants;
        source_q <= grants ? chosen : '0;
        out_q <= grants ? data_q[32'(chosen)*Width +: Width] : '0;
      end
      left_q <= rest + 4'(returned);
      error_q <= error_q | refused;
    end
  end

  assign request_ready_o = ~full_q;
  assign grant_valid_o = valid_q;
  assign grant_source_o = source_q;
  assign grant_data_o = out_q;
  assign error_o = error_q;
  assign left_o = left_q;
  assign quiescent_o = (accepted == '0) & ~leaves & ~grants & ~credit_i;

`ifdef VERILATOR
  CreditsWithinLimit: assert property (@(posedge clk_i) !rst_ni || left_q <= 4'(Credits));
`endif

endmodule
