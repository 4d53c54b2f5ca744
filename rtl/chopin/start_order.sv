// SPDX-License-Identifier: Apache-2.0
// Chooses whose turn it is to send, and holds the start order until both ends have heard it.
//
// Used by composition_scheduler and lookahead_scheduler. Sources take turns: the next one is the
// first after the last chosen. The unit finds the receiver of source_o and hands it back in the
// same cycle. A start is loaded when start_o is set. Then start_valid_o and its fields hold until
// start_ready_i.
// Cost: NumGpus + 2 clog2(NumGpus) + 10 flip-flops.
`include "assert.svh"
module start_order #(
  parameter int NumGpus = 8,  // 2 to 64
  localparam int IndexWidth = $clog2(NumGpus)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic [NumGpus-1:0]    sources_i,       // GPUs that may send to somebody
  output logic [NumGpus-1:0]    source_o,        // the chosen one, one-hot
  output logic                  start_o,         // one is taken in this cycle

  input  logic [IndexWidth-1:0] destination_i,   // the receiver of source_o
  input  logic                  front_i,         // the sender's layers lie in front
  input  logic [NumGpus*8-1:0]  cgid_i,          // composition group of each GPU

  output logic                  start_valid_o,
  input  logic                  start_ready_i,
  output logic [IndexWidth-1:0] start_source_o,
  output logic [IndexWidth-1:0] start_destination_o,
  output logic [7:0]            start_cgid_o,
  output logic                  start_front_o
);

  `include "one_hot.svh"

  logic [NumGpus-1:0]    later_q;  // the GPUs above the last source
  logic [NumGpus-1:0]    sources_later, above_source;
  logic                  is_free;  // a start can be taken
  logic                  start_valid_q, start_front_q;
  logic [IndexWidth-1:0] start_source_q, start_destination_q;
  logic [7:0]            start_cgid_q, source_cgid;

  assign sources_later = sources_i & later_q;
  assign source_o = |sources_later ? sources_later & ~above_lowest(sources_later)
                                   : sources_i & ~above_lowest(sources_i);
  assign above_source = above_lowest(source_o);

  always_comb begin
    source_cgid = '0;
    for (int s = 0; s < NumGpus; s = s + 1) begin
      source_cgid = source_cgid | (source_o[s] ? cgid_i[s*8 +: 8] : 8'd0);
    end
  end

  assign is_free  = !start_valid_q || start_ready_i;
  assign start_o = is_free && |sources_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      later_q       <= '0;
      start_valid_q <= 1'b0;
    end else begin
      if (is_free) start_valid_q <= start_o;
      if (start_o) later_q <= above_source;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      start_source_q      <= '0;
      start_destination_q <= '0;
      start_cgid_q        <= '0;
      start_front_q       <= 1'b0;
    end else if (start_o) begin
      start_source_q      <= encode(source_o);
      start_destination_q <= destination_i;
      start_cgid_q        <= source_cgid;
      start_front_q       <= front_i;
    end
  end

  assign start_valid_o       = start_valid_q;
  assign start_source_o      = start_source_q;
  assign start_destination_o = start_destination_q;
  assign start_cgid_o        = start_cgid_q;
  assign start_front_o       = start_front_q;

  `NOCTURNE_ASSERT(StartHolds, start_valid_o && !start_ready_i |=>
                   start_valid_o && $stable({start_source_o, start_destination_o, start_cgid_o,
                                             start_front_o}))
  `NOCTURNE_ASSERT(StartHasTwoEnds, start_valid_o |-> start_source_o != start_destination_o)
  `NOCTURNE_ASSERT(SourceIsOne, $onehot0(source_o))

endmodule
