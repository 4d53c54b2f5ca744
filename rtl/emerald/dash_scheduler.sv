// SPDX-License-Identifier: Apache-2.0
// Ranks CPUs and IPs with deadlines for the memory controllers: DASH, as Emerald (ISCA 2019, 5)
// has it. Cycle contract: docs/units/dash_scheduler.md.
//
// Accesses and ticks are counted as they come. At the end of a scheduling or switching unit the IPs
// are evaluated one after the other, by one set of multipliers: is it urgent, and does P rise or
// fall. At the end of a quantum the CPUs are clustered, the one with the lowest MPKI first.
// Illegal, and refused: a start of no IP or of nothing (1), a served of no source (2), a finish of
// an inactive IP (3), a tick while an evaluation or clustering is under way (4). error_o holds the
// first one's code.
// Rate: all inputs in each cycle. Latency: from a unit's end to the last IP's change 2 Ips + 1
// cycles, to its rank one more.
// No deadlock: nothing waits.
// Cost: 121 bits per IP, 69 per CPU, 148 of products at the defaults; two multipliers of CountWidth
// x TimeWidth, one of 10 x TimeWidth and one of 10 x (CountWidth + 4).
`include "dash_scheduler_pkg.sv"
`include "assert.svh"
module dash_scheduler #(
  parameter int Cpus         = 4,      // 1 to 8
  parameter int Ips          = 2,      // 1 to 4
  parameter int Channels     = 2,      // 1 to 4
  parameter int CountWidth   = 24,     // bits of a count, 8 to 24
  parameter int TimeWidth    = 20,     // bits of a time in ticks, 6 to 20
  parameter int UnitTicks    = 10,     // 2 to 1000
  parameter int SwitchTicks  = 5,      // 2 to 1000
  parameter int ShuffleTicks = 8,      // 1 to 1000
  parameter int QuantumTicks = 10000,  // 16 to 1000000
  localparam int Sources = Cpus + Ips,
  localparam int Index = $clog2(Cpus + Ips)
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,           // synchronous
  // Looked at when used
  input  logic [16*Cpus-1:0]       mpki_i,
  input  logic [9:0]               factor_i,         // in 1/1,000
  input  logic [10*Ips-1:0]        threshold_i,      // in 1/1,000
  input  logic                     all_i,
  input  logic                     progress_i,
  // Time and work, always taken
  input  logic                     tick_i,
  input  logic                     start_valid_i,
  input  logic [1:0]               start_ip_i,
  input  logic [CountWidth-1:0]    start_expected_i,
  input  logic [TimeWidth-1:0]     start_period_i,
  input  logic [Ips-1:0]           finish_i,
  input  logic [Channels-1:0]      served_valid_i,
  input  logic [4*Channels-1:0]    served_source_i,
  // Status
  output logic [2:0]               error_o,          // sticky, 0 none
  output logic                     quiescent_o,
  // State
  output logic [Index*Sources-1:0] rank_o,
  output logic [Ips-1:0]           active_o,
  output logic [Ips-1:0]           urgent_o,
  output logic [7*Ips-1:0]         probability_o,
  output logic [Cpus-1:0]          intensive_o,
  output logic [3*Cpus-1:0]        order_o
);

  localparam int SumW = CountWidth + 4;
  localparam int ProductW = CountWidth + TimeWidth;
  localparam int LimitW = TimeWidth + 10;
  localparam int UnitW = $clog2(UnitTicks);
  localparam int SwitchW = $clog2(SwitchTicks);
  localparam int ShuffleW = (ShuffleTicks > 1) ? $clog2(ShuffleTicks) : 1;
  localparam int QuantumW = $clog2(QuantumTicks);
  localparam logic [1:0] Choose = 2'd0, Add = 2'd1, Judge = 2'd2;

  // Returns a count with more accesses, saturating.
  function automatic logic [CountWidth-1:0] more(input logic [CountWidth-1:0] number,
                                                 input logic [2:0] accesses);
    logic [CountWidth:0] sum;
    sum = {1'b0, number} + (CountWidth+1)'(accesses);
    more = sum[CountWidth] ? '1 : sum[CountWidth-1:0];
  endfunction

  // ---- Inputs --------------------------------------------------------------------------------

  logic starts, start_bad, served_bad, some_served, ticks;
  logic [2:0] served [Sources];                    // accesses of this cycle
  logic [Ips-1:0] start, replaced;
  logic evaluates_q, clusters_q;
  logic [Channels-1:0] is_served;

  assign start_bad = start_valid_i & ((3'(start_ip_i) >= 3'(Ips)) | (start_expected_i == '0) |
                                      (start_period_i == '0));
  assign starts = start_valid_i & ~start_bad;
  assign ticks = tick_i & ~evaluates_q & ~clusters_q;
  for (genvar k = 0; k < Channels; k = k + 1) begin : gen_lane
    assign is_served[k] = served_valid_i[k] & (5'(served_source_i[4*k +: 4]) < 5'(Sources));
  end
  assign some_served = is_served != '0;
  assign served_bad = (served_valid_i & ~is_served) != '0;

  for (genvar s = 0; s < Sources; s = s + 1) begin : gen_served
    logic [2:0] accesses;
    always_comb begin
      accesses = '0;
      for (int k = 0; k < Channels; k = k + 1) begin
        if (served_valid_i[k] && served_source_i[4*k +: 4] == 4'(s)) accesses = accesses + 3'd1;
      end
    end
    assign served[s] = accesses;
  end

  // ---- Timers --------------------------------------------------------------------------------

  logic ends_unit, ends_switch, ends_shuffle, ends_quantum;
  logic [UnitW-1:0] unit_q;
  logic [SwitchW-1:0] switch_q;
  logic [ShuffleW-1:0] shuffle_left_q;
  logic [QuantumW-1:0] quantum_q;
  logic [2:0] shuffle_q;
  logic [15:0] lfsr_q;

  assign ends_unit = ticks & (unit_q == UnitW'(UnitTicks - 1));
  assign ends_switch = ticks & (switch_q == SwitchW'(SwitchTicks - 1));
  assign ends_shuffle = ticks & (shuffle_left_q == ShuffleW'(ShuffleTicks - 1));
  assign ends_quantum = ticks & (quantum_q == QuantumW'(QuantumTicks - 1));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      unit_q <= '0;
      switch_q <= '0;
      shuffle_left_q <= '0;
      quantum_q <= '0;
      shuffle_q <= '0;
      lfsr_q <= 16'd1;
    end else begin
      if (ticks) begin
        unit_q <= ends_unit ? '0 : unit_q + UnitW'(1);
        switch_q <= ends_switch ? '0 : switch_q + SwitchW'(1);
        shuffle_left_q <= ends_shuffle ? '0 : shuffle_left_q + ShuffleW'(1);
        quantum_q <= ends_quantum ? '0 : quantum_q + QuantumW'(1);
      end
      if (ends_shuffle) shuffle_q <= (shuffle_q == 3'(Cpus - 1)) ? 3'd0 : shuffle_q + 3'd1;
      if (some_served) lfsr_q <= {1'b0, lfsr_q[15:1]} ^ (lfsr_q[0] ? 16'hb400 : 16'd0);
    end
  end

  // ---- IPs -----------------------------------------------------------------------------------

  logic [Ips-1:0] active_q, urgent_q, judged, behind;
  logic is_urgent, rises, falls;
  logic [CountWidth-1:0] expected_q [Ips];
  logic [CountWidth-1:0] served_q [Ips];
  logic [CountWidth-1:0] ip_quantum_q [Ips];
  logic [TimeWidth-1:0] period_q [Ips];
  logic [TimeWidth-1:0] elapsed_q [Ips];
  logic [6:0] probability_q [Ips];
  logic [Ips*TimeWidth-1:0] remaining;
  logic ends_unit_q;

  for (genvar i = 0; i < Ips; i = i + 1) begin : gen_ip
    assign start[i] = starts & (start_ip_i == 2'(i));
    assign replaced[i] = start[i] | finish_i[i];

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        active_q[i] <= 1'b0;
        urgent_q[i] <= 1'b0;
        expected_q[i] <= '0;
        period_q[i] <= '0;
        served_q[i] <= '0;
        elapsed_q[i] <= '0;
        ip_quantum_q[i] <= '0;
        probability_q[i] <= '0;
      end else begin
        active_q[i] <= start[i] | (active_q[i] & ~finish_i[i]);
        if (replaced[i]) urgent_q[i] <= 1'b0;
        else if (judged[i] && ends_unit_q) urgent_q[i] <= is_urgent;
        if (start[i]) begin
          expected_q[i] <= start_expected_i;
          period_q[i] <= start_period_i;
          served_q[i] <= '0;
          elapsed_q[i] <= '0;
        end else if (active_q[i] && !finish_i[i]) begin
          served_q[i] <= more(served_q[i], served[Cpus+i]);
          if (ticks && elapsed_q[i] != '1) elapsed_q[i] <= elapsed_q[i] + TimeWidth'(1);
        end
        ip_quantum_q[i] <= more(ends_quantum ? '0 : ip_quantum_q[i], served[Cpus+i]);
        if (judged[i] && !replaced[i]) begin
          if (rises && probability_q[i] != 7'd100) probability_q[i] <= probability_q[i] + 7'd1;
          if (falls) probability_q[i] <= (probability_q[i] < 7'd5) ? 7'd0 : probability_q[i] - 7'd5;
        end
      end
    end

    assign remaining[i*TimeWidth +: TimeWidth] =
        (elapsed_q[i] < period_q[i]) ? period_q[i] - elapsed_q[i] : '0;
    assign behind[i] = 12'd25 * 12'(lfsr_q[15:9]) < {probability_q[i], 5'd0};
    assign probability_o[7*i +: 7] = probability_q[i];
  end

  assign active_o = active_q;
  assign urgent_o = urgent_q;

  // ---- Evaluation ----------------------------------------------------------------------------

  logic judges_q, ends_switch_q, cancelled_q, later_q, is_last_ip;
  logic at_active, at_urgent, at_replaced, is_less;
  logic [1:0] ip_q;
  logic [CountWidth-1:0] at_served, at_expected;
  logic [TimeWidth-1:0] at_period, at_elapsed;
  logic [9:0] at_threshold;
  logic [ProductW-1:0] served_product_q, elapsed_product_q;
  logic [LimitW-1:0] late_q, limit_q;

  always_comb begin
    at_served = '0;
    at_expected = '0;
    at_period = '0;
    at_elapsed = '0;
    at_threshold = '0;
    at_active = 1'b0;
    at_urgent = 1'b0;
    at_replaced = 1'b0;
    for (int i = 0; i < Ips; i = i + 1) begin
      if (ip_q == 2'(i)) begin
        at_served = at_served | served_q[i];
        at_expected = at_expected | expected_q[i];
        at_period = at_period | period_q[i];
        at_elapsed = at_elapsed | elapsed_q[i];
        at_threshold = at_threshold | threshold_i[10*i +: 10];
        at_active = at_active | active_q[i];
        at_urgent = at_urgent | urgent_q[i];
        at_replaced = at_replaced | replaced[i];
      end
    end
  end

  assign is_last_ip = ip_q == 2'(Ips - 1);
  assign is_less = served_product_q < elapsed_product_q;
  assign is_urgent = at_active & ((late_q > limit_q) |
                                  (progress_i & (served_product_q <= elapsed_product_q)));
  assign rises = ends_switch_q & at_active & ~at_urgent & later_q & (at_served < at_expected) &
                 (served_product_q > elapsed_product_q);
  assign falls = ends_switch_q & at_active & ~at_urgent & later_q & (at_served < at_expected) &
                 is_less;
  for (genvar i = 0; i < Ips; i = i + 1) begin : gen_judged
    assign judged[i] = evaluates_q & judges_q & ~cancelled_q & (ip_q == 2'(i));
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      evaluates_q <= 1'b0;
      judges_q <= 1'b0;
      ip_q <= '0;
    end else begin
      evaluates_q <= ends_unit | ends_switch | (evaluates_q & ~(judges_q & is_last_ip));
      judges_q <= evaluates_q & ~judges_q;
      if (judges_q) ip_q <= is_last_ip ? 2'd0 : ip_q + 2'd1;
    end
    if (ticks) begin
      ends_unit_q <= ends_unit;
      ends_switch_q <= ends_switch;
    end
    if (evaluates_q && !judges_q) begin
      served_product_q <= ProductW'(at_served) * ProductW'(at_period);
      elapsed_product_q <= ProductW'(at_elapsed) * ProductW'(at_expected);
      late_q <= LimitW'(at_elapsed) * LimitW'(1000);
      limit_q <= LimitW'(at_threshold) * LimitW'(at_period);
      cancelled_q <= at_replaced;
    end
  end

  // ---- CPUs ----------------------------------------------------------------------------------

  logic [Cpus-1:0] intensive_q, taken_q, chosen, chosen_q, judged_cpu;
  logic [CountWidth-1:0] quantum_count_q [Cpus];
  logic [CountWidth-1:0] sampled_q [Cpus];
  logic [15:0] cpu_mpki_q [Cpus];
  logic [2:0] turn_q;
  logic is_over;

  for (genvar c = 0; c < Cpus; c = c + 1) begin : gen_cpu
    logic [Cpus-1:0] after;                        // the other CPUs that are chosen later
    logic [2:0] order_q;

    for (genvar o = 0; o < Cpus; o = o + 1) begin : gen_other
      if (o < c) begin : gen_before
        assign after[o] = taken_q[o] | (cpu_mpki_q[o] > cpu_mpki_q[c]);
      end else begin : gen_after
        assign after[o] = taken_q[o] | (cpu_mpki_q[o] >= cpu_mpki_q[c]);
      end
    end
    assign chosen[c] = ~taken_q[c] & (after == {Cpus{1'b1}});

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        intensive_q[c] <= 1'b1;
        order_q <= 3'(c);
        quantum_count_q[c] <= '0;
      end else begin
        quantum_count_q[c] <= more(ends_quantum ? '0 : quantum_count_q[c], served[c]);
        if (judged_cpu[c]) begin
          intensive_q[c] <= is_over;
          order_q <= turn_q;
        end
      end
      if (ends_quantum) begin
        sampled_q[c] <= quantum_count_q[c];
        cpu_mpki_q[c] <= mpki_i[16*c +: 16];
      end
      if (ends_quantum) taken_q[c] <= 1'b0;
      else if (judged_cpu[c]) taken_q[c] <= 1'b1;
    end
    assign order_o[3*c +: 3] = order_q;
  end

  assign intensive_o = intensive_q;

  // ---- Clustering ----------------------------------------------------------------------------

  logic is_last_cpu, over_q;
  logic [1:0] phase_q;
  logic [SumW-1:0] sum_q, total_q, total;
  logic [CountWidth-1:0] chosen_count;

  always_comb begin
    total = '0;
    for (int c = 0; c < Cpus; c = c + 1) total = total + SumW'(quantum_count_q[c]);
    for (int i = 0; i < Ips; i = i + 1) total = total + (all_i ? SumW'(ip_quantum_q[i]) : '0);
    chosen_count = '0;
    for (int c = 0; c < Cpus; c = c + 1) begin
      chosen_count = chosen_count | (sampled_q[c] & {CountWidth{chosen_q[c]}});
    end
  end

  assign is_last_cpu = turn_q == 3'(Cpus - 1);
  assign is_over = over_q | ((SumW+10)'(sum_q) * (SumW+10)'(1000) >
                             (SumW+10)'(factor_i) * (SumW+10)'(total_q));
  assign judged_cpu = chosen_q & {Cpus{clusters_q & (phase_q == Judge)}};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      clusters_q <= 1'b0;
      phase_q <= Choose;
      turn_q <= '0;
      later_q <= 1'b0;
    end else begin
      clusters_q <= ends_quantum | (clusters_q & ~((phase_q == Judge) & is_last_cpu));
      if (clusters_q) phase_q <= (phase_q == Judge) ? Choose : phase_q + 2'd1;
      if (phase_q == Judge) begin
        turn_q <= is_last_cpu ? 3'd0 : turn_q + 3'd1;
        later_q <= later_q | is_last_cpu;
      end
    end
    if (ends_quantum) begin
      sum_q <= '0;
      total_q <= total;
      over_q <= 1'b0;
    end else begin
      if (phase_q == Add) sum_q <= sum_q + SumW'(chosen_count);
      if (phase_q == Judge) over_q <= is_over;
    end
    if (phase_q == Choose) chosen_q <= chosen;
  end

  // ---- Rank and status -----------------------------------------------------------------------

  logic [Index*Sources-1:0] rank_q, rank;
  logic [2:0] error_q;

  dash_rank #(.Cpus(Cpus), .Ips(Ips), .TimeWidth(TimeWidth)) u_rank (
    .urgent_i(urgent_q),
    .behind_i(behind),
    .remaining_i(remaining),
    .intensive_i(intensive_q),
    .order_i(order_o),
    .shuffle_i(shuffle_q),
    .rank_o(rank)
  );

  assign rank_o = rank_q;
  assign error_o = error_q;
  assign quiescent_o = ~(tick_i | start_valid_i | (finish_i != '0) | (served_valid_i != '0) |
                         evaluates_q | clusters_q | (rank != rank_q));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      for (int s = 0; s < Sources; s = s + 1) rank_q[s*Index +: Index] <= Index'(s);
      error_q <= dash_scheduler_pkg::ErrNone;
    end else begin
      rank_q <= rank;
      if (error_q == dash_scheduler_pkg::ErrNone) begin
        if (start_bad) error_q <= dash_scheduler_pkg::ErrStart;
        else if (served_bad) error_q <= dash_scheduler_pkg::ErrServed;
        else if ((finish_i & ~active_q) != '0) error_q <= dash_scheduler_pkg::ErrFinish;
        else if (tick_i && !ticks) error_q <= dash_scheduler_pkg::ErrTick;
      end
    end
  end

  // Rule 4: only an active IP is urgent.
  `NOCTURNE_ASSERT(UrgentIsActive, (urgent_q & ~active_q) == '0)
  // Rule 6: one CPU is chosen.
  `NOCTURNE_ASSERT(OneIsChosen, clusters_q && phase_q != Choose |-> $onehot(chosen_q))
  for (genvar i = 0; i < Ips; i = i + 1) begin : gen_assert
    // Rule 5: P is a percentage.
    `NOCTURNE_ASSERT(ProbabilityIsPercent, probability_o[7*i +: 7] <= 7'd100)
  end

endmodule
