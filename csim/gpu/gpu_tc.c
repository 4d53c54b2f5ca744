// SPDX-License-Identifier: Apache-2.0
#include "gpu_tc.h"

#include <stdlib.h>

enum { RingBlocks = 4, MostLive = 64, Quarters = 4, AllStamps = 0xffff };

// A TC tile between its issue and its done.
typedef struct {
  bool used;
  uint8_t warps;  // not ended
  uint16_t x, y;
  uint64_t fetched;  // cycle at which what its blocks' ROP needs is there
  uint16_t slots[16];
  uint32_t orders[16];  // of the blocks, since a place of the pool is used again
} live_t;

typedef struct {
  tile_coalescer_t unit;
  tile_coalescer_out_t out;
  tile_coalescer_state_t state;
  uint16_t blocks[RingBlocks];  // places in the pool
  gpu_ring_t ring;
  uint32_t quarter;        // of the ring's first block, the next one
  const gpu_draw_t *draw;  // of what went in last; NULL: nothing
  live_t live[MostLive];
  uint64_t stepped;     // cycle + 1 of the last step
  uint64_t waits_from;  // cycle + 1 from which a raster tile waits for the unit; 0: none
} lane_t;

struct gpu_tc {
  gpu_site_t *site;
  gpu_pool_t *pool;
  gpu_memory_t *memory;
  uint32_t live;
  uint16_t stamps[GpuBlocks];  // of the block at each place of the pool, as it came
  uint8_t left[GpuBlocks];     // of these, that are in ring and unit
  lane_t lanes[];              // of each cluster
};

bool gpu_tc_room(const gpu_tc_t *t, uint32_t cluster) {
  return t->lanes[cluster].ring.count < RingBlocks;
}

void gpu_tc_push(gpu_tc_t *t, uint32_t slot, uint64_t fragments) {
  lane_t *l = &t->lanes[t->pool->block[slot].cluster];
  l->blocks[gpu_ring_push(&l->ring, RingBlocks)] = (uint16_t)slot;
  t->stamps[slot] = lanes_stamps(fragments);
  t->left[slot] = (uint8_t)__builtin_popcount(t->stamps[slot]);
}

uint32_t gpu_tc_left(const gpu_tc_t *t, uint32_t slot) { return t->left[slot]; }

// Returns a quarter's stamps, of those of a block.
static uint32_t quarter_of(uint32_t stamps, uint32_t quarter) {
  uint32_t at = stamps >> (quarter / 2 * 8 + quarter % 2 * 2);
  return (at & 3) | (at >> 2 & 12);
}

// ---- Inputs

// Offers the next quarter with stamps of the ring's first block, or an end before another draw.
static void offer(const gpu_tc_t *t, lane_t *l, tile_coalescer_in_t *in) {
  if (l->ring.count == 0) {
    return;
  }
  uint32_t slot = l->blocks[l->ring.head];
  const gpu_block_t *b = &t->pool->block[slot];
  in->raster_valid = true;
  if (l->draw && l->draw != b->draw) {
    in->raster_op = TileCoalescerOpEnd;
    return;
  }
  while (!quarter_of(t->stamps[slot], l->quarter)) {
    l->quarter++;
  }
  in->raster_x = b->bx;
  in->raster_y = b->by;
  in->raster_quadrant = (uint8_t)l->quarter;
  in->raster_stamps = (uint8_t)quarter_of(t->stamps[slot], l->quarter);
  in->raster_tag = (uint16_t)slot;
}

// Goes on behind what was accepted. Returns true if a block has left the ring.
static bool accepted(const gpu_tc_t *t, lane_t *l, const tile_coalescer_in_t *in) {
  uint32_t slot = l->blocks[l->ring.head];
  if (in->raster_op == TileCoalescerOpEnd) {
    l->draw = NULL;
    return false;
  }
  l->draw = t->pool->block[slot].draw;
  while (++l->quarter < Quarters && !quarter_of(t->stamps[slot], l->quarter)) {
  }
  if (l->quarter < Quarters) {
    return false;
  }
  l->quarter = 0;
  gpu_ring_pop(&l->ring, RingBlocks);
  return true;
}

