// SPDX-License-Identifier: Apache-2.0
// The golden model's sender: the touched granules of a destination's tiles, read and packed into
// beats.
#include "golden_internal.h"

static uint64_t cells_of_tile(const golden_t *g) { return g->cells; }

static void count_skipped(golden_t *g, int64_t by) {
  g->counters[PixelDistributorCounterCellsSkipped] += (uint64_t)by;
}

void distributor_fetch_step(golden_t *g, bool touch_under_way, uint32_t tiles_waiting) {
  switch (g->fetch) {
    case FetchHead:
      if (touch_under_way) {
        return;
      }
      count_skipped(g, (int64_t)(g->owned[g->destination] * cells_of_tile(g)));
      if (!g->listed[g->destination]) {
        g->fetch = FetchIdle;
        return;
      }
      g->fetch_tile = g->first[g->destination];
      g->fetch = FetchRead;
      return;
    case FetchRead:
      if (tiles_waiting < 2) {
        g->fetch = FetchPush;
      }
      return;
    case FetchPush: {
      uint64_t bitmap = g->bitmap[g->fetch_tile];
      g->tile_queue[distributor_push_at(&g->tile_ring, 2)] = (tile_entry_t){g->fetch_tile, bitmap};
      if (g->p.cell == PixelDistributorCellTile) {
        count_skipped(g, -1);
      } else if (g->p.cell == PixelDistributorCellBlock) {
        count_skipped(g, -(int64_t)__builtin_popcountll(bitmap));
      }
      if (g->fetch_tile == g->last[g->destination]) {
        g->fetch = FetchIdle;
      } else {
        g->fetch_tile = g->next[g->fetch_tile];
        g->fetch = FetchRead;
      }
      return;
    }
    default: return;
  }
}

void distributor_block_step(golden_t *g, uint32_t held) {
  if (g->latch_valid) {
    g->block_queue[distributor_push_at(&g->block_ring, 4)] = g->latch;
    if (!g->latch.header && g->p.cell == PixelDistributorCellStamp) {
      count_skipped(g, -(int64_t)__builtin_popcount(g->latch.stamps));
    }
    g->latch_valid = false;
  }
  if (held >= 4) {
    return;
  }
  if (g->rest == 0) {
    if (g->tile_ring.count > 0) {
      tile_entry_t t = g->tile_queue[g->tile_ring.head];
      distributor_pop(&g->tile_ring, 2);
      g->latch = (block_entry_t){.header = true, .tile = t.tile, .bitmap = t.bitmap};
      g->latch_valid = true;
      g->rest = t.bitmap;
      g->rest_tile = t.tile;
    }
    return;
  }
  uint32_t block = (uint32_t)__builtin_ctzll(g->rest);
  g->rest &= g->rest - 1;
  g->latch = (block_entry_t){.block = block,
                             .last = g->rest == 0,
                             .stamps = distributor_stamps_of(g, g->rest_tile, block)};
  g->latch_valid = true;
}

// The stamps of a block that a granule covers, from the granule's first on; with
// granules smaller than a stamp, the stamp that it lies in.
static uint8_t granule_stamps(const golden_t *g, uint16_t stamps, uint32_t granule) {
  uint32_t first = granule * g->pixels / 4, count = g->pixels >= 4 ? g->pixels / 4 : 1;
  return (uint8_t)(stamps >> first & ((1u << count) - 1));
}

static bool find_granule(const golden_t *g, uint16_t stamps, uint32_t from, uint32_t *found) {
  for (uint32_t i = from; i < 64 / g->pixels; i++) {
    if (granule_stamps(g, stamps, i)) {
      *found = i;
      return true;
    }
  }
  return false;
}

static bool end_due(const golden_t *g) {
  return g->sending && g->block_ring.count == 0 && !g->latch_valid && g->rest == 0 &&
         g->tile_ring.count == 0 && g->fetch == FetchIdle && !g->end_appended;
}

bool distributor_issue_due(const golden_t *g) {
  return g->token_ring.count < g->p.send_depth && g->read_ring.count < 2 &&
         (g->block_ring.count > 0 || end_due(g));
}

void distributor_issue_step(golden_t *g) {
  token_t *t = &g->tokens[distributor_push_at(&g->token_ring, g->p.send_depth)];
  if (g->block_ring.count == 0) {
    *t = (token_t){.kind = TokenEnd};
    g->end_appended = true;
    return;
  }
  const block_entry_t *b = &g->block_queue[g->block_ring.head];
  if (b->header) {
    *t = (token_t){.kind = TokenHeader, .tile = b->tile, .bitmap = b->bitmap};
    g->granule_tile = b->tile;
    g->next_granule = 0;
    distributor_pop(&g->block_ring, 4);
    return;
  }
  uint32_t granule = 0, after;
  find_granule(g, b->stamps, g->next_granule, &granule);
  uint32_t pixel = b->block * 64 + granule * g->pixels;
  bool more = find_granule(g, b->stamps, granule + 1, &after);
  *t = (token_t){.kind = TokenGranule,
                 .granule = pixel / g->pixels,
                 .last = b->last && !more,
                 .stamps = granule_stamps(g, b->stamps, granule)};
  g->reads[distributor_push_at(&g->read_ring, 2)] = g->granule_tile << (2 * g->p.tile_log2) | pixel;
  g->next_granule = granule + 1;
  if (!more) {
    g->next_granule = 0;
    distributor_pop(&g->block_ring, 4);
  }
}

