// SPDX-License-Identifier: Apache-2.0
// For the proof of the pixel distributor only: sizes, the monitor of the ports, and registers.
#ifndef NOCTURNE_TESTS_PROVE_PIXEL_DISTRIBUTOR_REGISTERS_H
#define NOCTURNE_TESTS_PROVE_PIXEL_DISTRIBUTOR_REGISTERS_H

#define LOG2(n) ((n) <= 1 ? 0 : 32 - __builtin_clz((n)-1))

enum {
  N = P_NumGpus,
  IndexW = LOG2(N),
  Log = P_TileLog2,
  PixelW = 2 * Log,
  BlockW = PixelW - 6,
  Blocks = 1 << BlockW,
  XW = LOG2((P_MaxWidth + (1 << Log) - 1) >> Log),
  YW = LOG2((P_MaxHeight + (1 << Log) - 1) >> Log),
  TileW = XW + YW,
  Tiles = 1 << TileW,
  TransferW = TileW + PixelW + 1,
  Pitch = 1 << XW,
  P = P_BeatBytes / 8,
  Q = P < 4 ? P : 4,
  K = P / Q,
  PieceW = PixelW - LOG2(Q),
  GranuleW = 6 - LOG2(P),
  Cover = P >= 4 ? P / 4 : 1,
  HeaderW = TileW + Blocks,
  SendW = LOG2(P_SendDepth),
  ReceiveW = LOG2(P_ReceiveDepth),
  // Words of the RTL: pixels, mask, pieces, then a tile or a kind of beat.
  MaskAt = 64 * P,
  PieceAt = MaskAt + P,
  TopAt = PieceAt + K * PieceW,
  PendingW = TopAt + TileW,
  PendingBytes = (PendingW + 7) / 8,
  BeatW = TopAt + 2,
  BeatBytes = (BeatW + 7) / 8,
  TokenGranuleW = PixelW - LOG2(P),
  GranulePayload = TokenGranuleW + Cover + 1,
  TokenW = 2 + (HeaderW > GranulePayload ? HeaderW : GranulePayload),
  BlockEntryW = 2 + (HeaderW > BlockW + 16 ? HeaderW : BlockW + 16),
  HeaderBytes = (HeaderW + 7) / 8,
  TokenBytes = (TokenW + 7) / 8,
  EntryBytes = (BlockEntryW + 7) / 8,
  RectW = 2 * XW + 2 * YW + 2 + 2 * IndexW + 1,
  Held = K > 1 ? K - 1 : 1,
  // Cycles of a fill of 2 x 2 and 4 x 4 tiles.
  MostFill = Tiles == 4 ? (N == 2   ? 9
                           : N == 4 ? 15
                                    : 23)
                        : (N == 2   ? 23
                           : N == 4 ? 33
                                    : 45),
};
_Static_assert((N == 2 || N == 4 || N == 8) && XW == YW && (XW == 1 || XW == 2) &&
                   P_CountCells == 0,
               "of these sizes the wrapper speaks");

#define ALL_BLOCKS (UINT64_MAX >> (64 - Blocks))

const uint8_t OpenProducts = 8;

pixel_distributor_in_t In;
pixel_distributor_out_t Out;
pixel_distributor_params_t Params;
uint8_t State;
static pixel_distributor_t Engine;

static golden_t *golden(void) { return Engine.self; }

// ---- What follows the ports ----

// filled: tiles that a fill has written since the last reset; all others are undefined. rank: of
// touched tiles, in the order of first touches; touches: how many. out: pixels that have left in
// this transfer. lost, tied: which pixels of the beat in stage A.
struct {
  bool filled[Tiles];
  uint8_t rank[Tiles], touches, lost, tied;
  uint32_t out;
} Monitor;

// ---- Registers ----

struct related {
  uint64_t owned[N], send_counter[3], skipped, receive_counter[4], rest;
  uint32_t sent, received;
  uint16_t width, height, touched, filled;
  uint8_t error, tiles_x, tiles_y, listed, fetch;
  uint8_t tiles_head, tiles_tail, tiles_count, blocks_head, blocks_tail, blocks_count;
  uint8_t from, reads_head, reads_tail, reads_count, token_head, token_tail, tokens, outstanding;
  uint8_t held, beats_head, beats_tail, beats_count;
  uint8_t local_head, local_tail, local_count, pending_head, pending_tail, pending_count;
  uint8_t receive_outstanding, writes_head, writes_tail, writes_count;
  bool configured, filling, touch, sending, end_appended, latch, token_fresh, flush;
  bool receiving, ended, header, judge, refused, has_piece, a, b;
  // Shown only.
  uint8_t map, fill, work, fx, fy, owner[Tiles];
} Related;

