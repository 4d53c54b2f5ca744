// SPDX-License-Identifier: Apache-2.0
#include "golden_internal.h"

#include <stdlib.h>
#include <string.h>

static void outputs(golden_t *g, const pixel_distributor_in_t *in, pixel_distributor_out_t *out);

static uint64_t peek(const golden_t *g, const pixel_distributor_in_t *in) {
  uint32_t tile = in->peek_index & (g->tiles - 1);
  switch (in->peek_select) {
    case PixelDistributorPeekOwner: return g->owner[tile];
    case PixelDistributorPeekBlocks: return distributor_bitmap_of(g, tile);
    case PixelDistributorPeekStamps: {
      uint32_t i = in->peek_index & (g->tiles * g->blocks - 1);
      return distributor_stamps_of(g, i / g->blocks, i % g->blocks);
    }
    default:
      return in->peek_index < PixelDistributorCounters
                 ? g->counters[in->peek_index] & ((1ull << g->p.count_width) - 1)
                 : 0;
  }
}

// The permissions of the state at the start of a cycle, by which all inputs of the cycle are
// judged.
typedef struct {
  bool usable, sending, receiving, taken;  // taken: this cycle's configuration
} before_t;

// Sender, from its end to its start: each part sees what the state was. Returns true if the last
// beat of a transfer leaves.
static bool sender_step(golden_t *g, const pixel_distributor_in_t *in, uint8_t *error) {
  const bool touch_under_way = g->touch, room = g->beat_ring.count < 2;
  const uint32_t held = g->block_ring.count + g->latch_valid;
  const uint32_t tiles_waiting = g->tile_ring.count;
  const bool issue = g->sending && distributor_issue_due(g);
  bool ends = false;
  if (in->send_data_valid && g->send_outstanding == 0) {
    distributor_raise(error, PixelDistributorErrorSendData);
  }
  if (g->beat_ring.count > 0 && in->beat_out_ready) {
    ends = g->beats[g->beat_ring.head].kind == PixelDistributorBeatKindEnd;
    distributor_pop(&g->beat_ring, 2);
  }
  distributor_pack_step(g, in, room);
  if (g->read_ring.count > 0 && in->send_read_ready) {
    // The read's place was taken at the cycle's start: room is judged before this.
    distributor_pop(&g->read_ring, 2);
    g->send_outstanding++;
  }
  if (issue) {
    distributor_issue_step(g);
  }
  g->token_fresh = issue;
  if (g->sending) {
    distributor_block_step(g, held);
    distributor_fetch_step(g, touch_under_way, tiles_waiting);
  }
  return ends;
}

static void touch(golden_t *g, const pixel_distributor_in_t *in, const before_t *before,
                  uint8_t *error) {
  if (!before->usable || before->sending || before->receiving || before->taken ||
      8u * in->touch_x >= g->width || 8u * in->touch_y >= g->height) {
    distributor_raise(error, PixelDistributorErrorTouch);
  } else if (in->touch_stamps) {
    const uint32_t log = g->p.tile_log2 - 3, low = (1u << log) - 1;
    g->touch = true;
    g->touch_tile = (uint32_t)(in->touch_y >> log) * g->pitch + (in->touch_x >> log);
    g->touch_block = (in->touch_y & low) << log | (in->touch_x & low);
    g->touch_stamps = in->touch_stamps;
  }
}

// Touches, clear, fill.
static void map_step(golden_t *g, const pixel_distributor_in_t *in, const before_t *before,
                     uint8_t *error) {
  const bool clear = in->clear && !before->sending;
  if (in->clear && before->sending) {
    distributor_raise(error, PixelDistributorErrorClear);
  }
  if (g->touch && !clear) {
    distributor_touch_apply(g);
  }
  g->touch = false;
  if (clear) {
    distributor_clear_map(g);
  }
  if (g->filling) {
    distributor_fill_step(g);
  }
  if (in->touch_valid) {
    touch(g, in, before, error);
  }
}

static void start(golden_t *g, const pixel_distributor_in_t *in, const before_t *before,
                  uint8_t *error) {
  if (before->sending || !before->usable || before->taken || in->start_destination == in->gpu ||
      in->start_destination >= g->p.gpus) {
    distributor_raise(error, PixelDistributorErrorStart);
    return;
  }
  g->sending = true;
  g->destination = in->start_destination;
  g->sent = 0;
  g->fetch = FetchHead;
  g->end_appended = false;
}

static void begin(golden_t *g, const pixel_distributor_in_t *in, const before_t *before,
                  uint8_t *error) {
  if (before->receiving || !before->usable || before->taken) {
    distributor_raise(error, PixelDistributorErrorBegin);
    return;
  }
  g->receiving = true;
  g->ended = g->has_header = g->judge = g->refused = g->has_piece = false;
  g->received = 0;
  g->merge = pixel_merge_rule(in);
}

