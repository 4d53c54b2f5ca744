// SPDX-License-Identifier: Apache-2.0
// Chooses the GPU with the fewest remaining triangles for each draw command.
// CHOPIN (HPCA 2021), IV-D, Fig. 10. Cycle contract: docs/units/draw_scheduler.md.
//
// Takes groups of draw commands and gives each GPU its pieces: opaque draws whole, to
// the GPU with the fewest triangles left in geometry; duplicated draws to every GPU;
// transparent groups cut into NumGpus contiguous ranges of primitives.
// Extensions, off by default, and what is off is not built: OpaqueAhead keeps the choice for
// opaque draws late where queues are deep; Eligible makes it among the GPUs that may take the
// draw; ByAll sends flagged draws of an opaque group to every GPU; Weights lets the table count
// what draws weigh instead of their triangles.
// Illegal: commands out of sequence, draws beyond the announced primitives, counters
// about to wrap, progress beyond what was scheduled, credits beyond the queue, a change between
// triangles and weights while work is outstanding. They are refused, change nothing, and error_o
// holds the first one's code until reset.
// Rate: one draw a cycle while credits last. Latency: two cycles from command to piece.
// No deadlock: a draw waits only for credits and acceptance of its target, both of
// which come from GPUs that never wait for this unit while they have commands.
// Cost: NumGpus x 2 x CountWidth flip-flops of table (the paper's), as many again by
// half for the remaining counts, and a comparator tree of depth clog2(NumGpus). The clock
// is that of the tree: each entry adds the draw's count and checks it beside the tree, and
// the choice only takes one of the sums.
`include "draw_scheduler_pkg.sv"
`include "assert.svh"

