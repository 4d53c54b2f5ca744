// SPDX-License-Identifier: Apache-2.0
// Pairs GPUs for the exchange of their sub-images, several transfers ahead of those under way.
// Our extension of CHOPIN's composition scheduler (HPCA 2021, IV-E), which gives a GPU its next
// transfer only after the last is reported done: two messages' time lost a transfer. Cycle
// contract: docs/units/lookahead_scheduler.md.
//
// A GPU reports ready with a depth, how many transfers it may have granted and not ended on each
// side, and enters its next composition group (CGID grows by one); a ready before its entry is
// free waits in a pending entry. A transfer s to g is granted when both are in the same group,
// s has not been granted to g yet and neither is at its depth; in transparent groups only the
// two neighbours of the interval that is granted to g may send. Of all such pairs one with the
// fewest transfers outstanding at its busier end is taken. The sender reports when a transfer
// will soon end. An entry is free when its GPU is granted to and from all others and all of
// these have been reported; a GPU knows by itself when it has exchanged with all.
//
// No deadlock, granting: when nothing granted is outstanding and a group whose GPUs are all
// ready is not complete, some pair is eligible: opaque, any pair not granted; transparent, a g
// that lacks somebody lacks a neighbour of its interval.
// No deadlock, transfers: grants are totally ordered, and a sender serves its own in that order.
// Take the oldest one that has not ended, s to g. All older sends of s have been issued, so s is
// sending it. g merges it, or another one that has begun; one that has begun ends, since its
// source is at the head of its queue and g takes in what it sends. So g comes to it: in a
// transparent group it is g's oldest, in an opaque one the oldest whose first beat has come. By
// induction every grant ends. This needs a beat of buffer kept for each link, a memory port that
// delays a send only finitely for merges, and that a blocked send holds nothing that a merge
// needs.
//
// Groups are told apart by the lowest bit of the CGID: an entry leaves group n only after grants
// to and from every other GPU in n, so two CGIDs never differ by more than one.
//
// Illegal, and refused without any effect but error_o, which keeps the first code until reset:
// op 3 (1), ready of a GPU whose pending entry is taken (2), ready with a depth of 0 or above
// MaxDepth (3), an ending of a pair that is not granted, or has ended (4). Kinds that differ
// within a group (5) keep those pairs from ever starting.
// Latency: what makes a pair eligible in cycle t gives start_valid_o in t + 3. Throughput: a start
// a cycle, but none in the cycle after the last pair of a level; NumGpus messages a cycle.
// Cost: NumGpus x (3 NumGpus + 27) flip-flops and some 30 more; MaxDepth x NumGpus^2 pairs of
// gates find the level, in a cycle of its own. The longest path is the eligibility, an OR of depth
// clog2(NumGpus) and two selections of that depth, one after the other.
`include "lookahead_scheduler_pkg.sv"
`include "assert.svh"
module lookahead_scheduler #(
  // GPUs, 2 to 64
  parameter int NumGpus     = 8,
  // greatest depth that a GPU may ask for, 1 to 8
  parameter int MaxDepth    = 8,
  // bits of a GPU number; derived
  localparam int IndexWidth = $clog2(NumGpus)
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,               // synchronous

  // One message from each GPU, always accepted
  input  logic [NumGpus-1:0]            message_valid_i,
  input  logic [NumGpus*2-1:0]          message_op_i,     // 0 ready opaque, 1 transparent, 2 ending
  input  logic [NumGpus*IndexWidth-1:0] message_peer_i,       // of an ending: the receiver
  input  logic [NumGpus*4-1:0]          message_depth_i,      // of a ready: transfers

  // Start orders, heard by both ends
  output logic                          start_valid_o,
  input  logic                          start_ready_i,
  output logic [IndexWidth-1:0]         start_source_o,       // sender
  output logic [IndexWidth-1:0]         start_destination_o,  // receiver
  output logic [7:0]                    start_cgid_o,         // their composition group
  output logic                          start_front_o,        // sender's layers lie in front

  output logic [2:0]                    error_o,              // sticky, 0 none
  output logic                          quiescent_o,          // the clock would change nothing

  // The table, GPU 0 lowest
  output logic [NumGpus*8-1:0]          cgid_o,
  output logic [NumGpus-1:0]            ready_o,
  output logic [NumGpus-1:0]            pending_o,            // ready for the next group
  output logic [NumGpus*4-1:0]          depth_o,
  output logic [NumGpus*4-1:0]          receiving_o,          // granted, not ended
  output logic [NumGpus*4-1:0]          sending_o,
  output logic [NumGpus*NumGpus-1:0]    sent_o,               // row s: granted receivers
  output logic [NumGpus*NumGpus-1:0]    received_o,           // row g: granted senders
  output logic [NumGpus*NumGpus-1:0]    ended_o               // row s: receivers, ending reported
);

  `include "one_hot.svh"

  function automatic logic [3:0] count(input logic [NumGpus-1:0] bits);
    count = '0;
    for (int k = 0; k < NumGpus; k = k + 1) begin
      count = count + 4'(bits[k]);
    end
  endfunction

  // The table
  logic [NumGpus*8-1:0]       cgid_q;
  logic [NumGpus-1:0]         ready_q;
  logic [NumGpus*4-1:0]       receiving_q, sending_q;
  logic [NumGpus*NumGpus-1:0] sent_q, received_q;
  // Beside the paper's
  logic [NumGpus*NumGpus-1:0] ended_q;
  logic [NumGpus*4-1:0]       depth_q, pending_depth_q;
  logic [NumGpus-1:0]         transparent_q, pending_transparent_q;  // kinds
  logic [NumGpus-1:0]         pending_q;
  logic [2:0]                 error_q;

  // ---------------------------------------------------------------- messages, completion
  logic [NumGpus-1:0] is_illegal_message, is_ready_message, is_ending_message, good_depth;
  logic [NumGpus-1:0] taken_ready, wants, enter, ending, complete;
  logic [NumGpus*4-1:0] wanted_depth;
  logic [NumGpus-1:0]   wanted_transparent;
  logic [NumGpus-1:0] odd;                        // lowest bit of the CGID
  logic [NumGpus*NumGpus-1:0] named;              // row s: the receiver that s names, if open
  logic [NumGpus*NumGpus-1:0] named_to;           // row g: the senders that name g
  logic                       is_mixed;           // kinds differ within a group

  pair_messages #(
    .NumGpus(NumGpus)
  ) u_messages (
    .valid_i(message_valid_i),
    .op_i(message_op_i),
    .is_ready_o(is_ready_message),
    .is_report_o(is_ending_message),
    .is_illegal_o(is_illegal_message),
    .ready_i(ready_q),
    .odd_i(odd),
    .transparent_i(transparent_q),
    .is_mixed_o(is_mixed)
  );

  for (genvar g = 0; g < NumGpus; g = g + 1) begin : gen_message
    // A name of its own: Yosys 0.23 takes NumGpus'(1) inside a reduction for 32 bits.
    localparam logic [NumGpus-1:0] Self = NumGpus'(1) << g;
    assign good_depth[g] = message_depth_i[g*4 +: 4] != 4'd0 &&
                           message_depth_i[g*4 +: 4] <= 4'(MaxDepth);
    assign odd[g]        = cgid_q[g*8];
    for (genvar d = 0; d < NumGpus; d = d + 1) begin : gen_peer
      assign named[g*NumGpus + d] = is_ending_message[g] &&
          message_peer_i[g*IndexWidth +: IndexWidth] == IndexWidth'(d) &&
          sent_q[g*NumGpus + d] && !ended_q[g*NumGpus + d];
      assign named_to[d*NumGpus + g] = named[g*NumGpus + d];
    end
    assign ending[g] = |named[g*NumGpus +: NumGpus];
    assign complete[g] = ready_q[g] &&
        (&(sent_q[g*NumGpus +: NumGpus] | Self)) &&
        (&(received_q[g*NumGpus +: NumGpus] | Self)) &&
        sending_q[g*4 +: 4] == 4'd0 && receiving_q[g*4 +: 4] == 4'd0;
    assign wanted_depth[g*4 +: 4] =
        pending_q[g] ? pending_depth_q[g*4 +: 4] : message_depth_i[g*4 +: 4];
    assign wanted_transparent[g] = pending_q[g] ? pending_transparent_q[g] : message_op_i[g*2];
  end

  assign taken_ready = is_ready_message & good_depth & ~pending_q;
  assign wants       = pending_q | taken_ready;
  assign enter       = wants & (~ready_q | complete);

  // ------------------------------------------------------------------------ eligibility
  // Row g: the sources that may send to g, but for how many transfers each end has.
  logic [NumGpus*NumGpus-1:0] pair;
  logic [NumGpus-1:0]         may_send, may_receive;  // below the depth

  for (genvar g = 0; g < NumGpus; g = g + 1) begin : gen_pair
    localparam logic [NumGpus-1:0] Self  = NumGpus'(1) << g;
    localparam logic [NumGpus-1:0] Below = Self - NumGpus'(1);
    localparam logic [NumGpus-1:0] Above = ~(Self | Below);
    logic [NumGpus-1:0] granted, neighbour;
    assign granted = received_q[g*NumGpus +: NumGpus] | Self;
    assign neighbour = ((granted << 1) & Above) | ((granted >> 1) & Below);
    assign pair[g*NumGpus +: NumGpus] =
        ~granted & ~(odd ^ {NumGpus{odd[g]}}) & ~(transparent_q ^ {NumGpus{transparent_q[g]}}) &
        (neighbour | {NumGpus{!transparent_q[g]}});
    assign may_send[g]    = ready_q[g] && sending_q[g*4 +: 4] < depth_q[g*4 +: 4];
    assign may_receive[g] = ready_q[g] && receiving_q[g*4 +: 4] < depth_q[g*4 +: 4];
  end

  // ------------------------------------------------------------------------------- level
  // Level l: both ends have at most l outstanding. The lowest level with a pair is found in one
  // cycle, and the choice made in the next, from the pairs that are eligible then.
  logic [MaxDepth*NumGpus-1:0] level_senders, level_receivers;  // those that may, of level l
  logic [MaxDepth-1:0]         level_any, level_d, level_q;     // level_d, level_q: one-hot, or 0
  logic [NumGpus-1:0]          senders, takers;                 // of the level

  for (genvar l = 0; l < MaxDepth; l = l + 1) begin : gen_level
    logic [NumGpus-1:0] hits;                                   // receivers that have a pair
    for (genvar g = 0; g < NumGpus; g = g + 1) begin : gen_end
      assign level_senders[l*NumGpus + g]   = may_send[g] && sending_q[g*4 +: 4] <= 4'(l);
      assign level_receivers[l*NumGpus + g] = may_receive[g] && receiving_q[g*4 +: 4] <= 4'(l);
      assign hits[g] = level_receivers[l*NumGpus + g] &&
          |(pair[g*NumGpus +: NumGpus] & level_senders[l*NumGpus +: NumGpus]);
    end
    assign level_any[l] = |hits;
    if (l == 0) begin : gen_first
      assign level_d[l] = level_any[l];
    end else begin : gen_later
      assign level_d[l] = level_any[l] && !level_any[l-1];
    end
  end

  always_comb begin
    senders = '0;
    takers = '0;
    for (int l = 0; l < MaxDepth; l = l + 1) begin
      senders = senders | (level_senders[l*NumGpus +: NumGpus] & {NumGpus{level_q[l]}});
      takers = takers | (level_receivers[l*NumGpus +: NumGpus] & {NumGpus{level_q[l]}});
    end
  end

  // -------------------------------------------------------------------------- the choice
  // Each source's receiver is found beside the choice of the source, not after it.
  logic [NumGpus*NumGpus-1:0] first;              // row s: the receiver it would send to, if any
  logic [NumGpus-1:0] wraps;                      // which is below the source
  logic [NumGpus-1:0] sources, source;
  logic [NumGpus-1:0] receiver;
  logic               is_start, is_front;
  logic [IndexWidth-1:0] destination;

  for (genvar s = 0; s < NumGpus; s = s + 1) begin : gen_source
    localparam logic [NumGpus-1:0] Later = (NumGpus'(1) << (NumGpus - 1 - s)) - NumGpus'(1);
    logic [NumGpus-1:0] rotated, lowest;          // its receivers, from s + 1 on
    for (genvar k = 0; k < NumGpus; k = k + 1) begin : gen_receiver
      localparam int Receiver = (s + 1 + k) % NumGpus;
      assign rotated[k] = pair[Receiver*NumGpus + s] && takers[Receiver];
      assign first[s*NumGpus + Receiver] = lowest[k];
    end
    assign lowest     = rotated & ~above_lowest(rotated);
    assign wraps[s]   = !(|(rotated & Later));
    assign sources[s] = |rotated && senders[s];
  end

  start_order #(
    .NumGpus(NumGpus)
  ) u_start (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .sources_i(sources),
    .source_o(source),
    .start_o(is_start),
    .destination_i(destination),
    .front_i(is_front),
    .cgid_i(cgid_q),
    .start_valid_o(start_valid_o),
    .start_ready_i(start_ready_i),
    .start_source_o(start_source_o),
    .start_destination_o(start_destination_o),
    .start_cgid_o(start_cgid_o),
    .start_front_o(start_front_o)
  );

  always_comb begin
    receiver = '0;
    destination = '0;
    is_front = 1'b0;
    for (int s = 0; s < NumGpus; s = s + 1) begin
      receiver = receiver | (first[s*NumGpus +: NumGpus] & {NumGpus{source[s]}});
      destination = destination |
          (encode(first[s*NumGpus +: NumGpus]) & {IndexWidth{source[s]}});
      is_front = is_front || (source[s] && transparent_q[s] && wraps[s]);
    end
  end

  // ------------------------------------------------------------------------------ errors
  logic [2:0] error_d;

  always_comb begin
    error_d = error_q;
    if (error_q == lookahead_scheduler_pkg::ErrNone) begin
      if (|is_illegal_message) begin
        error_d = lookahead_scheduler_pkg::ErrMessage;
      end else if (|(is_ready_message & pending_q)) begin
        error_d = lookahead_scheduler_pkg::ErrReady;
      end else if (|(is_ready_message & ~good_depth)) begin
        error_d = lookahead_scheduler_pkg::ErrDepth;
      end else if (|(is_ending_message & ~ending)) begin
        error_d = lookahead_scheduler_pkg::ErrEnding;
      end else if (is_mixed) begin
        error_d = lookahead_scheduler_pkg::ErrKind;
      end
    end
  end

  // ------------------------------------------------------------------------------- state
  for (genvar g = 0; g < NumGpus; g = g + 1) begin : gen_entry
    logic       starts_sending, starts_receiving;
    logic [3:0] still_sending, still_receiving;
    assign starts_sending   = is_start && source[g];
    assign starts_receiving = is_start && receiver[g];
    assign still_sending    = sending_q[g*4 +: 4] - 4'(ending[g]);
    assign still_receiving  = receiving_q[g*4 +: 4] - count(named_to[g*NumGpus +: NumGpus]);
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        cgid_q[g*8 +: 8]             <= '0;
        transparent_q[g]             <= 1'b0;
        depth_q[g*4 +: 4]            <= '0;
        pending_transparent_q[g]     <= 1'b0;
        pending_depth_q[g*4 +: 4]    <= '0;
        sending_q[g*4 +: 4]          <= '0;
        receiving_q[g*4 +: 4]        <= '0;
        sent_q[g*NumGpus +: NumGpus] <= '0;
        received_q[g*NumGpus +: NumGpus] <= '0;
        ended_q[g*NumGpus +: NumGpus]    <= '0;
      end else begin
        if (enter[g]) begin
          cgid_q[g*8 +: 8]  <= cgid_q[g*8 +: 8] + 8'd1;
          transparent_q[g]  <= wanted_transparent[g];
          depth_q[g*4 +: 4] <= wanted_depth[g*4 +: 4];
        end
        if (taken_ready[g]) begin
          pending_transparent_q[g]  <= message_op_i[g*2];
          pending_depth_q[g*4 +: 4] <= message_depth_i[g*4 +: 4];
        end
        // The start comes late.
        sending_q[g*4 +: 4]   <= starts_sending ? still_sending + 4'd1 : still_sending;
        receiving_q[g*4 +: 4] <= starts_receiving ? still_receiving + 4'd1 : still_receiving;
        if (complete[g]) begin
          sent_q[g*NumGpus +: NumGpus]     <= '0;
          received_q[g*NumGpus +: NumGpus] <= '0;
          ended_q[g*NumGpus +: NumGpus]    <= '0;
        end else begin
          sent_q[g*NumGpus +: NumGpus] <=
              sent_q[g*NumGpus +: NumGpus] | ({NumGpus{starts_sending}} & receiver);
          received_q[g*NumGpus +: NumGpus] <=
              received_q[g*NumGpus +: NumGpus] | ({NumGpus{starts_receiving}} & source);
          ended_q[g*NumGpus +: NumGpus] <=
              ended_q[g*NumGpus +: NumGpus] | named[g*NumGpus +: NumGpus];
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      ready_q       <= '0;
      pending_q     <= '0;
      level_q       <= '0;
      error_q       <= lookahead_scheduler_pkg::ErrNone;
    end else begin
      ready_q   <= (ready_q & ~complete) | enter;
      pending_q <= wants & ~enter;
      error_q   <= error_d;
      level_q   <= level_d;
    end
  end

  assign error_o             = error_q;
  assign cgid_o              = cgid_q;
  assign ready_o             = ready_q;
  assign pending_o           = pending_q;
  assign depth_o             = depth_q;
  assign receiving_o         = receiving_q;
  assign sending_o           = sending_q;
  assign sent_o              = sent_q;
  assign received_o          = received_q;
  assign ended_o             = ended_q;

  assign quiescent_o = !(|message_valid_i) && !(start_valid_o && start_ready_i) &&
                       !(|complete) && !is_start && level_d == level_q &&
                       !(is_mixed && error_q == lookahead_scheduler_pkg::ErrNone);

  initial begin
    if (NumGpus < 2 || NumGpus > 64) begin
      $display("lookahead_scheduler: NumGpus must be 2 to 64");
      $finish;
    end
    if (MaxDepth < 1 || MaxDepth > 8) begin
      $display("lookahead_scheduler: MaxDepth must be 1 to 8");
      $finish;
    end
  end

  for (genvar g = 0; g < NumGpus; g = g + 1) begin : gen_rule
    `NOCTURNE_ASSERT(SendsWithinDepth, sending_q[g*4 +: 4] <= depth_q[g*4 +: 4])
    `NOCTURNE_ASSERT(ReceivesWithinDepth, receiving_q[g*4 +: 4] <= depth_q[g*4 +: 4])
  end
  `NOCTURNE_ASSERT(ReceiverIsOne, is_start |-> $onehot(receiver))
  `NOCTURNE_ASSERT(StickyError,
    error_q != lookahead_scheduler_pkg::ErrNone |=> $stable(error_q))

endmodule