static unit_status_e step(void *self, const pixel_distributor_in_t *in,
                          pixel_distributor_out_t *out) {
  golden_t *g = self;
  uint8_t error = PixelDistributorErrorNone;
  const before_t before = {.usable = distributor_usable(g),
                           .sending = g->sending,
                           .receiving = g->receiving,
                           .taken = in->config_valid && distributor_config_ready(g)};
  if (in->peek_valid) {
    g->peek = peek(g, in);
  }
  const bool ends = sender_step(g, in, &error);
  distributor_receiver_step(g, in, &error);
  map_step(g, in, &before, &error);
  if (in->start_valid) {
    start(g, in, &before, &error);
  }
  if (ends) {
    g->sending = false;
  }
  if (in->begin_valid) {
    begin(g, in, &before, &error);
  }
  if (before.taken) {
    distributor_configure(g, in, &error);
  }
  if (g->error == PixelDistributorErrorNone) {
    g->error = error;
  }
  outputs(g, in, out);
  return UnitOk;
}

static bool quiescent(const golden_t *g, const pixel_distributor_in_t *in,
                      const pixel_distributor_out_t *out) {
  if ((in->config_valid && out->config_ready) || g->filling || in->clear || in->touch_valid ||
      in->start_valid || in->begin_valid || in->peek_valid || g->touch) {
    return false;
  }
  bool takes = g->block_ring.count + g->latch_valid < 4 && (g->rest || g->tile_ring.count > 0);
  if (g->fetch == FetchPush || g->fetch == FetchHead ||
      (g->fetch == FetchRead && g->tile_ring.count < 2) || g->latch_valid || takes ||
      (g->sending && distributor_issue_due(g)) || g->token_fresh) {
    return false;
  }
  if (distributor_packs(g, in->send_data_valid) ||
      (in->send_data_valid && g->send_outstanding == 0) ||
      (out->send_read_valid && in->send_read_ready) ||
      (out->beat_out_valid && in->beat_out_ready) || (out->write_valid && in->write_ready) ||
      (out->receive_read_valid && in->receive_read_ready) || (out->done_valid && in->done_ready)) {
    return false;
  }
  return !((in->beat_in_valid && out->beat_in_ready) || g->judge ||
           (in->receive_data_valid && (out->receive_data_ready || g->receive_outstanding == 0)) ||
           g->a_valid || g->b_valid);
}

static void map_outputs(const golden_t *g, const pixel_distributor_in_t *in,
                        pixel_distributor_out_t *out) {
  out->sending_cells = out->foreign_cells = 0;
  if (g->p.count_cells) {
    out->sending_cells = g->sending ? g->owner_cells[g->destination] : 0;
    for (uint32_t o = 0; o < g->p.gpus; o++) {
      out->foreign_cells += o == in->gpu ? 0 : g->owner_cells[o];
    }
  }
  uint32_t tile = 0;
  uint8_t owner = 0;
  out->owner_write_valid = distributor_fill_write(g, &tile, &owner);
  out->owner_write_tile = tile;
  out->owner_write_owner = owner;
  out->map_write_valid = g->touch;
  out->map_write_tile = g->touch ? g->touch_tile : 0;
  out->map_write_block = (uint8_t)(g->touch ? g->touch_block : 0);
  out->map_write_blocks = 0;
  out->map_write_stamps = 0;
  if (g->touch) {
    distributor_touch_write(g, &out->map_write_blocks, &out->map_write_stamps);
  }
}

static void sender_outputs(golden_t *g, pixel_distributor_out_t *out) {
  out->send_read_valid = g->read_ring.count > 0;
  out->send_read_address = out->send_read_valid ? g->reads[g->read_ring.head] : 0;
  out->send_data_ready = distributor_send_data_ready(g);
  out->beat_out_valid = g->beat_ring.count > 0;
  if (out->beat_out_valid) {
    memcpy(&out->beat_out, &g->beats[g->beat_ring.head], distributor_beat_size(g));
  } else if (g->shown_beat) {
    memset(&out->beat_out, 0, distributor_beat_size(g));
  }
  g->shown_beat = out->beat_out_valid;
}

static void receiver_outputs(golden_t *g, pixel_distributor_out_t *out) {
  out->beat_in_ready = distributor_beat_in_ready(g);
  out->receive_read_valid = g->local_ring.count > 0;
  if (out->receive_read_valid) {
    out->receive_read_tile = g->local_reads[g->local_ring.head].tile;
    out->receive_read = g->local_reads[g->local_ring.head].pieces;
  } else if (g->shown_read) {
    out->receive_read_tile = 0;
    memset(&out->receive_read, 0, sizeof out->receive_read);
  }
  g->shown_read = out->receive_read_valid;
  out->receive_data_ready = distributor_receive_data_ready(g);
  out->write_valid = g->write_ring.count > 0;
  if (out->write_valid) {
    const merge_t *w = &g->writes[g->write_ring.head];
    out->write_tile = w->tile;
    out->write = w->pieces;
    memcpy(out->write_data, w->data, g->pixels * sizeof *w->data);
  } else if (g->shown_write) {
    out->write_tile = 0;
    memset(&out->write, 0, sizeof out->write);
    memset(out->write_data, 0, sizeof out->write_data);
  }
  g->shown_write = out->write_valid;
  out->done_valid = g->receiving && g->ended && g->pending_ring.count == 0 && !g->a_valid &&
                    !g->b_valid && g->write_ring.count == 0;
}