// Returns the first tile that is done, or NULL; lowers *next to the cycle at which one is.
static live_t *find_done(gpu_tc_t *t, lane_t *l, uint64_t now, uint64_t *next) {
  for (uint32_t i = 0; i < t->live; i++) {
    live_t *d = &l->live[i];
    if (!d->used || d->warps) {
      continue;
    }
    bool waits = false;
    for (uint32_t k = 0; k < 16; k++) {
      uint32_t slot = d->slots[k];
      waits |= slot < GpuBlocks && t->pool->block[slot].order == d->orders[k] &&
               gpu_memory_waits(t->memory, GpuWaitsRop + slot);
    }
    if (d->fetched <= now && !waits) {
      return d;
    }
    cycle_earliest(next, d->fetched > now ? d->fetched : GPU_NEVER);
  }
  return NULL;
}

// ---- Outputs

static void add_stamp(gpu_half_t *h, uint32_t slot, uint32_t stamp) {
  uint32_t i = h->count++;
  for (; i > 0 && h->slot[i - 1] > slot; i--) {
    h->slot[i] = h->slot[i - 1];
    h->stamp[i] = h->stamp[i - 1];
  }
  h->slot[i] = (uint16_t)slot;
  h->stamp[i] = (uint8_t)stamp;
}

static void take(gpu_tc_t *t, lane_t *l, gpu_tile_t *tile) {
  const tile_coalescer_out_t *o = &l->out;
  *tile = (gpu_tile_t){.id = o->tile_id};
  live_t *d = &l->live[o->tile_id];
  *d = (live_t){.used = true, .x = o->tile_x, .y = o->tile_y};
  for (uint32_t i = 0; i < 16; i++) {
    bool covered = o->tile_stamps >> i & 1;
    uint32_t slot = d->slots[i] = covered ? o->tile_tag[i] : UINT16_MAX;
    if (covered) {
      add_stamp(&tile->half[i / 8], slot, i);
      t->left[slot]--;
      d->orders[i] = t->pool->block[slot].order;
      d->fetched = cycle_later(d->fetched, t->pool->fetched[slot]);
    }
  }
  d->warps = (tile->half[0].count > 0) + (tile->half[1].count > 0);
  gpu_tc_stats_t *s = &t->site->stats.tc;
  s->tiles++;
  s->stamps += (uint32_t)__builtin_popcount(o->tile_stamps);
}

void gpu_tc_end_warp(gpu_tc_t *t, uint32_t cluster, uint32_t id) {
  t->lanes[cluster].live[id].warps--;
}

// Counts what the last step did by the states before and after it.
static void count(gpu_tc_t *t, lane_t *l, const tile_coalescer_state_t *was, bool output_free) {
  const gpu_params_t *p = &t->site->params;
  gpu_tc_stats_t *s = &t->site->stats.tc;
  const tile_coalescer_state_t *is = &l->state;
  bool id_free = (uint32_t)__builtin_popcountll(was->live) < t->live;
  for (uint32_t e = 0; e < p->tc_engines; e++) {
    if (!(was->active >> e & 1)) {
      continue;
    }
    bool evicted = was->evict >> e & 1, full = was->covered[e] == AllStamps;
    bool blocked = was->held[e] >= p->tc_bins;
    bool issued = was->covered[e] && !is->covered[e];
    s->engine_cycles++;
    s->held += was->held[e];
    if (issued) {
      *(evicted ? &s->evicted : full ? &s->full : blocked ? &s->blocked : &s->waited) += 1;
    } else if (was->covered[e] == is->covered[e]) {
      s->conflicts += was->held[e] > 0;
      s->live_waits += was->covered[e] && (evicted || full || blocked) && output_free && id_free;
    }
  }
}

