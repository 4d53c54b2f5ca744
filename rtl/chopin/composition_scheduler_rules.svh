// SPDX-License-Identifier: Apache-2.0
// Rules of the composition scheduler, for the proof. Included at the end of the module.
//
// Input rules (I) are what the GPUs owe the scheduler. They are assumed only where
// COMPOSITION_SCHEDULER_INPUT_RULES is defined, and only rule 1 needs them: all others hold
// under any input.
//
// A monitor on the boundary keeps the transfers under way: one begins in the first cycle of
// a start order and ends with the receiver's done.
`ifndef COMPOSITION_SCHEDULER_RULES_SVH
`define COMPOSITION_SCHEDULER_RULES_SVH
`include "assert.svh"

  logic rules_past_q = 1'b0;               // there was a cycle before, out of reset
  logic rules_held_q;                      // the start order is an old one
  logic [NumGpus*NumGpus-1:0] rules_open_q, rules_open;  // row s: the receivers s sends to
  logic rules_begin;

  logic [NumGpus*2-1:0]          past_op_q;
  logic [NumGpus-1:0]            past_valid_q, past_ready_q, past_receiving_q, past_sending_q;
  logic [NumGpus-1:0]            past_release_q, past_release_ready_q, past_transparent_q;
  logic [NumGpus*8-1:0]          past_cgid_q;
  logic [NumGpus*NumGpus-1:0]    past_sent_q, past_received_q, past_open_q;
  logic [NumGpus*IndexWidth-1:0] past_peer_q;
  logic [2:0]                    past_error_q;
  logic                          past_start_valid_q, past_start_ready_q;
  logic [IndexWidth*2+8:0]       past_start_q;

  assign rules_begin = start_valid_o && !rules_held_q;

  for (genvar s = 0; s < NumGpus; s = s + 1) begin : gen_rules_open
    for (genvar g = 0; g < NumGpus; g = g + 1) begin : gen_receiver
      assign rules_open[s*NumGpus + g] = rules_open_q[s*NumGpus + g] ||
          (rules_begin && start_source_o == IndexWidth'(s) &&
           start_destination_o == IndexWidth'(g));
    end
  end

  always_ff @(posedge clk_i) begin
    rules_past_q         <= rst_ni;
    past_op_q            <= message_op_i;
    past_valid_q         <= message_valid_i;
    past_ready_q         <= ready_o;
    past_receiving_q     <= receiving_o;
    past_sending_q       <= sending_o;
    past_release_q       <= release_valid_o;
    past_release_ready_q <= release_ready_i;
    past_transparent_q   <= transparent_q;
    past_cgid_q          <= cgid_o;
    past_sent_q          <= sent_o;
    past_received_q      <= received_o;
    past_open_q          <= rules_open;
    past_peer_q          <= peer_q;
    past_error_q         <= error_o;
    past_start_valid_q   <= start_valid_o;
    past_start_ready_q   <= start_ready_i;
    past_start_q         <= {start_source_o, start_destination_o, start_cgid_o, start_front_o};
    rules_held_q         <= rst_ni && start_valid_o && !start_ready_i;
    for (int s = 0; s < NumGpus; s = s + 1) begin
      for (int g = 0; g < NumGpus; g = g + 1) begin
        rules_open_q[s*NumGpus + g] <= rst_ni && rules_open[s*NumGpus + g] &&
            !(message_valid_i[g] && message_op_i[g*2 +: 2] == OpDone);
      end
    end
  end

  // The proof begins in reset.
  logic rules_first_q = 1'b1;
  always_ff @(posedge clk_i) begin
    rules_first_q <= 1'b0;
  end
  always_comb begin
    assume(!rules_first_q || !rst_ni);
  end

  // A state that the registers hold: not in the first cycle, before the reset's edge.
  logic rules_on;
  assign rules_on = !rules_first_q;

`ifdef COMPOSITION_SCHEDULER_INPUT_RULES
  for (genvar g = 0; g < NumGpus; g = g + 1) begin : gen_rules_input
    always_comb begin
      if (message_valid_i[g]) begin
        // I1: op 3 is not sent.
        assume(message_op_i[g*2 +: 2] != OpIllegal);
        // I2: ready only after the release of the group before.
        assume(message_op_i[g*2 + 1] || (!ready_o[g] && !release_valid_o[g]));
        // I3: done only while receiving.
        assume(message_op_i[g*2 +: 2] != OpDone || receiving_o[g]);
      end
    end
    for (genvar h = 0; h < NumGpus; h = h + 1) begin : gen_other
      always_comb begin
        // I4: all GPUs give a group the same kind: those that are in it already, ...
        if (enter[g] && ready_o[h] && cgid_o[h*8 +: 8] == cgid_o[g*8 +: 8] + 8'd1) begin
          assume(message_op_i[g*2] == transparent_q[h]);
        end
        // ... and those that enter it in the same cycle.
        if (enter[g] && enter[h] && cgid_o[h*8 +: 8] == cgid_o[g*8 +: 8]) begin
          assume(message_op_i[g*2] == message_op_i[h*2]);
        end
      end
    end
  end

  // Rule 1: GPUs that keep the input rules see no error. ...
  always_comb begin
    if (rules_on) begin
      `NOCTURNE_ASSERT_NOW(NoError, error_o == ErrNone)
    end
  end
  // ... Why it is inductive: kinds agree within a group.
  for (genvar a = 0; a < NumGpus; a = a + 1) begin : gen_rules_kind
    for (genvar b = 0; b < a; b = b + 1) begin : gen_other
      always_comb begin
        if (rules_on && ready_o[a] && ready_o[b] && cgid_o[a*8 +: 8] == cgid_o[b*8 +: 8]) begin
          `NOCTURNE_ASSERT_NOW(KindsAgree, transparent_q[a] == transparent_q[b])
        end
      end
    end
  end
`endif

  for (genvar a = 0; a < NumGpus; a = a + 1) begin : gen_rules
    localparam logic [NumGpus-1:0] Self = NumGpus'(1) << a;
    logic [NumGpus-1:0] column;            // who sends to a
    logic is_complete_past;
    for (genvar b = 0; b < NumGpus; b = b + 1) begin : gen_column
      assign column[b] = rules_open[b*NumGpus + a];
    end
    assign is_complete_past = (&(past_sent_q[a*NumGpus +: NumGpus] | Self)) &&
                              (&(past_received_q[a*NumGpus +: NumGpus] | Self));

    always_comb begin
      if (rules_on) begin
        // Rule 2: nobody sends to two; nobody receives from two; nobody to itself.
        `NOCTURNE_ASSERT_NOW(SendsToOne,
            (rules_open[a*NumGpus +: NumGpus] &
             (rules_open[a*NumGpus +: NumGpus] - NumGpus'(1))) == '0)
        `NOCTURNE_ASSERT_NOW(ReceivesFromOne, (column & (column - NumGpus'(1))) == '0)
        `NOCTURNE_ASSERT_NOW(NotToItself, !rules_open[a*NumGpus + a])
        `NOCTURNE_ASSERT_NOW(NothingOfItself, !sent_o[a*NumGpus + a] && !received_o[a*NumGpus + a])
        // Rule 3: the flags tell the transfers under way.
        `NOCTURNE_ASSERT_NOW(SendingTells, sending_o[a] == |rules_open[a*NumGpus +: NumGpus])
        `NOCTURNE_ASSERT_NOW(ReceivingTells, receiving_o[a] == |column)
        // Rule 4: who is in no group is in no transfer, and its vectors are empty; who waits
        // for its release is in no group.
        if (!ready_o[a]) begin
          `NOCTURNE_ASSERT_NOW(OutsideNoTransfer, !sending_o[a] && !receiving_o[a])
          `NOCTURNE_ASSERT_NOW(OutsideNothingSent, sent_o[a*NumGpus +: NumGpus] == '0)
          `NOCTURNE_ASSERT_NOW(OutsideNothingReceived, received_o[a*NumGpus +: NumGpus] == '0)
        end
        `NOCTURNE_ASSERT_NOW(ReleaseOutside, !release_valid_o[a] || !ready_o[a])
      end
      if (rules_past_q) begin
        // Rule 5: an entry resets only when complete, then whole, and a release follows; but
        // for that the vectors only grow.
        if (past_ready_q[a] && is_complete_past) begin
          `NOCTURNE_ASSERT_NOW(CompleteLeaves, !ready_o[a] && release_valid_o[a])
        end else begin
          `NOCTURNE_ASSERT_NOW(IncompleteStays, ready_o[a] || !past_ready_q[a])
          `NOCTURNE_ASSERT_NOW(SentGrows,
              (past_sent_q[a*NumGpus +: NumGpus] & ~sent_o[a*NumGpus +: NumGpus]) == '0)
          `NOCTURNE_ASSERT_NOW(ReceivedGrows,
              (past_received_q[a*NumGpus +: NumGpus] & ~received_o[a*NumGpus +: NumGpus]) == '0)
          // Rule 6: a release is given once and held until accepted.
          `NOCTURNE_ASSERT_NOW(ReleaseOnceAndHeld,
              release_valid_o[a] == (past_release_q[a] && !past_release_ready_q[a]))
        end
        // Rule 7: only an accepted ready enters a group, by one, with its kind; a refused
        // one changes neither.
        if (past_valid_q[a] && !past_op_q[a*2 + 1] && !past_ready_q[a] && !past_release_q[a]) begin
          `NOCTURNE_ASSERT_NOW(ReadyEnters, ready_o[a])
          `NOCTURNE_ASSERT_NOW(EntersNextGroup, cgid_o[a*8 +: 8] == past_cgid_q[a*8 +: 8] + 8'd1)
          `NOCTURNE_ASSERT_NOW(EntersWithKind, transparent_q[a] == past_op_q[a*2])
        end else begin
          `NOCTURNE_ASSERT_NOW(ElseNotEntered, !ready_o[a] || past_ready_q[a])
          `NOCTURNE_ASSERT_NOW(ElseGroupStays, cgid_o[a*8 +: 8] == past_cgid_q[a*8 +: 8])
          `NOCTURNE_ASSERT_NOW(ElseKindStays, transparent_q[a] == past_transparent_q[a])
        end
        // Rule 8: only an accepted done ends a transfer, and it ends exactly one; a refused
        // one changes nothing.
        if (past_valid_q[a] && past_op_q[a*2 +: 2] == OpDone && past_receiving_q[a]) begin
          `NOCTURNE_ASSERT_NOW(DoneEnds, !receiving_o[a])
        end else begin
          `NOCTURNE_ASSERT_NOW(ElseReceivingLasts, receiving_o[a] || !past_receiving_q[a])
          `NOCTURNE_ASSERT_NOW(ElseNothingReceived,
              (received_o[a*NumGpus +: NumGpus] & ~past_received_q[a*NumGpus +: NumGpus]) == '0)
        end
      end
    end

    for (genvar b = 0; b < NumGpus; b = b + 1) begin : gen_pair
      if (b != a) begin : gen_different
        // Of transfer a to b. The GPUs strictly between the two.
        localparam int Low = a < b ? a : b;
        localparam int High = a < b ? b : a;
        localparam logic [NumGpus-1:0] Between =
            ((NumGpus'(1) << High) - NumGpus'(1)) & ~((NumGpus'(2) << Low) - NumGpus'(1));
        logic is_ended;
        assign is_ended = past_open_q[a*NumGpus + b] && past_valid_q[b] &&
                          past_op_q[b*2 +: 2] == OpDone;
        always_comb begin
          if (rules_on) begin
            // Rule 9: a start is between two that are ready, in the same group, with the
            // same kind, and have not exchanged in this direction. (It stays true while the
            // transfer lasts, which is stronger and makes it inductive.)
            if (rules_open[a*NumGpus + b]) begin
              `NOCTURNE_ASSERT_NOW(BothReady, ready_o[a] && ready_o[b])
              `NOCTURNE_ASSERT_NOW(BothInGroup, cgid_o[a*8 +: 8] == cgid_o[b*8 +: 8])
              `NOCTURNE_ASSERT_NOW(BothOfKind, transparent_q[a] == transparent_q[b])
              `NOCTURNE_ASSERT_NOW(NotExchanged,
                  !sent_o[a*NumGpus + b] && !received_o[b*NumGpus + a])
              `NOCTURNE_ASSERT_NOW(PeerIsSource,
                  peer_q[b*IndexWidth +: IndexWidth] == IndexWidth'(a))
              // Rule 10: in a transparent group only a neighbour of the receiver's interval.
              `NOCTURNE_ASSERT_NOW(StartsAtNeighbour,
                  !transparent_q[b] || (received_o[b*NumGpus +: NumGpus] & Between) == Between)
            end
            // Rule 11: what b has merged in a transparent group is an interval around b.
            if (received_o[b*NumGpus + a] && transparent_q[b]) begin
              `NOCTURNE_ASSERT_NOW(MergedInterval,
                  (received_o[b*NumGpus +: NumGpus] & Between) == Between)
            end
            // Rule 12: the order tells the transfer.
            if (rules_begin && start_source_o == IndexWidth'(a) &&
                start_destination_o == IndexWidth'(b)) begin
              `NOCTURNE_ASSERT_NOW(OrderHasGroup, start_cgid_o == cgid_o[a*8 +: 8])
              `NOCTURNE_ASSERT_NOW(OrderHasSide, start_front_o == (transparent_q[a] && a > b))
            end
            // Rule 13: within a group sent and received agree; ...
            if (cgid_o[a*8 +: 8] == cgid_o[b*8 +: 8]) begin
              if (ready_o[a] && ready_o[b]) begin
                `NOCTURNE_ASSERT_NOW(VectorsAgree,
                    sent_o[a*NumGpus + b] == received_o[b*NumGpus + a])
              end
              // ... who has left it has exchanged with all that are still in it.
              if (!ready_o[a] && ready_o[b]) begin
                `NOCTURNE_ASSERT_NOW(LeaverHasExchanged,
                    received_o[b*NumGpus + a] && sent_o[b*NumGpus + a])
              end
            end
            // Rule 14: two CGIDs differ by at most one, and who is ahead cannot leave.
            `NOCTURNE_ASSERT_NOW(GroupsWithinOne,
                cgid_o[a*8 +: 8] == cgid_o[b*8 +: 8] ||
                cgid_o[a*8 +: 8] == cgid_o[b*8 +: 8] + 8'd1 ||
                cgid_o[b*8 +: 8] == cgid_o[a*8 +: 8] + 8'd1)
            if (cgid_o[a*8 +: 8] == cgid_o[b*8 +: 8] + 8'd1) begin
              `NOCTURNE_ASSERT_NOW(AheadIsReady,
                  ready_o[a] && !received_o[a*NumGpus + b] && !sent_o[a*NumGpus + b])
              `NOCTURNE_ASSERT_NOW(AheadExchanged,
                  !ready_o[b] || (received_o[b*NumGpus + a] && sent_o[b*NumGpus + a]))
            end
          end
          if (rules_past_q) begin
            // Rule 15: the end of a transfer, and nothing else, fills both vectors. (Neither
            // end can be complete in that cycle.)
            if (is_ended) begin
              `NOCTURNE_ASSERT_NOW(EndFillsBoth, sent_o[a*NumGpus + b] && received_o[b*NumGpus + a])
            end else begin
              `NOCTURNE_ASSERT_NOW(ElseSentStays,
                  !sent_o[a*NumGpus + b] || past_sent_q[a*NumGpus + b])
              `NOCTURNE_ASSERT_NOW(ElseReceivedStays,
                  !received_o[b*NumGpus + a] || past_received_q[b*NumGpus + a])
            end
          end
        end
      end
    end
  end

  always_comb begin
    if (rules_past_q) begin
      // Rule 16: a start order is held until accepted.
      if (past_start_valid_q && !past_start_ready_q) begin
        `NOCTURNE_ASSERT_NOW(StartHolds, start_valid_o)
        `NOCTURNE_ASSERT_NOW(StartKeepsOrder,
            {start_source_o, start_destination_o, start_cgid_o, start_front_o} == past_start_q)
      end
      // Rule 17: the first error stays.
      `NOCTURNE_ASSERT_NOW(FirstErrorStays, past_error_q == ErrNone || error_o == past_error_q)
    end
  end

  // What the rules speak of does happen.
  always_ff @(posedge clk_i) begin
    if (rst_ni && rules_past_q) begin
      cover(release_valid_o != '0 && error_o == ErrNone);
    end
  end

`endif