static void append_pieces(golden_t *g, const piece_t *pieces, uint32_t count) {
  pixel_distributor_beat_t *b = &g->beats[distributor_push_at(&g->beat_ring, 2)];
  memset(b, 0, distributor_beat_size(g));
  b->kind = PixelDistributorBeatKindData;
  for (uint32_t i = 0; i < count; i++) {
    b->pieces.piece[i] = pieces[i].piece;
    b->pieces.mask |= (uint32_t)pieces[i].mask << (i * g->piece_pixels);
    memcpy(b->data + i * g->piece_pixels, pieces[i].data, g->piece_pixels * sizeof(uint64_t));
  }
  g->counters[PixelDistributorCounterBeatsSent]++;
}

static void pack_granule(golden_t *g, const token_t *t, const pixel_distributor_in_t *in) {
  uint32_t mask = in->send_data_written & (uint32_t)((1ull << g->pixels) - 1);
  if (g->p.cell == PixelDistributorCellStamp) {
    for (uint32_t i = 0; i < g->pixels; i++) {
      if (!(t->stamps >> (i / 4) & 1)) {
        mask &= ~(1u << i);
      }
    }
  }
  uint32_t ones = (uint32_t)__builtin_popcount(mask);
  g->sent = (g->sent + ones) & distributor_transfer_mask(g);
  g->counters[PixelDistributorCounterPixelsSent] += ones;
  piece_t all[2 * MaxPieces];
  uint32_t m = g->accumulated;
  memcpy(all, g->accumulator, m * sizeof *all);
  for (uint32_t k = 0; k < g->pieces; k++) {
    uint8_t part = (uint8_t)(mask >> (k * g->piece_pixels) & ((1u << g->piece_pixels) - 1));
    if (!part) {
      continue;
    }
    piece_t *p = &all[m++];
    p->piece = (uint16_t)(t->granule * g->pieces + k);
    p->mask = part;
    for (uint32_t i = 0; i < g->piece_pixels; i++) {
      p->data[i] = part >> i & 1 ? in->send_data[k * g->piece_pixels + i] : 0;
    }
  }
  if (m > g->pieces) {
    append_pieces(g, all, g->pieces);
    g->accumulated = m - g->pieces;
    memcpy(g->accumulator, all + g->pieces, g->accumulated * sizeof *all);
    g->flush = t->last;
  } else if (m == g->pieces || (t->last && m > 0)) {
    append_pieces(g, all, m);
    g->accumulated = 0;
  } else {
    g->accumulated = m;
    memcpy(g->accumulator, all, m * sizeof *all);
  }
}

static const token_t *visible(const golden_t *g) {
  return g->token_ring.count > (uint32_t)g->token_fresh ? &g->tokens[g->token_ring.head] : NULL;
}

bool distributor_send_data_ready(const golden_t *g) {
  const token_t *t = visible(g);
  return g->beat_ring.count < 2 && !g->flush && t && t->kind == TokenGranule &&
         g->send_outstanding != 0;
}

// Whether the packing does anything, data given.
bool distributor_packs(const golden_t *g, bool data) {
  const token_t *t = visible(g);
  return g->beat_ring.count < 2 &&
         (g->flush || (t && (t->kind != TokenGranule || (data && distributor_send_data_ready(g)))));
}

void distributor_pack_step(golden_t *g, const pixel_distributor_in_t *in, bool room) {
  const token_t *t = visible(g);
  if (!room) {
    return;
  }
  if (g->flush) {
    append_pieces(g, g->accumulator, g->accumulated);
    g->accumulated = 0;
    g->flush = false;
    return;
  }
  if (!t || (t->kind == TokenGranule && !(in->send_data_valid && g->send_outstanding))) {
    return;
  }
  if (t->kind == TokenGranule) {
    pack_granule(g, t, in);
    g->send_outstanding--;
  } else {
    pixel_distributor_beat_t *b = &g->beats[distributor_push_at(&g->beat_ring, 2)];
    memset(b, 0, distributor_beat_size(g));
    if (t->kind == TokenHeader) {
      b->kind = PixelDistributorBeatKindHeader;
      b->data[0] = t->bitmap;
      b->data[1] = t->tile % g->pitch | t->tile / g->pitch << 16;
      g->counters[PixelDistributorCounterHeadersSent]++;
    } else {
      b->kind = PixelDistributorBeatKindEnd;
      b->data[0] = g->sent;
    }
  }
  distributor_pop(&g->token_ring, g->p.send_depth);
}