module draw_scheduler #(
  parameter int NumGpus = 8,                             // GPUs, 2 to 64
  parameter int CountWidth = 64,                         // bits of a triangle counter
  parameter int Credits = 64,                            // command-queue entries of a GPU
  parameter bit TieLowest = 1'b0,                        // ties to the lowest index
  parameter logic [CountWidth-1:0] ResetCount = '0,      // counters after reset
  parameter int OpaqueAhead = 0,                         // commands of a GPU that is given an
                                                         // opaque draw: fewer; 0: any number
  parameter bit Eligible = 1'b0,                         // the choice is among GPUs that may
                                                         // be given the draw
  parameter bit ByAll = 1'b0,                            // opaque draws may go to all GPUs
  parameter bit Weights = 1'b0,                          // the table may count weights
  parameter int IdWidth = 32,                            // bits of a draw's id
  parameter int PrimWidth = 32,                          // bits of a primitive number, 16 or more
  parameter int ProgressWidth = 11                       // bits of a progress report
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  // Commands from the driver
  input  logic                              cmd_valid_i,
  output logic                              cmd_ready_o,
  input  logic [1:0]                        cmd_op_i,      // start, draw, end
  input  logic [1:0]                        cmd_kind_i,    // duplicated, opaque, transparent
  input  logic [IdWidth-1:0]                cmd_id_i,
  input  logic [PrimWidth-1:0]              cmd_first_i,   // first primitive
  input  logic [PrimWidth-1:0]              cmd_count_i,   // triangles; primitives of a group
  input  logic                              cmd_by_all_i,  // opaque draw: to all GPUs
  input  logic [15:0]                       cmd_weight_i,  // draw: counts this in the table
  input  logic [1:0]                        policy_i,      // taken over at group start
  input  logic                              weighted_i,    // the table counts weights, likewise
  // Pieces to the GPUs, one payload for all
  output logic [NumGpus-1:0]                piece_valid_o,
  input  logic [NumGpus-1:0]                piece_ready_i,
  output logic                              piece_compose_o,
  output logic [1:0]                        piece_kind_o,
  output logic [IdWidth-1:0]                piece_id_o,
  output logic [PrimWidth-1:0]              piece_first_o,
  output logic [PrimWidth-1:0]              piece_count_o,
  output logic                              piece_by_all_o,
  output logic [15:0]                       piece_weight_o,
  // From the GPUs
  input  logic [NumGpus-1:0]                credit_i,
  input  logic [NumGpus-1:0]                progress_valid_i,
  input  logic [NumGpus*ProgressWidth-1:0]  progress_count_i,
  // Status
  output logic [2:0]                        error_o,
  output logic                              quiescent_o,
  output logic [NumGpus*CountWidth-1:0]     scheduled_o,
  output logic [NumGpus*CountWidth-1:0]     processed_o
);

  localparam int IndexWidth = $clog2(NumGpus);
  localparam int CreditWidth = $clog2(Credits + 1);
  // Wide enough for a counter and a report, and for twice a draw's count.
  localparam int WideCount = (CountWidth > PrimWidth) ? CountWidth : PrimWidth + 1;
  localparam int SumWidth = (WideCount > ProgressWidth) ? WideCount : ProgressWidth;
  localparam int WeightWidth = 16;
  localparam int PlainWidth = 2 + 2 + IdWidth + 2 * PrimWidth;
  localparam int CmdWidth = PlainWidth + (ByAll ? 1 : 0) + (Weights ? WeightWidth : 0);
  // Credits that a GPU has left when it is given an opaque draw: more than these.
  localparam int Kept = (OpaqueAhead == 0 || OpaqueAhead >= Credits) ? 0 : Credits - OpaqueAhead;
  // The tree of the choice: nodes of four compare all pairs at once, which takes half the levels of
  // nodes of two; above 16 GPUs nodes of eight, with twice the comparators, save a third level.
  localparam int NodeWidth = (NumGpus > 16) ? 3 : 2;
  localparam int Children = 1 << NodeWidth;
  localparam int Levels = (IndexWidth + NodeWidth - 1) / NodeWidth;
  localparam int Leaves = 1 << (NodeWidth * Levels);
  localparam int Inner = (Leaves - 1) / (Children - 1);  // nodes that have children
  // {may not be given the draw, with Eligible; remaining; not after `last`}
  localparam int KeyWidth = CountWidth + 1 + (Eligible ? 1 : 0);

  localparam logic [1:0] OpIllegal = 2'd3;
  localparam logic [1:0] KindIllegal = 2'd3;

  // ---- Command queue: two entries -------------------------------------------------------

  logic [1:0] queue_count;
  logic push, pop;

  logic [1:0] head_op, head_kind;
  logic [IdWidth-1:0] head_id;
  logic [PrimWidth-1:0] head_first, head_count;
  logic [CmdWidth-1:0] cmd, head;
  logic [WeightWidth-1:0] head_weight;
  logic head_valid, head_by_all;

  assign cmd_ready_o = queue_count != 2'd2;
  assign push = cmd_valid_i & cmd_ready_o;
  assign head_valid = queue_count != 2'd0;

  skid_fifo #(
    .Width(CmdWidth),
    .Shift(1'b1)
  ) u_queue (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .push_i(push),
    .data_i(cmd),
    .pop_i(pop),
    .data_o(head),
    .count_o(queue_count)
  );

  assign cmd[PlainWidth-1:0] = {cmd_op_i, cmd_kind_i, cmd_id_i, cmd_first_i, cmd_count_i};
  assign {head_op, head_kind, head_id, head_first, head_count} = head[PlainWidth-1:0];

  if (ByAll) begin : gen_by_all_head
    assign cmd[PlainWidth] = cmd_by_all_i;
    assign head_by_all = head[PlainWidth];
  end else begin : gen_no_by_all_head
    logic unused_by_all;
    assign unused_by_all = cmd_by_all_i;
    assign head_by_all = 1'b0;
  end

  if (Weights) begin : gen_weight_head
    assign cmd[CmdWidth-1 -: WeightWidth] = cmd_weight_i;
    assign head_weight = head[CmdWidth-1 -: WeightWidth];
  end else begin : gen_no_weight_head
    logic unused_weight;
    assign unused_weight = ^cmd_weight_i;
    assign head_weight = '0;
  end

  // ---- Table -----------------------------------------------------------------------------

  logic [CountWidth-1:0] scheduled_q [NumGpus];
  logic [CountWidth-1:0] processed_q [NumGpus];
  logic [CountWidth-1:0] remaining_q [NumGpus];  // scheduled - processed, for timing
  logic [CreditWidth-1:0] credit_q [NumGpus];
  logic [NumGpus-1:0] has_credit, spend, credit_refused, progress_ok, progress_refused;
  logic [NumGpus-1:0] takes_opaque;  // has a credit, and fewer than OpaqueAhead outstanding
  logic [PrimWidth-1:0] amount;      // what the head adds to the table
  logic weighted;                    // the table counts weights
  logic [NumGpus-1:0] chosen;      // one-hot: scheduled grows by the amount
  logic [NumGpus-1:0] wraps;       // it would not fit

  assign amount = weighted ? PrimWidth'(head_weight) : head_count;

  for (genvar g = 0; g < NumGpus; g = g + 1) begin : gen_entry
    logic [ProgressWidth-1:0] report;
    logic [SumWidth-1:0] sum;
    logic [CountWidth-1:0] down;
    logic full;

    assign report = progress_count_i[g*ProgressWidth +: ProgressWidth];
    assign progress_ok[g] =
        progress_valid_i[g] & (SumWidth'(report) <= SumWidth'(remaining_q[g]));
    assign progress_refused[g] = progress_valid_i[g] & ~progress_ok[g];
    assign down = progress_ok[g] ? CountWidth'(report) : '0;

    // The full width has no bit for the carry: an amount has a top bit of 0, so the
    // sum's falls only when it wraps.
    assign sum = SumWidth'(scheduled_q[g]) + SumWidth'(amount);
    if (CountWidth == SumWidth) begin : gen_full
      assign wraps[g] = scheduled_q[g][CountWidth-1] & ~sum[SumWidth-1];
    end else begin : gen_narrow
      assign wraps[g] = sum[SumWidth-1:CountWidth] != '0;
    end

    assign has_credit[g] = credit_q[g] != '0;
    if (Kept == 0) begin : gen_any
      assign takes_opaque[g] = has_credit[g];
    end else begin : gen_ahead
      assign takes_opaque[g] = credit_q[g] > CreditWidth'(Kept);
    end
    assign full = credit_q[g] == CreditWidth'(Credits);
    assign credit_refused[g] = credit_i[g] & full & ~spend[g];

    assign scheduled_o[g*CountWidth +: CountWidth] = scheduled_q[g];
    assign processed_o[g*CountWidth +: CountWidth] = processed_q[g];

