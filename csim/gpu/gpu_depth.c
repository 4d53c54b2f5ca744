// SPDX-License-Identifier: Apache-2.0
#include "gpu_depth.h"

#include <stdlib.h>

#include "../base/rng.h"
#include "depth.h"
#include "gpu_dispatch.h"

struct gpu_depth {
  gpu_site_t *site;
  gpu_pool_t *pool;
  gpu_memory_t *memory;
  gpu_shading_t *shading;
  rng_t retain;
  uint64_t free;  // cycle
  gpu_queue_t queue;
  bool asked;           // the look of the first block is on its way, or answered
  uint64_t waits_from;  // cycle; 0: it does not wait
};

bool gpu_depth_full(const gpu_depth_t *d) {
  return d->queue.ring.count >= d->site->params.depth_queue;
}

gpu_block_t *gpu_depth_push(gpu_depth_t *d) { return gpu_queue_push(&d->queue); }

bool gpu_depth_drained(const gpu_depth_t *d) {
  return d->queue.ring.count == 0 && gpu_shading_drained(d->shading);
}

const gpu_block_t *gpu_depth_oldest(const gpu_depth_t *d) {
  const gpu_queue_t *q = &d->queue;
  return gpu_block_older(gpu_shading_oldest(d->shading),
                         q->ring.count ? &q->block[q->ring.head] : NULL);
}

uint64_t gpu_depth_done(const gpu_depth_t *d) { return d->free; }

// Picks some of the culled pixels at random.
static uint64_t retained_of(gpu_depth_t *d, uint64_t culled) {
  uint32_t permille = d->site->params.retain;
  uint64_t retained = 0;
  for (uint64_t rest = permille ? culled : 0; rest; rest &= rest - 1) {
    retained |= rng_chance(&d->retain, permille) ? rest & -rest : 0;
  }
  d->site->stats.fragments_retained += (uint64_t)__builtin_popcountll(retained);
  return retained;
}

// ---- Shared coarse depth

static size_t block_of(const gpu_block_t *b) {
  return surface_index(b->draw->draw.depth->tiles_x, b->bx * 8u, b->by * 8u) / SurfaceBlockPixels;
}

// Tells if what others know hides pixels of the draw: its depth goes nearer, and the block is in
// the tables.
static bool shares(const gpu_depth_t *d, const gpu_draw_t *draw) {
  const frame_state_t *s = draw->draw.state;
  const surface_t *depth = draw->draw.depth;
  return d->site->coarse && depth && draw->tests && draw->command.coarse_base && s->depth_test &&
         (s->depth_func == FrameFuncLess || s->depth_func == FrameFuncLessEqual) &&
         depth->tiles_x * depth->tiles_y * SurfaceBlocksPerTile <= d->site->coarse->most_blocks;
}

// Asks for the first block, as soon as it is the first and no other front asks. Returns true when
// the answer is there.
static bool look(gpu_depth_t *d, const gpu_block_t *b) {
  gpu_coarse_t *c = d->site->coarse;
  if (!d->asked && c->asker) {
    return false;
  }
  if (!d->asked) {
    const surface_t *depth = b->draw->draw.depth;
    c->wanted = true;
    c->seen = false;
    c->base = b->draw->command.coarse_base;
    c->blocks = depth->tiles_x * depth->tiles_y * SurfaceBlocksPerTile;
    c->block = (uint16_t)block_of(b);
    d->asked = true;
    c->asker = d;
  }
  return c->seen;
}

static void hide(gpu_depth_t *d, gpu_block_t *b) {
  const uint64_t left = depth_within(b->raster, b->bx, b->by, b->mask, d->site->coarse->depth);
  d->site->coarse->hidden += (uint64_t)__builtin_popcountll(b->mask & ~left);
  b->mask = left;
  d->asked = false;
  d->site->coarse->asker = NULL;
}

// Tells the farthest depth of the block, which was just written.
static void tell(gpu_depth_t *d, const gpu_block_t *b) {
  gpu_coarse_t *c = d->site->coarse;
  const surface_t *depth = b->draw->draw.depth;
  const size_t block = block_of(b);
  if (c->count == GpuCoarseTells) {
    c->untold++;
    return;
  }
  gpu_coarse_tell_t *t = &c->tells[(c->head + c->count) % GpuCoarseTells];
  *t = (gpu_coarse_tell_t){b->draw->command.coarse_base, (uint16_t)block,
                           surface_farthest(depth, block)};
  c->count++;
}

// ---- Tests