struct rtl {
  uint64_t peek_held, peek_counter, peek_bitmap;
  uint8_t destination, peek_select, peek_owner, peek_block;
  uint16_t peek_stamps;
  bool peek_fresh, peek_touched;
  // Map
  uint8_t map, fill, work, x, y, end_x, end_y, owner, row, sub_x, sub_y;
  uint8_t rect_x, rect_y, rect_w, rect_h, rect_g, rect_n, stack_count, split_left, part, error;
  uint32_t stack[8];
  uint8_t owner_word[Tiles], owner_read;
  // Touched map
  uint64_t bitmap_word[Tiles], bitmap_read;
  uint8_t tile, block, first[N], last[N], next_word[Tiles], next_read;
  uint16_t stamps, stamps_word[Tiles * Blocks], stamps_read;
  // Sender
  uint64_t latch_bitmap;
  uint8_t fetch_tile, rest_tile, latch_tile, latch_block, granule_tile;
  bool latch_header, latch_last;
  uint8_t tiles_word[2][HeaderBytes], blocks_word[4][EntryBytes];
  uint8_t token_word[P_SendDepth][TokenBytes], token[TokenBytes];
  uint32_t reads_word[2];
  uint8_t beats_word[2][BeatBytes], held_mask, held_data[8 * Q * Held];
  uint32_t held_piece;
  // Receiver
  uint64_t bitmap;
  uint16_t tile_x, tile_y, last_piece;
  uint8_t operator, depth_func, color_mask;
  bool front, transparent, depth_write, tag_enable, test_base;
  uint32_t local_word[2];
  uint8_t pending_word[P_ReceiveDepth][PendingBytes], pending[PendingBytes];
  uint8_t local[8 * P], b_word[PendingBytes], writes_word[4][PendingBytes];
  uint32_t written;
  bool blend[P], front_here[P], add[P], multiply[P];
} Rtl;

#define MEMBER(member, name, bits, elements) \
  PROVE_MEMBER(ProveRelated, struct related, member, name, bits, elements)
#define RTL(member, name, bits, elements) \
  PROVE_MEMBER(ProveRtl, struct rtl, member, name, bits, elements)
#define SHOWN(member, name, bits, elements) \
  PROVE_MEMBER(ProveShown, struct related, member, name, bits, elements)
