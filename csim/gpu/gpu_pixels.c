// Early depth, shading and ROP: in order, a block at a time.
#include <string.h>

#include "gpu_internal.h"

enum { BlockBytes = 256, TextureLine = 64 };

static uint32_t stamps_of(uint64_t mask) {
  uint64_t any = mask | mask >> 1;
  any |= any >> 2;
  return (uint32_t)__builtin_popcountll(any & 0x1111111111111111u);
}

// Brings a block's line into a cache; returns the cycle at which it is there.
static uint64_t cache_line(gpu_t *g, gpu_cache_t *c, uint64_t now, uint64_t line, bool write,
                           uint64_t *traffic) {
  uint32_t set = (uint32_t)(line ^ line >> 5) % GpuCacheSets;
  uint64_t *tags = c->tag[set];
  bool *dirty = c->dirty[set];
  uint32_t way = 0;
  while (way < GpuCacheWays - 1 && tags[way] != line + 1) {
    way++;
  }
  bool hit = tags[way] == line + 1, was_dirty = dirty[way];
  uint64_t ready = now;
  if (!hit) {
    if (tags[way] && was_dirty) {
      *traffic += BlockBytes;
      dram_access(&g->dram, now, (tags[way] - 1) * BlockBytes, BlockBytes);
    }
    *traffic += BlockBytes;
    ready = dram_access(&g->dram, now, line * BlockBytes, BlockBytes);
    was_dirty = false;
  }
  for (; way > 0; way--) {
    tags[way] = tags[way - 1];
    dirty[way] = dirty[way - 1];
  }
  tags[0] = line + 1;
  dirty[0] = was_dirty || write;
  return ready;
}

static uint64_t line_of(const surface_t *s, uint64_t surface, uint32_t bx, uint32_t by) {
  return surface << 32 | surface_index(s->tiles_x, bx * 8, by * 8) / SurfaceBlockPixels;
}

static bool uses_depth(const frame_state_t *s) { return s->depth_test || s->stencil_test; }

bool gpu_depth_step(gpu_t *g, uint64_t now, uint64_t *next) {
  bool did = false;
  while (g->depth_queue.count > 0) {
    gpu_block_t *b = &g->to_depth[g->depth_queue.head];
    uint64_t start = b->ready > g->depth_free ? b->ready : g->depth_free;
    if (start > now) {
      gpu_earliest(next, start);
      return did;
    }
    if (g->shading_queue.count >= g->params.shading_queue) {
      return did;
    }
    const gpu_draw_t *d = &g->draws[b->draw % GpuDraws];
    // Depth that a discarding draw will write late must be there before it is tested.
    if (!d->late && g->late_in_flight > 0 && d->draw.depth && uses_depth(d->draw.state)) {
      return did;
    }
    uint64_t mask = b->mask, ready = now;
    uint32_t cycles = (stamps_of(mask) + g->params.stamp_rate - 1) / g->params.stamp_rate;
    if (!d->late && d->draw.depth && uses_depth(d->draw.state)) {
      uint64_t line = line_of(d->draw.depth, 0x100 + d->draw.state->depth_buffer, b->bx, b->by);
      ready = cache_line(g, &g->depth_cache, now, line, d->draw.state->depth_write,
                         &g->stats.depth_bytes);
      mask = render_depth(&d->draw, &g->rasters[b->triangle % GpuTriangles], b->bx, b->by, mask);
    }
    g->depth_free = now + cycles;
    g->stats.busy_depth += cycles;
    g->stats.fragments_early_passed += (uint64_t)__builtin_popcountll(mask);
    if (mask) {
      g->late_in_flight += d->late;
      gpu_block_t *to = gpu_ring_push(g->to_shading, &g->shading_queue);
      *to = *b;
      to->mask = mask;
      to->ready = ready > g->depth_free ? ready : g->depth_free;
    }
    gpu_ring_pop(&g->depth_queue);
    did = true;
  }
  return did;
}

static uint64_t read_textures(gpu_t *g, uint64_t now, const render_shaded_t *s) {
  uint64_t last = now;
  for (uint32_t i = 0; i < s->line_count; i++) {
    uint64_t line = s->lines[i], hash = line * 0x9e3779b97f4a7c15u >> 40;
    uint64_t *tag = &g->texture_tags[hash % g->params.texture_lines];
    if (*tag != line + 1) {
      *tag = line + 1;
      g->stats.texture_bytes += TextureLine;
      uint64_t done = dram_access(&g->dram, now, (line << 6) ^ (1ull << 62), TextureLine);
      last = done > last ? done : last;
    }
  }
  return last;
}

