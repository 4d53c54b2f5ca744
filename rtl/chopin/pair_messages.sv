// SPDX-License-Identifier: Apache-2.0
// Decodes one message from each GPU to a scheduler of transfers, and tells when the kinds of a
// group differ.
//
// Used by composition_scheduler and lookahead_scheduler, whose messages and groups are alike: op 0
// is ready for an opaque group, 1 for a transparent one, 2 reports on a transfer, 3 is illegal.
// Groups are told apart by the lowest bit of the CGID.
// Cost: combinational, two levels of NumGpus bits.
module pair_messages #(
  parameter int NumGpus = 8
) (
  input  logic [NumGpus-1:0]   valid_i,
  input  logic [NumGpus*2-1:0] op_i,
  output logic [NumGpus-1:0]   is_ready_o,
  output logic [NumGpus-1:0]   is_report_o,
  output logic [NumGpus-1:0]   is_illegal_o,

  input  logic [NumGpus-1:0]   ready_i,        // GPUs that are in a group
  input  logic [NumGpus-1:0]   odd_i,          // lowest bit of their CGID
  input  logic [NumGpus-1:0]   transparent_i,  // their kind
  output logic                 is_mixed_o      // a group has both kinds
);

  logic [NumGpus-1:0] even_ready, odd_ready;

  for (genvar g = 0; g < NumGpus; g = g + 1) begin : gen_message
    assign is_ready_o[g]   = valid_i[g] && !op_i[g*2 + 1];
    assign is_report_o[g]  = valid_i[g] && op_i[g*2 +: 2] == 2'd2;
    assign is_illegal_o[g] = valid_i[g] && op_i[g*2 +: 2] == 2'd3;
  end

  assign even_ready = ready_i & ~odd_i;
  assign odd_ready  = ready_i & odd_i;
  assign is_mixed_o = (|(even_ready & transparent_i) && |(even_ready & ~transparent_i)) ||
                      (|(odd_ready & transparent_i) && |(odd_ready & ~transparent_i));

endmodule
