// SPDX-License-Identifier: Apache-2.0
// Sends the written pixels of another GPU's tiles: walks its list of touched tiles, reads
// their touched granules, and packs the pieces that have a written pixel into beats.
// CHOPIN (HPCA 2021), IV-B, VI-C. Cycle contract: docs/units/pixel_distributor.md, section 5.
//
// Rate: one read and one beat a cycle. Reads in flight: SendDepth.
// Illegal: an answer without a read outstanding: refused, error_o.
// Cost: the token memory, and a network that moves each of the K pieces of an answer to
// any of the 2K - 1 places of accumulator and beat.
`include "assert.svh"
module pixel_sender #(
  parameter int TileLog2 = 6,
  parameter int CellMode = 2,
  parameter int BeatBytes = 64,
  parameter int SendDepth = 64,
  parameter int CountWidth = 48,
  parameter int XWidth = 5,
  parameter int YWidth = 5,
  localparam int TileWidth = XWidth + YWidth,
  localparam int PixelWidth = 2 * TileLog2,        // bits of a pixel's number in its tile
  localparam int BlockWidth = PixelWidth - 6,
  localparam int Blocks = 1 << BlockWidth,
  localparam int P = BeatBytes / 8,                // pixels of a beat
  localparam int Q = (P < 4) ? P : 4,              // pixels of a piece
  localparam int K = P / Q,                        // pieces of a beat
  localparam int PieceWidth = PixelWidth - $clog2(Q),
  localparam int DataWidth = 8 * BeatBytes
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic                      start_i,             // accepted
  input  logic                      touch_under_way_i,
  output logic                      sending_o,
  // The touched map
  input  logic                      list_valid_i,
  input  logic [TileWidth-1:0]      list_first_i,
  input  logic [TileWidth-1:0]      list_last_i,
  input  logic [TileWidth:0]        owned_i,             // tiles of the destination
  output logic [TileWidth-1:0]      tile_o,
  input  logic [TileWidth-1:0]      next_i,
  input  logic [Blocks-1:0]         bitmap_i,
  output logic [TileWidth-1:0]      stamps_tile_o,
  output logic [BlockWidth-1:0]     stamps_block_o,
  input  logic [15:0]               stamps_i,
  // Memory
  output logic                      read_valid_o,
  input  logic                      read_ready_i,
  output logic [TileWidth+PixelWidth-1:0] read_address_o,
  input  logic                      data_valid_i,
  output logic                      data_ready_o,
  input  logic [DataWidth-1:0]      data_i,
  input  logic [P-1:0]              data_written_i,
  // Link
  output logic                      beat_valid_o,
  input  logic                      beat_ready_i,
  output logic [1:0]                beat_kind_o,
  output logic [K*PieceWidth-1:0]   beat_piece_o,
  output logic [P-1:0]              beat_mask_o,
  output logic [DataWidth-1:0]      beat_data_o,
  // Counters, error (an answer nobody asked for), quiescence
  input  logic [1:0]                counter_index_i,  // pixels, beats, headers, skipped
  output logic [CountWidth-1:0]     counter_o,        // of this cycle
  output logic                      error_o,
  output logic                      quiescent_o
);

  localparam int Granules = 64 / P;                    // of a block
  localparam int GranuleWidth = $clog2(Granules);
  localparam int Cover = (P >= 4) ? P / 4 : 1;         // stamps of a granule
  localparam int TokenGranuleWidth = PixelWidth - $clog2(P);
  localparam int HeaderPayload = TileWidth + Blocks;
  localparam int GranulePayload = TokenGranuleWidth + Cover + 1;
  localparam int Payload = (HeaderPayload > GranulePayload) ? HeaderPayload : GranulePayload;
  localparam int TokenWidth = 2 + Payload;
  localparam int TokenIndex = $clog2(SendDepth);
  localparam int Payload18 = (HeaderPayload > BlockWidth + 16) ? HeaderPayload : BlockWidth + 16;
  localparam int BlockEntryWidth = 2 + Payload18;
  localparam int BeatWidth = 2 + K * PieceWidth + P + DataWidth;
  localparam int Slots = 2 * K - 1;
  localparam int Held = (K > 1) ? K - 1 : 1;           // pieces that the accumulator can hold
  localparam int SlotWidth = $clog2(2 * K);
  localparam int OnesWidth = $clog2(P + 1);
  localparam int TransferWidth = TileWidth + PixelWidth + 1;
  localparam int CellsLog2 = (CellMode == 0) ? 0 : (CellMode == 1) ? BlockWidth : BlockWidth + 4;

  localparam logic [1:0] FetchIdle = 2'd0, FetchHead = 2'd1, FetchRead = 2'd2, FetchPush = 2'd3;
  localparam logic [1:0] TokenHeader = 2'd0, TokenGranule = 2'd1, TokenEnd = 2'd2;

  logic sending_q, end_appended_q;
  logic [1:0] fetch_q, fetch_d;
  logic [TileWidth-1:0] tile_q, tile_d;

  // ---- Tile fetch ------------------------------------------------------------------------

  logic tiles_push, tiles_pop;
  logic [TileWidth+Blocks-1:0] tiles_head;
  logic [1:0] tiles_count;
  logic fetch_head_done;

  assign tile_o = tile_q;
  assign fetch_head_done = (fetch_q == FetchHead) & ~touch_under_way_i;
  assign tiles_push = fetch_q == FetchPush;

  always_comb begin
    fetch_d = fetch_q;
    tile_d = tile_q;
    case (fetch_q)
      FetchHead: if (!touch_under_way_i) begin
        fetch_d = list_valid_i ? FetchRead : FetchIdle;
        tile_d = list_first_i;
      end
      FetchRead: if (tiles_count != 2'd2) fetch_d = FetchPush;
      FetchPush: begin
        fetch_d = (tile_q == list_last_i) ? FetchIdle : FetchRead;
        tile_d = next_i;
      end
      default: fetch_d = FetchIdle;
    endcase
    if (start_i) fetch_d = FetchHead;
  end

  skid_fifo #(
    .Width(TileWidth + Blocks),
    .Depth(2)
  ) u_tiles (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .push_i(tiles_push),
    .data_i({tile_q, bitmap_i}),
    .pop_i(tiles_pop),
    .data_o(tiles_head),
    .count_o(tiles_count)
  );

  // ---- Block fetch -----------------------------------------------------------------------

  logic [Blocks-1:0] rest_q, rest_lowest, rest_after;
  logic [TileWidth-1:0] rest_tile_q;
  logic [BlockWidth-1:0] lowest;
  logic latch_q, latch_header_q, latch_last_q;
  logic [TileWidth-1:0] latch_tile_q;
  logic [Blocks-1:0] latch_bitmap_q;
  logic [BlockWidth-1:0] latch_block_q;
  logic blocks_room, take_tile, take_block;
  logic [2:0] blocks_count;
  logic blocks_pop, blocks_header, blocks_last;
  logic [BlockEntryWidth-1:0] blocks_in, blocks_head;
  logic [15:0] latch_stamps;

  assign blocks_room = blocks_count + 3'(latch_q) < 3'd4;
  assign take_tile = blocks_room & (rest_q == '0) & (tiles_count != 2'd0);
  assign take_block = blocks_room & (rest_q != '0);
  assign tiles_pop = take_tile;
  assign rest_lowest = rest_q & (~rest_q + Blocks'(1));
  assign rest_after = rest_q & ~rest_lowest;
  assign stamps_tile_o = rest_tile_q;
  assign stamps_block_o = lowest;
  assign latch_stamps = (CellMode == 2) ? stamps_i : {16{1'b1}};

  always_comb begin
    lowest = '0;
    for (int i = 0; i < Blocks; i = i + 1) begin
      if (rest_lowest[i]) lowest = lowest | BlockWidth'(i);
    end
  end

  assign blocks_in = latch_header_q
      ? {1'b1, 1'b0, Payload18'({latch_tile_q, latch_bitmap_q})}
      : {1'b0, latch_last_q, Payload18'({latch_block_q, latch_stamps})};

  skid_fifo #(
    .Width(BlockEntryWidth),
    .Depth(4)
  ) u_blocks (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .push_i(latch_q),
    .data_i(blocks_in),
    .pop_i(blocks_pop),
    .data_o(blocks_head),
    .count_o(blocks_count)
  );

  // ---- Granule issue ---------------------------------------------------------------------

  logic [TileWidth-1:0] granule_tile_q;
  logic [GranuleWidth:0] from_q;                       // first granule not yet issued
  logic [15:0] head_stamps;
  logic [BlockWidth-1:0] head_block;
  logic [Granules-1:0] wanted, ahead, chosen, later;
  logic [GranuleWidth-1:0] granule;
  logic [Cover-1:0] covered;
  logic issue_room, issue_header, issue_granule, issue_end, token_push, reads_push, reads_pop;
  logic [1:0] reads_count;
  logic [TokenIndex:0] tokens_q;
  logic token_fresh_q;
  logic [TokenWidth-1:0] token_in;

  assign blocks_header = blocks_head[BlockEntryWidth-1];
  assign blocks_last = blocks_head[BlockEntryWidth-2];
  assign head_stamps = blocks_head[15:0];
  assign head_block = blocks_head[16 +: BlockWidth];

  for (genvar i = 0; i < Granules; i = i + 1) begin : gen_wanted
    if (P >= 4) begin : gen_whole
      assign wanted[i] = head_stamps[i*Cover +: Cover] != '0;
    end else begin : gen_half
      assign wanted[i] = head_stamps[i/2];
    end
    assign ahead[i] = wanted[i] & ((GranuleWidth+1)'(i) >= from_q);
  end

  assign chosen = ahead & (~ahead + Granules'(1));
  assign later = ahead & ~chosen;
  always_comb begin
    granule = '0;
    covered = '0;
    for (int k = 0; k < Granules; k = k + 1) begin
      if (chosen[k]) begin
        granule = granule | GranuleWidth'(k);
        covered = covered | head_stamps[((P >= 4) ? k * Cover : k / 2) +: Cover];
      end
    end
  end

  assign issue_room = (tokens_q != (TokenIndex+1)'(SendDepth)) & (reads_count != 2'd2);
  assign issue_header = issue_room & (blocks_count != '0) & blocks_header;
  assign issue_granule = issue_room & (blocks_count != '0) & ~blocks_header;
  assign issue_end = issue_room & sending_q & (blocks_count == '0) & ~latch_q & (rest_q == '0) &
                     (tiles_count == 2'd0) & (fetch_q == FetchIdle) & ~end_appended_q;
  assign token_push = issue_header | issue_granule | issue_end;
  assign reads_push = issue_granule;
  assign blocks_pop = issue_header | (issue_granule & (later == '0));

  always_comb begin
    token_in = {TokenEnd, Payload'(0)};
    if (issue_header) token_in = {TokenHeader, Payload'(blocks_head[HeaderPayload-1:0])};
    if (issue_granule) begin
      token_in = {TokenGranule, Payload'({head_block, granule, covered,
                                          blocks_last & (later == '0)})};
    end
  end

  logic [TileWidth+PixelWidth-1:0] reads_head;
  skid_fifo #(
    .Width(TileWidth + PixelWidth),
    .Depth(2)
  ) u_reads (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .push_i(reads_push),
    .data_i({granule_tile_q, head_block, granule, {$clog2(P){1'b0}}}),
    .pop_i(reads_pop),
    .data_o(reads_head),
    .count_o(reads_count)
  );

  assign read_valid_o = reads_count != 2'd0;
  assign read_address_o = reads_head;
  assign reads_pop = read_valid_o & read_ready_i;

  // ---- Tokens ----------------------------------------------------------------------------

  logic token_pop, visible;
  logic [TokenIndex-1:0] token_head_q, token_tail_q, token_next;
  logic [TokenWidth-1:0] token;
  logic [1:0] token_kind;
  logic token_last;
  logic [TokenGranuleWidth-1:0] token_granule;
  logic [Cover-1:0] token_cover;

  assign token_next = token_head_q + TokenIndex'(token_pop);
  assign visible = tokens_q > (TokenIndex+1)'(token_fresh_q);
  assign token_kind = token[TokenWidth-1 -: 2];
  assign {token_granule, token_cover, token_last} = token[GranulePayload-1:0];

  memory_1r1w #(
    .Width(TokenWidth),
    .Depth(SendDepth)
  ) u_tokens (
    .clk_i(clk_i),
    .write_i(token_push),
    .write_address_i(token_tail_q),
    .write_data_i(token_in),
    .read_i(1'b1),
    .read_address_i(token_next),
    .data_o(token)
  );

  // ---- Packing ---------------------------------------------------------------------------

  logic [TokenIndex:0] outstanding_q;
  logic flush_q, flush_d, beat_room, accept, packs_header, packs_end, packs_flush;
  logic [SlotWidth-1:0] held_q, held_d;                // pieces in the accumulator
  logic [Held*PieceWidth-1:0] held_piece_q, held_piece_d;
  logic [Held*Q-1:0] held_mask_q, held_mask_d;
  logic [Held*Q*64-1:0] held_data_q, held_data_d;
  logic [P-1:0] mask;
  logic [DataWidth-1:0] incoming;                      // data_i, 0 outside the mask
  logic [K-1:0] keep;
  logic [K*SlotWidth-1:0] places;                      // slot of each piece, if it is kept
  logic [SlotWidth-1:0] total;
  logic [Slots*PieceWidth-1:0] slot_piece;
  logic [Slots*Q-1:0] slot_mask;
  logic [Slots*Q*64-1:0] slot_data;
  logic full, beat_push, beat_pop, data_beat;
  logic [1:0] beats_count;
  logic [BeatWidth-1:0] beat_in, beat_head;
  logic [TransferWidth-1:0] sent_q;
  logic [OnesWidth-1:0] ones;

  assign beat_room = beats_count != 2'd2;
  assign packs_flush = beat_room & flush_q;
  assign packs_header = beat_room & ~flush_q & visible & (token_kind == TokenHeader);
  assign packs_end = beat_room & ~flush_q & visible & (token_kind == TokenEnd);
  assign data_ready_o = beat_room & ~flush_q & visible & (token_kind == TokenGranule) &
                        (outstanding_q != '0);
  assign accept = data_ready_o & data_valid_i;
  assign token_pop = packs_header | packs_end | accept;
  assign error_o = data_valid_i & (outstanding_q == '0);

  for (genvar i = 0; i < P; i = i + 1) begin : gen_mask
    assign mask[i] = data_written_i[i] & ((CellMode == 2) ? token_cover[i/4] : 1'b1);
    assign incoming[i*64 +: 64] = mask[i] ? data_i[i*64 +: 64] : '0;
  end
  for (genvar i = 0; i < K; i = i + 1) begin : gen_keep
    assign keep[i] = mask[i*Q +: Q] != '0;
  end

  // Functions, not variables: a variable that is built up step by step in an always_comb
  // wakes its readers at each step, and Icarus then never comes to rest.
  function automatic logic [SlotWidth-1:0] slot_after(
    input logic [SlotWidth-1:0] first, input logic [K-1:0] kept, input int pieces
  );
    slot_after = first;
    for (int k = 0; k < K; k = k + 1) begin
      if (k < pieces) slot_after = slot_after + SlotWidth'(kept[k]);
    end
  endfunction
  function automatic logic [OnesWidth-1:0] count_pixels(input logic [P-1:0] bits);
    count_pixels = '0;
    for (int k = 0; k < P; k = k + 1) count_pixels = count_pixels + OnesWidth'(bits[k]);
  endfunction

  for (genvar i = 0; i < K; i = i + 1) begin : gen_place
    assign places[i*SlotWidth +: SlotWidth] = slot_after(held_q, keep, i);
  end
  assign total = slot_after(held_q, keep, K);
  assign ones = count_pixels(mask);

  // Each slot: the accumulator's piece, or the one kept piece whose place it is.
  always_comb begin
    slot_piece = '0;
    slot_mask = '0;
    slot_data = '0;
    for (int s = 0; s < Slots; s = s + 1) begin
      if (s < K - 1 && SlotWidth'(s) < held_q) begin
        slot_piece[s*PieceWidth +: PieceWidth] =
            held_piece_q[(s % Held)*PieceWidth +: PieceWidth];
        slot_mask[s*Q +: Q] = held_mask_q[(s % Held)*Q +: Q];
        slot_data[s*Q*64 +: Q*64] = held_data_q[(s % Held)*Q*64 +: Q*64];
      end
      for (int k = 0; k < K; k = k + 1) begin
        if (keep[k] && places[k*SlotWidth +: SlotWidth] == SlotWidth'(s)) begin
          slot_piece[s*PieceWidth +: PieceWidth] = PieceWidth'(32'(token_granule) * K + k);
          slot_mask[s*Q +: Q] = mask[k*Q +: Q];
          slot_data[s*Q*64 +: Q*64] = incoming[k*Q*64 +: Q*64];
        end
      end
    end
  end

  assign full = total >= SlotWidth'(K);
  assign data_beat = packs_flush | (accept & (full | (token_last & (total != '0))));
  assign beat_push = data_beat | packs_header | packs_end;

  always_comb begin
    held_d = held_q;
    held_piece_d = held_piece_q;
    held_mask_d = held_mask_q;
    held_data_d = held_data_q;
    flush_d = flush_q;
    if (packs_flush) begin
      held_d = '0;
      flush_d = 1'b0;
    end else if (accept) begin
      if (full) begin
        held_d = total - SlotWidth'(K);
        flush_d = token_last & (total != SlotWidth'(K));
        held_piece_d = '0;
        held_mask_d = '0;
        held_data_d = '0;
        for (int k = 0; k < K - 1; k = k + 1) begin
          held_piece_d[k*PieceWidth +: PieceWidth] =
              slot_piece[((k + K) % Slots)*PieceWidth +: PieceWidth];
          held_mask_d[k*Q +: Q] = slot_mask[((k + K) % Slots)*Q +: Q];
          held_data_d[k*Q*64 +: Q*64] = slot_data[((k + K) % Slots)*Q*64 +: Q*64];
        end
      end else begin
        held_d = token_last ? '0 : total;
        held_piece_d = slot_piece[Held*PieceWidth-1:0];
        held_mask_d = slot_mask[Held*Q-1:0];
        held_data_d = slot_data[Held*Q*64-1:0];
      end
    end
  end

  logic [127:0] header_data;
  if (TileWidth < 32) begin : gen_header
    assign header_data = {32'd0, 16'(token[Blocks+XWidth +: YWidth]),
                          16'(token[Blocks +: XWidth]), 64'(token[Blocks-1:0])};
  end

  always_comb begin
    beat_in = '0;
    if (packs_header) beat_in = {2'd0, {(K*PieceWidth){1'b0}}, {P{1'b0}}, DataWidth'(header_data)};
    else if (packs_end) beat_in = {2'd2, {(K*PieceWidth){1'b0}}, {P{1'b0}}, DataWidth'(sent_q)};
    else if (packs_flush) begin
      // Left by a full beat, which has put 0 beyond held_q.
      beat_in = {2'd1, (K*PieceWidth)'(held_piece_q), P'(held_mask_q), DataWidth'(held_data_q)};
    end
    else begin
      beat_in = {2'd1, slot_piece[K*PieceWidth-1:0], slot_mask[P-1:0], slot_data[DataWidth-1:0]};
    end
  end

  skid_fifo #(
    .Width(BeatWidth),
    .Depth(2)
  ) u_beats (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .push_i(beat_push),
    .data_i(beat_in),
    .pop_i(beat_pop),
    .data_o(beat_head),
    .count_o(beats_count)
  );

  assign beat_valid_o = beats_count != 2'd0;
  assign {beat_kind_o, beat_piece_o, beat_mask_o, beat_data_o} = beat_head;
  assign beat_pop = beat_valid_o & beat_ready_i;

  // ---- Counters --------------------------------------------------------------------------

  localparam logic [OnesWidth-1:0] OneBeat = OnesWidth'(1);
  logic [CountWidth-1:0] counter, skipped_q, skip_more, skip_less;

  function automatic logic [CountWidth-1:0] count_blocks(input logic [Blocks-1:0] bits);
    count_blocks = '0;
    for (int k = 0; k < Blocks; k = k + 1) count_blocks = count_blocks + CountWidth'(bits[k]);
  endfunction
  function automatic logic [CountWidth-1:0] count_stamps(input logic [15:0] bits);
    count_stamps = '0;
    for (int k = 0; k < 16; k = k + 1) count_stamps = count_stamps + CountWidth'(bits[k]);
  endfunction

  assign skip_more = fetch_head_done ? (CountWidth'(owned_i) << CellsLog2) : '0;
  if (CellMode == 0) begin : gen_skip_tile
    assign skip_less = CountWidth'(tiles_push);
  end else if (CellMode == 1) begin : gen_skip_block
    assign skip_less = tiles_push ? count_blocks(bitmap_i) : '0;
  end else begin : gen_skip_stamp
    assign skip_less = (latch_q && !latch_header_q) ? count_stamps(latch_stamps) : '0;
  end

  // Pixels, beats, headers. What is skipped goes up by the owned and down by the touched ones.
  counter_bank #(
    .Counters(3),
    .CountWidth(CountWidth),
    .StepWidth(OnesWidth),
    .IndexWidth(2)
  ) u_counters (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .add_i({packs_header, data_beat, accept}),
    .step_i({OneBeat, OneBeat, ones}),
    .index_i(counter_index_i),
    .count_o(counter)
  );
  assign counter_o = (counter_index_i == 2'd3) ? skipped_q : counter;

  // ---- State -----------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      sending_q <= 1'b0;
      end_appended_q <= 1'b1;
      fetch_q <= FetchIdle;
      tile_q <= '0;
      rest_q <= '0;
      rest_tile_q <= '0;
      latch_q <= 1'b0;
      latch_header_q <= 1'b0;
      latch_last_q <= 1'b0;
      latch_tile_q <= '0;
      latch_bitmap_q <= '0;
      latch_block_q <= '0;
      granule_tile_q <= '0;
      from_q <= '0;
      tokens_q <= '0;
      token_fresh_q <= 1'b0;
      token_head_q <= '0;
      token_tail_q <= '0;
      outstanding_q <= '0;
      flush_q <= 1'b0;
      held_q <= '0;
      sent_q <= '0;
      skipped_q <= '0;
    end else begin
      if (start_i) begin
        sending_q <= 1'b1;
        end_appended_q <= 1'b0;
        sent_q <= '0;
      end else begin
        if (beat_pop && beat_kind_o == 2'd2) sending_q <= 1'b0;
        if (issue_end) end_appended_q <= 1'b1;
        if (accept) sent_q <= sent_q + TransferWidth'(ones);
      end
      fetch_q <= fetch_d;
      tile_q <= tile_d;
      latch_q <= take_tile | take_block;
      if (take_tile) begin
        latch_header_q <= 1'b1;
        latch_tile_q <= tiles_head[Blocks +: TileWidth];
        latch_bitmap_q <= tiles_head[Blocks-1:0];
        rest_q <= tiles_head[Blocks-1:0];
        rest_tile_q <= tiles_head[Blocks +: TileWidth];
      end else if (take_block) begin
        latch_header_q <= 1'b0;
        latch_block_q <= lowest;
        latch_last_q <= rest_after == '0;
        rest_q <= rest_after;
      end
      if (issue_header) granule_tile_q <= blocks_head[Blocks +: TileWidth];
      if (issue_granule) from_q <= (later == '0) ? '0 : {1'b0, granule} + (GranuleWidth+1)'(1);
      token_fresh_q <= token_push;
      token_head_q <= token_next;
      if (token_push) token_tail_q <= token_tail_q + TokenIndex'(1);
      tokens_q <= tokens_q + (TokenIndex+1)'(token_push) - (TokenIndex+1)'(token_pop);
      outstanding_q <= outstanding_q + (TokenIndex+1)'(reads_pop) - (TokenIndex+1)'(accept);
      flush_q <= flush_d;
      held_q <= held_d;
      skipped_q <= skipped_q + skip_more - skip_less;
    end
    if (accept) begin
      held_piece_q <= held_piece_d;
      held_mask_q <= held_mask_d;
      held_data_q <= held_data_d;
    end
  end

  assign sending_o = sending_q;

  assign quiescent_o = (fetch_q != FetchPush) & (fetch_q != FetchHead) &
      ~((fetch_q == FetchRead) & (tiles_count != 2'd2)) & ~latch_q & ~take_tile & ~take_block &
      ~token_push & ~token_fresh_q & ~packs_flush & ~packs_header & ~packs_end & ~accept &
      ~error_o & ~reads_pop & ~beat_pop;

  `NOCTURNE_ASSERT(StartWhileIdle, start_i |-> !sending_q)
  `NOCTURNE_ASSERT(ReadHolds, read_valid_o && !read_ready_i |=>
                   read_valid_o && $stable(read_address_o))
  `NOCTURNE_ASSERT(BeatHolds, beat_valid_o && !beat_ready_i |=>
                   beat_valid_o && $stable({beat_kind_o, beat_piece_o, beat_mask_o}))
  `NOCTURNE_ASSERT(TokensWithinDepth, tokens_q <= (TokenIndex+1)'(SendDepth))
  `NOCTURNE_ASSERT(AnswersWithinTokens, outstanding_q <= tokens_q)
  `NOCTURNE_ASSERT(HeldWithinAccumulator, held_q < SlotWidth'(K))

endmodule
