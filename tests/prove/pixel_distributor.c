// SPDX-License-Identifier: Apache-2.0
// The pixel distributor: golden model and RTL (tb/prove/wrapper.h, docs/proved.md).
//
// Registers that both reset are related; what is only valid at times is compared where it is. In
// stage A the golden model has merged already, the RTL has not: the invariant merges the RTL's
// registers by the golden model's rule. Its products stay open (tb/prove/product.h).
#include "csim/golden/pixel_distributor_golden.c"
#include "csim/golden/pixel_map_golden.c"
#include "csim/golden/pixel_merge_golden.c"
#include "csim/golden/pixel_receiver_golden.c"
#include "csim/golden/pixel_sender_golden.c"
#include "tb/prove/wrapper.h"

#define LOG2(n) ((n) <= 1 ? 0 : 32 - __builtin_clz((n) - 1))

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
  RectW = 2 * XW + 2 * YW + 2 + 2 * IndexW + 1,
  Held = K > 1 ? K - 1 : 1,
};
_Static_assert(N == 2 && P_CellMode == 2 && P_CountCells == 0, "of these sizes the wrapper speaks");

const bool OpenProducts = true;

pixel_distributor_in_t In;
pixel_distributor_out_t Out;
pixel_distributor_params_t Params;
uint8_t State;
static pixel_distributor_t Engine;

static golden_t *golden(void) { return Engine.self; }

// ---- What follows the ports ----

// filled: tiles that a fill has written since the last reset; all others are undefined. rank: of touched
// tiles, in the order of first touches; touches: how many. out: pixels that have left in this
// transfer.
struct {
  bool filled[Tiles];
  uint8_t rank[Tiles], touches;
  uint32_t out;
} Monitor;

// ---- Registers ----

struct related {
  uint64_t owned[N], send_counter[3], skipped, receive_counter[4];
  uint32_t sent, received;
  uint16_t width, height;
  uint8_t error, tiles_x, tiles_y, touched, listed, fetch;
  uint8_t tiles_head, tiles_tail, tiles_count, rest, blocks_head, blocks_tail, blocks_count;
  uint8_t from, reads_head, reads_tail, reads_count, token_head, token_tail, tokens, outstanding;
  uint8_t held, beats_head, beats_tail, beats_count;
  uint8_t local_head, local_tail, local_count, pending_head, pending_tail, pending_count;
  uint8_t receive_outstanding, writes_head, writes_tail, writes_count;
  bool configured, filling, touch, sending, end_appended, latch, token_fresh, flush;
  bool receiving, ended, header, judge, refused, has_piece, a, b;
  // Shown only.
  uint8_t map, fill, work, fx, fy, owner[Tiles], filled;
} Related;

