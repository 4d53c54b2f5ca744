// The pixel distributor under the harness: exchanges one clock's values through DPI.
module tb_pixel_distributor #(
  parameter int NumGpus = 8,
  parameter int TileLog2 = 6,
  parameter int CellMode = 2,
  parameter int BeatBytes = 64,
  parameter int MaxWidth = 2048,
  parameter int MaxHeight = 2048,
  parameter int SendDepth = 64,
  parameter int ReceiveDepth = 64,
  parameter int CountWidth = 48
) (
  input logic clk_i,
  input logic rst_ni
);

  localparam int IndexWidth = $clog2(NumGpus);
  localparam int Pixels = BeatBytes / 8;
  localparam int PiecePixels = (Pixels < 4) ? Pixels : 4;
  localparam int Pieces = Pixels / PiecePixels;
  localparam int PieceWidth = 2 * TileLog2 - $clog2(PiecePixels);
  localparam int Blocks = 1 << (2 * (TileLog2 - 3));
  localparam int TileSide = 1 << TileLog2;
  localparam int TileWidth = $clog2((MaxWidth + TileSide - 1) / TileSide) +
                             $clog2((MaxHeight + TileSide - 1) / TileSide);
  localparam int DataWidth = 8 * BeatBytes;

  chandle context_h;
  initial context_h = pixel_distributor_pkg::pixel_distributor_dpi_context();

  int unsigned flags, peek_index;
  byte unsigned gpu, map, work_tile, begin_flags, begin_op, begin_func, begin_mask, peek_select;
  byte unsigned destination, kind_in;
  shortint unsigned width, height, touch_x, touch_y, touch_stamps;
  logic [DataWidth-1:0] send_data, receive_data, data_in;
  logic [Pixels-1:0] send_written, receive_written, mask_in;
  logic [Pieces*PieceWidth-1:0] piece_in;

  initial begin
    send_data = '0;
    receive_data = '0;
    data_in = '0;
    send_written = '0;
    receive_written = '0;
    mask_in = '0;
    piece_in = '0;
  end

  always @(negedge clk_i) begin
    pixel_distributor_pkg::pixel_distributor_dpi_get(context_h, flags, gpu);
    if (flags[0]) begin
      pixel_distributor_pkg::pixel_distributor_dpi_get_config(context_h, width, height, map,
                                                              work_tile);
    end
    if (flags[2]) begin
      pixel_distributor_pkg::pixel_distributor_dpi_get_touch(context_h, touch_x, touch_y,
                                                             touch_stamps);
    end
    if (flags[3]) begin
      destination = pixel_distributor_pkg::pixel_distributor_dpi_get_start(context_h);
    end
    if (flags[5]) begin
      send_written = Pixels'(pixel_distributor_pkg::pixel_distributor_dpi_get_mask(context_h,
          pixel_distributor_pkg::StreamSendData));
      for (int i = 0; i < Pixels; i = i + 1) begin
        send_data[i*64 +: 64] = pixel_distributor_pkg::pixel_distributor_dpi_get_word(context_h,
            pixel_distributor_pkg::StreamSendData, i);
      end
    end
    if (flags[7]) begin
      pixel_distributor_pkg::pixel_distributor_dpi_get_begin(context_h, begin_flags, begin_op,
                                                             begin_func, begin_mask);
    end
    if (flags[8]) begin
      kind_in = pixel_distributor_pkg::pixel_distributor_dpi_get_kind(context_h);
      mask_in = Pixels'(pixel_distributor_pkg::pixel_distributor_dpi_get_mask(context_h,
          pixel_distributor_pkg::StreamBeatIn));
      for (int i = 0; i < Pieces; i = i + 1) begin
        piece_in[i*PieceWidth +: PieceWidth] =
            PieceWidth'(pixel_distributor_pkg::pixel_distributor_dpi_get_piece(context_h, i));
      end
      for (int i = 0; i < Pixels; i = i + 1) begin
        data_in[i*64 +: 64] = pixel_distributor_pkg::pixel_distributor_dpi_get_word(context_h,
            pixel_distributor_pkg::StreamBeatIn, i);
      end
    end
    if (flags[10]) begin
      receive_written = Pixels'(pixel_distributor_pkg::pixel_distributor_dpi_get_mask(context_h,
          pixel_distributor_pkg::StreamReceiveData));
      for (int i = 0; i < Pixels; i = i + 1) begin
        receive_data[i*64 +: 64] = pixel_distributor_pkg::pixel_distributor_dpi_get_word(
            context_h, pixel_distributor_pkg::StreamReceiveData, i);
      end
    end
    if (flags[13]) begin
      pixel_distributor_pkg::pixel_distributor_dpi_get_peek(context_h, peek_select, peek_index);
    end
  end

  logic config_ready, sending, receiving, quiescent, owner_valid, map_valid;
  logic send_read_valid, send_data_ready, beat_valid, beat_in_ready, local_valid, local_ready;
  logic write_valid, done_valid;
  logic [3:0] error;
  logic [TileWidth-1:0] owner_tile, map_tile, local_tile, write_tile;
  logic [IndexWidth-1:0] owner_owner;
  logic [$clog2(Blocks)-1:0] map_block;
  logic [Blocks-1:0] map_blocks;
  logic [15:0] map_stamps;
  logic [TileWidth+2*TileLog2-1:0] address;
  logic [1:0] kind_out;
  logic [Pieces*PieceWidth-1:0] piece_out, local_piece, write_piece;
  logic [Pixels-1:0] mask_out, local_mask, write_mask;
  logic [DataWidth-1:0] data_out, write_data;
  logic [63:0] peek_data;

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
    .gpu_i(gpu[IndexWidth-1:0]),
    .config_valid_i(flags[0]),
    .config_ready_o(config_ready),
    .config_width_i(width[13:0]),
    .config_height_i(height[13:0]),
    .config_map_i(map[1:0]),
    .config_work_tile_i(work_tile[3:0]),
    .clear_i(flags[1]),
    .touch_valid_i(flags[2]),
    .touch_x_i(touch_x[9:0]),
    .touch_y_i(touch_y[9:0]),
    .touch_stamps_i(touch_stamps),
    .start_valid_i(flags[3]),
    .start_destination_i(destination[IndexWidth-1:0]),
    .sending_o(sending),
    .receiving_o(receiving),
    .send_read_valid_o(send_read_valid),
    .send_read_ready_i(flags[4]),
    .send_read_address_o(address),
    .send_data_valid_i(flags[5]),
    .send_data_ready_o(send_data_ready),
    .send_data_i(send_data),
    .send_data_written_i(send_written),
    .beat_out_valid_o(beat_valid),
    .beat_out_ready_i(flags[6]),
    .beat_out_kind_o(kind_out),
    .beat_out_piece_o(piece_out),
    .beat_out_mask_o(mask_out),
    .beat_out_data_o(data_out),
    .begin_valid_i(flags[7]),
    .begin_front_i(begin_flags[0]),
    .begin_transparent_i(begin_flags[1]),
    .begin_operator_i(begin_op[1:0]),
    .begin_depth_func_i(begin_func[2:0]),
    .begin_color_mask_i(begin_mask[3:0]),
    .begin_depth_write_i(begin_flags[2]),
    .begin_tag_enable_i(begin_flags[3]),
    .begin_test_base_i(begin_flags[4]),
    .beat_in_valid_i(flags[8]),
    .beat_in_ready_o(beat_in_ready),
    .beat_in_kind_i(kind_in[1:0]),
    .beat_in_piece_i(piece_in),
    .beat_in_mask_i(mask_in),
    .beat_in_data_i(data_in),
    .receive_read_valid_o(local_valid),
    .receive_read_ready_i(flags[9]),
    .receive_read_tile_o(local_tile),
    .receive_read_piece_o(local_piece),
    .receive_read_mask_o(local_mask),
    .receive_data_valid_i(flags[10]),
    .receive_data_ready_o(local_ready),
    .receive_data_i(receive_data),
    .receive_data_written_i(receive_written),
    .write_valid_o(write_valid),
    .write_ready_i(flags[11]),
    .write_tile_o(write_tile),
    .write_piece_o(write_piece),
    .write_mask_o(write_mask),
    .write_data_o(write_data),
    .done_valid_o(done_valid),
    .done_ready_i(flags[12]),
    .error_o(error),
    .quiescent_o(quiescent),
    .owner_write_valid_o(owner_valid),
    .owner_write_tile_o(owner_tile),
    .owner_write_owner_o(owner_owner),
    .map_write_valid_o(map_valid),
    .map_write_tile_o(map_tile),
    .map_write_block_o(map_block),
    .map_write_blocks_o(map_blocks),
    .map_write_stamps_o(map_stamps),
    .peek_valid_i(flags[13]),
    .peek_select_i(peek_select[1:0]),
    .peek_index_i(peek_index),
    .peek_data_o(peek_data)
  );

  localparam int StreamReceiveRead = 5;

  bit after_clock;
  always @(posedge clk_i) after_clock <= ~after_clock;

  always @(after_clock) begin
    pixel_distributor_pkg::pixel_distributor_dpi_put(context_h,
        32'({done_valid, write_valid, local_ready, local_valid, beat_in_ready, beat_valid,
             send_data_ready, send_read_valid, map_valid, owner_valid, config_ready, receiving,
             sending, quiescent}), 8'(error), peek_data);
    if (owner_valid) begin
      pixel_distributor_pkg::pixel_distributor_dpi_put_owner(context_h, 32'(owner_tile),
                                                             8'(owner_owner));
    end
    if (map_valid) begin
      pixel_distributor_pkg::pixel_distributor_dpi_put_map(context_h, 32'(map_tile),
          8'(map_block), 64'(map_blocks), map_stamps);
    end
    if (send_read_valid) begin
      pixel_distributor_pkg::pixel_distributor_dpi_put_address(context_h, 32'(address));
    end
    if (beat_valid) begin
      pixel_distributor_pkg::pixel_distributor_dpi_put_head(context_h,
          pixel_distributor_pkg::StreamBeatOut, 32'(kind_out), 32'(mask_out));
      for (int i = 0; i < Pieces; i = i + 1) begin
        pixel_distributor_pkg::pixel_distributor_dpi_put_piece(context_h,
            pixel_distributor_pkg::StreamBeatOut, i,
            16'(piece_out[i*PieceWidth +: PieceWidth]));
      end
      for (int i = 0; i < Pixels; i = i + 1) begin
        pixel_distributor_pkg::pixel_distributor_dpi_put_word(context_h,
            pixel_distributor_pkg::StreamBeatOut, i, data_out[i*64 +: 64]);
      end
    end
    if (local_valid) begin
      pixel_distributor_pkg::pixel_distributor_dpi_put_head(context_h, StreamReceiveRead,
          32'(local_tile), 32'(local_mask));
      for (int i = 0; i < Pieces; i = i + 1) begin
        pixel_distributor_pkg::pixel_distributor_dpi_put_piece(context_h, StreamReceiveRead, i,
            16'(local_piece[i*PieceWidth +: PieceWidth]));
      end
    end
    if (write_valid) begin
      pixel_distributor_pkg::pixel_distributor_dpi_put_head(context_h,
          pixel_distributor_pkg::StreamWrite, 32'(write_tile), 32'(write_mask));
      for (int i = 0; i < Pieces; i = i + 1) begin
        pixel_distributor_pkg::pixel_distributor_dpi_put_piece(context_h,
            pixel_distributor_pkg::StreamWrite, i,
            16'(write_piece[i*PieceWidth +: PieceWidth]));
      end
      for (int i = 0; i < Pixels; i = i + 1) begin
        pixel_distributor_pkg::pixel_distributor_dpi_put_word(context_h,
            pixel_distributor_pkg::StreamWrite, i, write_data[i*64 +: 64]);
      end
    end
    // What is not valid is 0.
    if (rst_ni) begin
      assert ((beat_valid || {kind_out, piece_out, mask_out, data_out} == '0) &&
              (local_valid || {local_tile, local_piece, local_mask} == '0) &&
              (write_valid || {write_tile, write_piece, write_mask, write_data} == '0) &&
              (send_read_valid || address == '0));
    end
  end

`ifdef COVER
`include "cover_pixel_distributor.svh"
`endif

endmodule
