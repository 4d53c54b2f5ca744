// SPDX-License-Identifier: Apache-2.0
// Rules of the composition scheduler with lookahead, for the proof. Included at the end of the
// module.
//
// Input rules (I) are what the GPUs owe the scheduler. They are assumed only where
// LOOKAHEAD_SCHEDULER_INPUT_RULES is defined, and only rule 1 needs them: all others hold under
// any input.
`ifndef LOOKAHEAD_SCHEDULER_RULES_SVH
`define LOOKAHEAD_SCHEDULER_RULES_SVH
`include "assert.svh"

  logic rules_past_q = 1'b0;               // there was a cycle before, out of reset
  logic rules_held_q;                      // the start order is an old one
  logic rules_begin;                       // the first cycle of a start order
  logic [NumGpus*NumGpus-1:0] rules_open;  // row s: receivers granted and not reported as ending

  logic [NumGpus*2-1:0]          past_op_q;
  logic [NumGpus*IndexWidth-1:0] past_peer_q;
  logic [NumGpus*4-1:0]          past_message_depth_q;
  logic [NumGpus-1:0]            past_valid_q, past_ready_q, past_transparent_q, past_pending_q;
  logic [NumGpus*4-1:0]          past_depth_q, past_sending_q, past_receiving_q;
  logic [NumGpus*4-1:0]          past_pending_depth_q;
  logic [NumGpus-1:0]            past_pending_transparent_q;
  logic [NumGpus*8-1:0]          past_cgid_q;
  logic [NumGpus*NumGpus-1:0]    past_sent_q, past_received_q, past_ended_q;
  logic [2:0]                    past_error_q;
  logic [MaxDepth-1:0]           past_level_q;
  logic                          past_start_valid_q, past_start_ready_q;
  logic [IndexWidth*2+8:0]       past_start_q;

  assign rules_begin = rules_past_q && start_valid_o && !rules_held_q;
  assign rules_open = sent_o & ~ended_o;

  always_ff @(posedge clk_i) begin
    rules_past_q         <= rst_ni;
    past_op_q            <= message_op_i;
    past_peer_q          <= message_peer_i;
    past_message_depth_q <= message_depth_i;
    past_valid_q         <= message_valid_i;
    past_ready_q         <= ready_o;
    past_pending_q       <= pending_o;
    past_transparent_q   <= transparent_q;
    past_depth_q         <= depth_o;
    past_pending_depth_q <= pending_depth_q;
    past_pending_transparent_q <= pending_transparent_q;
    past_sending_q       <= sending_o;
    past_receiving_q     <= receiving_o;
    past_cgid_q          <= cgid_o;
    past_sent_q          <= sent_o;
    past_received_q      <= received_o;
    past_ended_q         <= ended_o;
    past_error_q         <= error_o;
    past_level_q         <= level_q;
    past_start_valid_q   <= start_valid_o;
    past_start_ready_q   <= start_ready_i;
    past_start_q         <= {start_source_o, start_destination_o, start_cgid_o, start_front_o};
    rules_held_q         <= rst_ni && start_valid_o && !start_ready_i;
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

`ifdef LOOKAHEAD_SCHEDULER_INPUT_RULES
  for (genvar g = 0; g < NumGpus; g = g + 1) begin : gen_rules_input
    always_comb begin
      if (message_valid_i[g]) begin
        // I1: op 3 is not sent.
        assume(message_op_i[g*2 +: 2] != OpIllegal);
        // I2: one ready at most waits; its depth is legal.
        assume(message_op_i[g*2 + 1] || (!pending_o[g] && good_depth[g]));
        // I3: an ending only of what is granted and was not reported.
        assume(message_op_i[g*2 +: 2] != OpEnding || ending[g]);
      end
    end
    for (genvar h = 0; h < NumGpus; h = h + 1) begin : gen_other
      always_comb begin
        // I4: all GPUs give a group the same kind: those that are in it already, ...
        if (enter[g] && ready_o[h] && cgid_o[h*8 +: 8] == cgid_o[g*8 +: 8] + 8'd1) begin
          assume(wanted_transparent[g] == transparent_q[h]);
        end
        // ... and those that enter it in the same cycle.
        if (enter[g] && enter[h] && cgid_o[h*8 +: 8] == cgid_o[g*8 +: 8]) begin
          assume(wanted_transparent[g] == wanted_transparent[h]);
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

  // What each past pair was: eligible, and how busy its busier end.
  logic [NumGpus*NumGpus-1:0]   past_eligible;  // row s
  logic [NumGpus*NumGpus*4-1:0] past_busier;
  logic [MaxDepth*NumGpus*NumGpus-1:0] past_levels;  // of each level: pairs at it or below
  logic [MaxDepth-1:0]          past_any;       // there was one
  for (genvar l = 0; l < MaxDepth; l = l + 1) begin : gen_rules_level
    for (genvar k = 0; k < NumGpus * NumGpus; k = k + 1) begin : gen_pair
      assign past_levels[l*NumGpus*NumGpus + k] =
          past_eligible[k] && past_busier[k*4 +: 4] <= 4'(l);
    end
    assign past_any[l] = |past_levels[l*NumGpus*NumGpus +: NumGpus*NumGpus];
    always_comb begin
      if (rules_past_q) begin
        // Rule 12: the level is the lowest at which a pair was eligible; a start is of the level
        // that was known, or below (in rule 11).
        `NOCTURNE_ASSERT_NOW(LevelIsLowest,
            level_q[l] == (past_any[l] && (l == 0 || !past_any[l > 0 ? l-1 : 0])))
      end
    end
  end

  for (genvar a = 0; a < NumGpus; a = a + 1) begin : gen_rules
    localparam logic [NumGpus-1:0] Self = NumGpus'(1) << a;
    logic [NumGpus-1:0] column;            // who sends to a
    logic was_complete, accepted, waited;
    for (genvar b = 0; b < NumGpus; b = b + 1) begin : gen_column
      assign column[b] = rules_open[b*NumGpus + a];
    end
    assign was_complete = past_ready_q[a] && (&(past_sent_q[a*NumGpus +: NumGpus] | Self)) &&
                          (&(past_received_q[a*NumGpus +: NumGpus] | Self)) &&
                          past_sending_q[a*4 +: 4] == 4'd0 && past_receiving_q[a*4 +: 4] == 4'd0;
    assign accepted = past_valid_q[a] && !past_op_q[a*2 + 1] && !past_pending_q[a] &&
                      past_message_depth_q[a*4 +: 4] != 4'd0 &&
                      past_message_depth_q[a*4 +: 4] <= 4'(MaxDepth);
    assign waited = accepted || past_pending_q[a];

    always_comb begin
      if (rules_on) begin
        // Rule 2: nobody sends to itself; what is reported as ending was granted.
        `NOCTURNE_ASSERT_NOW(NothingOfItself, !sent_o[a*NumGpus + a] && !received_o[a*NumGpus + a])
        `NOCTURNE_ASSERT_NOW(EndedWasSent,
            (ended_o[a*NumGpus +: NumGpus] & ~sent_o[a*NumGpus +: NumGpus]) == '0)
        // Rule 3: the counters tell what is outstanding, and never more than the depth.
        `NOCTURNE_ASSERT_NOW(SendingCounts,
            sending_o[a*4 +: 4] == count(rules_open[a*NumGpus +: NumGpus]))
        `NOCTURNE_ASSERT_NOW(ReceivingCounts, receiving_o[a*4 +: 4] == count(column))
        `NOCTURNE_ASSERT_NOW(SendingWithinDepth, sending_o[a*4 +: 4] <= depth_o[a*4 +: 4])
        `NOCTURNE_ASSERT_NOW(ReceivingWithinDepth, receiving_o[a*4 +: 4] <= depth_o[a*4 +: 4])
        `NOCTURNE_ASSERT_NOW(DepthLegal, depth_o[a*4 +: 4] <= 4'(MaxDepth) &&
            (!ready_o[a] || depth_o[a*4 +: 4] != 4'd0))
        `NOCTURNE_ASSERT_NOW(PendingDepthLegal, !pending_o[a] ||
            (pending_depth_q[a*4 +: 4] != 4'd0 && pending_depth_q[a*4 +: 4] <= 4'(MaxDepth)))
        // Rule 4: who is in no group is in no transfer, its vectors are empty, and no ready waits.
        if (!ready_o[a]) begin
          `NOCTURNE_ASSERT_NOW(OutsideNoTransfer,
              sending_o[a*4 +: 4] == 4'd0 && receiving_o[a*4 +: 4] == 4'd0)
          `NOCTURNE_ASSERT_NOW(OutsideNothingSent, sent_o[a*NumGpus +: NumGpus] == '0)
          `NOCTURNE_ASSERT_NOW(OutsideNothingReceived, received_o[a*NumGpus +: NumGpus] == '0)
          `NOCTURNE_ASSERT_NOW(OutsideNothingPending, !pending_o[a])
        end
      end
      if (rules_past_q) begin
        // Rule 5: an entry resets only when complete, then whole; but for that the vectors only
        // grow.
        if (was_complete) begin
          `NOCTURNE_ASSERT_NOW(CompleteClears, sent_o[a*NumGpus +: NumGpus] == '0 &&
              received_o[a*NumGpus +: NumGpus] == '0 && ended_o[a*NumGpus +: NumGpus] == '0)
          `NOCTURNE_ASSERT_NOW(CompleteLeaves, ready_o[a] == waited)
        end else begin
          `NOCTURNE_ASSERT_NOW(IncompleteStays, ready_o[a] || !past_ready_q[a])
          `NOCTURNE_ASSERT_NOW(SentGrows,
              (past_sent_q[a*NumGpus +: NumGpus] & ~sent_o[a*NumGpus +: NumGpus]) == '0)
          `NOCTURNE_ASSERT_NOW(ReceivedGrows,
              (past_received_q[a*NumGpus +: NumGpus] & ~received_o[a*NumGpus +: NumGpus]) == '0)
          `NOCTURNE_ASSERT_NOW(EndedGrows,
              (past_ended_q[a*NumGpus +: NumGpus] & ~ended_o[a*NumGpus +: NumGpus]) == '0)
        end
        // Rule 6: only a ready that was accepted enters a group, by one, at once or when the
        // entry is free; a refused one changes nothing.
        if (waited && (!past_ready_q[a] || was_complete)) begin
          `NOCTURNE_ASSERT_NOW(WaitingEnters, ready_o[a] && !pending_o[a])
          `NOCTURNE_ASSERT_NOW(EntersNextGroup, cgid_o[a*8 +: 8] == past_cgid_q[a*8 +: 8] + 8'd1)
          if (accepted) begin
            `NOCTURNE_ASSERT_NOW(EntersWithKind, transparent_q[a] == past_op_q[a*2])
            `NOCTURNE_ASSERT_NOW(EntersWithDepth,
                depth_o[a*4 +: 4] == past_message_depth_q[a*4 +: 4])
          end else begin
            `NOCTURNE_ASSERT_NOW(EntersWithPendingKind,
                transparent_q[a] == past_pending_transparent_q[a])
            `NOCTURNE_ASSERT_NOW(EntersWithPendingDepth,
                depth_o[a*4 +: 4] == past_pending_depth_q[a*4 +: 4])
          end
        end else begin
          `NOCTURNE_ASSERT_NOW(ElseNotEntered, !ready_o[a] || past_ready_q[a])
          `NOCTURNE_ASSERT_NOW(ElseWaits, pending_o[a] == waited)
          if (past_pending_q[a]) begin
            `NOCTURNE_ASSERT_NOW(PendingStays,
                pending_depth_q[a*4 +: 4] == past_pending_depth_q[a*4 +: 4] &&
                pending_transparent_q[a] == past_pending_transparent_q[a])
          end
          `NOCTURNE_ASSERT_NOW(ElseGroupStays, cgid_o[a*8 +: 8] == past_cgid_q[a*8 +: 8])
          `NOCTURNE_ASSERT_NOW(ElseKindStays, transparent_q[a] == past_transparent_q[a])
          `NOCTURNE_ASSERT_NOW(ElseDepthStays, depth_o[a*4 +: 4] == past_depth_q[a*4 +: 4])
        end
      end
    end

    for (genvar b = 0; b < NumGpus; b = b + 1) begin : gen_pair
      if (b == a) begin : gen_same
        assign past_eligible[a*NumGpus + b] = 1'b0;
        assign past_busier[(a*NumGpus + b)*4 +: 4] = 4'd0;
      end else begin : gen_different
        // Of transfer a to b. The GPUs strictly between the two; b's neighbour towards a.
        localparam int Low = a < b ? a : b;
        localparam int High = a < b ? b : a;
        localparam int Next = a < b ? b - 1 : b + 1;
        localparam int Towards = a < b ? a + 1 : a - 1;
        localparam logic [NumGpus-1:0] Between =
            ((NumGpus'(1) << High) - NumGpus'(1)) & ~((NumGpus'(2) << Low) - NumGpus'(1));
        logic is_start_of, is_ending_of;
        assign is_start_of = rules_begin && start_source_o == IndexWidth'(a) &&
                             start_destination_o == IndexWidth'(b);
        assign is_ending_of = past_valid_q[a] && past_op_q[a*2 +: 2] == OpEnding &&
            past_peer_q[a*IndexWidth +: IndexWidth] == IndexWidth'(b) &&
            past_sent_q[a*NumGpus + b] && !past_ended_q[a*NumGpus + b];
        assign past_eligible[a*NumGpus + b] = past_ready_q[a] && past_ready_q[b] &&
            past_cgid_q[a*8 +: 8] == past_cgid_q[b*8 +: 8] &&
            past_transparent_q[a] == past_transparent_q[b] && !past_received_q[b*NumGpus + a] &&
            past_sending_q[a*4 +: 4] < past_depth_q[a*4 +: 4] &&
            past_receiving_q[b*4 +: 4] < past_depth_q[b*4 +: 4] &&
            (!past_transparent_q[b] || a == Next || past_received_q[b*NumGpus + Towards]);
        assign past_busier[(a*NumGpus + b)*4 +: 4] =
            past_sending_q[a*4 +: 4] > past_receiving_q[b*4 +: 4] ? past_sending_q[a*4 +: 4]
                                                                  : past_receiving_q[b*4 +: 4];
        always_comb begin
          if (rules_on) begin
            // Rule 7: what is outstanding is between two that are ready, in the same group, with
            // the same kind, and stands in both vectors.
            if (rules_open[a*NumGpus + b]) begin
              `NOCTURNE_ASSERT_NOW(BothReady, ready_o[a] && ready_o[b])
              `NOCTURNE_ASSERT_NOW(BothInGroup, cgid_o[a*8 +: 8] == cgid_o[b*8 +: 8])
              `NOCTURNE_ASSERT_NOW(BothOfKind, transparent_q[a] == transparent_q[b])
              `NOCTURNE_ASSERT_NOW(StandsInBoth, received_o[b*NumGpus + a])
            end
            // Rule 8: what b has been granted in a transparent group is an interval around b.
            if (received_o[b*NumGpus + a] && transparent_q[b]) begin
              `NOCTURNE_ASSERT_NOW(GrantedInterval,
                  (received_o[b*NumGpus +: NumGpus] & Between) == Between)
            end
            // Rule 9: within a group sent and received agree; who has left it has been granted to
            // and from all that are still in it.
            if (cgid_o[a*8 +: 8] == cgid_o[b*8 +: 8]) begin
              if (ready_o[a] && ready_o[b]) begin
                `NOCTURNE_ASSERT_NOW(VectorsAgree,
                    sent_o[a*NumGpus + b] == received_o[b*NumGpus + a])
              end
              if (!ready_o[a] && ready_o[b]) begin
                `NOCTURNE_ASSERT_NOW(LeaverHasExchanged,
                    received_o[b*NumGpus + a] && sent_o[b*NumGpus + a])
              end
            end
            // Rule 10: two CGIDs differ by at most one, and who is ahead cannot leave.
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
            // Rule 11: a start is of a pair that was eligible, fills both vectors, tells group and
            // side; ...
            if (is_start_of) begin
              `NOCTURNE_ASSERT_NOW(StartWasEligible, past_eligible[a*NumGpus + b])
              `NOCTURNE_ASSERT_NOW(StartOfLevel,
                  (past_level_q >> past_busier[(a*NumGpus + b)*4 +: 4]) != '0)
              `NOCTURNE_ASSERT_NOW(StartFillsBoth,
                  sent_o[a*NumGpus + b] && received_o[b*NumGpus + a] && !ended_o[a*NumGpus + b])
              `NOCTURNE_ASSERT_NOW(OrderHasGroup, start_cgid_o == cgid_o[a*8 +: 8])
              `NOCTURNE_ASSERT_NOW(OrderHasSide, start_front_o == (transparent_q[a] && a > b))
            end else begin
              // ... nothing else fills them.
              `NOCTURNE_ASSERT_NOW(ElseSentStays,
                  !sent_o[a*NumGpus + b] || past_sent_q[a*NumGpus + b])
              `NOCTURNE_ASSERT_NOW(ElseReceivedStays,
                  !received_o[b*NumGpus + a] || past_received_q[b*NumGpus + a])
            end
            // Rule 13: an ending, and nothing else, ends a transfer; a refused one changes nothing.
            if (is_ending_of) begin
              `NOCTURNE_ASSERT_NOW(EndingEnds, ended_o[a*NumGpus + b])
            end else begin
              `NOCTURNE_ASSERT_NOW(ElseEndedStays,
                  !ended_o[a*NumGpus + b] || past_ended_q[a*NumGpus + b])
            end
          end
        end
      end
    end
  end

  always_comb begin
    if (rules_past_q) begin
      // Rule 14: a start order is held until accepted.
      if (past_start_valid_q && !past_start_ready_q) begin
        `NOCTURNE_ASSERT_NOW(StartHolds, start_valid_o)
        `NOCTURNE_ASSERT_NOW(StartKeepsOrder,
            {start_source_o, start_destination_o, start_cgid_o, start_front_o} == past_start_q)
      end
      // Rule 15: the first error stays.
      `NOCTURNE_ASSERT_NOW(FirstErrorStays, past_error_q == ErrNone || error_o == past_error_q)
    end
  end

  // What the rules speak of does happen.
  always_ff @(posedge clk_i) begin
    if (rst_ni && rules_past_q) begin
      cover(past_ready_q != '0 && ready_o == '0 && error_o == ErrNone);
    end
  end

`endif
