// SPDX-License-Identifier: Apache-2.0
// The ROP pixel-distribution unit of one GPU: knows which GPU owns each tile, remembers
// which cells were touched, sends the written pixels of other GPUs' tiles, and merges what
// comes for its own. CHOPIN (HPCA 2021), IV-B, VI-C. Cycle contract:
// docs/units/pixel_distributor.md.
//
// Rates: one touch, one beat out, one beat in and one merged write a cycle, all at once.
// Illegal inputs are refused, change nothing, and error_o holds the first code until reset.
// No deadlock: sender and receiver share nothing but the owner table, and each waits only
// for its memory and its link.
// Extension: with CountCells the touched cells are counted by owner, for the composition scheduler
// with lookahead.
// Cost: the memories of tile_map and touched_map, and the packing and merging of a beat.
`include "pixel_distributor_pkg.sv"
`include "assert.svh"
module pixel_distributor #(
  parameter int NumGpus = 8,          // 2 to 64
  parameter int TileLog2 = 6,         // a tile is 2^TileLog2 pixels wide and high, 4 to 6
  parameter int CellMode = 2,         // grain of the touched map: 0 tile, 1 block, 2 stamp
  parameter int BeatBytes = 64,       // 16 to 256
  parameter int MaxWidth = 2048,      // pixels
  parameter int MaxHeight = 2048,
  parameter int SendDepth = 64,       // reads in flight, a power of two
  parameter int ReceiveDepth = 64,
  parameter int CountWidth = 48,      // bits of a counter, 10 to 48
  parameter bit CountCells = 1'b0,    // counts touched cells by owner
  parameter bit Observe = 1'b1,       // second read ports for peek
  localparam int IndexWidth = $clog2(NumGpus),
  localparam int XWidth = $clog2((MaxWidth + (1 << TileLog2) - 1) >> TileLog2),
  localparam int YWidth = $clog2((MaxHeight + (1 << TileLog2) - 1) >> TileLog2),
  localparam int TileWidth = XWidth + YWidth,
  localparam int PixelWidth = 2 * TileLog2,
  localparam int BlockWidth = PixelWidth - 6,
  localparam int Blocks = 1 << BlockWidth,
  localparam int CellsWidth = TileWidth + BlockWidth + 5,
  localparam int P = BeatBytes / 8,
  localparam int Q = (P < 4) ? P : 4,
  localparam int K = P / Q,
  localparam int PieceWidth = PixelWidth - $clog2(Q),
  localparam int DataWidth = 8 * BeatBytes
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  input  logic [IndexWidth-1:0]           gpu_i,                  // own number, constant
  // Configuration
  input  logic                            config_valid_i,
  output logic                            config_ready_o,
  input  logic [13:0]                     config_width_i,         // pixels
  input  logic [13:0]                     config_height_i,
  input  logic [1:0]                      config_map_i,
  input  logic [3:0]                      config_work_tile_i,     // tiles
  // Touched map
  input  logic                            clear_i,
  input  logic                            touch_valid_i,
  input  logic [9:0]                      touch_x_i,              // blocks
  input  logic [9:0]                      touch_y_i,
  input  logic [15:0]                     touch_stamps_i,
  // Send
  input  logic                            start_valid_i,
  input  logic [IndexWidth-1:0]           start_destination_i,
  output logic                            sending_o,
  output logic                            receiving_o,
  output logic [CellsWidth-1:0]           sending_cells_o,        // touched, of the destination
  output logic [CellsWidth-1:0]           foreign_cells_o,        // touched, of all other GPUs
  output logic                            send_read_valid_o,
  input  logic                            send_read_ready_i,
  output logic [TileWidth+PixelWidth-1:0] send_read_address_o,    // first pixel
  input  logic                            send_data_valid_i,
  output logic                            send_data_ready_o,
  input  logic [DataWidth-1:0]            send_data_i,
  input  logic [P-1:0]                    send_data_written_i,
  output logic                            beat_out_valid_o,
  input  logic                            beat_out_ready_i,
  output logic [1:0]                      beat_out_kind_o,
  output logic [K*PieceWidth-1:0]         beat_out_piece_o,
  output logic [P-1:0]                    beat_out_mask_o,
  output logic [DataWidth-1:0]            beat_out_data_o,
  // Receive
  input  logic                            begin_valid_i,
  input  logic                            begin_front_i,
  input  logic                            begin_transparent_i,
  input  logic [1:0]                      begin_operator_i,
  input  logic [2:0]                      begin_depth_func_i,
  input  logic [3:0]                      begin_color_mask_i,
  input  logic                            begin_depth_write_i,
  input  logic                            begin_tag_enable_i,
  input  logic                            begin_test_base_i,
  input  logic                            beat_in_valid_i,
  output logic                            beat_in_ready_o,
  input  logic [1:0]                      beat_in_kind_i,
  input  logic [K*PieceWidth-1:0]         beat_in_piece_i,
  input  logic [P-1:0]                    beat_in_mask_i,
  input  logic [DataWidth-1:0]            beat_in_data_i,
  output logic                            receive_read_valid_o,
  input  logic                            receive_read_ready_i,
  output logic [TileWidth-1:0]            receive_read_tile_o,
  output logic [K*PieceWidth-1:0]         receive_read_piece_o,
  output logic [P-1:0]                    receive_read_mask_o,
  input  logic                            receive_data_valid_i,
  output logic                            receive_data_ready_o,
  input  logic [DataWidth-1:0]            receive_data_i,
  input  logic [P-1:0]                    receive_data_written_i,
  output logic                            write_valid_o,
  input  logic                            write_ready_i,
  output logic [TileWidth-1:0]            write_tile_o,
  output logic [K*PieceWidth-1:0]         write_piece_o,
  output logic [P-1:0]                    write_mask_o,
  output logic [DataWidth-1:0]            write_data_o,
  output logic                            done_valid_o,
  input  logic                            done_ready_i,
  // Status and observation
  output logic [3:0]                      error_o,
  output logic                            quiescent_o,
  output logic                            owner_write_valid_o,
  output logic [TileWidth-1:0]            owner_write_tile_o,
  output logic [IndexWidth-1:0]           owner_write_owner_o,
  output logic                            map_write_valid_o,
  output logic [TileWidth-1:0]            map_write_tile_o,
  output logic [BlockWidth-1:0]           map_write_block_o,
  output logic [Blocks-1:0]               map_write_blocks_o,
  output logic [15:0]                     map_write_stamps_o,
  input  logic                            peek_valid_i,
  input  logic [1:0]                      peek_select_i,
  input  logic [31:0]                     peek_index_i,
  output logic [63:0]                     peek_data_o
);

  localparam int BlockShift = TileLog2 - 3;

  // ---- What is accepted, what refused ----------------------------------------------------

  logic taken, config_refused, configured, filling, usable, sending, receiving, under_way;
  logic clear, clear_refused, touch_ok, touch, start_ok, start, begin_ok, begin_now;
  logic [13:0] width, height;
  logic [XWidth:0] tiles_x;
  logic [YWidth:0] tiles_y;

  assign config_ready_o = ~filling & ~sending & ~receiving & ~under_way;
  assign taken = config_valid_i & config_ready_o;
  assign usable = configured & ~filling;
  assign clear_refused = clear_i & sending;
  assign clear = (clear_i & ~sending) | (taken & ~config_refused);
  assign touch_ok = usable & ~sending & ~receiving & ~taken & ({1'b0, touch_x_i, 3'd0} < width) &
                    ({1'b0, touch_y_i, 3'd0} < height);
  assign touch = touch_valid_i & touch_ok & (touch_stamps_i != '0);
  assign start_ok = ~sending & usable & ~taken & (start_destination_i != gpu_i) &
                    (32'(start_destination_i) < NumGpus);
  assign start = start_valid_i & start_ok;
  assign begin_ok = ~receiving & usable & ~taken;
  assign begin_now = begin_valid_i & begin_ok;

  // ---- Map -------------------------------------------------------------------------------

  logic [NumGpus*(TileWidth+1)-1:0] owned;
  logic [IndexWidth-1:0] owner, peek_owner, destination_q;
  logic [TileWidth-1:0] touch_tile, header_tile;
  logic [BlockWidth-1:0] touch_block;

  assign touch_tile = {YWidth'(touch_y_i >> BlockShift), XWidth'(touch_x_i >> BlockShift)};
  assign touch_block = {touch_y_i[BlockShift-1:0], touch_x_i[BlockShift-1:0]};

  tile_map #(
    .NumGpus(NumGpus),
    .TileLog2(TileLog2),
    .MaxWidth(MaxWidth),
    .MaxHeight(MaxHeight),
    .Observe(Observe),
    .XWidth(XWidth),
    .YWidth(YWidth)
  ) u_map (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .config_i(taken),
    .width_i(config_width_i),
    .height_i(config_height_i),
    .map_i(config_map_i),
    .work_tile_i(config_work_tile_i),
    .refused_o(config_refused),
    .configured_o(configured),
    .filling_o(filling),
    .width_o(width),
    .height_o(height),
    .tiles_x_o(tiles_x),
    .tiles_y_o(tiles_y),
    .owned_o(owned),
    .write_valid_o(owner_write_valid_o),
    .write_tile_o(owner_write_tile_o),
    .write_owner_o(owner_write_owner_o),
    .tile_i(receiving ? header_tile : touch_tile),
    .owner_o(owner),
    .peek_tile_i(peek_index_i[TileWidth-1:0]),
    .peek_owner_o(peek_owner)
  );

  // ---- Touched map -----------------------------------------------------------------------

  logic list_valid;
  logic [TileWidth-1:0] list_first, list_last, fetch_tile, fetch_next, stamps_tile, peek_tile;
  logic [Blocks-1:0] fetch_bitmap, peek_bitmap;
  logic [BlockWidth-1:0] stamps_block;
  logic [15:0] stamps, peek_stamps;
  logic [4:0] fresh_cells;

  assign map_write_valid_o = under_way;
  assign peek_tile = (peek_select_i == 2'd2) ? peek_index_i[BlockWidth +: TileWidth]
                                             : peek_index_i[TileWidth-1:0];

  touched_map #(
    .NumGpus(NumGpus),
    .CellMode(CellMode),
    .TileWidth(TileWidth),
    .BlockWidth(BlockWidth),
    .Observe(Observe)
  ) u_touched (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(clear),
    .touch_i(touch),
    .touch_tile_i(touch_tile),
    .touch_block_i(touch_block),
    .touch_stamps_i(touch_stamps_i),
    .owner_i(owner),
    .under_way_o(under_way),
    .write_tile_o(map_write_tile_o),
    .write_block_o(map_write_block_o),
    .write_blocks_o(map_write_blocks_o),
    .write_stamps_o(map_write_stamps_o),
    .fresh_o(fresh_cells),
    .list_i(destination_q),
    .list_valid_o(list_valid),
    .list_first_o(list_first),
    .list_last_o(list_last),
    .tile_i(fetch_tile),
    .next_o(fetch_next),
    .bitmap_o(fetch_bitmap),
    .stamps_tile_i(stamps_tile),
    .stamps_block_i(stamps_block),
    .stamps_o(stamps),
    .peek_tile_i(peek_tile),
    .peek_block_i(peek_index_i[BlockWidth-1:0]),
    .peek_bitmap_o(peek_bitmap),
    .peek_stamps_o(peek_stamps)
  );

  if (CountCells) begin : gen_cells
    logic [CellsWidth-1:0] count;
    cell_counts #(
      .NumGpus(NumGpus),
      .Width(CellsWidth)
    ) u_cells (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .clear_i(clear),
      .fresh_i(fresh_cells),
      .owner_i(owner),
      .gpu_i(gpu_i),
      .index_i(destination_q),
      .count_o(count),
      .foreign_o(foreign_cells_o)
    );
    assign sending_cells_o = sending ? count : '0;
  end else begin : gen_no_cells
    logic unused_fresh;
    assign unused_fresh = ^fresh_cells;
    assign sending_cells_o = '0;
    assign foreign_cells_o = '0;
  end

  // ---- Sender ----------------------------------------------------------------------------

  logic [CountWidth-1:0] send_counter;
  logic error_send_data, sender_quiescent;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) destination_q <= '0;
    else if (start) destination_q <= start_destination_i;
  end

  pixel_sender #(
    .TileLog2(TileLog2),
    .CellMode(CellMode),
    .BeatBytes(BeatBytes),
    .SendDepth(SendDepth),
    .CountWidth(CountWidth),
    .XWidth(XWidth),
    .YWidth(YWidth)
  ) u_sender (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .start_i(start),
    .touch_under_way_i(under_way),
    .sending_o(sending),
    .list_valid_i(list_valid),
    .list_first_i(list_first),
    .list_last_i(list_last),
    .owned_i(owned[destination_q*(TileWidth+1) +: TileWidth+1]),
    .tile_o(fetch_tile),
    .next_i(fetch_next),
    .bitmap_i(fetch_bitmap),
    .stamps_tile_o(stamps_tile),
    .stamps_block_o(stamps_block),
    .stamps_i(stamps),
    .read_valid_o(send_read_valid_o),
    .read_ready_i(send_read_ready_i),
    .read_address_o(send_read_address_o),
    .data_valid_i(send_data_valid_i),
    .data_ready_o(send_data_ready_o),
    .data_i(send_data_i),
    .data_written_i(send_data_written_i),
    .beat_valid_o(beat_out_valid_o),
    .beat_ready_i(beat_out_ready_i),
    .beat_kind_o(beat_out_kind_o),
    .beat_piece_o(beat_out_piece_o),
    .beat_mask_o(beat_out_mask_o),
    .beat_data_o(beat_out_data_o),
    .counter_index_i(peek_index_i[1:0]),
    .counter_o(send_counter),
    .error_o(error_send_data),
    .quiescent_o(sender_quiescent)
  );

  // ---- Receiver --------------------------------------------------------------------------

  logic [CountWidth-1:0] receive_counter;
  logic error_sequence, error_tile, error_piece, error_count, error_data, receiver_quiescent;

  pixel_receiver #(
    .TileLog2(TileLog2),
    .BeatBytes(BeatBytes),
    .ReceiveDepth(ReceiveDepth),
    .CountWidth(CountWidth),
    .XWidth(XWidth),
    .YWidth(YWidth),
    .IndexWidth(IndexWidth)
  ) u_receiver (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .gpu_i(gpu_i),
    .begin_i(begin_now),
    .front_i(begin_front_i),
    .transparent_i(begin_transparent_i),
    .operator_i(begin_operator_i),
    .depth_func_i(begin_depth_func_i),
    .color_mask_i(begin_color_mask_i),
    .depth_write_i(begin_depth_write_i),
    .tag_enable_i(begin_tag_enable_i),
    .test_base_i(begin_test_base_i),
    .receiving_o(receiving),
    .tiles_x_i(tiles_x),
    .tiles_y_i(tiles_y),
    .tile_o(header_tile),
    .owner_i(owner),
    .beat_valid_i(beat_in_valid_i),
    .beat_ready_o(beat_in_ready_o),
    .beat_kind_i(beat_in_kind_i),
    .beat_piece_i(beat_in_piece_i),
    .beat_mask_i(beat_in_mask_i),
    .beat_data_i(beat_in_data_i),
    .read_valid_o(receive_read_valid_o),
    .read_ready_i(receive_read_ready_i),
    .read_tile_o(receive_read_tile_o),
    .read_piece_o(receive_read_piece_o),
    .read_mask_o(receive_read_mask_o),
    .data_valid_i(receive_data_valid_i),
    .data_ready_o(receive_data_ready_o),
    .data_i(receive_data_i),
    .data_written_i(receive_data_written_i),
    .write_valid_o(write_valid_o),
    .write_ready_i(write_ready_i),
    .write_tile_o(write_tile_o),
    .write_piece_o(write_piece_o),
    .write_mask_o(write_mask_o),
    .write_data_o(write_data_o),
    .done_valid_o(done_valid_o),
    .done_ready_i(done_ready_i),
    .counter_index_i(peek_index_i[1:0]),
    .counter_o(receive_counter),
    .error_sequence_o(error_sequence),
    .error_tile_o(error_tile),
    .error_piece_o(error_piece),
    .error_count_o(error_count),
    .error_data_o(error_data),
    .quiescent_o(receiver_quiescent)
  );

  assign sending_o = sending;
  assign receiving_o = receiving;

  // ---- Peek ------------------------------------------------------------------------------

  // The memories answer a cycle after the question; the answer stays until the next one.
  logic peek_fresh_q;
  logic [1:0] peek_select_q;
  logic [63:0] peek_held_q, peek_counter_q, peek_counter, peek_answer;

  always_comb begin
    // Counters 0 to 3 are the sender's, 4 to 7 the receiver's.
    peek_counter = peek_index_i[2] ? 64'(receive_counter) : 64'(send_counter);
    if (peek_index_i[31:3] != '0) peek_counter = '0;
    case (peek_select_q)
      2'd0: peek_answer = 64'(peek_owner);
      2'd1: peek_answer = 64'(peek_bitmap);
      2'd2: peek_answer = 64'(peek_stamps);
      default: peek_answer = peek_counter_q;
    endcase
  end

  assign peek_data_o = peek_fresh_q ? peek_answer : peek_held_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      peek_fresh_q <= 1'b0;
      peek_select_q <= '0;
      peek_counter_q <= '0;
      peek_held_q <= '0;
    end else begin
      peek_fresh_q <= peek_valid_i;
      if (peek_fresh_q) peek_held_q <= peek_answer;
      if (peek_valid_i) begin
        peek_select_q <= peek_select_i;
        peek_counter_q <= peek_counter;
      end
    end
  end

  // ---- Errors and quiescence -------------------------------------------------------------

  logic [3:0] error_q, error_now;

  always_comb begin
    error_now = 4'd0;
    if (config_refused) error_now = pixel_distributor_pkg::ErrConfig;
    else if (touch_valid_i && !touch_ok) error_now = pixel_distributor_pkg::ErrTouch;
    else if (clear_refused) error_now = pixel_distributor_pkg::ErrClear;
    else if (start_valid_i && !start_ok) error_now = pixel_distributor_pkg::ErrStart;
    else if (begin_valid_i && !begin_ok) error_now = pixel_distributor_pkg::ErrBegin;
    else if (error_send_data) error_now = pixel_distributor_pkg::ErrSendData;
    else if (error_sequence) error_now = pixel_distributor_pkg::ErrSequence;
    else if (error_tile) error_now = pixel_distributor_pkg::ErrTile;
    else if (error_piece) error_now = pixel_distributor_pkg::ErrPiece;
    else if (error_count) error_now = pixel_distributor_pkg::ErrCount;
    else if (error_data) error_now = pixel_distributor_pkg::ErrReceiveData;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) error_q <= 4'd0;
    else if (error_q == 4'd0) error_q <= error_now;
  end

  assign error_o = error_q;
  assign quiescent_o = ~taken & ~filling & ~clear_i & ~touch_valid_i & ~start_valid_i &
                       ~begin_valid_i & ~peek_valid_i & ~under_way & sender_quiescent &
                       receiver_quiescent;

  `NOCTURNE_ASSERT(StickyError,
    error_q != pixel_distributor_pkg::ErrNone |=> $stable(error_q))

endmodule