bool gpu_shading_step(gpu_t *g, uint64_t now, uint64_t *next) {
  bool did = false;
  while (g->shading_queue.count > 0) {
    gpu_block_t *b = &g->to_shading[g->shading_queue.head];
    if (b->ready > now) {
      gpu_earliest(next, b->ready);
      return did;
    }
    if (g->rop_queue.count >= g->params.in_flight) {
      return did;
    }
    uint32_t sm = 0;
    for (uint32_t i = 1; i < g->params.sms; i++) {
      sm = g->sm_free[i] < g->sm_free[sm] ? i : sm;
    }
    if (g->sm_free[sm] > now) {
      gpu_earliest(next, g->sm_free[sm]);
      return did;
    }
    const gpu_draw_t *d = &g->draws[b->draw % GpuDraws];
    const frame_cmd_t *c = &g->frame->commands[d->command.command];
    gpu_block_t *to = gpu_ring_push(g->to_rop, &g->rop_queue);
    *to = *b;
    to->colors = g->color_slot++ % GpuRing;
    render_shaded_t shaded;
    to->mask = render_shade(&d->draw, &g->rasters[b->triangle % GpuTriangles], b->bx, b->by,
                            b->mask, g->colors[to->colors], &shaded);
    uint32_t stamps = stamps_of(b->mask);
    uint32_t warps = (4 * stamps + g->params.lanes - 1) / g->params.lanes;
    uint32_t textures = 0;
    for (uint32_t k = 0; k < FrameMaxTextures; k++) {
      textures += d->draw.state->stages[k].texture != FrameNone;
    }
    bool runs = shaded.probes > 0 || (d->draw.color && d->draw.state->color_mask);
    uint64_t issue = runs ? (uint64_t)warps * c->fragment_length : 0;
    uint64_t sampling = runs ? (uint64_t)stamps * textures * g->params.texture_cycles : 0;
    uint64_t busy = issue > sampling ? issue : sampling;
    uint64_t filled = read_textures(g, now, &shaded);
    g->sm_free[sm] = now + busy;
    to->ready = now + busy + (runs ? g->params.shading_latency : 0);
    to->ready = filled > to->ready ? filled : to->ready;
    g->stats.busy_shading += busy;
    g->stats.warps += warps;
    g->stats.texture_requests += shaded.probes;
    g->stats.fragments_shaded += (uint64_t)__builtin_popcountll(b->mask);
    g->stats.fragments_discarded +=
        (uint64_t)__builtin_popcountll(b->mask) - (uint64_t)__builtin_popcountll(to->mask);
    gpu_ring_pop(&g->shading_queue);
    did = true;
  }
  return did;
}

static void push_touch(gpu_t *g, const gpu_touch_t *t) {
  g->touches[(g->touch_queue.head + g->touch_queue.count++) % GpuTouches] = *t;
}

bool gpu_flush_touches(gpu_t *g) {
  for (uint32_t i = 0; i < GpuCombine; i++) {
    if (g->combining[i].stamps) {
      if (g->touch_queue.count >= GpuTouches - 1) {
        return false;
      }
      push_touch(g, &g->combining[i]);
      g->combining[i].stamps = 0;
    }
  }
  return true;
}

static void touch(gpu_t *g, const gpu_block_t *b, uint64_t mask) {
  uint64_t any = mask | mask >> 1;
  any |= any >> 2;
  uint16_t stamps = 0;
  for (uint32_t i = 0; i < 16; i++) {
    stamps |= (uint16_t)((any >> (4 * i) & 1) << i);
  }
  gpu_touch_t *t = &g->combining[(b->bx ^ b->by * 9u) % GpuCombine];
  if (t->stamps && (t->block_x != b->bx || t->block_y != b->by)) {
    push_touch(g, t);
    t->stamps = 0;
  }
  t->block_x = b->bx;
  t->block_y = b->by;
  t->stamps |= stamps;
}

bool gpu_rop_step(gpu_t *g, uint64_t now, uint64_t *next) {
  bool did = false;
  while (g->rop_queue.count > 0) {
    gpu_block_t *b = &g->to_rop[g->rop_queue.head];
    uint64_t start = b->ready > g->rop_free ? b->ready : g->rop_free;
    if (start > now) {
      gpu_earliest(next, start);
      return did;
    }
    if (g->touch_queue.count >= g->params.touch_queue) {
      return did;  // until the distribution unit takes one
    }
    const gpu_draw_t *d = &g->draws[b->draw % GpuDraws];
    const frame_state_t *s = d->draw.state;
    uint64_t ready = now;
    if (d->late && d->draw.depth && uses_depth(s)) {
      uint64_t line = line_of(d->draw.depth, 0x100 + s->depth_buffer, b->bx, b->by);
      ready = cache_line(g, &g->depth_cache, now, line, s->depth_write, &g->stats.depth_bytes);
    }
    uint64_t written = render_write(&d->draw, &g->rasters[b->triangle % GpuTriangles], b->bx,
                                    b->by, b->mask, g->colors[b->colors]);
    if (written && d->draw.color && s->color_mask) {
      uint64_t line = line_of(d->draw.color, s->color_target, b->bx, b->by);
      cache_line(g, &g->color_cache, now, line, true, &g->stats.color_bytes);
    }
    uint32_t cycles = (stamps_of(b->mask) + g->params.stamp_rate - 1) / g->params.stamp_rate;
    g->rop_free = (ready > now ? ready : now) + cycles;
    g->stats.busy_rop += cycles;
    g->stats.fragments_written += (uint64_t)__builtin_popcountll(written);
    if (d->command.compose && written) {
      touch(g, b, written);
    }
    g->late_in_flight -= d->late;
    gpu_ring_pop(&g->rop_queue);
    did = true;
  }
  return did;
}
