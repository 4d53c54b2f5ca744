// SPDX-License-Identifier: Apache-2.0
#include "gpu_rop.h"

#include <stdlib.h>
#include <string.h>

enum {
  Touches = 256,  // places; gpu_params_t.touch_queue are used, and those of a flush
  Combine = 64,   // blocks whose touches are gathered
};

struct gpu_touches {
  gpu_touch_t combining[Combine];
  gpu_touch_t touches[Touches];
  gpu_ring_t ring;
};

struct gpu_rop {
  gpu_site_t *site;
  uint32_t front;
  gpu_pool_t *pool;
  const gpu_memory_t *memory;
  gpu_touches_t *touches;
  uint64_t free;  // cycle
};

static void push_touch(gpu_touches_t *all, gpu_touch_t *t) {
  all->touches[gpu_ring_push(&all->ring, Touches)] = *t;
  t->stamps = 0;
}

bool gpu_touches_flush(gpu_touches_t *all) {
  for (uint32_t i = 0; i < Combine; i++) {
    if (all->combining[i].stamps) {
      if (all->ring.count >= Touches - 1) {
        return false;
      }
      push_touch(all, &all->combining[i]);
    }
  }
  return true;
}

const gpu_touch_t *gpu_touches_first(const gpu_touches_t *all) {
  return all->ring.count ? &all->touches[all->ring.head] : NULL;
}

void gpu_touches_pop(gpu_touches_t *all) { gpu_ring_pop(&all->ring, Touches); }

gpu_touches_t *gpu_touches_create(void) { return calloc(1, sizeof(gpu_touches_t)); }

static void touch(gpu_touches_t *all, const gpu_block_t *b, uint64_t mask) {
  gpu_touch_t *t = &all->combining[(b->bx ^ b->by * 9u) % Combine];
  if (t->stamps && (t->block_x != b->bx || t->block_y != b->by)) {
    push_touch(all, t);
  }
  t->block_x = b->bx;
  t->block_y = b->by;
  t->stamps |= lanes_stamps(mask);
}

// Finds the oldest block that the ROP may take, of those that are their cluster's first. NULL: none
// is ready, and *next knows when one is, as far as it is known.
static gpu_cluster_t *ready_cluster(gpu_rop_t *r, uint64_t now, uint64_t *next) {
  gpu_pool_t *p = r->pool;
  gpu_cluster_t *oldest = NULL;
  uint32_t order = 0;
  for (uint32_t i = gpu_first_cluster(r->site, r->front); i < gpu_end_cluster(r->site, r->front);
       i++) {
    gpu_cluster_t *c = &p->cluster[i];
    if (c->ring.count == 0) {
      continue;
    }
    uint32_t slot = gpu_pool_first(c);
    const gpu_block_t *b = &p->block[slot];
    uint64_t start = cycle_later(b->ready, r->free);
    if (start > now) {
      cycle_earliest(next, start);
    } else if (!gpu_memory_waits(r->memory, GpuWaitsRop + slot) && !p->samples[slot] &&
               (!oldest || (int32_t)(b->order - order) < 0)) {
      oldest = c;  // the others wait for responses
      order = b->order;
    }
  }
  return oldest;
}

static void step(void *self, uint64_t now, uint64_t *next) {
  gpu_rop_t *r = self;
  const gpu_params_t *p = &r->site->params;
  gpu_cluster_t *c;
  while ((c = ready_cluster(r, now, next))) {
    if (r->touches->ring.count >= p->touch_queue) {
      return;  // until the distribution unit takes one
    }
    uint32_t slot = gpu_pool_first(c);
    const gpu_block_t *b = &r->pool->block[slot];
    const gpu_draw_t *d = b->draw;
    uint64_t written =
        render_write(&d->draw, b->raster, b->bx, b->by, b->mask, r->pool->colors[slot]);
    uint32_t stamps = d->colors || d->late ? lanes_stamp_count(b->mask | b->retained) : 0;
    uint32_t cycles = gpu_stamp_cycles(stamps, p->rop_stamps);
    r->free = now + cycles;
    gpu_note_end(d, r->free);
    r->site->stats.busy_rop += cycles;
    r->site->stats.fragment_cycles =
        cycle_later(r->site->stats.fragment_cycles, r->free + 1 - r->site->stats.first_block);
    r->site->stats.fragments_written += (uint64_t)__builtin_popcountll(written);
    if (d->command.compose && written) {
      touch(r->touches, b, written);
    }
    if (gpu_guarded(r->site, b) < GpuGuardPlaces) {
      r->site->guard->in_flight[gpu_guarded(r->site, b)]--;
    }
    c->late -= d->late;
    c->stamps -= b->stamps;
    gpu_pool_pop(r->pool, c);
  }
}

uint64_t gpu_rop_compose(gpu_rop_t *r, uint64_t now, uint32_t command) {
  uint64_t cycles = 0;
  if (command != UINT32_MAX) {
    const frame_state_t *s = &r->site->frame->commands[command].state;
    surface_t *t = &r->site->targets[s->color_target];
    uint32_t tiles = t->tiles_x * t->tiles_y, pixels = 0;
    const uint8_t *owners = r->site->target_owners[s->color_target];
    for (uint32_t i = 0; i < tiles && t->subimage; i++) {
      if (!owners || owners[i] == r->site->index) {
        pixels += render_background(s, t, i);
      }
    }
    if (t->subimage) {
      memset(t->subimage_written, 0,
             (size_t)tiles * SurfaceBlocksPerTile * sizeof *t->subimage_written);
    }
    cycles = pixels / (4 * r->site->params.rop_stamps * r->site->fronts);
    r->site->stats.color_bytes += 8ull * pixels;
  }
  return r->free = now + cycles;
}

static bool busy(const void *self, uint64_t now) { return ((const gpu_rop_t *)self)->free > now; }

static bool empty(const void *self) { return gpu_pool_empty(((const gpu_rop_t *)self)->pool); }

uint64_t gpu_rop_done(const gpu_rop_t *r) { return r->free; }

static uint64_t done(const void *self) { return gpu_rop_done(self); }

static void describe(const void *self, text_t *text) {
  const gpu_rop_t *r = self;
  uint32_t blocks = 0;
  for (uint32_t i = gpu_first_cluster(r->site, r->front); i < gpu_end_cluster(r->site, r->front);
       i++) {
    blocks += r->pool->cluster[i].ring.count;
  }
  text_format(text, ", %u before ROP, %u touches", blocks, r->touches->ring.count);
}

gpu_rop_t *gpu_rop_create(gpu_part_t *part, gpu_site_t *site, uint32_t front, gpu_pool_t *pool,
                          gpu_memory_t *memory, gpu_touches_t *touches) {
  gpu_rop_t *r = calloc(1, sizeof *r);
  *part = (gpu_part_t){r, step, busy, empty, done, describe, free};
  if (r) {
    r->site = site;
    r->front = front;
    r->pool = pool;
    r->memory = memory;
    r->touches = touches;
  }
  return r;
}