static void outputs(golden_t *g, const pixel_distributor_in_t *in, pixel_distributor_out_t *out) {
  out->error = g->error;
  out->sending = g->sending;
  out->receiving = g->receiving;
  out->config_ready = distributor_config_ready(g);
  map_outputs(g, in, out);
  sender_outputs(g, out);
  receiver_outputs(g, out);
  out->peek_data = g->peek;
  out->quiescent = quiescent(g, in, out);
}

static void reset(void *self, pixel_distributor_out_t *out) {
  golden_t *g = self;
  g->configured = g->filling = g->touch = g->sending = g->receiving = false;
  g->ended = g->has_header = g->judge = g->refused = g->has_piece = false;
  g->width = g->height = g->tiles_x = g->tiles_y = 0;
  g->fetch = FetchIdle;
  g->rest = 0;
  g->latch_valid = g->token_fresh = g->flush = g->a_valid = g->b_valid = false;
  g->end_appended = true;
  g->tile_ring = g->block_ring = g->read_ring = g->token_ring = g->beat_ring = (ring_t){0, 0};
  g->local_ring = g->pending_ring = g->write_ring = (ring_t){0, 0};
  g->next_granule = g->accumulated = g->sent = g->received = 0;
  g->send_outstanding = g->receive_outstanding = 0;
  memset(g->counters, 0, sizeof g->counters);
  memset(g->owned, 0, sizeof g->owned);
  g->peek = 0;
  g->error = 0;
  distributor_clear_map(g);
  const pixel_distributor_in_t none = {0};
  memset(out, 0, sizeof *out);
  outputs(g, &none, out);
}

void pixel_distributor_golden_destroy(pixel_distributor_t *engine) {
  golden_t *g = engine->self;
  if (g) {
    free(g->owner);
    free(g->touched);
    free(g->bitmap);
    free(g->stamps);
    free(g->next);
    free(g->tokens);
    free(g->pending);
    free(g);
  }
  engine->self = NULL;
}

static bool power_of_two(uint32_t x, uint32_t low, uint32_t high) {
  return x >= low && x <= high && (x & (x - 1)) == 0;
}

bool pixel_distributor_golden_create(const pixel_distributor_params_t *p,
                                     pixel_distributor_t *engine) {
  engine->self = NULL;
  if (p->gpus < 2 || p->gpus > UnitMaxGpus || p->tile_log2 < 4 || p->tile_log2 > 6 ||
      p->cell > PixelDistributorCellStamp || !power_of_two(p->beat_bytes, 16, 256) ||
      !power_of_two(p->send_depth, 4, 1024) || !power_of_two(p->receive_depth, 4, 1024) ||
      p->max_width <= 1u << p->tile_log2 || p->max_width > 8192 ||
      p->max_height <= 1u << p->tile_log2 || p->max_height > 8192) {
    return false;
  }
  golden_t *g = calloc(1, sizeof *g);
  if (!g) {
    return false;
  }
  engine->self = g;
  g->p = *p;
  g->pixels = pixel_distributor_pixels(p);
  g->piece_pixels = pixel_distributor_piece_pixels(p);
  g->pieces = pixel_distributor_pieces(p);
  g->blocks = 1u << (2 * (p->tile_log2 - 3));
  g->all_blocks = g->blocks == 64 ? UINT64_MAX : (1ull << g->blocks) - 1;
  g->cells = p->cell == PixelDistributorCellTile    ? 1
             : p->cell == PixelDistributorCellBlock ? g->blocks
                                                    : 16 * g->blocks;
  g->pitch = pixel_distributor_pitch(p);
  uint32_t rows = (p->max_height + (1u << p->tile_log2) - 1) >> p->tile_log2, tall = 1;
  while (tall < rows) {
    tall <<= 1;
  }
  g->tiles = g->pitch * tall;
  g->owner = calloc(g->tiles, sizeof *g->owner);
  g->touched = calloc(g->tiles, sizeof *g->touched);
  g->bitmap = calloc(g->tiles, sizeof *g->bitmap);
  g->stamps = calloc((size_t)g->tiles * g->blocks, sizeof *g->stamps);
  g->next = calloc(g->tiles, sizeof *g->next);
  g->tokens = calloc(p->send_depth, sizeof *g->tokens);
  g->pending = calloc(p->receive_depth, sizeof *g->pending);
  if (!g->owner || !g->touched || !g->bitmap || !g->stamps || !g->next || !g->tokens ||
      !g->pending) {
    pixel_distributor_golden_destroy(engine);
    return false;
  }
  *engine = (pixel_distributor_t){g, step, reset};
  return true;
}
