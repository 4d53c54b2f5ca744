// SPDX-License-Identifier: Apache-2.0
// Which cells of which tiles a GPU has touched in this group, and the touched tiles of each
// owner as a list. CHOPIN (HPCA 2021), VI-C. Cycle contract:
// docs/units/pixel_distributor.md, sections 2 and 3.
//
// One touch a cycle; each sees those before it. Emptying the map costs one cycle: tiles
// have a flip-flop each, and everything below them is valid only as far as it says. A list
// for each owner makes finding the next touched tile a single step.
// Illegal: nothing; the owner of this module refuses what the contract refuses.
// Cost: a flip-flop a tile; memories of bitmaps (CellMode 1, 2), stamps (CellMode 2) and
// links.
`include "assert.svh"
module touched_map #(
  parameter int NumGpus = 8,
  parameter int CellMode = 2,     // 0 tile, 1 block, 2 stamp
  parameter int TileWidth = 10,   // bits of a tile index
  parameter int BlockWidth = 6,   // bits of a block of a tile
  parameter bit Observe = 1'b1,
  localparam int Blocks = 1 << BlockWidth,
  localparam int IndexWidth = $clog2(NumGpus)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  clear_i,
  // A touch that was accepted; its owner comes a cycle later
  input  logic                  touch_i,
  input  logic [TileWidth-1:0]  touch_tile_i,
  input  logic [BlockWidth-1:0] touch_block_i,
  input  logic [15:0]           touch_stamps_i,
  input  logic [IndexWidth-1:0] owner_i,
  output logic                  under_way_o,
  // This cycle's write
  output logic [TileWidth-1:0]  write_tile_o,
  output logic [BlockWidth-1:0] write_block_o,
  output logic [Blocks-1:0]     write_blocks_o,
  output logic [15:0]           write_stamps_o,
  output logic [4:0]            fresh_o,   // cells that it sets and that were not set
  // The list of an owner
  input  logic [IndexWidth-1:0] list_i,
  output logic                  list_valid_o,
  output logic [TileWidth-1:0]  list_first_o,
  output logic [TileWidth-1:0]  list_last_o,
  // Reads of the sender, a cycle later: of a tile, and of a block's stamps
  input  logic [TileWidth-1:0]  tile_i,
  output logic [TileWidth-1:0]  next_o,
  output logic [Blocks-1:0]     bitmap_o,
  input  logic [TileWidth-1:0]  stamps_tile_i,
  input  logic [BlockWidth-1:0] stamps_block_i,
  output logic [15:0]           stamps_o,
  // Observation, a cycle later; 0 where untouched
  input  logic [TileWidth-1:0]  peek_tile_i,
  input  logic [BlockWidth-1:0] peek_block_i,
  output logic [Blocks-1:0]     peek_bitmap_o,
  output logic [15:0]           peek_stamps_o
);

  localparam int Tiles = 1 << TileWidth;

  logic [Tiles-1:0] touched_q;
  logic touch_q;
  logic [TileWidth-1:0] tile_q;
  logic [BlockWidth-1:0] block_q;
  logic [15:0] stamps_q;
  logic known, apply;
  logic [Blocks-1:0] bitmap_read, bitmap_old, block_bit, bitmap_peek;
  logic [15:0] stamps_read, stamps_old, stamps_peek;

  assign under_way_o = touch_q;
  assign known = touched_q[tile_q];
  assign apply = touch_q & ~clear_i;
  assign bitmap_old = known ? bitmap_read : '0;
  assign block_bit = Blocks'(1) << block_q;
  assign stamps_old = ((bitmap_old & block_bit) != '0) ? stamps_read : '0;

  assign write_tile_o = touch_q ? tile_q : '0;
  assign write_block_o = touch_q ? block_q : '0;
  // Not '1: Yosys 0.23 takes it for a single 1 where the condition is constant.
  assign write_blocks_o =
      !touch_q ? '0 : (CellMode == 0) ? {Blocks{1'b1}} : (bitmap_old | block_bit);
  assign write_stamps_o = !touch_q ? '0 : (CellMode == 2) ? (stamps_old | stamps_q) : {16{1'b1}};

  function automatic logic [4:0] ones(input logic [15:0] bits);
    ones = '0;
    for (int k = 0; k < 16; k = k + 1) ones = ones + 5'(bits[k]);
  endfunction

  assign fresh_o = !apply ? '0
                   : (CellMode == 0) ? 5'(!known)
                   : (CellMode == 1) ? 5'((bitmap_old & block_bit) == '0)
                                     : ones(stamps_q & ~stamps_old);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      touched_q <= '0;
      touch_q <= 1'b0;
      tile_q <= '0;
      block_q <= '0;
      stamps_q <= '0;
    end else begin
      touch_q <= touch_i;
      if (touch_i) begin
        tile_q <= touch_tile_i;
        block_q <= touch_block_i;
        stamps_q <= touch_stamps_i;
      end
      if (clear_i) touched_q <= '0;
      else if (touch_q) touched_q[tile_q] <= 1'b1;
    end
  end

  // ---- Lists -----------------------------------------------------------------------------

  logic append;
  logic [NumGpus-1:0] listed_q;
  logic [TileWidth-1:0] first_q [NumGpus];
  logic [TileWidth-1:0] last_q [NumGpus];

  assign append = apply & ~known;
  assign list_valid_o = listed_q[list_i];
  assign list_first_o = first_q[list_i];
  assign list_last_o = last_q[list_i];

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) listed_q <= '0;
    else if (append) listed_q[owner_i] <= 1'b1;
    if (append && !listed_q[owner_i]) first_q[owner_i] <= tile_q;
    if (append) last_q[owner_i] <= tile_q;
  end

  memory_1r1w #(
    .Width(TileWidth),
    .Depth(Tiles)
  ) u_next (
    .clk_i(clk_i),
    .write_i(append & listed_q[owner_i]),
    .write_address_i(last_q[owner_i]),
    .write_data_i(tile_q),
    .read_i(1'b1),
    .read_address_i(tile_i),
    .data_o(next_o)
  );

  // ---- Bitmaps and stamps ----------------------------------------------------------------

  // A touch reads in the cycle in which it is accepted; the sender reads while none is.
  if (CellMode != 0) begin : gen_bitmaps
    memory_2r1w #(
      .Width(Blocks),
      .Depth(Tiles),
      .PortB(Observe)
    ) u_bitmaps (
      .clk_i(clk_i),
      .write_i(apply),
      .write_address_i(tile_q),
      .write_data_i(write_blocks_o),
      .a_read_i(1'b1),
      .a_address_i(touch_i ? touch_tile_i : tile_i),
      .a_data_o(bitmap_read),
      .b_read_i(1'b1),
      .b_address_i(peek_tile_i),
      .b_data_o(bitmap_peek)
    );
  end else begin : gen_no_bitmaps
    assign bitmap_read = '1;
    assign bitmap_peek = '1;
  end
  if (CellMode == 2) begin : gen_stamps
    memory_2r1w #(
      .Width(16),
      .Depth(Tiles * Blocks),
      .PortB(Observe)
    ) u_stamps (
      .clk_i(clk_i),
      .write_i(apply),
      .write_address_i({tile_q, block_q}),
      .write_data_i(write_stamps_o),
      .a_read_i(1'b1),
      .a_address_i(touch_i ? {touch_tile_i, touch_block_i} : {stamps_tile_i, stamps_block_i}),
      .a_data_o(stamps_read),
      .b_read_i(1'b1),
      .b_address_i({peek_tile_i, peek_block_i}),
      .b_data_o(stamps_peek)
    );
  end else begin : gen_no_stamps
    logic unused_stamps;
    assign unused_stamps = ^{stamps_tile_i, stamps_block_i};
    assign stamps_read = '1;
    assign stamps_peek = '1;
  end

  assign bitmap_o = bitmap_read;
  assign stamps_o = stamps_read;

  // What was untouched at the time of the peek reads 0.
  logic peek_touched_q;
  logic [BlockWidth-1:0] peek_block_q;
  always_ff @(posedge clk_i) begin
    peek_touched_q <= Observe && touched_q[peek_tile_i];
    peek_block_q <= peek_block_i;
  end
  assign peek_bitmap_o = peek_touched_q ? bitmap_peek : '0;
  assign peek_stamps_o = peek_bitmap_o[peek_block_q] ? stamps_peek : '0;

  `NOCTURNE_ASSERT(TouchSetsSomething, touch_i |-> touch_stamps_i != '0)
  `NOCTURNE_ASSERT(OwnerIsGpu, touch_q |-> 32'(owner_i) < NumGpus)
  `NOCTURNE_ASSERT(ListedIsTouched, list_valid_o |-> touched_q[list_first_o])

endmodule
