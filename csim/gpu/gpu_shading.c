// SPDX-License-Identifier: Apache-2.0
#include "gpu_shading.h"

#include <stdlib.h>

struct gpu_shading {
  gpu_site_t *site;
  uint32_t front;
  gpu_pool_t *pool;
  gpu_memory_t *memory;
  gpu_sms_t sms;
  uint64_t free;  // cycle
  gpu_queue_t queue;
};

bool gpu_shading_room(const gpu_shading_t *s) {
  return s->queue.ring.count < s->site->params.shading_queue;
}

uint32_t gpu_shading_place(const gpu_shading_t *s) {
  return s->front * GpuQueue + (s->queue.ring.head + s->queue.ring.count) % GpuQueue;
}

void gpu_shading_push(gpu_shading_t *s, const gpu_block_t *b, uint64_t *next) {
  *gpu_queue_push(&s->queue) = *b;
  cycle_earliest(next, s->queue.ring.count == 1 ? b->ready : GPU_NEVER);
}

bool gpu_shading_full(const gpu_shading_t *s) {
  for (uint32_t c = gpu_first_cluster(s->site, s->front); c < gpu_end_cluster(s->site, s->front);
       c++) {
    if (!s->sms.room(s->sms.self, c)) {
      return true;
    }
  }
  return false;
}

bool gpu_shading_drained(const gpu_shading_t *s) {
  return s->queue.ring.count == 0 && gpu_pool_empty(s->pool);
}

const gpu_block_t *gpu_shading_oldest(const gpu_shading_t *s) {
  const gpu_queue_t *q = &s->queue;
  return gpu_block_older(s->pool->oldest, q->ring.count ? &q->block[q->ring.head] : NULL);
}

// Puts a block into the pool, runs its program and fetches what the ROP needs.
static void shade(gpu_shading_t *s, uint64_t now, uint64_t *next, const gpu_block_t *b) {
  const gpu_draw_t *d = b->draw;
  uint32_t slot = gpu_pool_push(s->pool, b);
  gpu_block_t *to = &s->pool->block[slot];
  gpu_cluster_t *c = &s->pool->cluster[b->cluster];
  uint64_t fetched = now + 1;
  to->stamps = 0;
  to->ready = now + 1;
  if (d->runs) {
    uint32_t fragments = (uint32_t)__builtin_popcountll(b->mask | b->retained);
    s->site->stats.fragments_shaded += fragments;
    d->cost->fragments_shaded += fragments;
    s->sms.run(s->sms.self, now, slot, next);
    c->stamps += to->stamps;
  }
  if (d->late) {
    uint64_t ready =
        gpu_memory_depth(s->memory, now, to, b->mask | b->retained, GpuWaitsRop + slot);
    fetched = cycle_later(fetched, ready);
  }
  if (d->colors && (to->mask | to->retained)) {
    uint64_t ready =
        gpu_memory_color(s->memory, now, to, to->mask | to->retained, GpuWaitsRop + slot);
    fetched = cycle_later(fetched, ready);
  }
  s->pool->fetched[slot] = fetched;
  to->ready = cycle_later(to->ready, fetched);
  cycle_earliest(next, c->ring.count == 1 ? to->ready : GPU_NEVER);
}

static void step(void *self, uint64_t now, uint64_t *next) {
  gpu_shading_t *s = self;
  while (s->queue.ring.count > 0) {
    const gpu_block_t *b = gpu_queue_first(&s->queue);
    uint64_t start = cycle_later(b->ready, s->free);
    if (start > now) {
      cycle_earliest(next, start);
      return;
    }
    if (!s->sms.room(s->sms.self, b->cluster) || gpu_pool_full(s->pool, b->cluster) ||
        gpu_memory_waits(s->memory, s->front * GpuQueue + s->queue.ring.head) ||
        gpu_memory_full(s->memory)) {
      return;
    }
    uint32_t stamps = lanes_stamp_count(b->mask | b->retained);
    shade(s, now, next, b);
    s->free = now + gpu_stamp_cycles(stamps, s->site->params.shading_stamps);
    gpu_ring_pop(&s->queue.ring, GpuQueue);
  }
}

static bool busy(const void *self, uint64_t now) {
  const gpu_shading_t *s = self;
  return s->free > now || gpu_queue_comes(&s->queue, now);
}

static bool empty(const void *self) { return ((const gpu_shading_t *)self)->queue.ring.count == 0; }

static void describe(const void *self, text_t *text) {
  text_format(text, ", %u before shading", ((const gpu_shading_t *)self)->queue.ring.count);
}

gpu_shading_t *gpu_shading_create(gpu_part_t *part, gpu_site_t *site, uint32_t front,
                                  gpu_pool_t *pool, gpu_memory_t *memory, gpu_sms_t sms) {
  gpu_shading_t *s = calloc(1, sizeof *s);
  *part = (gpu_part_t){s, step, busy, empty, NULL, describe, free};
  if (s) {
    s->site = site;
    s->front = front;
    s->pool = pool;
    s->memory = memory;
    s->sms = sms;
  }
  return s;
}
