// SPDX-License-Identifier: Apache-2.0
// Keeps, for each 8x8 block of a depth buffer, a depth behind which all is hidden, and shares it
// with the other GPUs. An extension of CHOPIN (HPCA 2021). Cycle contract:
// docs/units/coarse_depth.md.
//
// Looks are answered from the table of hidden depths. What the GPU tells of a block is kept in a
// second table, with a due bit; once in an epoch a walk sends what is due to all other GPUs. Tells,
// hears and steps of the walk read a word of both tables in the cycle in which they start, and
// write it in the next one. A forget makes both tables all ones, word by word.
// Illegal, and refused: a forget of more blocks than there are (1); a look (2), tell (3) or hear of
// the present base (4) of a block that is not in use. error_o holds the first one's code.
// Rate: a look, and a tell or hear, a cycle; in a walk a tell or hear every second cycle.
// No deadlock: a step of the walk waits for the lanes of send alone, tells and hears for nothing.
// Cost: Blocks x (2 DepthWidth + 1) bits of memory; the words that are read and written are the
// most of the flip-flops, 16 x (3 DepthWidth + 1).
`include "coarse_depth_pkg.sv"
`include "assert.svh"
module coarse_depth #(
  parameter int NumGpus    = 8,      // 2 to 64
  parameter int Blocks     = 20480,  // 32 to 65536
  parameter int DepthWidth = 16,     // bits of a depth, 4 to 24
  parameter int BaseWidth  = 4,      // bits of a base, 2 to 8
  parameter int Epoch      = 4096,   // cycles, 64 to 65535
  localparam int BlockW = $clog2(Blocks),
  localparam int CountW = $clog2(Blocks + 1),
  localparam int Others = NumGpus - 1
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,               // synchronous
  // A new base, always taken
  input  logic                  forget_valid_i,
  input  logic [BaseWidth-1:0]  forget_base_i,
  input  logic [CountW-1:0]     forget_blocks_i,      // in use from now on
  // Looks, always taken, answered in the next cycle
  input  logic                  look_valid_i,
  input  logic [BlockW-1:0]     look_block_i,
  output logic                  seen_valid_o,
  output logic [DepthWidth-1:0] seen_depth_o,         // what lies strictly behind it is hidden
  // What this GPU knows
  input  logic                  tell_valid_i,
  output logic                  tell_ready_o,
  input  logic [BlockW-1:0]     tell_block_i,
  input  logic [DepthWidth-1:0] tell_depth_i,
  // What another GPU sent
  input  logic                  hear_valid_i,
  output logic                  hear_ready_o,
  input  logic [BlockW-1:0]     hear_block_i,
  input  logic [DepthWidth-1:0] hear_depth_i,
  input  logic [BaseWidth-1:0]  hear_base_i,
  // One message for all other GPUs
  output logic [Others-1:0]     send_valid_o,
  input  logic [Others-1:0]     send_ready_i,
  output logic [BlockW-1:0]     send_block_o,
  output logic [DepthWidth-1:0] send_depth_o,
  output logic [BaseWidth-1:0]  send_base_o,
  // Status
  output logic [2:0]            error_o,              // sticky, 0 none
  output logic                  quiescent_o,
  // This cycle's writes
  output logic                  hidden_write_valid_o,
  output logic [BlockW-1:0]     hidden_write_block_o,
  output logic [DepthWidth-1:0] hidden_write_depth_o,
  output logic                  told_write_valid_o,
  output logic [BlockW-1:0]     told_write_block_o,
  output logic [DepthWidth-1:0] told_write_depth_o,
  // State
  output logic [BaseWidth-1:0]  base_o,
  output logic [CountW-1:0]     blocks_o,
  output logic                  sweep_o,
  output logic                  walk_o,
  output logic                  due_o
);

  localparam int Lanes     = 16;                      // blocks of a word
  localparam int LaneW     = 4;
  localparam int Words     = (Blocks + Lanes - 1) >> LaneW;
  localparam int WordW     = BlockW - LaneW;
  localparam int WordBits  = Lanes * DepthWidth;
  localparam int EntryBits = BlockW + DepthWidth;
  localparam logic [1:0] OpNone = 2'd0, OpHear = 2'd1, OpTell = 2'd2, OpStep = 2'd3;

  // Returns one lane of a word.
  function automatic logic [DepthWidth-1:0] pick(input logic [WordBits-1:0] word,
                                                 input logic [Lanes-1:0] lane);
    pick = '0;
    for (int k = 0; k < Lanes; k = k + 1) begin
      pick = pick | (word[k*DepthWidth +: DepthWidth] & {DepthWidth{lane[k]}});
    end
  endfunction

  // Returns the lowest set bit alone.
  function automatic logic [Lanes-1:0] lowest(input logic [Lanes-1:0] bits);
    logic [Lanes-1:0] seen;
    seen = bits;
    for (int k = 1; k < Lanes; k = k * 2) seen = seen | (seen << k);
    lowest = seen & ~(seen << 1);
  endfunction

  // Returns the number of the one set bit.
  function automatic logic [LaneW-1:0] encode(input logic [Lanes-1:0] one_hot);
    encode = '0;
    for (int k = 0; k < Lanes; k = k + 1) encode = encode | (one_hot[k] ? LaneW'(k) : '0);
  endfunction

  logic [BaseWidth-1:0] base_q;
  logic [CountW-1:0] blocks_q;
  logic [WordW-1:0] last_word_q;                      // of the blocks in use
  logic sweep_q, walk_q, epoch_q;
  logic [WordW-1:0] sweep_word_q, word_q;
  logic [15:0] epoch_left_q;
  logic [2:0] error_q;

  // ---- Forget and sweep --------------------------------------------------------------------

  logic forget, forget_bad, some_blocks;
  logic full_words;
  logic [WordW-1:0] forget_last;

  assign forget_bad = forget_valid_i & (forget_blocks_i > CountW'(Blocks));
  assign forget = forget_valid_i & ~forget_bad;
  assign some_blocks = forget_blocks_i != '0;
  assign full_words = forget_blocks_i[LaneW-1:0] == '0;
  assign forget_last = forget_blocks_i[LaneW +: WordW] - WordW'(full_words);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      base_q <= '0;
      blocks_q <= '0;
      last_word_q <= '0;
      sweep_q <= 1'b0;
      sweep_word_q <= '0;
    end else if (forget) begin
      base_q <= forget_base_i;
      blocks_q <= forget_blocks_i;
      last_word_q <= forget_last;
      sweep_q <= some_blocks;
      sweep_word_q <= '0;
    end else if (sweep_q) begin
      sweep_q <= sweep_word_q != last_word_q;
      sweep_word_q <= sweep_word_q + WordW'(1);
    end
  end

  // ---- Queues ------------------------------------------------------------------------------

  logic keep, takes_tell, takes_hear, is_of_base, tell_in_use, hear_in_use;
  logic pop_tell, pop_hear;
  logic [EntryBits-1:0] tell_head, hear_head;
  logic [1:0] tells, hears;

  assign keep = rst_ni & ~forget;
  assign tell_ready_o = ~tells[1];
  assign hear_ready_o = ~hears[1];
  assign takes_tell = tell_valid_i & tell_ready_o;
  assign is_of_base = hear_base_i == base_q;
  assign takes_hear = hear_valid_i & hear_ready_o & is_of_base;
  assign tell_in_use = CountW'(tell_block_i) < blocks_q;
  assign hear_in_use = CountW'(hear_block_i) < blocks_q;

  skid_fifo #(.Width(EntryBits), .Depth(2), .Shift(1'b1)) u_tells (
    .clk_i(clk_i),
    .rst_ni(keep),
    .push_i(takes_tell & tell_in_use & ~sweep_q),
    .data_i({tell_block_i, tell_depth_i}),
    .pop_i(pop_tell),
    .data_o(tell_head),
    .count_o(tells)
  );

  skid_fifo #(.Width(EntryBits), .Depth(2), .Shift(1'b1)) u_hears (
    .clk_i(clk_i),
    .rst_ni(keep),
    .push_i(takes_hear & hear_in_use & ~sweep_q),
    .data_i({hear_block_i, hear_depth_i}),
    .pop_i(pop_hear),
    .data_o(hear_head),
    .count_o(hears)
  );

  // ---- The start of an operation -----------------------------------------------------------

  logic [1:0] operation_q;
  logic [EntryBits-1:0] entry_q;
  logic hear_last_q;
  logic [Others-1:0] send_q, send_left;
  logic start_step, some_tell, some_hear;
  logic [EntryBits-1:0] head;
  logic [WordW-1:0] start_word;

  assign send_left = send_q & ~send_ready_i;
  assign some_tell = tells != 2'd0;
  assign some_hear = hears != 2'd0;
  assign start_step = walk_q & (operation_q != OpStep) & (send_left == '0);
  assign pop_hear = ~start_step & some_hear & (~some_tell | ~hear_last_q);
  assign pop_tell = ~start_step & some_tell & ~pop_hear;
  assign head = pop_hear ? hear_head : tell_head;
  assign start_word = start_step ? word_q : head[DepthWidth+LaneW +: WordW];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      operation_q <= OpNone;
      hear_last_q <= 1'b0;
    end else begin
      operation_q <= forget ? OpNone : start_step ? OpStep : pop_hear ? OpHear
                     : pop_tell ? OpTell : OpNone;
      if (pop_hear || pop_tell) hear_last_q <= pop_hear;
    end
    if (pop_hear || pop_tell) entry_q <= head;
  end

  // ---- The operation under way -------------------------------------------------------------

  logic [WordBits-1:0] hidden_word, told_word, hidden_next, told_next, look_word;
  logic [Lanes-1:0] due, due_next, lane, tell_lane;
  logic [WordW-1:0] at_word;
  logic is_step, any_due, no_other_due, less_hidden, less_told, hides, tells_new;
  logic [DepthWidth-1:0] hidden_at, told_at, depth;

  assign is_step = operation_q == OpStep;
  assign at_word = is_step ? word_q : entry_q[DepthWidth+LaneW +: WordW];
  assign any_due = due != '0;
  assign tell_lane = Lanes'(1) << entry_q[DepthWidth +: LaneW];
  assign lane = is_step ? lowest(due) : tell_lane;
  assign hidden_at = pick(hidden_word, lane);
  assign told_at = pick(told_word, lane);
  assign depth = is_step ? told_at : entry_q[DepthWidth-1:0];
  assign less_hidden = depth < hidden_at;
  assign less_told = depth < told_at;
  assign hides = less_hidden & ((operation_q == OpHear) | (is_step & any_due));
  assign tells_new = less_hidden & less_told & (operation_q == OpTell);
  assign due_next = is_step ? (due & ~lane) : (due | lane);
  assign no_other_due = (due & ~lane) == '0;

  for (genvar k = 0; k < Lanes; k = k + 1) begin : gen_lane
    assign hidden_next[k*DepthWidth +: DepthWidth] =
        (sweep_q | lane[k]) ? (depth | {DepthWidth{sweep_q}})
                            : hidden_word[k*DepthWidth +: DepthWidth];
    assign told_next[k*DepthWidth +: DepthWidth] =
        (sweep_q | lane[k]) ? (depth | {DepthWidth{sweep_q}})
                            : told_word[k*DepthWidth +: DepthWidth];
  end

  assign hidden_write_valid_o = hides;
  assign hidden_write_block_o = hides ? {at_word, encode(lane)} : '0;
  assign hidden_write_depth_o = hides ? depth : '0;
  assign told_write_valid_o = tells_new;
  assign told_write_block_o = tells_new ? entry_q[DepthWidth +: BlockW] : '0;
  assign told_write_depth_o = tells_new ? depth : '0;

  // ---- Tables ------------------------------------------------------------------------------

  memory_2r1w #(.Width(WordBits), .Depth(Words)) u_hidden (
    .clk_i(clk_i),
    .write_i(sweep_q | hides),
    .write_address_i(sweep_q ? sweep_word_q : at_word),
    .write_data_i(hidden_next),
    .a_read_i(start_step | pop_hear | pop_tell),
    .a_address_i(start_word),
    .a_data_o(hidden_word),
    .b_read_i(look_valid_i),
    .b_address_i(look_block_i[LaneW +: WordW]),
    .b_data_o(look_word)
  );

  memory_1r1w #(.Width(WordBits + Lanes), .Depth(Words)) u_told (
    .clk_i(clk_i),
    .write_i(sweep_q | tells_new | (is_step & any_due)),
    .write_address_i(sweep_q ? sweep_word_q : at_word),
    .write_data_i({due_next & {Lanes{~sweep_q}}, told_next}),
    .read_i(start_step | pop_hear | pop_tell),
    .read_address_i(start_word),
    .data_o({due, told_word})
  );

  // ---- Looks -------------------------------------------------------------------------------

  logic look_in_use, seen_q, seen_nothing_q;
  logic [LaneW-1:0] seen_lane_q;
  logic [Lanes-1:0] seen_lane;

  assign look_in_use = CountW'(look_block_i) < blocks_q;
  assign seen_lane = Lanes'(1) << seen_lane_q;
  assign seen_valid_o = seen_q;
  assign seen_depth_o = (pick(look_word, seen_lane) | {DepthWidth{seen_nothing_q}}) &
                        {DepthWidth{seen_q}};

  always_ff @(posedge clk_i) begin
    seen_q <= rst_ni & look_valid_i;
    seen_nothing_q <= sweep_q | ~look_in_use;
    seen_lane_q <= look_block_i[LaneW-1:0];
  end

  // ---- Epoch and walk ----------------------------------------------------------------------

  logic ends_epoch, next_word;

  assign ends_epoch = epoch_q & (epoch_left_q == 16'd0) & ~walk_q;
  assign next_word = is_step & no_other_due;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || forget) begin
      epoch_q <= 1'b0;
      epoch_left_q <= '0;
      walk_q <= 1'b0;
      word_q <= '0;
    end else begin
      if (tells_new && (!epoch_q || ends_epoch)) begin
        epoch_q <= 1'b1;
        epoch_left_q <= 16'(Epoch - 1);
      end else begin
        if (ends_epoch) epoch_q <= 1'b0;
        if (epoch_left_q != 16'd0) epoch_left_q <= epoch_left_q - 16'd1;
      end
      if (ends_epoch) begin
        walk_q <= 1'b1;
      end else if (next_word) begin
        walk_q <= word_q != last_word_q;
        word_q <= (word_q == last_word_q) ? '0 : word_q + WordW'(1);
      end
    end
  end

  // ---- Messages ----------------------------------------------------------------------------

  logic [BlockW-1:0] send_block_q;
  logic [DepthWidth-1:0] send_depth_q;
  logic [BaseWidth-1:0] send_base_q;
  logic sends, offers;

  assign sends = is_step & any_due;
  assign offers = send_q != '0;
  assign send_valid_o = send_q;
  assign send_block_o = offers ? send_block_q : '0;
  assign send_depth_o = offers ? send_depth_q : '0;
  assign send_base_o = offers ? send_base_q : '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) send_q <= '0;
    else send_q <= sends ? {Others{1'b1}} : send_left;
    if (sends) begin
      send_block_q <= {word_q, encode(lane)};
      send_depth_q <= told_at;
      send_base_q <= base_q;
    end
  end

  // ---- Status ------------------------------------------------------------------------------

  assign base_o = base_q;
  assign blocks_o = blocks_q;
  assign sweep_o = sweep_q;
  assign walk_o = walk_q;
  assign due_o = epoch_q;
  assign error_o = error_q;
  assign quiescent_o = ~(forget_valid_i | look_valid_i | tell_valid_i | hear_valid_i | seen_q |
                         ((send_q & send_ready_i) != '0) | some_tell | some_hear |
                         (operation_q != OpNone) | sweep_q | walk_q | epoch_q);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      error_q <= coarse_depth_pkg::ErrNone;
    end else if (error_q == coarse_depth_pkg::ErrNone) begin
      if (forget_bad) error_q <= coarse_depth_pkg::ErrForget;
      else if (look_valid_i && !look_in_use) error_q <= coarse_depth_pkg::ErrLook;
      else if (takes_tell && !tell_in_use) error_q <= coarse_depth_pkg::ErrTell;
      else if (takes_hear && !hear_in_use) error_q <= coarse_depth_pkg::ErrHear;
    end
  end

  // Rule 1: nothing is under way or waits in a sweep.
  `NOCTURNE_ASSERT(SweepIsAlone,
      sweep_q |-> operation_q == OpNone && !some_tell && !some_hear && !walk_q && !epoch_q)
  // Rule 2: a step finds the lanes free.
  `NOCTURNE_ASSERT(StepHasLanes, is_step |-> send_q == '0)
  // Rule 3: no operation is of a block that is not in use.
  `NOCTURNE_ASSERT(EntryInUse,
      operation_q == OpHear || operation_q == OpTell |->
      CountW'(entry_q[DepthWidth +: BlockW]) < blocks_q)
  // Rule 4: a message holds until all have taken it.
  `NOCTURNE_ASSERT(MessageHolds,
      send_left != '0 |=> send_q == $past(send_left) && $stable(send_block_q) &&
      $stable(send_depth_q) && $stable(send_base_q))

endmodule