bool gpu_tc_step(gpu_tc_t *t, uint64_t now, uint64_t *next, uint32_t cluster, bool ready,
                 gpu_tile_t *tile, bool *seen) {
  lane_t *l = &t->lanes[cluster];
  tile_coalescer_in_t in = {.tile_ready = ready};
  gpu_tc_stats_t *stats = &t->site->stats.tc;
  if (l->stepped == now + 1) {
    return false;
  }
  if (l->waits_from) {
    stats->head_waits += now + 1 - l->waits_from;
    l->waits_from = 0;
  }
  live_t *done = find_done(t, l, now, next);
  if (done) {
    in.done_valid = true;
    in.done_id = (uint8_t)(done - l->live);
  }
  offer(t, l, &in);
  bool accepts = in.raster_valid && l->out.raster_ready;
  bool takes = l->out.tile_valid && ready;
  l->waits_from = in.raster_valid && !accepts ? now + 1 : 0;
  if (l->out.quiescent && !accepts && !takes && !done) {
    return false;
  }
  if (takes) {
    take(t, l, tile);
  }
  bool output_free = !l->out.tile_valid || takes;
  tile_coalescer_state_t was = l->state;
  unit_status_e status = l->unit.step(l->unit.self, &in, &l->out);
  l->unit.observe(l->unit.self, &l->state);
  l->stepped = now + 1;
  if (status != UnitOk || l->out.error) {
    gpu_fault_set(t->site, &tile_coalescer_info, cluster, status, l->out.error);
  }
  count(t, l, &was, output_free);
  stats->raster_tiles += accepts && in.raster_op == TileCoalescerOpTile;
  if (done) {
    done->used = false;
  }
  *seen |= accepts && accepted(t, l, &in);
  cycle_earliest(next, now + 1);
  return takes;
}

// ---- The part

bool gpu_tc_busy(const gpu_tc_t *t) {
  for (uint32_t c = 0; c < t->site->clusters; c++) {
    if (!t->lanes[c].out.quiescent) {
      return true;
    }
  }
  return false;
}

void gpu_tc_describe(const gpu_tc_t *t, text_t *text) {
  for (uint32_t c = 0; c < t->site->clusters; c++) {
    const lane_t *l = &t->lanes[c];
    uint32_t held = 0;
    for (uint32_t e = 0; e < t->site->params.tc_engines; e++) {
      held += l->state.held[e] + (uint32_t)__builtin_popcount(l->state.covered[e]);
    }
    if (held == 0 && l->ring.count == 0) {
      continue;
    }
    text_format(text, ", cluster %u's coalescer holds %u stamps and raster tiles", c, held);
    const char *before = ", shades";
    for (uint32_t i = 0; i < t->live; i++) {
      if (l->live[i].used) {
        text_format(text, "%s (%u, %u)", before, l->live[i].x, l->live[i].y);
        before = "";
      }
    }
    if (l->ring.count) {
      const gpu_block_t *b = &t->pool->block[l->blocks[l->ring.head]];
      text_format(text, ", (%u, %u) waits before it", b->bx, b->by);
    }
  }
}

void gpu_tc_destroy(gpu_tc_t *t) { free(t); }

gpu_tc_t *gpu_tc_create(gpu_site_t *site, gpu_pool_t *pool, gpu_memory_t *memory,
                        const gpu_units_t *units, err_t *err) {
  gpu_tc_t *t = calloc(1, sizeof *t + site->clusters * sizeof *t->lanes);
  const gpu_params_t *p = &site->params;
  tile_coalescer_params_t unit = tile_coalescer_defaults();
  if (!t) {
    return NULL;
  }
  t->site = site;
  t->pool = pool;
  t->memory = memory;
  t->live = unit.live = p->tc_live;
  unit.engines = p->tc_engines;
  unit.bins = p->tc_bins;
  unit.wait = p->tc_wait;
  for (uint32_t c = 0; c < site->clusters; c++) {
    lane_t *l = &t->lanes[c];
    uint32_t instance = site->index * site->clusters + c;
    if (!units->tile_coalescer(units->context, &unit, instance, &l->unit, err)) {
      free(t);
      return NULL;
    }
    l->unit.reset(l->unit.self, &l->out);
  }
  return t;
}