// Tests a block and hands on what is left of it.
static void test(gpu_depth_t *d, uint64_t now, uint64_t *next, gpu_block_t *b, bool early,
                 bool sharing) {
  gpu_stats_t *stats = &d->site->stats;
  uint64_t ready = now, covered = b->mask;
  uint32_t cycles = 1;
  // Another front may ask then.
  cycle_earliest(next, sharing && d->site->fronts > 1 ? now + 1 : GPU_NEVER);
  if (early) {
    if (sharing) {
      hide(d, b);
    }
    cycles = gpu_stamp_cycles(lanes_stamp_count(covered), d->site->params.depth_stamps);
    b->mask = render_depth(&b->draw->draw, b->raster, b->bx, b->by, b->mask);
    if (sharing && b->mask) {
      tell(d, b);
    }
    stats->fragments_early_passed += (uint64_t)__builtin_popcountll(b->mask);
    b->retained = retained_of(d, covered & ~b->mask);
    uint32_t waiter = b->mask | b->retained ? gpu_shading_place(d->shading) : GpuWaitsNone;
    ready = gpu_memory_depth(d->memory, now, b, covered, waiter);
  } else if (sharing) {
    hide(d, b);
  }
  d->free = now + cycles;
  stats->busy_depth += cycles;
  gpu_note_end(b->draw, d->free);
  if ((b->mask | b->retained) && gpu_guarded(d->site, b) < GpuGuardPlaces) {
    d->site->guard->in_flight[gpu_guarded(d->site, b)]++;
  }
  if (b->mask | b->retained) {
    b->ready = cycle_later(ready, d->free);
    d->pool->cluster[b->cluster].late += b->draw->late;
    gpu_shading_push(d->shading, b, next);
  }
}

// Tells if a merge of the block is under way; its end is known.
static bool is_merged(gpu_depth_t *d, const gpu_block_t *b, uint64_t now, uint64_t *next) {
  const uint32_t place = gpu_guarded(d->site, b);
  const uint64_t until =
      place < GpuGuardPlaces ? d->site->guard->locked_until[GpuGuardEarly][place] : 0;
  if (until <= now) {
    return false;
  }
  cycle_earliest(next, until);
  return true;
}

static void step(void *self, uint64_t now, uint64_t *next) {
  gpu_depth_t *d = self;
  while (d->queue.ring.count > 0) {
    gpu_block_t *b = gpu_queue_first(&d->queue);
    const bool sharing = shares(d, b->draw);
    const bool seen = !sharing || look(d, b);
    uint64_t start = cycle_later(b->ready, d->free);
    if (start > now) {
      cycle_earliest(next, start);
      return;
    }
    if (!seen) {
      d->waits_from = d->waits_from ? d->waits_from : now;
      return;
    }
    if (is_merged(d, b, now, next)) {
      return;
    }
    if (d->waits_from) {
      d->site->coarse->waits += now - d->waits_from;
      d->waits_from = 0;
    }
    bool early = b->draw->tests && !b->draw->late;
    b->cluster = (uint8_t)gpu_dispatch_cluster(d->site, b->bx, b->by);
    // An early test waits for depth that a discarding draw will write late.
    if (!gpu_shading_room(d->shading) || (early && d->pool->cluster[b->cluster].late > 0) ||
        gpu_memory_full(d->memory)) {
      return;
    }
    test(d, now, next, b, early, sharing);
    gpu_ring_pop(&d->queue.ring, GpuQueue);
  }
}

static bool busy(const void *self, uint64_t now) {
  const gpu_depth_t *d = self;
  return d->free > now || gpu_queue_comes(&d->queue, now);
}

static bool empty(const void *self) { return ((const gpu_depth_t *)self)->queue.ring.count == 0; }

static uint64_t done(const void *self) { return gpu_depth_done(self); }

static void describe(const void *self, text_t *text) {
  text_format(text, ", blocks: %u before depth", ((const gpu_depth_t *)self)->queue.ring.count);
}

gpu_depth_t *gpu_depth_create(gpu_part_t *part, gpu_site_t *site, uint32_t front, gpu_pool_t *pool,
                              gpu_memory_t *memory, gpu_shading_t *shading) {
  gpu_depth_t *d = calloc(1, sizeof *d);
  *part = (gpu_part_t){d, step, busy, empty, done, describe, free};
  if (d) {
    d->site = site;
    d->pool = pool;
    d->memory = memory;
    d->shading = shading;
    rng_seed(&d->retain, site->index + ((uint64_t)front << 32));
  }
  return d;
}
