// SPDX-License-Identifier: Apache-2.0
// The pixel distributor: golden model and RTL (tb/prove/wrapper.h, docs/hardware/proved.md).
//
// Registers that both reset are related; what is only valid at times is compared where it is. In
// stage A the golden model has merged already, the RTL has not: the invariant merges the RTL's
// registers by the golden model's rule. Its products stay open (tb/prove/product.h).
#include "csim/units/pixel_distributor/golden.c"
#include "csim/units/pixel_distributor/map.c"
#include "csim/units/pixel_distributor/merge.c"
#include "csim/units/pixel_distributor/receiver.c"
#include "csim/units/pixel_distributor/sender.c"
#include "tb/prove/wrapper.h"

#include "proof_registers.h"

static uint32_t at(const ring_t *r, uint32_t k, uint32_t depth) { return (r->head + k) % depth; }

#define RELATE_RING(member, ring, depth)                             \
  Related.member##_head = (uint8_t)(ring).head,                      \
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
      .rest = g->rest,
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
    Related.touched |= (uint16_t)(g->touched[t] << t);
    Related.owner[t] = g->owner[t];
    Related.filled |= (uint16_t)(Monitor.filled[t] << t);
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
    g->bitmap[t] &= ALL_BLOCKS;
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
  e->bitmap &= ALL_BLOCKS;
}

static void narrow_sender(golden_t *g) {
  g->destination %= N;
  g->sent %= 1 << TransferW;
  g->fetch &= 3;
  g->fetch_tile %= Tiles;
  g->rest &= ALL_BLOCKS;
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
    g->tile_queue[i].bitmap &= ALL_BLOCKS;
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
    t->bitmap &= ALL_BLOCKS;
    t->stamps %= 1 << Cover;
  }
}

void prove_narrow(void) {
  golden_t *g = golden();
  narrow_map(g);
  narrow_sender(g);
  g->error &= 15;
  g->received %= 1 << TransferW;
  g->tile_x &= 0xffff;
  g->tile_y &= 0xffff;
  g->tile %= Tiles;
  g->header &= ALL_BLOCKS;
  g->last_piece %= 1 << PieceW;
  g->receive_outstanding %= 2 * P_ReceiveDepth;
  g->a_lost %= 2 * P;
  g->a_ties %= 2 * P;
  Monitor.out %= 1 << TransferW;
  Monitor.lost &= (1 << P) - 1;
  Monitor.tied &= (1 << P) - 1;
  narrow_ring(&g->local_ring, 2);
  narrow_ring(&g->pending_ring, P_ReceiveDepth);
  narrow_ring(&g->write_ring, 4);
}

#include "proof_invariant.h"

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
              !g->sending || (Monitor.out + outgoing_pixels(g)) % (1u << TransferW) == g->sent);
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
static uint32_t area(uint32_t w, uint32_t h) {
  return (w % (2 * Pitch)) * (h % (2 * Tiles / Pitch));
}

