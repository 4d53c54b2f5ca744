// SPDX-License-Identifier: Apache-2.0
// Pairs GPUs for the exchange of their sub-images, so that each sends to at most one
// and receives from at most one at a time.
// CHOPIN (HPCA 2021), IV-E, Fig. 11, Fig. 12, Table I. Cycle contract:
// docs/units/composition_scheduler.md.
//
// A GPU reports ready and enters its next composition group (CGID grows by one). A
// transfer s to g starts when both are in the same group, s has nothing to send yet, g
// receives nothing yet, and g has not merged s; the receiver reports done. Who has sent
// to all and received from all is released, while others still compose. In transparent
// groups the sub-images that g has merged form a contiguous interval around g, and only
// the interval's two neighbours may send.
//
// No deadlock: a start takes both ends at once and only when both are free, so no GPU
// holds one end while it waits for another, and started transfers end if links and
// memories do. When none is under way and a group whose GPUs are all ready is not
// complete, some pair is eligible: opaque, any pair that has not exchanged; transparent,
// a g that lacks somebody lacks a neighbour of its interval. Sources take turns and each
// sends once to each receiver of a group, so an eligible pair starts within
// NumGpus (NumGpus - 1) starts.
//
// Groups are told apart by the lowest bit of the CGID: a GPU leaves group n only after an
// exchange with every other GPU in n, so two CGIDs never differ by more than one, whatever
// the inputs (proven at NumGpus 2, 3 and 4: docs/hardware/proved.md).
//
// Illegal, and refused without any effect but error_o, which keeps the first code until
// reset: op 3 (1), ready of a GPU that is ready or not yet released (2), done of a GPU that
// is not receiving (3). Kinds that differ within a group (4) keep those pairs from ever
// starting.
// Latency: a ready or done that makes a pair eligible in cycle t gives start_valid_o in
// t + 2. Throughput: one start a cycle; NumGpus messages and releases a cycle.
// Cost: NumGpus x (2 NumGpus + 14 + clog2(NumGpus)) flip-flops and some 20 more; NumGpus^2
// cells of eligibility and of peer decoding; the longest path is the eligibility, an OR of
// depth clog2(NumGpus) and two selections of that depth, one after the other.
`include "composition_scheduler_pkg.sv"
`include "assert.svh"
module composition_scheduler #(
  // GPUs, 2 to 64
  parameter int NumGpus     = 8,
  // a sender's next receiver: the lowest number instead of the first after itself
  parameter bit LowestFirst = 1'b0,
  // bits of a GPU number; derived
  localparam int IndexWidth = $clog2(NumGpus)
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,               // synchronous

  // One message from each GPU, always accepted
  input  logic [NumGpus-1:0]         message_valid_i,
  input  logic [NumGpus*2-1:0]       message_op_i,         // 0 ready opaque, 1 transparent, 2 done

  // Start orders, heard by both ends
  output logic                       start_valid_o,
  input  logic                       start_ready_i,
  output logic [IndexWidth-1:0]      start_source_o,       // sender
  output logic [IndexWidth-1:0]      start_destination_o,  // receiver
  output logic [7:0]                 start_cgid_o,         // their composition group
  output logic                       start_front_o,        // sender's layers lie in front

  // GPU g has sent to all and received from all
  output logic [NumGpus-1:0]         release_valid_o,
  input  logic [NumGpus-1:0]         release_ready_i,

  output logic [2:0]                 error_o,              // sticky, 0 none
  output logic                       quiescent_o,          // the clock would change nothing

  // The table (Table I), GPU 0 lowest
  output logic [NumGpus*8-1:0]       cgid_o,
  output logic [NumGpus-1:0]         ready_o,
  output logic [NumGpus-1:0]         receiving_o,
  output logic [NumGpus-1:0]         sending_o,
  output logic [NumGpus*NumGpus-1:0] sent_o,
  output logic [NumGpus*NumGpus-1:0] received_o
);

  `include "one_hot.svh"

  // The table
  logic [NumGpus*8-1:0]          cgid_q;
  logic [NumGpus-1:0]            ready_q, receiving_q, sending_q;
  logic [NumGpus*NumGpus-1:0]    sent_q, received_q;
  // Beside the table
  logic [NumGpus-1:0]            transparent_q;   // kind of the group g is ready for
  logic [NumGpus*IndexWidth-1:0] peer_q;          // who sends to g while g is receiving
  logic [NumGpus-1:0]            release_valid_q;
  logic [2:0]                    error_q;

  // ---------------------------------------------------------------- messages, completion
  logic [NumGpus-1:0] is_ready_message, is_done_message, is_illegal_message;
  logic [NumGpus-1:0] enter, done, complete;
  logic [NumGpus-1:0] odd;                        // lowest bit of the CGID
  logic [NumGpus*NumGpus-1:0] done_to;            // row s: the receivers of s that are done
  logic [NumGpus*NumGpus-1:0] done_from;          // row g: the sender that g is done with
  logic [NumGpus-1:0] sender_done;
  logic               is_mixed;                   // kinds differ within a group

  pair_messages #(
    .NumGpus(NumGpus)
  ) u_messages (
    .valid_i(message_valid_i),
    .op_i(message_op_i),
    .is_ready_o(is_ready_message),
    .is_report_o(is_done_message),
    .is_illegal_o(is_illegal_message),
    .ready_i(ready_q),
    .odd_i(odd),
    .transparent_i(transparent_q),
    .is_mixed_o(is_mixed)
  );

  for (genvar g = 0; g < NumGpus; g = g + 1) begin : gen_message
    // A name of its own: Yosys 0.23 takes NumGpus'(1) inside a reduction for 32 bits.
    localparam logic [NumGpus-1:0] Self = NumGpus'(1) << g;
    assign odd[g] = cgid_q[g*8];
    for (genvar s = 0; s < NumGpus; s = s + 1) begin : gen_peer
      assign done_from[g*NumGpus + s] =
          done[g] && peer_q[g*IndexWidth +: IndexWidth] == IndexWidth'(s);
      assign done_to[s*NumGpus + g] = done_from[g*NumGpus + s];
    end
    assign sender_done[g] = |done_to[g*NumGpus +: NumGpus];
    assign complete[g] = ready_q[g] &&
        (&(sent_q[g*NumGpus +: NumGpus] | Self)) &&
        (&(received_q[g*NumGpus +: NumGpus] | Self));
  end

  assign enter = is_ready_message & ~ready_q & ~release_valid_q;
  assign done  = is_done_message & receiving_q;

  // ------------------------------------------------------------------------ eligibility
  // Row g: the sources that may send to g.
  logic [NumGpus*NumGpus-1:0] eligible;

  for (genvar g = 0; g < NumGpus; g = g + 1) begin : gen_eligible
    localparam logic [NumGpus-1:0] Self  = NumGpus'(1) << g;
    localparam logic [NumGpus-1:0] Below = Self - NumGpus'(1);
    localparam logic [NumGpus-1:0] Above = ~(Self | Below);
    logic [NumGpus-1:0] merged, neighbour;
    assign merged = received_q[g*NumGpus +: NumGpus] | Self;
    assign neighbour = ((merged << 1) & Above) | ((merged >> 1) & Below);
    assign eligible[g*NumGpus +: NumGpus] =
        {NumGpus{ready_q[g] && !receiving_q[g]}} & ready_q & ~sending_q & ~merged &
        ~(odd ^ {NumGpus{odd[g]}}) & ~(transparent_q ^ {NumGpus{transparent_q[g]}}) &
        (neighbour | {NumGpus{!transparent_q[g]}});
  end

  // -------------------------------------------------------------------------- the choice
  logic [NumGpus-1:0] sources, source, above_source;
  logic [NumGpus-1:0] receivers, receivers_later, receiver;
  logic               is_start;

  always_comb begin
    sources = '0;
    for (int g = 0; g < NumGpus; g = g + 1) begin
      sources = sources | eligible[g*NumGpus +: NumGpus];
    end
  end

  assign above_source = above_lowest(source);

  for (genvar g = 0; g < NumGpus; g = g + 1) begin : gen_receivers
    assign receivers[g] = |(eligible[g*NumGpus +: NumGpus] & source);
  end

  assign receivers_later = LowestFirst ? '0 : receivers & above_source;
  assign receiver = |receivers_later ? receivers_later & ~above_lowest(receivers_later)
                                     : receivers & ~above_lowest(receivers);

  start_order #(
    .NumGpus(NumGpus)
  ) u_start (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .sources_i(sources),
    .source_o(source),
    .start_o(is_start),
    .destination_i(encode(receiver)),
    .front_i(|(transparent_q & source) && |(above_lowest(receiver) & source)),
    .cgid_i(cgid_q),
    .start_valid_o(start_valid_o),
    .start_ready_i(start_ready_i),
    .start_source_o(start_source_o),
    .start_destination_o(start_destination_o),
    .start_cgid_o(start_cgid_o),
    .start_front_o(start_front_o)
  );

  // ------------------------------------------------------------------------------ errors
  logic [2:0] error_d;

  always_comb begin
    error_d = error_q;
    if (error_q == composition_scheduler_pkg::ErrNone) begin
      if (|is_illegal_message) begin
        error_d = composition_scheduler_pkg::ErrMessage;
      end else if (|(is_ready_message & ~enter)) begin
        error_d = composition_scheduler_pkg::ErrReady;
      end else if (|(is_done_message & ~done)) begin
        error_d = composition_scheduler_pkg::ErrDone;
      end else if (is_mixed) begin
        error_d = composition_scheduler_pkg::ErrKind;
      end
    end
  end

  // ------------------------------------------------------------------------------- state
  for (genvar g = 0; g < NumGpus; g = g + 1) begin : gen_entry
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        cgid_q[g*8 +: 8]                   <= '0;
        transparent_q[g]                   <= 1'b0;
        peer_q[g*IndexWidth +: IndexWidth] <= '0;
        sent_q[g*NumGpus +: NumGpus]       <= '0;
        received_q[g*NumGpus +: NumGpus]   <= '0;
      end else begin
        if (enter[g]) begin
          cgid_q[g*8 +: 8] <= cgid_q[g*8 +: 8] + 8'd1;
          transparent_q[g] <= message_op_i[g*2];
        end
        if (is_start && receiver[g]) begin
          peer_q[g*IndexWidth +: IndexWidth] <= encode(source);
        end
        if (complete[g]) begin
          sent_q[g*NumGpus +: NumGpus]     <= '0;
          received_q[g*NumGpus +: NumGpus] <= '0;
        end else begin
          sent_q[g*NumGpus +: NumGpus] <=
              sent_q[g*NumGpus +: NumGpus] | done_to[g*NumGpus +: NumGpus];
          received_q[g*NumGpus +: NumGpus] <=
              received_q[g*NumGpus +: NumGpus] | done_from[g*NumGpus +: NumGpus];
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      ready_q         <= '0;
      receiving_q     <= '0;
      sending_q       <= '0;
      release_valid_q <= '0;
      error_q         <= composition_scheduler_pkg::ErrNone;
    end else begin
      ready_q         <= (ready_q | enter) & ~complete;
      receiving_q     <= (receiving_q & ~done) | (is_start ? receiver : '0);
      sending_q       <= (sending_q & ~sender_done) | (is_start ? source : '0);
      release_valid_q <= (release_valid_q & ~release_ready_i) | complete;
      error_q         <= error_d;
    end
  end

  assign release_valid_o     = release_valid_q;
  assign error_o             = error_q;
  assign cgid_o              = cgid_q;
  assign ready_o             = ready_q;
  assign receiving_o         = receiving_q;
  assign sending_o           = sending_q;
  assign sent_o              = sent_q;
  assign received_o          = received_q;

  assign quiescent_o = !(|message_valid_i) && !(start_valid_o && start_ready_i) &&
                       !(|(release_valid_q & release_ready_i)) && !(|complete) && !is_start &&
                       !(is_mixed && error_q == composition_scheduler_pkg::ErrNone);

  initial begin
    if (NumGpus < 2 || NumGpus > 64) begin
      $display("composition_scheduler: NumGpus must be 2 to 64");
      $finish;
    end
  end

  for (genvar g = 0; g < NumGpus; g = g + 1) begin : gen_rule
    `NOCTURNE_ASSERT(ReleaseHolds, release_valid_o[g] && !release_ready_i[g] |=> release_valid_o[g])
  end
  `NOCTURNE_ASSERT(ReceiverIsOne, is_start |-> $onehot(receiver))
  `NOCTURNE_ASSERT(StickyError,
    error_q != composition_scheduler_pkg::ErrNone |=> $stable(error_q))

endmodule
