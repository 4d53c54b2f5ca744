// SPDX-License-Identifier: Apache-2.0
// Receives the beats of one sender and merges their pixels with the local ones.
// CHOPIN (HPCA 2021), IV-B, IV-C. Cycle contract: docs/units/pixel_distributor.md, sections
// 6 to 8.
//
// Rate: one beat, one local read and one write a cycle, with as many local reads in flight
// as ReceiveDepth. The answer of cycle t is merged in t + 1 and written from t + 3 on.
// Illegal: beats out of sequence, of tiles that this GPU does not own, of pieces that were
// not announced or do not ascend, a wrong count: dropped, with an error.
// Cost: the memory of pending beats, and a merge for each pixel of a beat.
`include "pixel_distributor_pkg.sv"
`include "assert.svh"
module pixel_receiver #(
  parameter int TileLog2 = 6,
  parameter int BeatBytes = 64,
  parameter int ReceiveDepth = 64,
  parameter int CountWidth = 48,
  parameter int XWidth = 5,
  parameter int YWidth = 5,
  parameter int IndexWidth = 3,
  localparam int TileWidth = XWidth + YWidth,
  localparam int PixelWidth = 2 * TileLog2,
  localparam int BlockWidth = PixelWidth - 6,
  localparam int Blocks = 1 << BlockWidth,
  localparam int P = BeatBytes / 8,
  localparam int Q = (P < 4) ? P : 4,
  localparam int K = P / Q,
  localparam int PieceWidth = PixelWidth - $clog2(Q),
  localparam int DataWidth = 8 * BeatBytes
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic [IndexWidth-1:0]     gpu_i,
  // Begin, accepted; the settings
  input  logic                      begin_i,
  input  logic                      front_i,
  input  logic                      transparent_i,
  input  logic [1:0]                operator_i,
  input  logic [2:0]                depth_func_i,
  input  logic [3:0]                color_mask_i,
  input  logic                      depth_write_i,
  input  logic                      tag_enable_i,
  input  logic                      test_base_i,
  output logic                      receiving_o,
  // The map
  input  logic [XWidth:0]           tiles_x_i,
  input  logic [YWidth:0]           tiles_y_i,
  output logic [TileWidth-1:0]      tile_o,       // owner of this one, a cycle later
  input  logic [IndexWidth-1:0]     owner_i,
  // Link
  input  logic                      beat_valid_i,
  output logic                      beat_ready_o,
  input  logic [1:0]                beat_kind_i,
  input  logic [K*PieceWidth-1:0]   beat_piece_i,
  input  logic [P-1:0]              beat_mask_i,
  input  logic [DataWidth-1:0]      beat_data_i,
  // Memory
  output logic                      read_valid_o,
  input  logic                      read_ready_i,
  output logic [TileWidth-1:0]      read_tile_o,
  output logic [K*PieceWidth-1:0]   read_piece_o,
  output logic [P-1:0]              read_mask_o,
  input  logic                      data_valid_i,
  output logic                      data_ready_o,
  input  logic [DataWidth-1:0]      data_i,
  input  logic [P-1:0]              data_written_i,
  output logic                      write_valid_o,
  input  logic                      write_ready_i,
  output logic [TileWidth-1:0]      write_tile_o,
  output logic [K*PieceWidth-1:0]   write_piece_o,
  output logic [P-1:0]              write_mask_o,
  output logic [DataWidth-1:0]      write_data_o,
  output logic                      done_valid_o,
  input  logic                      done_ready_i,
  // Counters, errors, quiescence
  input  logic [1:0]                counter_index_i,  // pixels, lost, ties, beats
  output logic [CountWidth-1:0]     counter_o,        // of this cycle
  output logic                      error_sequence_o,
  output logic                      error_tile_o,
  output logic                      error_piece_o,
  output logic                      error_count_o,
  output logic                      error_data_o,
  output logic                      quiescent_o
);

  localparam int PendingIndex = $clog2(ReceiveDepth);
  localparam int HeadWidth = TileWidth + K * PieceWidth + P;
  localparam int PendingWidth = HeadWidth + DataWidth;
  localparam int OnesWidth = $clog2(P + 1);
  localparam int TransferWidth = TileWidth + PixelWidth + 1;

  logic receiving_q, ended_q, header_q, judge_q, refused_q, piece_seen_q;
  logic front_q, transparent_q, depth_write_q, tag_enable_q, test_base_q;
  logic [1:0] operator_q;
  logic [2:0] depth_func_q;
  logic [3:0] color_mask_q;
  logic [TransferWidth-1:0] received_q;
  logic [15:0] tile_x_q, tile_y_q;
  logic [Blocks-1:0] bitmap_q;
  logic [PieceWidth-1:0] last_piece_q, last_piece;

  // ---- Beats -----------------------------------------------------------------------------

  logic [1:0] reads_count;
  logic [PendingIndex:0] pending_q;
  logic accept, refused, good, take, is_header, is_data, is_end;
  logic [TileWidth-1:0] tile;
  logic [OnesWidth-1:0] ones;
  logic [K-1:0] slot_used, slot_bad;
  logic [127:0] header_data;

  assign beat_ready_o = receiving_q & ~ended_q & (pending_q != (PendingIndex+1)'(ReceiveDepth)) &
                        (reads_count != 2'd2);
  assign accept = beat_valid_i & beat_ready_o;
  assign is_header = accept & (beat_kind_i == pixel_distributor_pkg::BeatKindHeader);
  assign is_data = accept & (beat_kind_i == pixel_distributor_pkg::BeatKindData);
  assign is_end = accept & (beat_kind_i == pixel_distributor_pkg::BeatKindEnd);
  assign header_data = 128'(beat_data_i);
  assign tile = {tile_y_q[YWidth-1:0], tile_x_q[XWidth-1:0]};
  assign tile_o = {header_data[80 +: YWidth], header_data[64 +: XWidth]};

  // The header of the cycle before is judged now.
  assign error_tile_o = judge_q & ((tile_x_q >= 16'(tiles_x_i)) | (tile_y_q >= 16'(tiles_y_i)) |
                                   (owner_i != gpu_i));
  assign refused = refused_q | error_tile_o;

  for (genvar k = 0; k < K; k = k + 1) begin : gen_slot
    logic [PieceWidth-1:0] piece;
    logic [BlockWidth-1:0] block;
    assign piece = beat_piece_i[k*PieceWidth +: PieceWidth];
    assign block = piece[PieceWidth-1 -: BlockWidth];
    assign slot_used[k] = beat_mask_i[k*Q +: Q] != '0;
    if (k == 0) begin : gen_first
      assign slot_bad[k] = ~slot_used[k] | (piece_seen_q & (piece <= last_piece_q)) |
                           ~bitmap_q[block];
    end else begin : gen_other
      logic [PieceWidth-1:0] previous;
      assign previous = beat_piece_i[(k-1)*PieceWidth +: PieceWidth];
      assign slot_bad[k] = slot_used[k] & (~slot_used[k-1] | (piece <= previous) |
                                           ~bitmap_q[block]);
    end
  end

  always_comb begin
    last_piece = '0;
    for (int i = 0; i < K; i = i + 1) begin
      if (slot_used[i]) last_piece = beat_piece_i[i*PieceWidth +: PieceWidth];
    end
    ones = '0;
    for (int i = 0; i < P; i = i + 1) ones = ones + OnesWidth'(beat_mask_i[i]);
  end

  assign good = slot_bad == '0;
  assign take = is_data & header_q & ~refused & good;
  assign error_sequence_o = (is_data & ~header_q) | (accept & (beat_kind_i == 2'd3));
  assign error_piece_o = is_data & header_q & ~refused & ~good;
  assign error_count_o = is_end & (beat_data_i[31:0] != 32'(received_q));

  // ---- Local reads -----------------------------------------------------------------------

  logic reads_pop;
  logic [HeadWidth-1:0] reads_head;

  skid_fifo #(
    .Width(HeadWidth),
    .Depth(2)
  ) u_reads (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .push_i(take),
    .data_i({tile, beat_piece_i, beat_mask_i}),
    .pop_i(reads_pop),
    .data_o(reads_head),
    .count_o(reads_count)
  );

  assign read_valid_o = reads_count != 2'd0;
  assign {read_tile_o, read_piece_o, read_mask_o} = reads_head;
  assign reads_pop = read_valid_o & read_ready_i;

  // ---- Pending beats ---------------------------------------------------------------------

  logic [PendingIndex-1:0] head_q, tail_q;
  logic [PendingWidth-1:0] pending;
  logic data_accept;

  memory_1r1w #(
    .Width(PendingWidth),
    .Depth(ReceiveDepth)
  ) u_pending (
    .clk_i(clk_i),
    .write_i(take),
    .write_address_i(tail_q),
    .write_data_i({tile, beat_piece_i, beat_mask_i, beat_data_i}),
    .read_i(1'b1),
    .read_address_i(head_q),
    .data_o(pending)
  );

  // ---- Stage A: the pending beat comes from its memory, and is merged --------------------

  logic [PendingIndex:0] outstanding_q;
  logic a_q;
  logic [DataWidth-1:0] local_q;
  logic [P-1:0] written_q, wins, ties;
  logic [TileWidth-1:0] a_tile;
  logic [K*PieceWidth-1:0] a_piece;
  logic [P-1:0] a_mask;
  logic [DataWidth-1:0] a_data, merged;

  assign {a_tile, a_piece, a_mask, a_data} = pending;

  for (genvar k = 0; k < P; k = k + 1) begin : gen_pixel
    // A copy for each pixel, taken with its local pixel: one for all would have a thousand
    // gates to drive before the multipliers.
    logic blend_q, front_here_q, add_q, multiply_q;
    logic wins_pixel, ties_pixel;
    logic [63:0] pixel;
    always_ff @(posedge clk_i) begin
      if (data_accept) begin
        blend_q <= transparent_q & data_written_i[k];
        front_here_q <= front_q & data_written_i[k];
        add_q <= (operator_q == pixel_distributor_pkg::OperatorAdd) & data_written_i[k];
        multiply_q <= operator_q[1] & data_written_i[k];
      end
    end
    pixel_merge u_merge (
      .transparent_i(transparent_q),
      .blend_i(blend_q),
      .front_i(front_here_q),
      .add_i(add_q),
      .multiply_i(multiply_q),
      .depth_func_i(depth_func_q),
      .color_mask_i(color_mask_q),
      .depth_write_i(depth_write_q),
      .tag_enable_i(tag_enable_q),
      .test_base_i(test_base_q),
      .in_i(a_data[k*64 +: 64]),
      .local_i(local_q[k*64 +: 64]),
      .written_i(written_q[k]),
      .write_o(wins_pixel),
      .pixel_o(pixel),
      .tie_o(ties_pixel)
    );
    assign wins[k] = a_mask[k] & wins_pixel;
    assign ties[k] = a_mask[k] & ties_pixel;
    assign merged[k*64 +: 64] = wins[k] ? pixel : '0;
  end

  logic [P-1:0] losers;
  logic [OnesWidth-1:0] lost_now, ties_now;
  assign losers = a_mask & ~wins;
  always_comb begin
    lost_now = '0;
    ties_now = '0;
    for (int i = 0; i < P; i = i + 1) begin
      lost_now = lost_now + OnesWidth'(losers[i]);
      ties_now = ties_now + OnesWidth'(ties[i]);
    end
  end

  // ---- Stage B, and the writes -----------------------------------------------------------

  logic b_q, writes_push, writes_pop;
  logic [PendingWidth-1:0] b_data_q, writes_head;
  logic [P-1:0] b_mask;
  logic [2:0] writes_count;

  assign b_mask = b_data_q[DataWidth +: P];
  assign writes_push = b_q & (b_mask != '0);

  skid_fifo #(
    .Width(PendingWidth),
    .Depth(4)
  ) u_writes (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .push_i(writes_push),
    .data_i(b_data_q),
    .pop_i(writes_pop),
    .data_o(writes_head),
    .count_o(writes_count)
  );

  assign write_valid_o = writes_count != '0;
  assign {write_tile_o, write_piece_o, write_mask_o, write_data_o} = writes_head;
  assign writes_pop = write_valid_o & write_ready_i;

  assign data_ready_o = (outstanding_q != '0) &
                        (writes_count + 3'(a_q) + 3'(b_q) < 3'd4);
  assign data_accept = data_valid_i & data_ready_o;
  assign error_data_o = data_valid_i & (outstanding_q == '0);
  assign done_valid_o = receiving_q & ended_q & (pending_q == '0) & ~a_q & ~b_q &
                        (writes_count == '0);

  // ---- Counters --------------------------------------------------------------------------

  localparam logic [OnesWidth-1:0] OneBeat = OnesWidth'(1);
  // Pixels, lost, ties, beats.
  counter_bank #(
    .CountWidth(CountWidth),
    .StepWidth(OnesWidth),
    .IndexWidth(2)
  ) u_counters (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .add_i({take, a_q, a_q, take}),
    .step_i({OneBeat, ties_now, lost_now, ones}),
    .index_i(counter_index_i),
    .count_o(counter_o)
  );

  // ---- State -----------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      receiving_q <= 1'b0;
      ended_q <= 1'b0;
      header_q <= 1'b0;
      judge_q <= 1'b0;
      refused_q <= 1'b0;
      piece_seen_q <= 1'b0;
      front_q <= 1'b0;
      transparent_q <= 1'b0;
      operator_q <= '0;
      depth_func_q <= '0;
      color_mask_q <= '0;
      depth_write_q <= 1'b0;
      tag_enable_q <= 1'b0;
      test_base_q <= 1'b0;
      received_q <= '0;
      tile_x_q <= '0;
      tile_y_q <= '0;
      bitmap_q <= '0;
      last_piece_q <= '0;
      pending_q <= '0;
      head_q <= '0;
      tail_q <= '0;
      outstanding_q <= '0;
      a_q <= 1'b0;
      b_q <= 1'b0;
    end else begin
      judge_q <= is_header;
      if (error_tile_o) refused_q <= 1'b1;
      if (is_header) begin
        header_q <= 1'b1;
        refused_q <= 1'b0;
        piece_seen_q <= 1'b0;
        tile_x_q <= header_data[79:64];
        tile_y_q <= header_data[95:80];
        bitmap_q <= header_data[Blocks-1:0];
      end
      if (take) begin
        piece_seen_q <= 1'b1;
        last_piece_q <= last_piece;
        received_q <= received_q + TransferWidth'(ones);
        tail_q <= tail_q + PendingIndex'(1);
      end
      if (is_end) ended_q <= 1'b1;
      pending_q <= pending_q + (PendingIndex+1)'(take) - (PendingIndex+1)'(data_accept);
      outstanding_q <= outstanding_q + (PendingIndex+1)'(reads_pop) -
                       (PendingIndex+1)'(data_accept);
      if (data_accept) head_q <= head_q + PendingIndex'(1);
      a_q <= data_accept;
      b_q <= a_q;
      if (done_valid_o && done_ready_i) receiving_q <= 1'b0;
      if (begin_i) begin
        receiving_q <= 1'b1;
        ended_q <= 1'b0;
        header_q <= 1'b0;
        judge_q <= 1'b0;
        refused_q <= 1'b0;
        piece_seen_q <= 1'b0;
        received_q <= '0;
        front_q <= front_i;
        transparent_q <= transparent_i;
        operator_q <= operator_i;
        depth_func_q <= depth_func_i;
        color_mask_q <= color_mask_i;
        depth_write_q <= depth_write_i;
        tag_enable_q <= tag_enable_i;
        test_base_q <= test_base_i;
      end
    end
    if (data_accept) begin
      local_q <= data_i;
      written_q <= data_written_i;
    end
    if (a_q) b_data_q <= {a_tile, a_piece, wins, merged};
  end

  assign receiving_o = receiving_q;
  assign quiescent_o = ~accept & ~judge_q & ~data_accept & ~error_data_o & ~a_q & ~b_q &
                       ~reads_pop & ~writes_pop & ~(done_valid_o & done_ready_i);

  logic unused;
  assign unused = ^header_data[127:96];

  `NOCTURNE_ASSERT(BeginWhileIdle, begin_i |-> !receiving_q)
  `NOCTURNE_ASSERT(ReadHolds, read_valid_o && !read_ready_i |=>
                   read_valid_o && $stable({read_tile_o, read_piece_o, read_mask_o}))
  `NOCTURNE_ASSERT(WriteHolds, write_valid_o && !write_ready_i |=>
                   write_valid_o && $stable({write_tile_o, write_piece_o, write_mask_o}))
  `NOCTURNE_ASSERT(DoneHolds, done_valid_o && !done_ready_i |=> done_valid_o)
  `NOCTURNE_ASSERT(PendingWithinDepth, pending_q <= (PendingIndex+1)'(ReceiveDepth))
  `NOCTURNE_ASSERT(AnswersWithinPending, outstanding_q <= pending_q)

endmodule