`ifdef VERILATOR
    // Rule 2: no GPU has been reported more triangles than it was given, and the copy
    // for timing agrees with the table.
    logic [CountWidth-1:0] scheduled_now, processed_now, remaining_now;
    assign scheduled_now = scheduled_q[g];
    assign processed_now = processed_q[g];
    assign remaining_now = remaining_q[g];
    `NOCTURNE_ASSERT(ProcessedWithinScheduled, processed_now <= scheduled_now)
    `NOCTURNE_ASSERT(RemainingIsDifference, remaining_now == scheduled_now - processed_now)
`endif

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        scheduled_q[g] <= ResetCount;
        processed_q[g] <= ResetCount;
        remaining_q[g] <= '0;
        credit_q[g] <= CreditWidth'(Credits);
      end else begin
        if (chosen[g]) scheduled_q[g] <= CountWidth'(sum);
        processed_q[g] <= processed_q[g] + down;
        remaining_q[g] <= chosen[g] ? remaining_q[g] + CountWidth'(amount) - down
                                    : remaining_q[g] - down;
        if (credit_i[g] && !credit_refused[g] && !spend[g]) begin
          credit_q[g] <= credit_q[g] + CreditWidth'(1);
        end else if (spend[g] && !credit_i[g]) begin
          credit_q[g] <= credit_q[g] - CreditWidth'(1);
        end
      end
    end
  end

  // ---- Choice ----------------------------------------------------------------------------

  // `last` as one bit for each GPU but the first, 1 where the GPU comes after it: nothing to decode
  // before the comparison.
  logic [NumGpus-1:1] after_q, after_d, after_choice;
  // A tree of comparators of keys; node n has children Children * n + 1 and following, the leaves
  // are the last nodes. Each keeps the lowest key, of equals the first: with Eligible one that may
  // be given the draw; fewer remaining; among equals the one after `last`, then the lower index.
  // Leaves beyond NumGpus, with the highest key, never win against one of a GPU.
  logic [KeyWidth-1:0] tree_key [0:Inner+Leaves-1];
  logic [Inner+Leaves-1:1] wins;                        // over its siblings
  logic [NumGpus-1:0] after;
  logic [NumGpus-1:0] least, following, choice;         // one-hot

  always_comb begin
    wins = '1;
    for (int i = 0; i < Inner; i = i + 1) tree_key[i] = '0;
    for (int i = Inner; i < Inner + Leaves; i = i + 1) tree_key[i] = '1;
    for (int i = 0; i < NumGpus; i = i + 1) begin
      tree_key[Inner+i] = KeyWidth'({remaining_q[i], 1'b1});
      if (!TieLowest) tree_key[Inner+i][0] = ~after[i];
      if (Eligible) tree_key[Inner+i][KeyWidth-1] = ~takes_opaque[i];
    end
    for (int i = Inner - 1; i >= 0; i = i - 1) begin
      for (int a = 1; a <= Children; a = a + 1) begin
        for (int b = 1; b <= Children; b = b + 1) begin
          wins[Children*i+a] = wins[Children*i+a] &
              ((b < a)   ? (tree_key[Children*i+a] < tree_key[Children*i+b])
               : (b > a) ? !(tree_key[Children*i+b] < tree_key[Children*i+a])
                         : 1'b1);
        end
      end
      for (int c = 1; c <= Children; c = c + 1) begin
        tree_key[i] = tree_key[i] |
                      (tree_key[Children*i+c] & {KeyWidth{wins[Children*i+c]}});
      end
    end
  end

  // A GPU is the least if it and all nodes above it win.
  always_comb begin
    least = '1;
    for (int i = 0; i < NumGpus; i = i + 1) begin
      for (int l = 0; l < Levels; l = l + 1) begin
        // The node l levels up: l times (n - 1) / Children.
        least[i] = least[i] &
            wins[(Inner + i - ((1 << (NodeWidth * l)) - 1) / (Children - 1)) >> (NodeWidth * l)];
      end
    end
  end

  assign after = {after_q, 1'b0};
  assign following = (after & ~(after << 1)) | {{(NumGpus - 1){1'b0}}, ~after_q[NumGpus-1]};
  assign choice = (policy_q == draw_scheduler_pkg::PolicyRoundRobin) ? following : least;
  for (genvar g = 1; g < NumGpus; g = g + 1) begin : gen_after
    assign after_choice[g] = choice[g-1:0] != '0;
  end

  // ---- Group and ranges ------------------------------------------------------------------

  logic open_q, open_d;
  logic [1:0] kind_q, kind_d, policy_q, policy_d;
  logic cut_q, cut_d;                                  // the head draw has been cut before
  logic [PrimWidth-1:0] done_q, done_d;                // primitives already taken off the head
  logic [PrimWidth-1:0] left_q, left_d;                // of the group, not yet drawn
  logic [PrimWidth-1:0] range_q, range_d;              // rest of the current range
  logic [IndexWidth-1:0] current_q, current_d;         // whose range it is

  // Group primitives by NumGpus.
  logic [PrimWidth-1:0] quotient, quotient_next;
  logic [IndexWidth:0] rest, rest_next;
  logic div_busy, div_start, div_last;

  serial_divider #(
    .Width(PrimWidth),
    .Divisor(NumGpus)
  ) u_divider (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .start_i(div_start),
    .number_i(head_count),
    .busy_o(div_busy),
    .last_o(div_last),
    .quotient_o(quotient),
    .rest_o(rest),
    .next_o(quotient_next),
    .next_rest_o(rest_next)
  );

  function automatic logic [PrimWidth-1:0] range_size(
    input logic [PrimWidth-1:0] each, input logic [IndexWidth:0] longer,
    input logic [IndexWidth:0] index
  );
    range_size = each + PrimWidth'(index < longer);
  endfunction

  // ---- Decode: what the head does in this cycle -------------------------------------------

  localparam int ActSequence = 0, ActWrap = 1, ActRange = 2,  // refused
                 ActOpen = 3,     // group start
                 ActCopy = 4,     // draw to all GPUs
                 ActChoose = 5,   // opaque draw to the chosen GPU
                 ActCut = 6,      // piece of a transparent draw
                 ActVanish = 7,   // transparent draw without triangles
                 ActClose = 8,    // end of a duplicated group
                 ActCompose = 9,  // end of any other group
                 ActMode = 10,    // refused
                 Acts = 11;

  logic [NumGpus-1:0] valid_q, valid_d, todo_q, todo_d, stay, raise_late;
  logic [Acts-1:0] act;                                // at most one; none: the head waits
  logic may_choose, choice_wraps, free, opens, mode_wrong, too_many;

  assign stay = valid_q & ~piece_ready_i;
  assign free = (stay == '0) & (todo_q == '0);
  assign raise_late = todo_q & has_credit;
  assign opens = !open_q & (head_kind != KindIllegal);
  assign too_many = !cut_q & (head_count > left_q);
  // Late: the choice. All else is ready before it.
  assign may_choose = head_valid & (head_op == draw_scheduler_pkg::OpDraw) & open_q &
                      (kind_q == draw_scheduler_pkg::GroupOpaque) & ~head_by_all & free;
  assign chosen = choice & takes_opaque & ~wraps & {NumGpus{may_choose}};
  assign choice_wraps = (choice & wraps) != '0;

  always_comb begin
    act = '0;
    if (head_valid) begin
      if (head_op == draw_scheduler_pkg::OpGroupStart) begin
        act[ActOpen] = opens && !mode_wrong;
        act[ActMode] = opens && mode_wrong;
        act[ActSequence] = !opens;
      end else if (head_op == OpIllegal || !open_q) begin
        act[ActSequence] = 1'b1;
      end else if (kind_q == draw_scheduler_pkg::GroupDuplicated) begin
        act[ActCopy] = head_op == draw_scheduler_pkg::OpDraw && free;
        act[ActClose] = head_op == draw_scheduler_pkg::OpGroupEnd;
      end else if (head_op == draw_scheduler_pkg::OpGroupEnd) begin
        act[ActCompose] = !div_busy && free;
      end else if (kind_q == draw_scheduler_pkg::GroupOpaque) begin
        act[ActCopy] = head_by_all && free;
        act[ActWrap] = !head_by_all && choice_wraps;
        act[ActChoose] = chosen != '0;
      end else if (!div_busy) begin
        act[ActRange] = too_many;
        act[ActVanish] = !too_many && head_count == '0;
        act[ActCut] = !too_many && head_count != '0 && free && has_credit[current_q];
      end
    end
  end

  // ---- Act -------------------------------------------------------------------------------

  localparam logic [NumGpus-1:0] FirstGpu = NumGpus'(1);
  logic [NumGpus-1:0] targets;
  logic load, load_compose, err_sequence, err_wrap, err_range, cut_ends;
  logic [PrimWidth-1:0] head_rest, take, load_count, load_first;

  assign head_rest = head_count - done_q;
  assign take = (head_rest < range_q) ? head_rest : range_q;
  assign cut_ends = take == head_rest;

  assign pop = act[ActCut] ? cut_ends : act != '0;
  assign load_compose = act[ActCompose];
  assign load = act[ActCopy] | act[ActChoose] | act[ActCut] | act[ActCompose];
  assign load_first = act[ActCut] ? head_first + done_q : head_first;
  assign load_count = act[ActCut] ? take : head_count;
  assign targets = chosen | {NumGpus{act[ActCopy] | act[ActCompose]}} |
                   (act[ActCut] ? FirstGpu << current_q : '0);
  assign err_sequence = act[ActSequence];
  assign err_wrap = act[ActWrap];
  assign err_range = act[ActRange] |
                     (act[ActCompose] & (kind_q == draw_scheduler_pkg::GroupTransparent) &
                      (left_q != '0));
  assign div_start = act[ActOpen] & (kind_d == draw_scheduler_pkg::GroupTransparent);

  always_comb begin
    open_d = (open_q | act[ActOpen]) & ~(act[ActClose] | act[ActCompose]);
    policy_d = act[ActOpen] ? policy_i : policy_q;
    kind_d = kind_q;
    if (act[ActOpen]) begin
      kind_d = (policy_i == draw_scheduler_pkg::PolicyDuplicateAll) ?
               draw_scheduler_pkg::GroupDuplicated : head_kind;
    end
    after_d = act[ActChoose] ? after_choice : after_q;
  end

  // What the table counts. It changes with the first group after the work of the last has left.
  if (Weights) begin : gen_weights
    logic weighted_q;
    logic [NumGpus-1:0] outstanding;

    for (genvar g = 0; g < NumGpus; g = g + 1) begin : gen_outstanding
      assign outstanding[g] = remaining_q[g] != '0;
    end
    assign weighted = weighted_q;
    assign mode_wrong = (weighted_i != weighted_q) & (outstanding != '0);

    always_ff @(posedge clk_i) begin
      if (!rst_ni) weighted_q <= 1'b0;
      else if (act[ActOpen]) weighted_q <= weighted_i;
    end
  end else begin : gen_triangles
    logic unused_weighted;
    assign unused_weighted = weighted_i;
    assign weighted = 1'b0;
    assign mode_wrong = 1'b0;
  end

  // The ranges of a transparent group.
  always_comb begin
    cut_d = cut_q;
    done_d = done_q;
    left_d = act[ActOpen] ? head_count : left_q;
    range_d = range_q;
    current_d = current_q;
    if (div_last) begin
      // The last step of the divider gives GPU 0's range.
      range_d = range_size(quotient_next, rest_next, '0);
      current_d = '0;
    end
    if (act[ActCut]) begin
      cut_d = !cut_ends;
      done_d = cut_ends ? '0 : done_q + take;
      left_d = left_q - take;
      range_d = range_q - take;
      if (take == range_q) begin
        current_d = current_q + IndexWidth'(1);
        range_d = range_size(quotient, rest, {1'b0, current_q} + (IndexWidth+1)'(1));
      end
    end
  end

  // ---- Pieces ----------------------------------------------------------------------------

  logic compose_q;
  logic [1:0] piece_kind_q;
  logic [IdWidth-1:0] id_q;
  logic [PrimWidth-1:0] first_q, count_q;

  assign spend = raise_late | (targets & has_credit);
  assign valid_d = stay | spend;
  assign todo_d = (todo_q & ~raise_late) | (targets & ~has_credit);

  assign piece_valid_o = valid_q;
  assign piece_compose_o = compose_q;
  assign piece_kind_o = piece_kind_q;
  assign piece_id_o = id_q;
  assign piece_first_o = first_q;
  assign piece_count_o = count_q;

  if (ByAll) begin : gen_by_all
    logic by_all_q;

    assign piece_by_all_o = by_all_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) by_all_q <= 1'b0;
      else if (load) by_all_q <= act[ActCopy] & (kind_q == draw_scheduler_pkg::GroupOpaque);
    end
  end else begin : gen_no_by_all
    assign piece_by_all_o = 1'b0;
  end

  if (Weights) begin : gen_weight
    logic [WeightWidth-1:0] weight_q;

    assign piece_weight_o = weight_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) weight_q <= '0;
      else if (load) weight_q <= load_compose ? '0 : head_weight;
    end
  end else begin : gen_no_weight
    assign piece_weight_o = '0;
  end

  // ---- Errors, quiescence ----------------------------------------------------------------

  logic [2:0] error_q, error_d;

  always_comb begin
    error_d = error_q;
    if (error_q == draw_scheduler_pkg::ErrNone) begin
      if (err_sequence) error_d = draw_scheduler_pkg::ErrSequence;
      else if (err_wrap) error_d = draw_scheduler_pkg::ErrWrap;
      else if (err_range) error_d = draw_scheduler_pkg::ErrRange;
      else if (progress_refused != '0) error_d = draw_scheduler_pkg::ErrProgress;
      else if (credit_refused != '0) error_d = draw_scheduler_pkg::ErrCredit;
      else if (act[ActMode]) error_d = draw_scheduler_pkg::ErrMode;
    end
  end

  assign error_o = error_q;
  assign quiescent_o = ~push & (progress_valid_i == '0) & (credit_i == '0) &
                       ((valid_q & piece_ready_i) == '0) & (raise_late == '0) & ~div_busy &
                       (act == '0);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      open_q <= 1'b0;
      kind_q <= draw_scheduler_pkg::GroupDuplicated;
      policy_q <= 2'd0;
      after_q <= '0;
      cut_q <= 1'b0;
      done_q <= '0;
      left_q <= '0;
      range_q <= '0;
      current_q <= '0;
      valid_q <= '0;
      todo_q <= '0;
      compose_q <= 1'b0;
      piece_kind_q <= 2'd0;
      id_q <= '0;
      first_q <= '0;
      count_q <= '0;
      error_q <= draw_scheduler_pkg::ErrNone;
    end else begin
      open_q <= open_d;
      kind_q <= kind_d;
      policy_q <= policy_d;
      after_q <= after_d;
      cut_q <= cut_d;
      done_q <= done_d;
      left_q <= left_d;
      range_q <= range_d;
      current_q <= current_d;
      valid_q <= valid_d;
      todo_q <= todo_d;
      error_q <= error_d;
      if (load) begin
        compose_q <= load_compose;
        piece_kind_q <= kind_q;
        id_q <= load_compose ? '0 : head_id;
        first_q <= load_compose ? '0 : load_first;
        count_q <= load_compose ? '0 : load_count;
      end
    end
  end

`ifdef VERILATOR
  // Rule 1: a piece holds until its GPU takes it.
  `NOCTURNE_ASSERT(PieceHolds, |(piece_valid_o & ~piece_ready_i) |=> $stable(piece_id_o))
`endif

endmodule
