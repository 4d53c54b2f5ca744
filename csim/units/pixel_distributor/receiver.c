// SPDX-License-Identifier: Apache-2.0
// The golden model's receiver: beats checked, local pixels read, merged and written.
#include "golden_internal.h"

bool distributor_beat_in_ready(const golden_t *g) {
  return g->receiving && !g->ended && g->pending_ring.count < g->p.receive_depth &&
         g->local_ring.count < 2;
}

bool distributor_receive_data_ready(const golden_t *g) {
  return g->receive_outstanding != 0 && g->write_ring.count + g->a_valid + g->b_valid < 4;
}

static void judge_header(golden_t *g, uint8_t gpu, uint8_t *error) {
  if (!g->judge) {
    return;
  }
  g->judge = false;
  if (g->tile_x >= g->tiles_x || g->tile_y >= g->tiles_y || g->owner[g->tile] != gpu) {
    g->refused = true;
    distributor_raise(error, PixelDistributorErrorTile);
  }
}

static bool pieces_good(const golden_t *g, const pixel_distributor_pieces_t *p, uint32_t *last) {
  bool ended = false, any = false;
  uint32_t before = g->last_piece;
  bool has_before = g->has_piece;
  for (uint32_t k = 0; k < g->pieces; k++) {
    if (!(p->mask >> (k * g->piece_pixels) & ((1u << g->piece_pixels) - 1))) {
      ended = true;
      continue;
    }
    uint32_t piece = p->piece[k];
    if (ended || (has_before && piece <= before) ||
        !(g->header >> (piece * g->piece_pixels / 64) & 1)) {
      return false;
    }
    before = piece;
    has_before = any = true;
  }
  *last = before;
  return any;
}

static void accept_beat(golden_t *g, const pixel_distributor_beat_t *b, uint8_t *error) {
  switch (b->kind) {
    case PixelDistributorBeatKindHeader:
      g->header = b->data[0] & g->all_blocks;
      g->tile_x = (uint32_t)b->data[1] & 0xffff;
      g->tile_y = (uint32_t)b->data[1] >> 16;
      g->tile = (g->tile_y * g->pitch + g->tile_x) & (g->tiles - 1);
      g->has_header = g->judge = true;
      g->refused = g->has_piece = false;
      return;
    case PixelDistributorBeatKindData: {
      uint32_t last;
      if (!g->has_header) {
        distributor_raise(error, PixelDistributorErrorSequence);
        return;
      }
      if (g->refused) {
        return;
      }
      if (!pieces_good(g, &b->pieces, &last)) {
        distributor_raise(error, PixelDistributorErrorPiece);
        return;
      }
      g->last_piece = last;
      g->has_piece = true;
      uint32_t at = distributor_push_at(&g->local_ring, 2);
      g->local_reads[at].tile = g->tile;
      g->local_reads[at].pieces = b->pieces;
      merge_t *m = &g->pending[distributor_push_at(&g->pending_ring, g->p.receive_depth)];
      m->tile = g->tile;
      m->pieces = b->pieces;
      memcpy(m->data, b->data, g->pixels * sizeof *m->data);
      uint32_t ones = (uint32_t)__builtin_popcount(b->pieces.mask);
      g->received = (g->received + ones) & distributor_transfer_mask(g);
      g->counters[PixelDistributorCounterPixelsReceived] += ones;
      g->counters[PixelDistributorCounterBeatsReceived]++;
      return;
    }
    case PixelDistributorBeatKindEnd:
      g->ended = true;
      if ((uint32_t)b->data[0] != g->received) {
        distributor_raise(error, PixelDistributorErrorCount);
      }
      return;
    default: distributor_raise(error, PixelDistributorErrorSequence);
  }
}

static void merge_beat(golden_t *g, const pixel_distributor_in_t *in) {
  const merge_t *from = &g->pending[g->pending_ring.head];
  merge_t *m = &g->a;
  m->tile = from->tile;
  m->pieces = from->pieces;
  memset(m->data, 0, g->pixels * sizeof *m->data);
  g->a_lost = g->a_ties = 0;
  for (uint32_t i = 0; i < g->pixels; i++) {
    bool tie;
    if (!(from->pieces.mask >> i & 1)) {
      continue;
    }
    if (!pixel_merge(&g->merge, from->data[i], in->receive_data[i],
                     in->receive_data_written >> i & 1, &m->data[i], &tie)) {
      m->pieces.mask &= ~(1u << i);
      g->a_lost++;
    }
    g->a_ties += tie;
  }
  distributor_pop(&g->pending_ring, g->p.receive_depth);
  g->a_valid = true;
}

void distributor_receiver_step(golden_t *g, const pixel_distributor_in_t *in, uint8_t *error) {
  bool take = distributor_beat_in_ready(g) && in->beat_in_valid;
  bool data = distributor_receive_data_ready(g) && in->receive_data_valid;
  bool done = g->receiving && g->ended && g->pending_ring.count == 0 && !g->a_valid &&
              !g->b_valid && g->write_ring.count == 0;
  if (in->receive_data_valid && g->receive_outstanding == 0) {
    distributor_raise(error, PixelDistributorErrorReceiveData);
  }
  judge_header(g, in->gpu, error);
  if (g->write_ring.count > 0 && in->write_ready) {
    distributor_pop(&g->write_ring, 4);
  }
  if (g->b_valid && g->b.pieces.mask) {
    distributor_copy_merge(g, &g->writes[distributor_push_at(&g->write_ring, 4)], &g->b);
  }
  g->b_valid = g->a_valid;
  if (g->a_valid) {
    distributor_copy_merge(g, &g->b, &g->a);
    g->counters[PixelDistributorCounterPixelsLost] += g->a_lost;
    g->counters[PixelDistributorCounterTies] += g->a_ties;
  }
  g->a_valid = false;
  uint32_t outstanding = g->receive_outstanding;
  if (g->local_ring.count > 0 && in->receive_read_ready) {
    distributor_pop(&g->local_ring, 2);
    outstanding++;
  }
  if (data) {
    merge_beat(g, in);
    outstanding--;
  }
  g->receive_outstanding = outstanding;
  if (take) {
    accept_beat(g, &in->beat_in, error);
  }
  if (done && in->done_ready) {
    g->receiving = false;
  }
}
