// The pixel distributor with its inputs and outputs as one packed vector each, for the
// replay of recorded vectors (bare Verilated unit, second simulator). The fields lie in
// the order of the tables in tb/harness/unit_pixel_distributor.c, the first lowest.
module vectors_pixel_distributor #(
  parameter int NumGpus = 8,
  parameter int TileLog2 = 6,
  parameter int CellMode = 2,
  parameter int BeatBytes = 64,
  parameter int MaxWidth = 2048,
  parameter int MaxHeight = 2048,
  parameter int SendDepth = 64,
  parameter int ReceiveDepth = 64,
  parameter int CountWidth = 48,
  localparam int IndexWidth = $clog2(NumGpus),
  localparam int Pixels = BeatBytes / 8,
  localparam int PiecePixels = (Pixels < 4) ? Pixels : 4,
  localparam int Pieces = Pixels / PiecePixels,
  localparam int PieceWidth = 2 * TileLog2 - $clog2(PiecePixels),
  localparam int Blocks = 1 << (2 * (TileLog2 - 3)),
  localparam int TileSide = 1 << TileLog2,
  localparam int TileWidth = $clog2((MaxWidth + TileSide - 1) / TileSide) +
                             $clog2((MaxHeight + TileSide - 1) / TileSide),
  localparam int AddressWidth = TileWidth + 2 * TileLog2,
  localparam int DataWidth = 8 * BeatBytes,
  localparam int BeatWidth = 2 + Pixels + Pieces * PieceWidth + DataWidth,
  localparam int ReadWidth = TileWidth + Pixels + Pieces * PieceWidth,
  localparam int InWidth = 132 + 2 * IndexWidth + 2 * Pixels + BeatWidth + 2 * DataWidth,
  localparam int OutWidth = 98 + IndexWidth + 2 * TileWidth + $clog2(Blocks) + Blocks +
                            AddressWidth + BeatWidth + 2 * ReadWidth + DataWidth
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic [InWidth-1:0]  in_i,
  output logic [OutWidth-1:0] out_o
);

  logic config_valid, clear, touch_valid, start_valid, send_read_ready, send_data_valid;
  logic beat_ready, begin_valid, front, transparent, depth_write, tag_enable, test_base;
  logic beat_in_valid, local_read_ready, local_data_valid, write_ready, done_ready, peek_valid;
  logic [IndexWidth-1:0] gpu, destination, owner;
  logic [13:0] width, height;
  logic [1:0] map, operation, kind_in, kind_out, peek_select;
  logic [3:0] work_tile, color_mask, error;
  logic [2:0] depth_func;
  logic [9:0] touch_x, touch_y;
  logic [15:0] touch_stamps, map_stamps;
  logic [31:0] peek_index;
  logic [63:0] peek_data;
  logic [Pixels-1:0] send_written, local_written, mask_in, mask_out, local_mask, write_mask;
  logic [Pieces*PieceWidth-1:0] piece_in, piece_out, local_piece, write_piece;
  logic [DataWidth-1:0] send_data, local_data, data_in, data_out, write_data;
  logic config_ready, sending, receiving, quiescent, owner_valid, map_valid, send_read_valid;
  logic send_data_ready, beat_valid, beat_in_ready, local_valid, local_ready, write_valid;
  logic done_valid;
  logic [TileWidth-1:0] owner_tile, map_tile, local_tile, write_tile;
  logic [$clog2(Blocks)-1:0] map_block;
  logic [Blocks-1:0] map_blocks;
  logic [AddressWidth-1:0] address;

  assign {local_data, send_data, peek_index, peek_select, peek_valid, done_ready, write_ready,
          local_written, local_data_valid, local_read_ready, data_in, piece_in, mask_in, kind_in,
          beat_in_valid, test_base, tag_enable, depth_write, color_mask, depth_func, operation,
          transparent, front, begin_valid, beat_ready, send_written, send_data_valid,
          send_read_ready, destination, start_valid, touch_stamps, touch_y, touch_x, touch_valid,
          clear, work_tile, map, height, width, config_valid, gpu} = in_i;

  // The writes of a cycle mean nothing while their valid is 0.
  assign out_o = {peek_data, done_valid, write_data, write_piece, write_mask, write_tile,
                  write_valid, local_ready, local_piece, local_mask, local_tile, local_valid,
                  beat_in_ready, data_out, piece_out, mask_out, kind_out, beat_valid,
                  send_data_ready, address, send_read_valid,
                  map_valid ? {map_stamps, map_blocks, map_block, map_tile} : '0, map_valid,
                  owner_valid ? {owner, owner_tile} : '0, owner_valid,
                  config_ready, receiving, sending, error, quiescent};

  pixel_distributor #(
    .NumGpus(NumGpus),
    .TileLog2(TileLog2),
    .CellMode(CellMode),
    .BeatBytes(BeatBytes),
    .MaxWidth(MaxWidth),
    .MaxHeight(MaxHeight),
    .SendDepth(SendDepth),
    .ReceiveDepth(ReceiveDepth),
    .CountWidth(CountWidth)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .gpu_i(gpu),
    .config_valid_i(config_valid),
    .config_ready_o(config_ready),
    .config_width_i(width),
    .config_height_i(height),
    .config_map_i(map),
    .config_work_tile_i(work_tile),
    .clear_i(clear),
    .touch_valid_i(touch_valid),
    .touch_x_i(touch_x),
    .touch_y_i(touch_y),
    .touch_stamps_i(touch_stamps),
    .start_valid_i(start_valid),
    .start_destination_i(destination),
    .sending_o(sending),
    .receiving_o(receiving),
    .send_read_valid_o(send_read_valid),
    .send_read_ready_i(send_read_ready),
    .send_read_address_o(address),
    .send_data_valid_i(send_data_valid),
    .send_data_ready_o(send_data_ready),
    .send_data_i(send_data),
    .send_data_written_i(send_written),
    .beat_out_valid_o(beat_valid),
    .beat_out_ready_i(beat_ready),
    .beat_out_kind_o(kind_out),
    .beat_out_piece_o(piece_out),
    .beat_out_mask_o(mask_out),
    .beat_out_data_o(data_out),
    .begin_valid_i(begin_valid),
    .begin_front_i(front),
    .begin_transparent_i(transparent),
    .begin_operator_i(operation),
    .begin_depth_func_i(depth_func),
    .begin_color_mask_i(color_mask),
    .begin_depth_write_i(depth_write),
    .begin_tag_enable_i(tag_enable),
    .begin_test_base_i(test_base),
    .beat_in_valid_i(beat_in_valid),
    .beat_in_ready_o(beat_in_ready),
    .beat_in_kind_i(kind_in),
    .beat_in_piece_i(piece_in),
    .beat_in_mask_i(mask_in),
    .beat_in_data_i(data_in),
    .receive_read_valid_o(local_valid),
    .receive_read_ready_i(local_read_ready),
    .receive_read_tile_o(local_tile),
    .receive_read_piece_o(local_piece),
    .receive_read_mask_o(local_mask),
    .receive_data_valid_i(local_data_valid),
    .receive_data_ready_o(local_ready),
    .receive_data_i(local_data),
    .receive_data_written_i(local_written),
    .write_valid_o(write_valid),
    .write_ready_i(write_ready),
    .write_tile_o(write_tile),
    .write_piece_o(write_piece),
    .write_mask_o(write_mask),
    .write_data_o(write_data),
    .done_valid_o(done_valid),
    .done_ready_i(done_ready),
    .error_o(error),
    .quiescent_o(quiescent),
    .owner_write_valid_o(owner_valid),
    .owner_write_tile_o(owner_tile),
    .owner_write_owner_o(owner),
    .map_write_valid_o(map_valid),
    .map_write_tile_o(map_tile),
    .map_write_block_o(map_block),
    .map_write_blocks_o(map_blocks),
    .map_write_stamps_o(map_stamps),
    .peek_valid_i(peek_valid),
    .peek_select_i(peek_select),
    .peek_index_i(peek_index),
    .peek_data_o(peek_data)
  );

endmodule