// Cycles to the end of the fill.
static uint32_t fill_distance(const golden_t *g) {
  return g->fill != FillRows ? halving(g).left
                             : area(g->tiles_x, g->tiles_y) - area(g->tiles_x, g->fy) - g->fx;
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

// Pixel by pixel: each is a question of its own. The golden model leaves what is beyond a beat
// alone.
static void check_hidden(const golden_t *g) {
  prove_check("a beat that is not shown stays 0",
              g->shown_beat || (Out.beat_out.kind == 0 &&
                                is_zero(&Out.beat_out.pieces, sizeof Out.beat_out.pieces)));
  prove_check("a local read that is not shown stays 0",
              g->shown_read || (Out.receive_read_tile == 0 &&
                                is_zero(&Out.receive_read, sizeof Out.receive_read)));
  prove_check("a write that is not shown stays 0",
              g->shown_write || (Out.write_tile == 0 && is_zero(&Out.write, sizeof Out.write)));
  for (uint32_t i = 0; i < P; i++) {
    prove_check("a beat's pixel that is not shown stays 0",
                g->shown_beat || Out.beat_out.data[i] == 0);
    prove_check("a write's pixel that is not shown stays 0",
                g->shown_write || Out.write_data[i] == 0);
  }
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

// Which pixels of the beat that comes to stage A are lost or tied there.
static void follow_merge(const golden_t *was) {
  const merge_t *from = &was->pending[was->pending_ring.head];
  Monitor.lost = Monitor.tied = 0;
  for (uint32_t i = 0; i < P; i++) {
    uint64_t result;
    bool tie;
    const bool won = pixel_merge(&was->merge, from->data[i], In.receive_data[i],
                                 In.receive_data_written >> i & 1, &result, &tie);
    const bool is_sent = from->pieces.mask >> i & 1;
    Monitor.lost |= (uint8_t)((is_sent && !won) << i);
    Monitor.tied |= (uint8_t)((is_sent && tie) << i);
  }
}

// An offer that is not taken stays: pixel by pixel.
static void check_held(const golden_t *was) {
  const pixel_distributor_beat_t *beat = &was->beats[was->beat_ring.head];
  const uint32_t local = was->local_ring.head;
  const merge_t *write = &was->writes[was->write_ring.head];
  const bool no_beat = was->beat_ring.count == 0 || In.beat_out_ready;
  const bool no_write = was->write_ring.count == 0 || In.write_ready;
  prove_check(
      "a read of the sender is held until it is taken",
      was->read_ring.count == 0 || In.send_read_ready ||
          (Out.send_read_valid && Out.send_read_address == was->reads[was->read_ring.head]));
  prove_check("a beat is held until it is taken",
              no_beat || (Out.beat_out_valid && Out.beat_out.kind == beat->kind &&
                          !memcmp(&Out.beat_out.pieces, &beat->pieces, sizeof beat->pieces)));
  prove_check(
      "a local read is held until it is taken",
      was->local_ring.count == 0 || In.receive_read_ready ||
          (Out.receive_read_valid && Out.receive_read_tile == was->local_reads[local].tile &&
           !memcmp(&Out.receive_read, &was->local_reads[local].pieces, sizeof Out.receive_read)));
  prove_check("a write is held until it is taken",
              no_write || (Out.write_valid && Out.write_tile == write->tile &&
                           !memcmp(&Out.write, &write->pieces, sizeof Out.write)));
  for (uint32_t i = 0; i < P; i++) {
    prove_check("a beat's pixel is held", no_beat || Out.beat_out.data[i] == beat->data[i]);
    prove_check("a write's pixel is held", no_write || Out.write_data[i] == write->data[i]);
  }
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
  prove_check("a fill ends in its time",
              !was->filling || (fill_distance(was) <= MostFill &&
                                (!g->filling || fill_distance(g) == fill_distance(was) - 1)));
}

static void follow_beats(const golden_t *was) {
  const bool leaves = was->beat_ring.count > 0 && In.beat_out_ready;
  const uint32_t mask = was->beats[was->beat_ring.head].pieces.mask;
  if (!was->sending) {
    Monitor.out = 0;
  } else if (leaves) {
    Monitor.out = (Monitor.out + (uint32_t)__builtin_popcount(mask)) % (1u << TransferW);
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
  follow_merge(&was);
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
  bool two = false;
  for (uint32_t o = 0; o < N; o++) {
    two |= g->listed[o] && g->first[o] != g->last[o];
  }
  prove_check("two tiles of a list", !two);
  prove_check("two beats wait", g->beat_ring.count < 2);
  prove_check("two writes wait", g->write_ring.count < 2);
  prove_check("a pixel is lost", g->counters[PixelDistributorCounterPixelsLost] == 0);
  prove_check("a tie", g->counters[PixelDistributorCounterTies] == 0);
  prove_check("pixels are blended", !(g->b_valid && g->merge.transparent));
}