struct rtl {
  uint64_t peek_held, peek_counter;
  uint8_t destination, peek_select, peek_owner, peek_bitmap, peek_block;
  uint16_t peek_stamps;
  bool peek_fresh, peek_touched;
  // Map
  uint8_t map, fill, work, x, y, end_x, end_y, owner, row, sub_x, sub_y;
  uint8_t rect_x, rect_y, rect_w, rect_h, rect_g, rect_n, stack_count, split_left, part, error;
  uint16_t stack[8];
  uint8_t owner_word[Tiles], owner_read;
  // Touched map
  uint8_t tile, block, bitmap_word[Tiles], bitmap_read, first[N], last[N], next_word[Tiles];
  uint8_t next_read;
  uint16_t stamps, stamps_word[Tiles * Blocks], stamps_read;
  // Sender
  uint8_t fetch_tile, rest_tile, latch_tile, latch_bitmap, latch_block, granule_tile;
  bool latch_header, latch_last;
  uint8_t tiles_word[2];
  uint32_t blocks_word[4], reads_word[2], token_word[P_SendDepth], token;
  uint8_t beats_word[2][BeatBytes];
  // Receiver
  uint16_t tile_x, tile_y, last_piece;
  uint8_t bitmap, operator, depth_func, color_mask;
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
#define RING(member, name, bits, count_bits)              \
  MEMBER(member##_head, name ".gen_ring.head_q", bits, 1), \
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
    MEMBER(sent, "u_sender.sent_q", 32, 1),
    MEMBER(send_counter, "u_sender.u_counters.counter_q", P_CountWidth, 3),
    MEMBER(skipped, "u_sender.skipped_q", P_CountWidth, 1),
    MEMBER(receiving, "u_receiver.receiving_q", 1, 1),
    MEMBER(ended, "u_receiver.ended_q", 1, 1),
    MEMBER(header, "u_receiver.header_q", 1, 1),
    MEMBER(judge, "u_receiver.judge_q", 1, 1),
    MEMBER(refused, "u_receiver.refused_q", 1, 1),
    MEMBER(has_piece, "u_receiver.piece_seen_q", 1, 1),
    MEMBER(received, "u_receiver.received_q", 32, 1),
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
    RTL(peek_counter, "peek_counter_q", P_CountWidth, 1),
    RTL(peek_select, "peek_select_q", 2, 1),
    RTL(peek_fresh, "peek_fresh_q", 1, 1),
    RTL(peek_owner, "u_map.u_owners.gen_b.b_data_q", IndexW, 1),
    RTL(peek_bitmap, "u_touched.gen_bitmaps.u_bitmaps.gen_b.b_data_q", Blocks, 1),
    RTL(peek_stamps, "u_touched.gen_stamps.u_stamps.gen_b.b_data_q", 16, 1),
    RTL(peek_touched, "u_touched.peek_touched_q", 1, 1),
    RTL(peek_block, "u_touched.peek_block_q", BlockW, 1),
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
    RTL(stamps, "u_touched.stamps_q", 16, 1),
    RTL(bitmap_word, "u_touched.gen_bitmaps.u_bitmaps.words_q", Blocks, Tiles),
    RTL(bitmap_read, "u_touched.gen_bitmaps.u_bitmaps.a_data_q", Blocks, 1),
    RTL(stamps_word, "u_touched.gen_stamps.u_stamps.words_q", 16, Tiles * Blocks),
    RTL(stamps_read, "u_touched.gen_stamps.u_stamps.a_data_q", 16, 1),
    RTL(first, "u_touched.first_q", TileW, N),
    RTL(last, "u_touched.last_q", TileW, N),
    RTL(next_word, "u_touched.u_next.u_memory.words_q", TileW, Tiles),
    RTL(next_read, "u_touched.u_next.u_memory.a_data_q", TileW, 1),
    RTL(fetch_tile, "u_sender.tile_q", TileW, 1),
    RTL(tiles_word, "u_sender.u_tiles.gen_ring.words_q", HeaderW, 2),
    RTL(rest_tile, "u_sender.rest_tile_q", TileW, 1),
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

static uint32_t at(const ring_t *r, uint32_t k, uint32_t depth) { return (r->head + k) % depth; }

#define RELATE_RING(member, ring, depth)                \
  Related.member##_head = (uint8_t)(ring).head,         \
  Related.member##_tail = (uint8_t)at(&(ring), (ring).count, depth), \
  Related.member##_count = (uint8_t)(ring).count

void prove_relate(void) {
  const golden_t *g = golden();
  Related = (struct related){
      .sent = g->sent,
      .received = g->received,
      .skipped = g->counters[PixelDistributorCounterCellsSkipped],
      .width = (uint16_t)g->width,
      .height = (uint16_t)g->height,
      .error = g->error,
      .tiles_x = (uint8_t)g->tiles_x,
      .tiles_y = (uint8_t)g->tiles_y,
      .fetch = (uint8_t)g->fetch,
      .map = (uint8_t)g->map,
      .fill = (uint8_t)g->fill,
      .work = (uint8_t)g->work,
      .fx = (uint8_t)g->fx,
      .fy = (uint8_t)g->fy,
      .rest = (uint8_t)g->rest,
      .from = (uint8_t)g->next_granule,
      .token_head = (uint8_t)g->token_ring.head,
      .token_tail = (uint8_t)at(&g->token_ring, g->token_ring.count, P_SendDepth),
      .tokens = (uint8_t)g->token_ring.count,
      .outstanding = (uint8_t)g->send_outstanding,
      .held = (uint8_t)g->accumulated,
      .receive_outstanding = (uint8_t)g->receive_outstanding,
      .configured = g->configured,
      .filling = g->filling,
      .touch = g->touch,
      .sending = g->sending,
      .end_appended = g->end_appended,
      .latch = g->latch_valid,
      .token_fresh = g->token_fresh,
      .flush = g->flush,
      .receiving = g->receiving,
      .ended = g->ended,
      .header = g->has_header,
      .judge = g->judge,
      .refused = g->refused,
      .has_piece = g->has_piece,
      .a = g->a_valid,
      .b = g->b_valid,
  };
  RELATE_RING(tiles, g->tile_ring, 2);
  RELATE_RING(blocks, g->block_ring, 4);
  RELATE_RING(reads, g->read_ring, 2);
  RELATE_RING(beats, g->beat_ring, 2);
  RELATE_RING(local, g->local_ring, 2);
  RELATE_RING(pending, g->pending_ring, P_ReceiveDepth);
  RELATE_RING(writes, g->write_ring, 4);
  for (uint32_t i = 0; i < N; i++) {
    Related.owned[i] = g->owned[i];
    Related.listed |= (uint8_t)(g->listed[i] << i);
  }
  for (uint32_t t = 0; t < Tiles; t++) {
    Related.touched |= (uint8_t)(g->touched[t] << t);
    Related.owner[t] = g->owner[t];
    Related.filled |= (uint8_t)(Monitor.filled[t] << t);
  }
  for (uint32_t i = 0; i < 4; i++) {
    Related.receive_counter[i] = g->counters[4 + i];
    if (i < 3) {
      Related.send_counter[i] = g->counters[i];
    }
  }
}

// ---- Narrowing ----

static void narrow_ring(ring_t *r, uint32_t depth) {
  r->head %= depth;
  r->count &= 2 * depth - 1;
}

static void narrow_rect(rect_t *r) {
  r->x %= Pitch;
  r->y %= Tiles / Pitch;
  r->w %= 2 * Pitch;
  r->h %= 2 * Tiles / Pitch;
  r->g %= N;
  r->n %= 2 * N;
}

static void narrow_map(golden_t *g) {
  g->width &= 0x3fff;
  g->height &= 0x3fff;
  g->map &= 3;
  g->work &= 15;
  g->tiles_x %= 2 * Pitch;
  g->tiles_y %= 2 * Tiles / Pitch;
  g->fill &= 3;
  g->fx %= 2 * Pitch;
  g->fy %= 2 * Tiles / Pitch;
  g->split_left %= Tiles;
  g->stack_count %= N;
  narrow_rect(&g->current);
  for (uint32_t i = 0; i < UnitMaxGpus; i++) {
    if (i < N) {
      narrow_rect(&g->stack[i]);
      g->owned[i] %= 2 * Tiles;
      g->first[i] %= Tiles;
      g->last[i] %= Tiles;
    } else {
      g->stack[i] = (rect_t){0};
      g->owned[i] = g->first[i] = g->last[i] = g->owner_cells[i] = 0;
      g->listed[i] = false;
    }
  }
  g->stack[UnitMaxGpus] = (rect_t){0};
  for (uint32_t t = 0; t < Tiles; t++) {
    g->owner[t] %= N;
    g->touched[t] &= 1;
    g->bitmap[t] %= 1 << Blocks;
    g->next[t] %= Tiles;
    Monitor.rank[t] %= 2 * Tiles;
  }
  Monitor.touches %= 2 * Tiles;
  g->touch_tile %= Tiles;
  g->touch_block %= Blocks;
}

static void narrow_entry(block_entry_t *e) {
  e->tile %= Tiles;
  e->block %= Blocks;
  e->bitmap %= 1 << Blocks;
}

static void narrow_sender(golden_t *g) {
  g->destination %= N;
  g->fetch &= 3;
  g->fetch_tile %= Tiles;
  g->rest %= 1 << Blocks;
  g->rest_tile %= Tiles;
  g->granule_tile %= Tiles;
  g->next_granule %= 128 / P;
  g->send_outstanding %= 2 * P_SendDepth;
  g->accumulated %= K;
  narrow_ring(&g->tile_ring, 2);
  narrow_ring(&g->block_ring, 4);
  narrow_ring(&g->read_ring, 2);
  narrow_ring(&g->token_ring, P_SendDepth);
  narrow_ring(&g->beat_ring, 2);
  for (uint32_t i = 0; i < 2; i++) {
    g->tile_queue[i].tile %= Tiles;
    g->tile_queue[i].bitmap %= 1 << Blocks;
    g->reads[i] %= 1 << (TileW + PixelW);
    g->beats[i].kind &= 3;
  }
  narrow_entry(&g->latch);
  for (uint32_t i = 0; i < 4; i++) {
    narrow_entry(&g->block_queue[i]);
  }
  for (uint32_t i = 0; i < P_SendDepth; i++) {
    token_t *t = &g->tokens[i];
    t->kind &= 3;
    t->tile %= Tiles;
    t->granule %= 1 << TokenGranuleW;
    t->bitmap %= 1 << Blocks;
    t->stamps %= 1 << Cover;
  }
}

void prove_narrow(void) {
  golden_t *g = golden();
  narrow_map(g);
  narrow_sender(g);
  g->error &= 15;
  g->tile_x &= 0xffff;
  g->tile_y &= 0xffff;
  g->tile %= Tiles;
  g->header %= 1 << Blocks;
  g->last_piece %= 1 << PieceW;
  g->receive_outstanding %= 2 * P_ReceiveDepth;
  g->a_lost %= 2 * P;
  g->a_ties %= 2 * P;
  narrow_ring(&g->local_ring, 2);
  narrow_ring(&g->pending_ring, P_ReceiveDepth);
  narrow_ring(&g->write_ring, 4);
}

// ---- The invariant ----

static uint64_t part(const uint8_t *word, uint32_t from, uint32_t width) {
  uint64_t value = 0;
  for (uint32_t i = 0; i < width; i++) {
    value |= (uint64_t)(word[(from + i) / 8] >> ((from + i) % 8) & 1) << i;
  }
  return value;
}

static uint32_t low(uint32_t word, uint32_t from, uint32_t width) {
  return word >> from & ((1u << width) - 1);
}

// Pieces and pixels as both have them.
static bool same_beat(const uint8_t *word, const pixel_distributor_pieces_t *pieces,
                      const uint64_t *data) {
  bool same = part(word, MaskAt, P) == pieces->mask;
  for (uint32_t k = 0; k < K; k++) {
    same &= part(word, PieceAt + k * PieceW, PieceW) == pieces->piece[k];
  }
  for (uint32_t i = 0; i < P; i++) {
    same &= part(word, 64 * i, 64) == data[i];
  }
  return same;
}

static bool same_merge(const uint8_t *word, const merge_t *m) {
  return part(word, TopAt, TileW) == m->tile && same_beat(word, &m->pieces, m->data);
}

static bool same_rect(const rect_t *a, rect_t b) {
  return a->x == b.x && a->y == b.y && a->w == b.w && a->h == b.h && a->g == b.g && a->n == b.n;
}

// The two halves of the surface.
static rect_t half_of(const golden_t *g, bool second) {
  const bool wide = g->tiles_x >= g->tiles_y;
  const uint32_t side = wide ? g->tiles_x : g->tiles_y, part = second ? side - side / 2 : side / 2;
  const uint32_t from = second ? side / 2 : 0;
  return (rect_t){wide ? from : 0, wide ? 0 : from, wide ? part : g->tiles_x,
                  wide ? g->tiles_y : part, second, 1};
}

static uint32_t packed_rect(const rect_t *r) {
  uint32_t v = r->x << YW | r->y;
  v = v << (XW + 1) | r->w;
  v = v << (YW + 1) | r->h;
  return (v << IndexW | r->g) << (IndexW + 1) | r->n;
}

static bool in_rect(const rect_t *r, uint32_t x, uint32_t y) {
  return x >= r->x && x < r->x + r->w && y >= r->y && y < r->y + r->h;
}

// Tiles of the surface that this fill has written, or the last one.
static bool is_written(const golden_t *g, uint32_t x, uint32_t y) {
  const rect_t first = half_of(g, false), second = half_of(g, true), *r = &g->current;
  const bool is_before = y < g->fy || (y == g->fy && x < g->fx);
  const bool inside = x < g->tiles_x && y < g->tiles_y;
  if (!g->filling) {
    return g->configured && inside;
  }
  switch (g->fill) {
    case FillRows: return inside && is_before;
    case FillVisit:
      return inside && (g->stack_count == 0 ||
                        (same_rect(&g->stack[0], second) && in_rect(&first, x, y)));
    case FillTiles:
      return (is_before && in_rect(r, x, y)) || (g->stack_count == 0 && in_rect(&first, x, y));
    default: return false;
  }
}

static void check_rows(const golden_t *g) {
  const uint32_t work = g->work ? g->work : 1;
  const bool last = g->fx < g->tiles_x && g->fy < g->tiles_y;
  prove_check("fill by rows: where it is", last && Rtl.x == g->fx && Rtl.y == g->fy &&
                                               Rtl.end_x == g->tiles_x && Rtl.end_y == g->tiles_y);
  prove_check("fill by rows: the owner",
              g->map != PixelDistributorMapHalving && Rtl.owner == row_map(g, g->fx, g->fy));
  prove_check("fill by rows: the map", Rtl.map == g->map && Rtl.work == g->work);
  if (g->map == PixelDistributorMapSkew) {
    prove_check("skew: the row's first", Rtl.row == g->fy * coprime_step(N) % N);
  } else if (g->map == PixelDistributorMapWorkTiles) {
    prove_check("work tiles: where in one", g->work > 0 && Rtl.sub_x == g->fx % work &&
                                                Rtl.sub_y == g->fy % work);
    prove_check("work tiles: the row's first", Rtl.row == row_map(g, 0, g->fy));
  }
}

static void check_halving(const golden_t *g) {
  const rect_t first = half_of(g, false), second = half_of(g, true), *r = &g->current;
  const rect_t all = {0, 0, g->tiles_x, g->tiles_y, 0, N};
  const bool is_visit = g->fill == FillVisit, is_tiles = g->fill == FillTiles;
  const bool on_stack = g->stack_count == 1;
  const bool starts = is_visit && on_stack && same_rect(&g->stack[0], all);
  const bool splits = g->fill == FillSplit && !on_stack && same_rect(r, all);
  const bool has_second = on_stack && same_rect(&g->stack[0], second);
  const bool fills_first = is_tiles && has_second && same_rect(r, first);
  const bool visits_second = is_visit && has_second;
  const bool fills_second = is_tiles && !on_stack && same_rect(r, second);
  const bool ends = is_visit && !on_stack;
  prove_check("halving: one of its steps", starts || splits || fills_first || visits_second ||
                                               fills_second || ends);
  prove_check("halving: stack", Rtl.stack_count == g->stack_count &&
                                    (!on_stack || Rtl.stack[0] == packed_rect(&g->stack[0])));
  if (!is_visit) {
    prove_check("halving: current rectangle",
                Rtl.rect_x == r->x && Rtl.rect_y == r->y && Rtl.rect_w == r->w &&
                    Rtl.rect_h == r->h && Rtl.rect_g == r->g && Rtl.rect_n == r->n);
  }
  if (splits) {
    const uint32_t side = r->w >= r->h ? r->w : r->h, done = side - g->split_left;
    prove_check("halving: split", g->split_left >= 1 && g->split_left <= side &&
                                      Rtl.split_left == g->split_left && Rtl.part == done / 2 &&
                                      Rtl.error == done % 2);
  }
  if (is_tiles) {
    prove_check("halving: where it is",
                Rtl.x == g->fx && Rtl.y == g->fy && Rtl.end_x == r->x + r->w &&
                    Rtl.end_y == r->y + r->h && Rtl.owner == r->g && in_rect(r, g->fx, g->fy));
  }
}

static void check_map(const golden_t *g) {
  const bool usable = g->configured && !g->filling;
  prove_check("what is used is configured",
              usable || !(g->sending || g->receiving || g->touch));
  prove_check("what is filled was configured", !g->filling || g->configured);
  prove_check("sizes", !g->configured ||
                           (g->tiles_x == (g->width + (1u << Log) - 1) >> Log &&
                            g->tiles_y == (g->height + (1u << Log) - 1) >> Log && g->width > 0 &&
                            g->height > 0 && g->width <= P_MaxWidth && g->height <= P_MaxHeight));
  bool written[Tiles];
  for (uint32_t t = 0; t < Tiles; t++) {
    written[t] = is_written(g, t % Pitch, t / Pitch);
    prove_check("owners", !Monitor.filled[t] || Rtl.owner_word[t] == g->owner[t]);
    prove_check("what is written is filled", !written[t] || Monitor.filled[t]);
  }
  for (uint32_t o = 0; o < N; o++) {
    uint32_t count = 0;
    for (uint32_t t = 0; t < Tiles; t++) {
      count += written[t] && g->owner[t] == o;
    }
    prove_check("the tiles of each owner are counted", g->owned[o] == count);
  }
  if (g->filling) {
    prove_check("fill", Rtl.fill == g->fill);
    if (g->fill == FillRows) {
      check_rows(g);
    } else {
      check_halving(g);
    }
  }
}

static bool is_listed(const golden_t *g, uint32_t t, uint32_t o) {
  return g->touched[t] && g->owner[t] == o;
}

// The list of an owner is its touched tiles, in the order of first touches.
static void check_list(const golden_t *g, uint32_t o) {
  bool any = false;
  for (uint32_t t = 0; t < Tiles; t++) {
    any |= is_listed(g, t, o);
    if (!is_listed(g, t, o)) {
      continue;
    }
    const uint32_t next = g->next[t];
    prove_check("the list's first", Monitor.rank[g->first[o]] <= Monitor.rank[t]);
    prove_check("the list's last", Monitor.rank[g->last[o]] >= Monitor.rank[t]);
    if (t == g->last[o]) {
      continue;
    }
    prove_check("the list's next",
                Rtl.next_word[t] == next && is_listed(g, next, o) &&
                    Monitor.rank[next] > Monitor.rank[t]);
    for (uint32_t u = 0; u < Tiles; u++) {
      prove_check("the list leaves nothing out",
                  !is_listed(g, u, o) || Monitor.rank[u] <= Monitor.rank[t] ||
                      Monitor.rank[u] >= Monitor.rank[next]);
    }
  }
  prove_check("a list is not empty if a tile is touched", any == g->listed[o]);
  prove_check("first and last of a list",
              !any || (is_listed(g, g->first[o], o) && is_listed(g, g->last[o], o) &&
                       Rtl.first[o] == g->first[o] && Rtl.last[o] == g->last[o]));
}

static void check_touched(const golden_t *g) {
  const uint32_t usable = g->configured && !g->filling;
  uint32_t touched = 0;
  for (uint32_t t = 0; t < Tiles; t++) {
    touched += g->touched[t];
    if (!g->touched[t]) {
      continue;
    }
    prove_check("touched tiles are filled", usable && Monitor.filled[t]);
    prove_check("bitmaps", g->bitmap[t] != 0 && Rtl.bitmap_word[t] == g->bitmap[t]);
    prove_check("touches are counted", Monitor.rank[t] < Monitor.touches);
    for (uint32_t u = 0; u < t; u++) {
      prove_check("touches come one by one",
                  !g->touched[u] || Monitor.rank[u] != Monitor.rank[t]);
    }
    for (uint32_t b = 0; b < Blocks; b++) {
      const uint32_t i = t * Blocks + b;
      prove_check("stamps", !(g->bitmap[t] >> b & 1) ||
                                (g->stamps[i] != 0 && Rtl.stamps_word[i] == g->stamps[i]));
    }
  }
  prove_check("so many were touched", Monitor.touches == touched);
  for (uint32_t o = 0; o < N; o++) {
    check_list(g, o);
  }
  if (g->touch) {
    const uint32_t t = g->touch_tile, i = t * Blocks + g->touch_block;
    prove_check("the touch under way", Rtl.tile == t && Rtl.block == g->touch_block &&
                                           Rtl.stamps == g->touch_stamps && Rtl.stamps != 0);
    prove_check("the owner of the touch", Monitor.filled[t] && Rtl.owner_read == g->owner[t]);
    prove_check("what the touch read",
                !g->touched[t] || (Rtl.bitmap_read == g->bitmap[t] &&
                                   (!(g->bitmap[t] >> g->touch_block & 1) ||
                                    Rtl.stamps_read == g->stamps[i])));
  }
}

// ---- Sender ----

static bool same_entry(uint32_t word, const block_entry_t *e) {
  const bool is_header = low(word, BlockEntryW - 1, 1);
  return is_header == e->header &&
         (is_header ? low(word, Blocks, TileW) == e->tile && low(word, 0, Blocks) == e->bitmap
                    : low(word, BlockEntryW - 2, 1) == e->last && low(word, 16, BlockW) == e->block &&
                          low(word, 0, 16) == e->stamps);
}

static bool same_token(uint32_t word, const token_t *t) {
  const uint32_t kind = low(word, TokenW - 2, 2);
  return kind == t->kind && kind <= TokenEnd &&
         (kind == TokenHeader ? low(word, Blocks, TileW) == t->tile && low(word, 0, Blocks) == t->bitmap
          : kind == TokenGranule
              ? low(word, 1 + Cover, TokenGranuleW) == t->granule &&
                    low(word, 1, Cover) == t->stamps && low(word, 0, 1) == t->last
              : true);
}

static const block_entry_t *block_at(const golden_t *g, uint32_t k) {
  return &g->block_queue[at(&g->block_ring, k, 4)];
}

static const token_t *token_at(const golden_t *g, uint32_t k) {
  return &g->tokens[at(&g->token_ring, k, P_SendDepth)];
}

static void check_tile(const golden_t *g, const char *what, uint32_t t, uint64_t bitmap) {
  prove_check(what, g->touched[t] && g->owner[t] == g->destination && bitmap == g->bitmap[t]);
}

static void check_fetch(const golden_t *g) {
  const bool walks = g->fetch == FetchRead || g->fetch == FetchPush;
  prove_check("the destination", !g->sending || Rtl.destination == g->destination);
  prove_check("nothing is touched while tiles are sent",
              !g->sending || g->fetch == FetchHead || !g->touch);
  if (walks) {
    const uint32_t t = g->fetch_tile;
    prove_check("the tile that is fetched", Rtl.fetch_tile == t && is_listed(g, t, g->destination));
    prove_check("room for the tile", g->fetch == FetchRead || g->tile_ring.count < 2);
    prove_check("what the fetch read",
                g->fetch == FetchRead ||
                    (Rtl.bitmap_read == g->bitmap[t] &&
                     (t == g->last[g->destination] || Rtl.next_read == g->next[t])));
  }
  prove_check("the queue of tiles", g->tile_ring.count <= 2);
  for (uint32_t k = 0; k < 2 && k < g->tile_ring.count; k++) {
    const uint32_t i = at(&g->tile_ring, k, 2);
    const tile_entry_t *e = &g->tile_queue[i];
    prove_check("a tile of the queue", low(Rtl.tiles_word[i], Blocks, TileW) == e->tile &&
                                           low(Rtl.tiles_word[i], 0, Blocks) == e->bitmap);
    check_tile(g, "a tile of the queue is the destination's", e->tile, e->bitmap);
  }
  if (g->rest) {
    prove_check("the rest of a tile", Rtl.rest_tile == g->rest_tile && g->touched[g->rest_tile] &&
                                          !(g->rest & ~g->bitmap[g->rest_tile]));
  }
  if (g->latch_valid) {
    const block_entry_t *e = &g->latch;
    prove_check("the latch", Rtl.latch_header == e->header);
    if (e->header) {
      prove_check("a tile in the latch", Rtl.latch_tile == e->tile && Rtl.latch_bitmap == e->bitmap);
    } else {
      prove_check("a block in the latch",
                  Rtl.latch_block == e->block && Rtl.latch_last == e->last &&
                      Rtl.stamps_read == e->stamps && e->stamps != 0);
    }
  }
}

static void check_blocks(const golden_t *g) {
  prove_check("the queue of blocks", g->block_ring.count + g->latch_valid <= 4);
  bool is_block = !g->latch_valid ? g->rest != 0 : !g->latch.header;
  for (uint32_t k = 0; k < 4 && k < g->block_ring.count; k++) {
    const block_entry_t *e = block_at(g, k);
    prove_check("a block of the queue", same_entry(Rtl.blocks_word[at(&g->block_ring, k, 4)], e) &&
                                            (e->header || e->stamps != 0));
    if (k == 0) {
      is_block = !e->header;
    }
  }
  prove_check("the tile of the next granules", !is_block || Rtl.granule_tile == g->granule_tile);
  uint32_t found = 0;
  const block_entry_t *e = block_at(g, 0);
  prove_check("a granule is left of a block that was begun",
              g->next_granule == 0 ||
                  (g->block_ring.count > 0 && !e->header &&
                   find_granule(g, e->stamps, g->next_granule, &found)));
}

static void check_tokens(const golden_t *g) {
  uint32_t granules = 0, ends = 0;
  prove_check("the queue of tokens", g->token_ring.count <= P_SendDepth);
  for (uint32_t k = 0; k < P_SendDepth && k < g->token_ring.count; k++) {
    const token_t *t = token_at(g, k);
    granules += t->kind == TokenGranule;
    ends += t->kind == TokenEnd;
    prove_check("a token", same_token(Rtl.token_word[at(&g->token_ring, k, P_SendDepth)], t));
    prove_check("the end is the last token",
                t->kind != TokenEnd || k == g->token_ring.count - 1);
  }
  prove_check("a fresh token is in the queue", !g->token_fresh || g->token_ring.count > 0);
  prove_check("the visible token", !visible(g) || same_token(Rtl.token, token_at(g, 0)));
  prove_check("the queue of reads", g->read_ring.count <= 2);
  for (uint32_t k = 0; k < 2 && k < g->read_ring.count; k++) {
    const uint32_t i = at(&g->read_ring, k, 2);
    prove_check("a read", Rtl.reads_word[i] == g->reads[i]);
  }
  prove_check("each granule is being read or was",
              granules == g->read_ring.count + g->send_outstanding);
  prove_check("the queue of beats", g->beat_ring.count <= 2);
  for (uint32_t k = 0; k < 2 && k < g->beat_ring.count; k++) {
    const uint32_t i = at(&g->beat_ring, k, 2);
    const pixel_distributor_beat_t *b = &g->beats[i];
    ends += b->kind == PixelDistributorBeatKindEnd;
    prove_check("a beat", part(Rtl.beats_word[i], TopAt, 2) == b->kind && b->kind <= 2 &&
                              same_beat(Rtl.beats_word[i], &b->pieces, b->data));
    prove_check("the end is the last beat",
                b->kind != PixelDistributorBeatKindEnd ||
                    (k == g->beat_ring.count - 1 && g->token_ring.count == 0));
  }
  prove_check("a transfer has one end", ends == (g->sending && g->end_appended));
}

static bool is_drained(const golden_t *g) {
  return g->tile_ring.count == 0 && g->rest == 0 && !g->latch_valid && g->block_ring.count == 0;
}

static void check_sender(const golden_t *g) {
  check_fetch(g);
  check_blocks(g);
  check_tokens(g);
  prove_check("who does not send has sent all", g->sending || g->end_appended);
  prove_check("the end comes behind all else",
              !g->end_appended || (is_drained(g) && g->fetch == FetchIdle));
  prove_check("a transfer begins with nothing under way",
              g->fetch != FetchHead ||
                  (g->sending && is_drained(g) && g->token_ring.count == 0 &&
                   g->beat_ring.count == 0));
  prove_check("between transfers nothing is under way",
              g->sending || (g->token_ring.count == 0 && g->beat_ring.count == 0));
  prove_check("the accumulator", g->accumulated < K && (!g->flush || g->accumulated > 0));
}

// ---- Receiver ----

// Of all even or all odd pixels.
static bool same_channel(const golden_t *g, uint32_t parity, uint32_t c) {
  bool same = true;
  for (uint32_t i = parity; i < P; i += 2) {
    same &= part(Rtl.b_word, 64 * i + 16 * c, 16) == (uint16_t)(g->b.data[i] >> (16 * c));
  }
  return same;
}

static void check_stage_b(const golden_t *g) {
  bool same = part(Rtl.b_word, TopAt, TileW) == g->b.tile;
  for (uint32_t k = 0; k < K; k++) {
    same &= part(Rtl.b_word, PieceAt + k * PieceW, PieceW) == g->b.pieces.piece[k];
  }
  prove_check("stage B: where", same);
  prove_check("stage B: which", part(Rtl.b_word, MaskAt, P) == g->b.pieces.mask);
  // Channel by channel: each is a question of its own.
  prove_check("stage B: first channel of even pixels", same_channel(g, 0, 0));
  prove_check("stage B: second channel of even pixels", same_channel(g, 0, 1));
  prove_check("stage B: third channel of even pixels", same_channel(g, 0, 2));
  prove_check("stage B: fourth channel of even pixels", same_channel(g, 0, 3));
  prove_check("stage B: first channel of odd pixels", same_channel(g, 1, 0));
  prove_check("stage B: second channel of odd pixels", same_channel(g, 1, 1));
  prove_check("stage B: third channel of odd pixels", same_channel(g, 1, 2));
  prove_check("stage B: fourth channel of odd pixels", same_channel(g, 1, 3));
}

static void check_stage_a(const golden_t *g) {
  uint32_t lost = 0, ties = 0, mask = part(Rtl.pending, MaskAt, P), wins = 0;
  bool same = true, copies = true;
  for (uint32_t i = 0; i < P; i++) {
    uint64_t result = 0;
    bool tie = false;
    const bool written = Rtl.written >> i & 1, is_sent = mask >> i & 1;
    const bool won = pixel_merge(&g->merge, part(Rtl.pending, 64 * i, 64), part(Rtl.local, 64 * i, 64),
                                 written, &result, &tie);
    same &= g->a.data[i] == (is_sent && won ? result : 0);
    wins |= (uint32_t)(is_sent && won) << i;
    lost += is_sent && !won;
    ties += is_sent && tie;
    copies &= Rtl.blend[i] == (g->merge.transparent && written) &&
              Rtl.front_here[i] == (g->merge.front && written) &&
              Rtl.add[i] == (g->merge.op == PixelDistributorOperatorAdd && written) &&
              Rtl.multiply[i] == (g->merge.op >= PixelDistributorOperatorMultiply && written);
  }
  prove_check("stage A: what was read is merged", same);
  prove_check("stage A: lost and tied", g->a_lost == lost && g->a_ties == ties);
  prove_check("stage A: a pixel's copies of the settings", copies);
  same = g->a.pieces.mask == wins && part(Rtl.pending, TopAt, TileW) == g->a.tile;
  for (uint32_t k = 0; k < K; k++) {
    same &= part(Rtl.pending, PieceAt + k * PieceW, PieceW) == g->a.pieces.piece[k];
  }
  prove_check("stage A: where", same);
}

static void check_header(const golden_t *g) {
  prove_check("the header", Rtl.tile_x == g->tile_x && Rtl.tile_y == g->tile_y &&
                                Rtl.bitmap == g->header &&
                                g->tile == ((g->tile_y * Pitch + g->tile_x) & (Tiles - 1)));
  const bool inside = g->tile_x < g->tiles_x && g->tile_y < g->tiles_y;
  prove_check("an accepted header's tile is the own GPU's",
              !g->receiving || g->judge || g->refused || inside);
  prove_check("the owner of the header's tile",
              !g->judge || !inside || Rtl.owner_read == g->owner[g->tile]);
}

static void check_receiver(const golden_t *g) {
  const pixel_merge_t *m = &g->merge;
  const uint32_t outgoing = g->write_ring.count + g->a_valid + g->b_valid;
  prove_check("between transfers nothing is received",
              g->receiving || (outgoing == 0 && g->pending_ring.count == 0 && !g->judge));
  prove_check("a header is judged", !g->judge || (g->has_header && !g->refused));
  prove_check("each beat's pixels are being read or were",
              g->local_ring.count + g->receive_outstanding == g->pending_ring.count);
  prove_check("the queues of the receiver",
              g->local_ring.count <= 2 && g->pending_ring.count <= P_ReceiveDepth && outgoing <= 4);
  prove_check("settings", !g->receiving ||
                              (Rtl.front == m->front && Rtl.transparent == m->transparent &&
                               Rtl.operator == m->op && Rtl.depth_func == m->depth_func &&
                               Rtl.color_mask == m->color_mask && Rtl.depth_write == m->depth_write &&
                               Rtl.tag_enable == m->tag_enable && Rtl.test_base == m->test_base));
  if (g->has_header) {
    check_header(g);
  }
  prove_check("the last piece", !g->has_piece || Rtl.last_piece == g->last_piece);
  for (uint32_t k = 0; k < 2 && k < g->local_ring.count; k++) {
    const uint32_t i = at(&g->local_ring, k, 2), word = Rtl.local_word[i];
    bool same = low(word, 0, P) == g->local_reads[i].pieces.mask &&
                low(word, P + K * PieceW, TileW) == g->local_reads[i].tile;
    for (uint32_t p = 0; p < K; p++) {
      same &= low(word, P + p * PieceW, PieceW) == g->local_reads[i].pieces.piece[p];
    }
    prove_check("a local read", same);
  }
  for (uint32_t k = 0; k < P_ReceiveDepth && k < g->pending_ring.count; k++) {
    const uint32_t i = at(&g->pending_ring, k, P_ReceiveDepth);
    prove_check("a pending beat", same_merge(Rtl.pending_word[i], &g->pending[i]));
  }
  if (g->a_valid) {
    check_stage_a(g);
  }
  if (g->b_valid) {
    check_stage_b(g);
  }
  for (uint32_t k = 0; k < 4 && k < g->write_ring.count; k++) {
    const uint32_t i = at(&g->write_ring, k, 4);
    prove_check("a write", same_merge(Rtl.writes_word[i], &g->writes[i]));
    prove_check("a write of nothing is none", g->writes[i].pieces.mask != 0);
  }
}

static void check_peek(const golden_t *g) {
  const uint32_t bitmap = Rtl.peek_touched ? Rtl.peek_bitmap : 0;
  const uint64_t answer = Rtl.peek_select == PixelDistributorPeekOwner    ? Rtl.peek_owner
                          : Rtl.peek_select == PixelDistributorPeekBlocks ? bitmap
                          : Rtl.peek_select == PixelDistributorPeekStamps
                              ? (bitmap >> Rtl.peek_block & 1 ? Rtl.peek_stamps : 0)
                              : Rtl.peek_counter;
  prove_check("peek", g->peek == (Rtl.peek_fresh ? answer : Rtl.peek_held));
}

static void check_monitor(const golden_t *g);

void prove_invariant(void) {
  const golden_t *g = golden();
  check_map(g);
  check_touched(g);
  check_sender(g);
  check_receiver(g);
  check_peek(g);
  check_monitor(g);
}

// ---- Safety and progress, on the ports ----

// Pixels of a transfer that are on their way out: behind the answers, before the link.
static uint32_t outgoing_pixels(const golden_t *g) {
  uint32_t count = 0;
  for (uint32_t k = 0; k < 2 && k < g->beat_ring.count; k++) {
    count += (uint32_t)__builtin_popcount(g->beats[at(&g->beat_ring, k, 2)].pieces.mask);
  }
  for (uint32_t k = 0; k < K && k < g->accumulated; k++) {
    count += (uint32_t)__builtin_popcount(g->accumulator[k].mask);
  }
  return count;
}

static void check_monitor(const golden_t *g) {
  prove_check("no pixel of a transfer is lost or doubled behind its answer",
              !g->sending || Monitor.out + outgoing_pixels(g) == g->sent);
  for (uint32_t k = 0; k < 2 && k < g->beat_ring.count; k++) {
    const pixel_distributor_beat_t *b = &g->beats[at(&g->beat_ring, k, 2)];
    prove_check("only data beats have pixels",
                b->kind == PixelDistributorBeatKindData || b->pieces.mask == 0);
    prove_check("the end tells the pixels of the transfer",
                b->kind != PixelDistributorBeatKindEnd || (uint32_t)b->data[0] == g->sent);
  }
}

// Cycles to the next event of the sender, if memory and link answer: a read, an answer or a beat.
static uint32_t sender_distance(const golden_t *g) {
  if (g->beat_ring.count > 0 || g->read_ring.count > 0) {
    return 1;
  }
  if (g->flush) {
    return 2;
  }
  if (g->token_ring.count > 0) {
    return 1 + !visible(g) + (token_at(g, 0)->kind != TokenGranule);
  }
  if (g->block_ring.count > 0) {
    return block_at(g, 0)->header ? 4 : 2;
  }
  if (g->latch_valid) {
    return 5;
  }
  if (g->rest || g->tile_ring.count > 0) {
    return 6;
  }
  switch (g->fetch) {
    case FetchPush: return 7;
    case FetchRead: return 8;
    case FetchHead: return 9 + g->touch;
    default: return 4;
  }
}

// The same of the receiver: a local read, an answer, a write, done; 0: it waits for a beat.
static uint32_t receiver_distance(const golden_t *g) {
  if (g->local_ring.count > 0 || g->write_ring.count > 0 || g->receive_outstanding > 0) {
    return 1;
  }
  return g->a_valid ? 3 : g->b_valid ? 2 : g->ended ? 1 : 0;
}

// Short words: products of long ones are open.
static uint32_t area(uint32_t w, uint32_t h) { return (w % (2 * Pitch)) * (h % (2 * Tiles / Pitch)); }

static uint32_t area_of(const rect_t *r) { return area(r->w, r->h); }

// Cycles to the end of the fill.
static uint32_t fill_distance(const golden_t *g) {
  const rect_t first = half_of(g, false), second = half_of(g, true), *r = &g->current;
  const uint32_t from_second = 2 + area_of(&second), done = area(r->w, g->fy - r->y) + g->fx - r->x;
  const uint32_t side = g->tiles_x >= g->tiles_y ? g->tiles_x : g->tiles_y;
  switch (g->fill) {
    case FillRows: return area(g->tiles_x, g->tiles_y) - area(g->tiles_x, g->fy) - g->fx;
    case FillTiles: return area_of(r) - done + (g->stack_count ? from_second : 1);
    case FillSplit: return g->split_left + area_of(&first) + from_second;
    default:
      return g->stack_count == 0                ? 1
             : same_rect(&g->stack[0], second) ? from_second
                                               : 1 + side + area_of(&first) + from_second;
  }
}

void prove_create(void) {
  prove_check("the golden model can be made", pixel_distributor_golden_create(&Params, &Engine));
  Engine.reset(Engine.self, &Out);
}

static bool is_zero(const void *bytes, uint32_t size) {
  bool zero = true;
  for (uint32_t i = 0; i < size; i++) {
    zero &= ((const uint8_t *)bytes)[i] == 0;
  }
  return zero;
}

// The golden model clears payloads once, when it stops to show them, and takes for granted that the
// caller leaves them as they are: so they are 0 before, if they are after.
static void clear_hidden(const golden_t *g) {
  if (!g->shown_beat) {
    memset(&Out.beat_out, 0, sizeof Out.beat_out);
  }
  if (!g->shown_read) {
    Out.receive_read_tile = 0;
    memset(&Out.receive_read, 0, sizeof Out.receive_read);
  }
  if (!g->shown_write) {
    Out.write_tile = 0;
    memset(&Out.write, 0, sizeof Out.write);
    memset(Out.write_data, 0, sizeof Out.write_data);
  }
}

static void check_hidden(const golden_t *g) {
  prove_check("payloads that are not shown stay 0",
              (g->shown_beat || is_zero(&Out.beat_out, sizeof Out.beat_out)) &&
                  (g->shown_read || (Out.receive_read_tile == 0 &&
                                     is_zero(&Out.receive_read, sizeof Out.receive_read))) &&
                  (g->shown_write || (Out.write_tile == 0 && is_zero(&Out.write, sizeof Out.write) &&
                                      is_zero(Out.write_data, sizeof Out.write_data))));
}

static void follow_touches(const golden_t *was) {
  const golden_t *g = golden();
  for (uint32_t t = 0; t < Tiles; t++) {
    Monitor.filled[t] |= was->filling && (was->fill == FillRows || was->fill == FillTiles) &&
                         was->fy * Pitch + was->fx == t;
    if (g->touched[t] && !was->touched[t]) {
      Monitor.rank[t] = Monitor.touches++;
    }
  }
  bool any = false;
  for (uint32_t t = 0; t < Tiles; t++) {
    any |= g->touched[t];
  }
  Monitor.touches = any ? Monitor.touches : 0;
}

// What was offered and not taken stays.
static void check_held(const golden_t *was) {
  const pixel_distributor_beat_t *beat = &was->beats[was->beat_ring.head];
  const uint32_t local = was->local_ring.head;
  const merge_t *write = &was->writes[was->write_ring.head];
  prove_check("a read of the sender is held until it is taken",
              was->read_ring.count == 0 || In.send_read_ready ||
                  (Out.send_read_valid && Out.send_read_address == was->reads[was->read_ring.head]));
  prove_check("a beat is held until it is taken",
              was->beat_ring.count == 0 || In.beat_out_ready ||
                  (Out.beat_out_valid && Out.beat_out.kind == beat->kind &&
                   !memcmp(&Out.beat_out.pieces, &beat->pieces, sizeof beat->pieces) &&
                   !memcmp(Out.beat_out.data, beat->data, P * sizeof *beat->data)));
  prove_check("a local read is held until it is taken",
              was->local_ring.count == 0 || In.receive_read_ready ||
                  (Out.receive_read_valid && Out.receive_read_tile == was->local_reads[local].tile &&
                   !memcmp(&Out.receive_read, &was->local_reads[local].pieces,
                           sizeof Out.receive_read)));
  prove_check("a write is held until it is taken",
              was->write_ring.count == 0 || In.write_ready ||
                  (Out.write_valid && Out.write_tile == write->tile &&
                   !memcmp(&Out.write, &write->pieces, sizeof Out.write) &&
                   !memcmp(Out.write_data, write->data, P * sizeof *write->data)));
  prove_check("the first error stays", was->error == 0 || Out.error == was->error);
}

static void check_progress(const golden_t *was, bool was_done) {
  const golden_t *g = golden();
  const bool sends = (was->read_ring.count > 0 && In.send_read_ready) ||
                     (was->beat_ring.count > 0 && In.beat_out_ready) ||
                     (distributor_send_data_ready(was) && In.send_data_valid);
  const bool receives = (was->local_ring.count > 0 && In.receive_read_ready) ||
                        (was->write_ring.count > 0 && In.write_ready) ||
                        (distributor_receive_data_ready(was) && In.receive_data_valid) ||
                        (distributor_beat_in_ready(was) && In.beat_in_valid) ||
                        (was_done && In.done_ready);
  prove_check("whoever sends moves within 10 cycles if memory and link answer",
              !was->sending || sends || !In.send_read_ready || !In.beat_out_ready ||
                  !In.send_data_valid ||
                  (sender_distance(was) <= 10 && sender_distance(g) < sender_distance(was)));
  const uint32_t left = receiver_distance(was);
  prove_check("whoever receives moves within 3 cycles if the memory answers, or takes a beat",
              !was->receiving || receives || !In.receive_read_ready || !In.receive_data_valid ||
                  !In.write_ready || !In.done_ready ||
                  (left == 0 ? distributor_beat_in_ready(was) : receiver_distance(g) < left));
  prove_check("a fill ends within 9 cycles",
              !was->filling || (fill_distance(was) <= 9 &&
                                (!g->filling || fill_distance(g) == fill_distance(was) - 1)));
}

static void follow_beats(const golden_t *was) {
  const bool leaves = was->beat_ring.count > 0 && In.beat_out_ready;
  const uint32_t mask = was->beats[was->beat_ring.head].pieces.mask;
  if (!was->sending) {
    Monitor.out = 0;
  } else if (leaves) {
    Monitor.out += (uint32_t)__builtin_popcount(mask);
  }
}

void prove_step(void) {
  golden_t was = *golden();
  uint8_t touched[Tiles];
  memcpy(touched, was.touched, Tiles);
  was.touched = touched;
  prove_assume("nobody peeks at an owner that no fill has written",
               !(In.peek_valid && In.peek_select == PixelDistributorPeekOwner) ||
                   Monitor.filled[In.peek_index % Tiles]);
  const bool was_done = was.receiving && was.ended && was.pending_ring.count == 0 && !was.a_valid &&
                        !was.b_valid && was.write_ring.count == 0;
  clear_hidden(golden());
  Engine.step(Engine.self, &In, &Out);
  follow_touches(&was);
  follow_beats(&was);
  check_hidden(golden());
  check_held(&was);
  check_progress(&was, was_done);
  prove_check("done is held until it is taken", !was_done || In.done_ready || Out.done_valid);
}

void prove_restart(void) {
  Engine.reset(Engine.self, &Out);
  Monitor.touches = 0;
  memset(Monitor.filled, 0, sizeof Monitor.filled);
}

void prove_cover(void) {
  const golden_t *g = golden();
  prove_check("two tiles of a list", !(g->listed[1] && g->first[1] != g->last[1]));
  prove_check("two beats wait", g->beat_ring.count < 2);
  prove_check("two writes wait", g->write_ring.count < 2);
  prove_check("a pixel is lost", g->counters[PixelDistributorCounterPixelsLost] == 0);
  prove_check("a tie", g->counters[PixelDistributorCounterTies] == 0);
  prove_check("pixels are blended", !(g->b_valid && g->merge.transparent));
}