#define RING(member, name, bits, count_bits)                   \
  MEMBER(member##_head, name ".gen_ring.head_q", bits, 1),     \
      MEMBER(member##_tail, name ".gen_ring.tail_q", bits, 1), \
      MEMBER(member##_count, name ".count_q", count_bits, 1)
const prove_register_t Registers[] = {
    MEMBER(error, "error_q", 4, 1),
    MEMBER(configured, "u_map.configured_q", 1, 1),
    MEMBER(filling, "u_map.filling_q", 1, 1),
    MEMBER(width, "u_map.width_q", 14, 1),
    MEMBER(height, "u_map.height_q", 14, 1),
    MEMBER(tiles_x, "u_map.tiles_x_q", XW + 1, 1),
    MEMBER(tiles_y, "u_map.tiles_y_q", YW + 1, 1),
    MEMBER(owned, "u_map.gen_owned[%u].owned_q", TileW + 1, N),
    MEMBER(touched, "u_touched.touched_q", Tiles, 1),
    MEMBER(touch, "u_touched.touch_q", 1, 1),
    MEMBER(listed, "u_touched.listed_q", N, 1),
    MEMBER(sending, "u_sender.sending_q", 1, 1),
    MEMBER(end_appended, "u_sender.end_appended_q", 1, 1),
    MEMBER(fetch, "u_sender.fetch_q", 2, 1),
    RING(tiles, "u_sender.u_tiles", 1, 2),
    MEMBER(rest, "u_sender.rest_q", Blocks, 1),
    MEMBER(latch, "u_sender.latch_q", 1, 1),
    RING(blocks, "u_sender.u_blocks", 2, 3),
    MEMBER(from, "u_sender.from_q", GranuleW + 1, 1),
    RING(reads, "u_sender.u_reads", 1, 2),
    MEMBER(token_head, "u_sender.token_head_q", SendW, 1),
    MEMBER(token_tail, "u_sender.token_tail_q", SendW, 1),
    MEMBER(tokens, "u_sender.tokens_q", SendW + 1, 1),
    MEMBER(token_fresh, "u_sender.token_fresh_q", 1, 1),
    MEMBER(outstanding, "u_sender.outstanding_q", SendW + 1, 1),
    MEMBER(flush, "u_sender.flush_q", 1, 1),
    MEMBER(held, "u_sender.held_q", LOG2(2 * K), 1),
    RING(beats, "u_sender.u_beats", 1, 2),
    MEMBER(sent, "u_sender.sent_q", TransferW, 1),
    MEMBER(send_counter, "u_sender.u_counters.counter_q", P_CountWidth, 3),
    MEMBER(skipped, "u_sender.skipped_q", P_CountWidth, 1),
    MEMBER(receiving, "u_receiver.receiving_q", 1, 1),
    MEMBER(ended, "u_receiver.ended_q", 1, 1),
    MEMBER(header, "u_receiver.header_q", 1, 1),
    MEMBER(judge, "u_receiver.judge_q", 1, 1),
    MEMBER(refused, "u_receiver.refused_q", 1, 1),
    MEMBER(has_piece, "u_receiver.piece_seen_q", 1, 1),
    MEMBER(received, "u_receiver.received_q", TransferW, 1),
    RING(local, "u_receiver.u_reads", 1, 2),
    MEMBER(pending_head, "u_receiver.head_q", ReceiveW, 1),
    MEMBER(pending_tail, "u_receiver.tail_q", ReceiveW, 1),
    MEMBER(pending_count, "u_receiver.pending_q", ReceiveW + 1, 1),
    MEMBER(receive_outstanding, "u_receiver.outstanding_q", ReceiveW + 1, 1),
    MEMBER(a, "u_receiver.a_q", 1, 1),
    MEMBER(b, "u_receiver.b_q", 1, 1),
    RING(writes, "u_receiver.u_writes", 2, 3),
    MEMBER(receive_counter, "u_receiver.u_counters.counter_q", P_CountWidth, 4),
    SHOWN(map, "map", 2, 1),
    SHOWN(fill, "fill", 2, 1),
    SHOWN(work, "work", 4, 1),
    SHOWN(fx, "fx", 8, 1),
    SHOWN(fy, "fy", 8, 1),
    SHOWN(owner, "owner", 8, Tiles),
    SHOWN(filled, "filled", Tiles, 1),
    RTL(destination, "destination_q", IndexW, 1),
    RTL(peek_held, "peek_held_q", 64, 1),
    // Beyond CountWidth it is 0; mutants have these bits, too (docs/how-to/mutation.md).
    RTL(peek_counter, "peek_counter_q", 64, 1),
    RTL(peek_select, "peek_select_q", 2, 1),
    RTL(peek_fresh, "peek_fresh_q", 1, 1),
    RTL(peek_owner, "u_map.u_owners.gen_b.b_data_q", IndexW, 1),
    RTL(peek_touched, "u_touched.peek_touched_q", 1, 1),
    RTL(map, "u_map.map_q", 2, 1),
    RTL(fill, "u_map.fill_q", 2, 1),
    RTL(work, "u_map.work_q", 4, 1),
    RTL(x, "u_map.x_q", XW + 1, 1),
    RTL(y, "u_map.y_q", YW + 1, 1),
    RTL(end_x, "u_map.end_x_q", XW + 1, 1),
    RTL(end_y, "u_map.end_y_q", YW + 1, 1),
    RTL(owner, "u_map.owner_q", IndexW, 1),
    RTL(row, "u_map.row_q", IndexW, 1),
    RTL(sub_x, "u_map.sub_x_q", 4, 1),
    RTL(sub_y, "u_map.sub_y_q", 4, 1),
    RTL(rect_x, "u_map.rect_x_q", XW, 1),
    RTL(rect_y, "u_map.rect_y_q", YW, 1),
    RTL(rect_w, "u_map.rect_w_q", XW + 1, 1),
    RTL(rect_h, "u_map.rect_h_q", YW + 1, 1),
    RTL(rect_g, "u_map.rect_g_q", IndexW, 1),
    RTL(rect_n, "u_map.rect_n_q", IndexW + 1, 1),
    RTL(stack, "u_map.stack_q", RectW, 8),
    RTL(stack_count, "u_map.stack_count_q", 4, 1),
    RTL(split_left, "u_map.split_left_q", (XW > YW ? XW : YW) + 1, 1),
    RTL(part, "u_map.part_q", (XW > YW ? XW : YW) + 1, 1),
    RTL(error, "u_map.error_q", IndexW + 1, 1),
    RTL(owner_word, "u_map.u_owners.words_q", IndexW, Tiles),
    RTL(owner_read, "u_map.u_owners.a_data_q", IndexW, 1),
    RTL(tile, "u_touched.tile_q", TileW, 1),
    RTL(block, "u_touched.block_q", BlockW, 1),
#if P_BeatBytes > 32
    RTL(held_piece, "u_sender.held_piece_q", PieceW *Held, 1),
    RTL(held_mask, "u_sender.held_mask_q", Q *Held, 1),
    RTL(held_data, "u_sender.held_data_q", 64 * Q * Held, 1),
#endif
#if P_CellMode > 0
    RTL(peek_block, "u_touched.peek_block_q", BlockW, 1),
    RTL(peek_bitmap, "u_touched.gen_bitmaps.u_bitmaps.gen_b.b_data_q", Blocks, 1),
    RTL(bitmap_word, "u_touched.gen_bitmaps.u_bitmaps.words_q", Blocks, Tiles),
    RTL(bitmap_read, "u_touched.gen_bitmaps.u_bitmaps.a_data_q", Blocks, 1),
#endif
#if P_CellMode == 2
    RTL(rest_tile, "u_sender.rest_tile_q", TileW, 1),
    RTL(stamps, "u_touched.stamps_q", 16, 1),
    RTL(peek_stamps, "u_touched.gen_stamps.u_stamps.gen_b.b_data_q", 16, 1),
    RTL(stamps_word, "u_touched.gen_stamps.u_stamps.words_q", 16, Tiles *Blocks),
    RTL(stamps_read, "u_touched.gen_stamps.u_stamps.a_data_q", 16, 1),
#endif
    RTL(first, "u_touched.first_q", TileW, N),
    RTL(last, "u_touched.last_q", TileW, N),
    RTL(next_word, "u_touched.u_next.u_memory.words_q", TileW, Tiles),
    RTL(next_read, "u_touched.u_next.u_memory.a_data_q", TileW, 1),
    RTL(fetch_tile, "u_sender.tile_q", TileW, 1),
    RTL(tiles_word, "u_sender.u_tiles.gen_ring.words_q", HeaderW, 2),
    RTL(latch_header, "u_sender.latch_header_q", 1, 1),
    RTL(latch_last, "u_sender.latch_last_q", 1, 1),
    RTL(latch_tile, "u_sender.latch_tile_q", TileW, 1),
    RTL(latch_bitmap, "u_sender.latch_bitmap_q", Blocks, 1),
    RTL(latch_block, "u_sender.latch_block_q", BlockW, 1),
    RTL(blocks_word, "u_sender.u_blocks.gen_ring.words_q", BlockEntryW, 4),
    RTL(granule_tile, "u_sender.granule_tile_q", TileW, 1),
    RTL(reads_word, "u_sender.u_reads.gen_ring.words_q", TileW + PixelW, 2),
    RTL(token_word, "u_sender.u_tokens.u_memory.words_q", TokenW, P_SendDepth),
    RTL(token, "u_sender.u_tokens.u_memory.a_data_q", TokenW, 1),
    RTL(beats_word, "u_sender.u_beats.gen_ring.words_q", BeatW, 2),
    RTL(tile_x, "u_receiver.tile_x_q", 16, 1),
    RTL(tile_y, "u_receiver.tile_y_q", 16, 1),
    RTL(bitmap, "u_receiver.bitmap_q", Blocks, 1),
    RTL(last_piece, "u_receiver.last_piece_q", PieceW, 1),
    RTL(front, "u_receiver.front_q", 1, 1),
    RTL(transparent, "u_receiver.transparent_q", 1, 1),
    RTL(operator, "u_receiver.operator_q", 2, 1),
    RTL(depth_func, "u_receiver.depth_func_q", 3, 1),
    RTL(color_mask, "u_receiver.color_mask_q", 4, 1),
    RTL(depth_write, "u_receiver.depth_write_q", 1, 1),
    RTL(tag_enable, "u_receiver.tag_enable_q", 1, 1),
    RTL(test_base, "u_receiver.test_base_q", 1, 1),
    RTL(local_word, "u_receiver.u_reads.gen_ring.words_q", TileW + K * PieceW + P, 2),
    RTL(pending_word, "u_receiver.u_pending.u_memory.words_q", PendingW, P_ReceiveDepth),
    RTL(pending, "u_receiver.u_pending.u_memory.a_data_q", PendingW, 1),
    RTL(local, "u_receiver.local_q", 64 * P, 1),
    RTL(written, "u_receiver.written_q", P, 1),
    RTL(blend, "u_receiver.gen_pixel[%u].blend_q", 1, P),
    RTL(front_here, "u_receiver.gen_pixel[%u].front_here_q", 1, P),
    RTL(add, "u_receiver.gen_pixel[%u].add_q", 1, P),
    RTL(multiply, "u_receiver.gen_pixel[%u].multiply_q", 1, P),
    RTL(b_word, "u_receiver.b_data_q", PendingW, 1),
    RTL(writes_word, "u_receiver.u_writes.gen_ring.words_q", PendingW, 4),
};

#endif
