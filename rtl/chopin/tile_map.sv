// SPDX-License-Identifier: Apache-2.0
// Which GPU owns each tile of a surface. CHOPIN (HPCA 2021), IV-B, V; the skewed map is the
// G80's (Crassin, Neyret 2008). Cycle contract: docs/units/pixel_distributor.md, section 1.
//
// A configuration fills a table of owners, one tile a cycle, by counters: no division.
// Map 3 halves rectangles of tiles by GPUs; it takes a cycle for each tile of a side that
// is split besides.
// Illegal: sizes of 0 or beyond the maximum, work tiles of 0 or more than 10: refused.
// Cost: the table, and a counter of tiles for each GPU.
`include "pixel_distributor_pkg.sv"
`include "assert.svh"
module tile_map #(
  parameter int NumGpus = 8,
  parameter int TileLog2 = 6,
  parameter int MaxWidth = 2048,
  parameter int MaxHeight = 2048,
  parameter bit Observe = 1'b1,
  parameter int XWidth = 5,       // bits of a tile's column
  parameter int YWidth = 5,       // bits of a tile's row
  localparam int TileWidth = XWidth + YWidth,
  localparam int IndexWidth = $clog2(NumGpus)
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic                         config_i,         // taken in this cycle
  input  logic [13:0]                  width_i,          // pixels
  input  logic [13:0]                  height_i,
  input  logic [1:0]                   map_i,
  input  logic [3:0]                   work_tile_i,      // tiles
  output logic                         refused_o,        // of config_i
  output logic                         configured_o,
  output logic                         filling_o,
  output logic [13:0]                  width_o,
  output logic [13:0]                  height_o,
  output logic [XWidth:0]              tiles_x_o,
  output logic [YWidth:0]              tiles_y_o,
  output logic [NumGpus*(TileWidth+1)-1:0] owned_o,      // tiles of each GPU
  // This cycle's write of the table
  output logic                         write_valid_o,
  output logic [TileWidth-1:0]         write_tile_o,
  output logic [IndexWidth-1:0]        write_owner_o,
  // Owner of a tile, a cycle later; and for observation
  input  logic [TileWidth-1:0]         tile_i,
  output logic [IndexWidth-1:0]        owner_o,
  input  logic [TileWidth-1:0]         peek_tile_i,
  output logic [IndexWidth-1:0]        peek_owner_o
);

  localparam int TileSide = 1 << TileLog2;
  localparam int StackDepth = 8;
  localparam int StackWidth = 4;
  localparam int SideWidth = ((XWidth > YWidth) ? XWidth : YWidth) + 1;
  localparam int RectWidth = 2 * XWidth + 2 * YWidth + 2 + 2 * IndexWidth + 1;
  localparam logic [1:0] FillRows = 2'd0, FillVisit = 2'd1, FillTiles = 2'd2, FillSplit = 2'd3;

  // The smallest step of at least 2 that is coprime to NumGpus, modulo NumGpus.
  function automatic int skew_step(input int gpus);
    int a, b, t;
    skew_step = 0;
    for (int s = 2; s < 130; s = s + 1) begin
      if (skew_step == 0) begin
        a = s;
        b = gpus;
        for (int i = 0; i < 16; i = i + 1) begin
          if (b != 0) begin
            t = a % b;
            a = b;
            b = t;
          end
        end
        if (a == 1) skew_step = s;
      end
    end
    skew_step = skew_step % gpus;
  endfunction

  localparam int SkewStep = skew_step(NumGpus);

  // (a + b) modulo NumGpus, both below NumGpus.
  function automatic logic [IndexWidth-1:0] add_gpu(
    input logic [IndexWidth-1:0] a, input logic [IndexWidth-1:0] b
  );
    logic [IndexWidth:0] sum;
    sum = {1'b0, a} + {1'b0, b};
    add_gpu = (sum >= (IndexWidth+1)'(NumGpus)) ? IndexWidth'(sum - (IndexWidth+1)'(NumGpus))
                                                 : IndexWidth'(sum);
  endfunction

  logic configured_q, filling_q;
  logic [13:0] width_q, height_q;
  logic [1:0] map_q, fill_q, fill_d;
  logic [3:0] work_q, sub_x_q, sub_y_q;
  logic [XWidth:0] tiles_x_q, x_q, end_x_q;
  logic [YWidth:0] tiles_y_q, y_q, end_y_q;
  logic [IndexWidth-1:0] owner_q, row_q;   // of the current tile; of the row's first
  logic [2:0] row6_q;                      // row modulo 6, for the published table

  assign refused_o = config_i & ((width_i == '0) | (height_i == '0) |
      (32'(width_i) > MaxWidth) | (32'(height_i) > MaxHeight) |
      ((map_i == 2'd2) & ((work_tile_i == 4'd0) | (work_tile_i > 4'd10))));

  // ---- Halving: the current rectangle and a stack of those to come ----------------------

  logic [XWidth-1:0] rect_x_q;
  logic [YWidth-1:0] rect_y_q;
  logic [XWidth:0] rect_w_q;
  logic [YWidth:0] rect_h_q;
  logic [IndexWidth-1:0] rect_g_q;
  logic [IndexWidth:0] rect_n_q;
  logic [RectWidth-1:0] stack_q [StackDepth];
  logic [RectWidth-1:0] top;
  logic [StackWidth-1:0] stack_count_q;
  logic [SideWidth-1:0] split_left_q, part_q, part;  // cycles left; first part's length
  logic [IndexWidth:0] error_q, n_first;
  logic [IndexWidth+1:0] error_sum;
  logic wide, split_last;

  // A rectangle to be judged: after a visit the stack's top, after a split the first part.
  logic [XWidth-1:0] new_x;
  logic [YWidth-1:0] new_y;
  logic [XWidth:0] new_w, second_w;
  logic [YWidth:0] new_h, second_h;
  logic [IndexWidth-1:0] new_g;
  logic [IndexWidth:0] new_n;
  logic judge;
  logic [1:0] judged;
  logic [XWidth-1:0] second_x;
  logic [YWidth-1:0] second_y;
  logic [IndexWidth-1:0] second_g;
  logic [RectWidth-1:0] second;

  assign top = stack_q[stack_count_q[2:0] - 3'd1];
  assign wide = SideWidth'(rect_w_q) >= SideWidth'(rect_h_q);
  assign n_first = rect_n_q >> 1;
  assign error_sum = {1'b0, error_q} + {1'b0, n_first};
  assign part = part_q + SideWidth'(error_sum >= {1'b0, rect_n_q});
  assign split_last = split_left_q == SideWidth'(1);
  assign second_w = wide ? rect_w_q - (XWidth+1)'(part) : rect_w_q;
  assign second_h = wide ? rect_h_q : rect_h_q - (YWidth+1)'(part);
  assign second_x = wide ? rect_x_q + XWidth'(part) : rect_x_q;
  assign second_y = wide ? rect_y_q : rect_y_q + YWidth'(part);
  assign second_g = rect_g_q + IndexWidth'(n_first);
  // Plain names only: Yosys 0.23 gives a cast inside a concatenation another width.
  assign second = {second_x, second_y, second_w, second_h, second_g, rect_n_q - n_first};

  always_comb begin
    if (fill_q == FillVisit) begin
      {new_x, new_y, new_w, new_h, new_g, new_n} = top;
    end else begin
      new_x = rect_x_q;
      new_y = rect_y_q;
      new_w = wide ? (XWidth+1)'(part) : rect_w_q;
      new_h = wide ? rect_h_q : (YWidth+1)'(part);
      new_g = rect_g_q;
      new_n = n_first;
    end
    judged = FillSplit;
    if (new_w == '0 || new_h == '0) judged = FillVisit;
    else if (new_n == (IndexWidth+1)'(1)) judged = FillTiles;
  end

  assign judge = filling_q & (((fill_q == FillVisit) & (stack_count_q != '0)) |
                              ((fill_q == FillSplit) & split_last));

  // ---- One tile a cycle ------------------------------------------------------------------

  logic writing, last_x, last_y;
  logic [IndexWidth-1:0] row_next;

  assign writing = filling_q & ((fill_q == FillRows) | (fill_q == FillTiles));
  assign last_x = x_q + (XWidth+1)'(1) == end_x_q;
  assign last_y = y_q + (YWidth+1)'(1) == end_y_q;
  assign write_valid_o = writing;
  assign write_tile_o = writing ? {y_q[YWidth-1:0], x_q[XWidth-1:0]} : '0;
  assign write_owner_o = writing ? owner_q : '0;

  if (NumGpus == 6) begin : gen_published
    // The G80's table for 6: 0 2 4 1 5 3, by row modulo 6.
    always_comb begin
      case (row6_q)
        3'd0: row_next = IndexWidth'(2);
        3'd1: row_next = IndexWidth'(4);
        3'd2: row_next = IndexWidth'(1);
        3'd3: row_next = IndexWidth'(5);
        3'd4: row_next = IndexWidth'(3);
        default: row_next = '0;
      endcase
    end
  end else begin : gen_step
    logic unused_row6;
    assign unused_row6 = ^row6_q;
    assign row_next = add_gpu(row_q, IndexWidth'(SkewStep));
  end

  always_comb begin
    fill_d = fill_q;
    if (judge) fill_d = judged;
    else if (fill_q == FillTiles && last_x && last_y) fill_d = FillVisit;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      configured_q <= 1'b0;
      filling_q <= 1'b0;
      width_q <= '0;
      height_q <= '0;
      map_q <= pixel_distributor_pkg::MapRows;
      work_q <= '0;
      tiles_x_q <= '0;
      tiles_y_q <= '0;
      fill_q <= FillRows;
      x_q <= '0;
      y_q <= '0;
      end_x_q <= '0;
      end_y_q <= '0;
      sub_x_q <= '0;
      sub_y_q <= '0;
      owner_q <= '0;
      row_q <= '0;
      row6_q <= '0;
      stack_count_q <= '0;
      rect_x_q <= '0;
      rect_y_q <= '0;
      rect_w_q <= '0;
      rect_h_q <= '0;
      rect_g_q <= '0;
      rect_n_q <= '0;
      split_left_q <= '0;
      part_q <= '0;
      error_q <= '0;
    end else if (config_i && !refused_o) begin
      configured_q <= 1'b1;
      filling_q <= 1'b1;
      width_q <= width_i;
      height_q <= height_i;
      map_q <= map_i;
      work_q <= work_tile_i;
      tiles_x_q <= (XWidth+1)'((32'(width_i) + TileSide - 1) >> TileLog2);
      tiles_y_q <= (YWidth+1)'((32'(height_i) + TileSide - 1) >> TileLog2);
      end_x_q <= (XWidth+1)'((32'(width_i) + TileSide - 1) >> TileLog2);
      end_y_q <= (YWidth+1)'((32'(height_i) + TileSide - 1) >> TileLog2);
      fill_q <= (map_i == pixel_distributor_pkg::MapHalving) ? FillVisit : FillRows;
      x_q <= '0;
      y_q <= '0;
      sub_x_q <= '0;
      sub_y_q <= '0;
      owner_q <= '0;
      row_q <= '0;
      row6_q <= '0;
      stack_count_q <= StackWidth'(1);
      stack_q[0] <= {XWidth'(0), YWidth'(0),
                     (XWidth+1)'((32'(width_i) + TileSide - 1) >> TileLog2),
                     (YWidth+1)'((32'(height_i) + TileSide - 1) >> TileLog2),
                     IndexWidth'(0), (IndexWidth+1)'(NumGpus)};
    end else if (filling_q) begin
      fill_q <= fill_d;
      if (fill_q == FillVisit && stack_count_q == '0) filling_q <= 1'b0;
      if (judge) begin
        rect_x_q <= new_x;
        rect_y_q <= new_y;
        rect_w_q <= new_w;
        rect_h_q <= new_h;
        rect_g_q <= new_g;
        rect_n_q <= new_n;
        split_left_q <= (SideWidth'(new_w) >= SideWidth'(new_h)) ? SideWidth'(new_w)
                                                                 : SideWidth'(new_h);
        part_q <= '0;
        error_q <= '0;
        x_q <= {1'b0, new_x};
        y_q <= {1'b0, new_y};
        end_x_q <= {1'b0, new_x} + new_w;
        end_y_q <= {1'b0, new_y} + new_h;
        owner_q <= new_g;
        if (fill_q == FillVisit) stack_count_q <= stack_count_q - StackWidth'(1);
        else begin
          stack_q[stack_count_q[2:0]] <= second;
          stack_count_q <= stack_count_q + StackWidth'(1);
        end
      end else if (fill_q == FillSplit) begin
        split_left_q <= split_left_q - SideWidth'(1);
        part_q <= part;
        error_q <= (error_sum >= {1'b0, rect_n_q})
                   ? (IndexWidth+1)'(error_sum - {1'b0, rect_n_q}) : (IndexWidth+1)'(error_sum);
      end else if (fill_q == FillTiles) begin
        x_q <= last_x ? {1'b0, rect_x_q} : x_q + (XWidth+1)'(1);
        if (last_x) y_q <= y_q + (YWidth+1)'(1);
      end else if (fill_q == FillRows) begin
        x_q <= last_x ? '0 : x_q + (XWidth+1)'(1);
        if (last_x) y_q <= y_q + (YWidth+1)'(1);
        if (last_x && last_y) filling_q <= 1'b0;
        if (last_x) row6_q <= (row6_q == 3'd5) ? 3'd0 : row6_q + 3'd1;
        if (map_q == pixel_distributor_pkg::MapRows) begin
          owner_q <= add_gpu(owner_q, IndexWidth'(1));
        end else if (map_q == pixel_distributor_pkg::MapSkew) begin
          owner_q <= last_x ? row_next : add_gpu(owner_q, IndexWidth'(1));
          if (last_x) row_q <= row_next;
        end else begin
          // A row of work tiles starts after the last one of the row before.
          sub_x_q <= (last_x || sub_x_q + 4'd1 == work_q) ? '0 : sub_x_q + 4'd1;
          if (last_x && sub_y_q + 4'd1 == work_q) begin
            sub_y_q <= '0;
            row_q <= add_gpu(owner_q, IndexWidth'(1));
            owner_q <= add_gpu(owner_q, IndexWidth'(1));
          end else if (last_x) begin
            sub_y_q <= sub_y_q + 4'd1;
            owner_q <= row_q;
          end else if (sub_x_q + 4'd1 == work_q) begin
            owner_q <= add_gpu(owner_q, IndexWidth'(1));
          end
        end
      end
    end
  end

  // ---- Tiles of each GPU, and the table --------------------------------------------------

  for (genvar g = 0; g < NumGpus; g = g + 1) begin : gen_owned
    logic [TileWidth:0] owned_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni || (config_i && !refused_o)) owned_q <= '0;
      else if (writing && owner_q == IndexWidth'(g)) owned_q <= owned_q + (TileWidth+1)'(1);
    end
    assign owned_o[g*(TileWidth+1) +: TileWidth+1] = owned_q;
  end

  memory_2r1w #(
    .Width(IndexWidth),
    .Depth(1 << TileWidth),
    .PortB(Observe)
  ) u_owners (
    .clk_i(clk_i),
    .write_i(write_valid_o),
    .write_address_i(write_tile_o),
    .write_data_i(write_owner_o),
    .a_read_i(1'b1),
    .a_address_i(tile_i),
    .a_data_o(owner_o),
    .b_read_i(1'b1),
    .b_address_i(peek_tile_i),
    .b_data_o(peek_owner_o)
  );

  assign configured_o = configured_q;
  assign filling_o = filling_q;
  assign width_o = width_q;
  assign height_o = height_q;
  assign tiles_x_o = tiles_x_q;
  assign tiles_y_o = tiles_y_q;

  `NOCTURNE_ASSERT(ConfigWhileIdle, config_i |-> !filling_q)
  `NOCTURNE_ASSERT(OwnerIsGpu, write_valid_o |-> 32'(write_owner_o) < NumGpus)
  `NOCTURNE_ASSERT(StackHasRoom, judge && fill_q != FillVisit |->
                   stack_count_q != StackWidth'(StackDepth))

endmodule
