// SPDX-License-Identifier: Apache-2.0
// Merges beats that want the same line of child texels into one read, and says what they wanted of
// it when the line has come. A-TFIM (HPCA 2017), V-D, V-E, VII-E, Fig. 9.
// Cycle contract: docs/units/child_consolidation.md, which also defines entry, fetch and run.
//
// A beat takes the ring's tail entry, and joins the fetch of its line or begins one with a read.
// The walker follows a fetch's chain of entries when its line is taken.
// Rate: a beat in, a read out and a run out a cycle. Latency: two cycles from beat to read, two
// from take to run.
// Illegal: a take whose tag names no fetch under way. It is answered with a void run, changes no
// fetch, and error_o is ErrTake until reset.
// No deadlock: a beat waits for lines of earlier beats and for reads to be accepted, never for a
// later beat; the walker waits for runs to be accepted alone.
// Cost: Entries x (87 + log2(Entries) + 1) and 2^SetBits x Ways x (32 + 2 log2(Entries)) bits of
// register file; Ways comparators of a line. Line, set, match and the write of the chain are one
// cycle.
`include "child_consolidation_pkg.sv"
`include "assert.svh"

module child_consolidation #(
  parameter int Entries = 256,     // beats, a power of two, 16 to 256
  parameter int SetBits = 6,       // 2^SetBits sets of fetches, 1 to 6
  parameter int Ways = 4,          // fetches of a set: 1, 2 or 4
  parameter bit Merge = 1'b1,      // 0: no beat joins a fetch
  parameter int CountWidth = 48,   // bits of a counter, 10 to 48
  parameter bit Observe = 1'b1     // 0: no counters; reports of writes and peek_data_o are 0
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic [CountWidth-1:0] cycle_i,      // 1 in the first cycle after reset
  // Lines of children
  input  logic             beat_valid_i,
  output logic             beat_ready_o,
  input  logic [5:0]       beat_slot_i,       // package
  input  logic             beat_last_i,       // not used
  input  logic             beat_along_y_i,
  input  logic [27:0]      beat_line_i,       // bytes / 64
  input  logic [15:0]      beat_texel_i,      // texels wanted
  input  logic [16*4-1:0]  beat_parent_i,     // by which parent
  // Reads of lines
  output logic             read_valid_o,
  input  logic             read_ready_i,
  output logic [10:0]      read_tag_o,        // generation, fetch
  output logic [27:0]      read_line_o,       // bytes / 64
  // A line has come
  input  logic             take_valid_i,
  output logic             take_ready_o,
  input  logic [10:0]      take_tag_i,
  // The beats that waited for it
  output logic             run_valid_o,
  input  logic             run_ready_i,
  output logic             run_void_o,        // nobody asked for the line
  output logic             run_last_o,        // of the line
  output logic [5:0]       run_slot_o,
  output logic             run_along_y_o,
  output logic [15:0]      run_texel_o,
  output logic [16*4-1:0]  run_parent_o,
  // Status
  output logic [3:0]       error_o,
  output logic             quiescent_o,
  // What the last clock wrote
  output logic             insert_valid_o,
  output logic [7:0]       insert_index_o,    // entry
  output logic [5:0]       insert_slot_o,
  output logic [7:0]       insert_fetch_o,
  output logic             insert_new_o,      // the fetch began, with a read
  output logic             close_valid_o,
  output logic [7:0]       close_fetch_o,
  // Observation
  input  logic             peek_valid_i,
  input  logic [1:0]       peek_select_i,     // 0 entry, 1 fetch, 2 counter, 3 parents of an entry
  input  logic [7:0]       peek_index_i,
  output logic [63:0]      peek_data_o
);

  localparam int LineWidth = 28;
  localparam int FetchWord = 20 + LineWidth;   // of a peek: line, last, first, valid, generation
  localparam int Sets = 1 << SetBits;
  localparam int WayBits = $clog2(Ways);
  localparam int Fetches = Sets * Ways;
  localparam int EntryWidth = $clog2(Entries);
  localparam int UsedWidth = EntryWidth + 1;
  localparam int WordWidth = 6 + 1 + 16 + 64;  // slot, axis, texels, parents
  localparam int WayWidth = (Ways > 1) ? WayBits : 1;
  localparam logic [WayWidth-1:0] WayMask = WayWidth'(Ways - 1);

  // ---- Beat queue ------------------------------------------------------------------------

  logic [LineWidth-1:0] line;
  logic [WordWidth-1:0] head_word;
  logic [1:0] beat_count;
  logic beat_push, beat_waits, insert;

  assign beat_ready_o = beat_count != 2'd2;
  assign beat_push = beat_valid_i & beat_ready_o;
  assign beat_waits = beat_count != '0;

  skid_fifo #(
    .Width(LineWidth + WordWidth)
  ) u_beats (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .push_i(beat_push),
    .data_i({beat_line_i, beat_slot_i, beat_along_y_i, beat_texel_i, beat_parent_i}),
    .pop_i(insert),
    .data_o({line, head_word}),
    .count_o(beat_count)
  );

  // ---- Ring of entries -------------------------------------------------------------------

  logic [WordWidth-1:0] word_q [Entries];
  logic [EntryWidth-1:0] next_q [Entries];     // of the chain
  logic [Entries-1:0] done_q;
  logic [EntryWidth-1:0] head_q, tail_q;
  logic [UsedWidth-1:0] used_q;
  logic [SetBits-1:0] set;
  logic full, release_head;

  assign full = used_q == UsedWidth'(Entries);
  assign release_head = (used_q != '0) & done_q[head_q];

  if (Merge) begin : gen_fold
    always_comb begin
      set = '0;
      for (int b = 0; b < LineWidth; b = b + 1) set[b % SetBits] = set[b % SetBits] ^ line[b];
    end
  end else begin : gen_spread
    assign set = SetBits'(tail_q);
  end

  // ---- Fetches ---------------------------------------------------------------------------

  logic take, take_named, close;
  logic [7:0] take_fetch;
  logic [WayWidth-1:0] take_way, peek_way;
  logic [SetBits-1:0] take_set, peek_set;
  logic join_ok, begin_ok;
  // Of each way: in the set of the beat, in that of the take, in that of the peek.
  logic [Ways-1:0] way_valid, way_match, way_pick, take_valid;
  logic [Ways*3-1:0] way_generation, take_generation;
  logic [Ways*EntryWidth-1:0] way_last, take_first, take_last;
  logic [Ways*FetchWord-1:0] peek_word;

  assign take_fetch = take_tag_i[7:0];
  assign take_way = take_fetch[WayWidth-1:0] & WayMask;
  assign take_set = SetBits'(take_fetch >> WayBits);
  assign peek_way = peek_index_i[WayWidth-1:0] & WayMask;
  assign peek_set = SetBits'(peek_index_i >> WayBits);
  assign way_pick = ~way_valid & (way_valid + Ways'(1));  // the lowest that is not valid

  for (genvar w = 0; w < Ways; w = w + 1) begin : gen_way
    logic [Sets-1:0] valid_q;
    logic [LineWidth-1:0] line_q [Sets];
    logic [EntryWidth-1:0] first_q [Sets];
    logic [EntryWidth-1:0] last_q [Sets];
    logic write_new, write_last, close_here;
    logic [2:0] closed_generation;

    assign write_new = begin_ok & way_pick[w];
    assign write_last = write_new | (join_ok & way_match[w]);
    assign close_here = close & (take_way == WayWidth'(w));
    assign closed_generation = take_generation[w*3 +: 3] + 3'd1;

    assign way_valid[w] = valid_q[set];
    assign way_match[w] = Merge & valid_q[set] & (line_q[set] == line);
    assign way_last[w*EntryWidth +: EntryWidth] = last_q[set];
    assign take_valid[w] = valid_q[take_set] & (take_way == WayWidth'(w));
    assign take_first[w*EntryWidth +: EntryWidth] = first_q[take_set];
    assign take_last[w*EntryWidth +: EntryWidth] = last_q[take_set];

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        valid_q <= '0;
      end else begin
        if (write_new) valid_q[set] <= 1'b1;
        if (close_here) valid_q[take_set] <= 1'b0;
      end
      if (write_new) begin
        line_q[set] <= line;
        first_q[set] <= tail_q;
      end
      if (write_last) last_q[set] <= tail_q;
    end

    for (genvar i = 0; i < 3; i = i + 1) begin : gen_generation
      logic [Sets-1:0] bit_q;
      always_ff @(posedge clk_i) begin
        if (!rst_ni) bit_q <= '0;
        else if (close_here) bit_q[take_set] <= closed_generation[i];
      end
      assign way_generation[w*3 + i] = bit_q[set];
      assign take_generation[w*3 + i] = bit_q[take_set];
      assign peek_word[w*FetchWord + i] = Observe & bit_q[peek_set];
    end

    if (Observe) begin : gen_peek
      assign peek_word[w*FetchWord + 3 +: FetchWord-3] = valid_q[peek_set] ?
          {line_q[peek_set], 8'(last_q[peek_set]), 8'(first_q[peek_set]), 1'b1} : '0;
    end else begin : gen_no_peek
      assign peek_word[w*FetchWord + 3 +: FetchWord-3] = '0;
    end
  end

  // ---- Take ------------------------------------------------------------------------------

  logic [2:0] named_generation;
  logic [EntryWidth-1:0] named_first, named_last;

  always_comb begin
    named_generation = '0;
    named_first = '0;
    named_last = '0;
    for (int n = 0; n < Ways; n = n + 1) begin
      if (take_way == WayWidth'(n)) begin
        named_generation = take_generation[n*3 +: 3];
        named_first = take_first[n*EntryWidth +: EntryWidth];
        named_last = take_last[n*EntryWidth +: EntryWidth];
      end
    end
  end

  assign take = take_valid_i & take_ready_o;
  assign take_named = ({1'b0, take_fetch} < 9'(Fetches)) & (take_valid != '0) &
                      (named_generation == take_tag_i[10:8]);
  assign close = take & take_named;

  // ---- Walk ------------------------------------------------------------------------------

  logic busy_q, void_q, emit, emit_last;
  logic [EntryWidth-1:0] current_q, end_q;
  logic [WordWidth-1:0] word;
  logic [1:0] run_queued;

  assign emit = busy_q & (run_queued != 2'd2);
  assign emit_last = void_q | (current_q == end_q);
  assign take_ready_o = ~busy_q | (emit & emit_last);
  assign word = void_q ? '0 : word_q[current_q];
  assign run_valid_o = run_queued != '0;

  skid_fifo #(
    .Width(2 + WordWidth)
  ) u_runs (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .push_i(emit),
    .data_i({void_q, emit_last, word}),
    .pop_i(run_valid_o & run_ready_i),
    .data_o({run_void_o, run_last_o, run_slot_o, run_along_y_o, run_texel_o, run_parent_o}),
    .count_o(run_queued)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      void_q <= 1'b0;
    end else if (take) begin
      busy_q <= 1'b1;
      void_q <= ~take_named;
    end else if (emit && emit_last) begin
      busy_q <= 1'b0;
    end
    if (take) begin
      current_q <= named_first;
      end_q <= named_last;
    end else if (emit) begin
      current_q <= next_q[current_q];
    end
  end

  // ---- Insert ----------------------------------------------------------------------------

  logic joins, closing, read_room;
  logic [Ways-1:0] way_used;
  logic [WayWidth-1:0] insert_way;
  logic [7:0] insert_fetch;
  logic [2:0] insert_generation;
  logic [EntryWidth-1:0] chain_end;
  logic [1:0] read_count;

  assign joins = way_match != '0;
  assign way_used = joins ? way_match : way_pick;
  assign closing = close & (take_fetch == insert_fetch);
  assign read_room = read_count != 2'd2;
  assign join_ok = beat_waits & ~full & joins & ~closing;
  assign begin_ok = beat_waits & ~full & ~joins & (way_pick != '0) & read_room;
  assign insert = join_ok | begin_ok;
  assign insert_fetch = (8'(set) << WayBits) | 8'(insert_way);

  always_comb begin
    insert_way = '0;
    insert_generation = '0;
    chain_end = '0;
    for (int n = 0; n < Ways; n = n + 1) begin
      if (way_used[n]) begin
        insert_way = WayWidth'(n);
        insert_generation = way_generation[n*3 +: 3];
        chain_end = way_last[n*EntryWidth +: EntryWidth];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (insert) word_q[tail_q] <= head_word;
    if (join_ok) next_q[chain_end] <= tail_q;
    if (insert) done_q[tail_q] <= 1'b0;
    if (emit && !void_q) done_q[current_q] <= 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      head_q <= '0;
      tail_q <= '0;
      used_q <= '0;
    end else begin
      if (insert) tail_q <= tail_q + EntryWidth'(1);
      if (release_head) head_q <= head_q + EntryWidth'(1);
      if (insert && !release_head) used_q <= used_q + UsedWidth'(1);
      if (release_head && !insert) used_q <= used_q - UsedWidth'(1);
    end
  end

  // ---- Reads -----------------------------------------------------------------------------

  assign read_valid_o = read_count != '0;

  skid_fifo #(
    .Width(11 + LineWidth)
  ) u_reads (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .push_i(begin_ok),
    .data_i({insert_generation, insert_fetch, line}),
    .pop_i(read_valid_o & read_ready_i),
    .data_o({read_tag_o, read_line_o}),
    .count_o(read_count)
  );

  // ---- Reports, counters, peek -----------------------------------------------------------

  if (Observe) begin : gen_observe
    logic [23:0] insert_report_q;
    logic [8:0] close_report_q;
    logic [63:0] peek_data_q, peek_parents;
    logic [24:0] peek_entry;
    logic [FetchWord-1:0] peek_fetch;
    logic [CountWidth-1:0] peek_counter, seen_q, passed;
    logic [4:0] reason;                        // why no beat is inserted
    logic [EntryWidth-1:0] index, distance;
    logic [WordWidth-1:0] shown;
    logic peek_live;

    assign {insert_valid_o, insert_index_o, insert_slot_o, insert_fetch_o, insert_new_o} =
        insert_report_q;
    assign {close_valid_o, close_fetch_o} = close_report_q;
    assign peek_data_o = peek_data_q;

    assign index = peek_index_i[EntryWidth-1:0];
    assign distance = index - head_q;
    assign shown = word_q[index];
    assign peek_live = ((peek_index_i >> EntryWidth) == 8'd0) & ({1'b0, distance} < used_q);
    assign peek_entry = peek_live ?
        {1'b1, done_q[index], shown[79:64], shown[80], shown[86:81]} : '0;
    assign peek_parents = peek_live ? shown[63:0] : '0;

    // From the lowest: no beat, no entry, closing, no fetch, no room for a read.
    always_comb begin
      reason = '0;
      if (!beat_waits) reason[0] = 1'b1;
      else if (full) reason[1] = 1'b1;
      else if (joins) reason[2] = closing;
      else if (way_pick == '0) reason[3] = 1'b1;
      else reason[4] = ~read_room;
    end

    // Cycles since the last one that was not quiescent, with this one.
    assign passed = cycle_i - seen_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) seen_q <= '0;
      else if (!quiescent_o) seen_q <= cycle_i;
    end

    counter_bank #(
      .Counters(8),
      .CountWidth(CountWidth),
      .StepWidth(CountWidth)
    ) u_counters (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .add_i({reason & {5{~quiescent_o}}, begin_ok, join_ok, insert}),
      .step_i({{5{passed}}, {3{CountWidth'(1)}}}),
      .index_i(peek_index_i),
      .count_o(peek_counter)
    );

    always_comb begin
      peek_fetch = '0;
      for (int n = 0; n < Ways; n = n + 1) begin
        if (peek_way == WayWidth'(n) && {1'b0, peek_index_i} < 9'(Fetches)) begin
          peek_fetch = peek_word[n*FetchWord +: FetchWord];
        end
      end
    end

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        insert_report_q <= '0;
        close_report_q <= '0;
        peek_data_q <= '0;
      end else begin
        insert_report_q <=
            insert ? {1'b1, 8'(tail_q), head_word[86:81], insert_fetch, begin_ok} : '0;
        close_report_q <= close ? {1'b1, take_fetch} : '0;
        if (peek_valid_i) begin
          unique case (peek_select_i)
            child_consolidation_pkg::PeekEntry: peek_data_q <= 64'(peek_entry);
            child_consolidation_pkg::PeekFetch: peek_data_q <= 64'(peek_fetch);
            child_consolidation_pkg::PeekCounter: peek_data_q <= 64'(peek_counter);
            default: peek_data_q <= peek_parents;
          endcase
        end
      end
    end
  end else begin : gen_no_observe
    logic unused_peek;
    assign unused_peek = ^{peek_valid_i, peek_select_i, peek_index_i, peek_way, peek_word, cycle_i};
    assign {insert_valid_o, insert_index_o, insert_slot_o, insert_fetch_o, insert_new_o} = '0;
    assign {close_valid_o, close_fetch_o} = '0;
    assign peek_data_o = '0;
  end

  // ---- Errors and quiescence -------------------------------------------------------------
  logic error_q;  // a tag that names no fetch

  always_ff @(posedge clk_i) begin
    if (!rst_ni) error_q <= 1'b0;
    else if (take && !take_named) error_q <= 1'b1;
  end

  assign error_o = error_q ? 4'(child_consolidation_pkg::ErrTake) :
                             4'(child_consolidation_pkg::ErrNone);
  assign quiescent_o = ~beat_push & ~(read_valid_o & read_ready_i) & ~take &
                       ~(run_valid_o & run_ready_i) & ~emit & ~insert & ~release_head &
                       ~(Observe & peek_valid_i) & ~insert_valid_o & ~close_valid_o;

  logic unused_last;
  assign unused_last = beat_last_i;

`ifdef VERILATOR
  // Rule 1: reads and runs hold until they are taken.
  `NOCTURNE_ASSERT(ReadHolds,
      read_valid_o & ~read_ready_i |=> read_valid_o & $stable(read_tag_o) & $stable(read_line_o))
  `NOCTURNE_ASSERT(RunHolds, run_valid_o & ~run_ready_i |=>
      run_valid_o & $stable(run_slot_o) & $stable(run_parent_o))
  // Rule 2: a line is under way in one fetch at most.
  `NOCTURNE_ASSERT(LineInOneFetch, beat_waits |-> $onehot0(way_match))
  // Rule 3: never more beats than entries.
  `NOCTURNE_ASSERT(BeatsWithinEntries, 32'(used_q) <= Entries)
`endif

endmodule
