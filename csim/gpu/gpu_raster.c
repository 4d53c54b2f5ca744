// Raster: scans a triangle's bounding box in blocks of 8x8 pixels, stamp_rate stamps a
// cycle; 16x16 scan tiles without a pixel cost a cycle, tiles of other owners nothing
// but that. Clears and holds wait here until everything before them has left the ROP.
#include "gpu_internal.h"

static bool clear_or_hold(gpu_t *g, uint64_t now, uint64_t *next, const gpu_entry_t *e) {
  gpu_draw_t *d = &g->draws[e->draw % GpuDraws];
  if (!gpu_drained(g) || g->rop_free > now) {
    gpu_earliest(next, g->rop_free > now ? g->rop_free : UINT64_MAX);
    return false;
  }
  if (d->command.kind == GpuCommandHold) {
    if (!g->held) {
      if (!gpu_flush_touches(g)) {
        return false;
      }
      g->held = true;
      g->held_since = now;
      return true;
    }
    return false;  // until gpu_release
  }
  const frame_cmd_t *c = &g->frame->commands[d->command.command];
  render_clear(c, d->draw.color, d->draw.depth, d->owners, g->index);
  const frame_rect_t *box = &c->state.scissor;
  uint64_t pixels = (uint64_t)(box->x1 - box->x0) * (uint64_t)(box->y1 - box->y0);
  g->raster_free = now + 1 + pixels / g->params.clear_rate;
  return true;
}

static void pop_entry(gpu_t *g) {
  g->triangles.head = (g->triangles.head + 1) % GpuRing;
  g->triangles.count--;
}

static bool start_triangle(gpu_t *g, const gpu_entry_t *e) {
  raster_t *r = &g->rasters[g->raster_sequence % GpuTriangles];
  const gpu_draw_t *d = &g->draws[e->draw % GpuDraws];
  g->stats.triangles_rastered++;
  if (!raster_setup(r, g->frame, d->draw.state, &g->frame->triangles[e->triangle])) {
    return false;
  }
  g->bx = r->x0 >> 3;
  g->by = r->y0 >> 3;
  g->empty_blocks = 0;
  return true;
}

// Whether this GPU draws the tile of a block; if not, the scan moves to the tile's last
// block of this row.
static bool mine(const gpu_t *g, const gpu_draw_t *d, int32_t bx, int32_t by) {
  if (!d->owners) {
    return true;
  }
  const surface_t *s = d->draw.color ? d->draw.color : d->draw.depth;
  return d->owners[(uint32_t)(by >> 3) * s->tiles_x + (uint32_t)(bx >> 3)] == g->index;
}

bool gpu_raster_step(gpu_t *g, uint64_t now, uint64_t *next) {
  bool did = false;
  for (;;) {
    if (g->raster_free > now) {
      gpu_earliest(next, g->raster_free);
      return did;
    }
    if (g->triangles.count == 0 || g->held) {
      return did;
    }
    gpu_entry_t *e = &g->entries[g->triangles.head];
    if (e->ready > now) {
      gpu_earliest(next, e->ready);
      return did;
    }
    if (e->triangle == UINT32_MAX) {
      if (!clear_or_hold(g, now, next, e)) {
        return did;
      }
      did = true;
      if (g->held) {
        return did;
      }
      pop_entry(g);
      continue;
    }
    if (!g->raster_active) {
      if (g->raster_sequence - gpu_oldest_raster(g) >= GpuTriangles - 1) {
        return did;
      }
      did = true;
      if (!start_triangle(g, e)) {
        g->raster_free = now + 1;
        pop_entry(g);
        continue;
      }
      g->raster_active = true;
    }
    if (g->depth_queue.count >= g->params.depth_queue) {
      return did;
    }
    const raster_t *r = &g->rasters[g->raster_sequence % GpuTriangles];
    const gpu_draw_t *d = &g->draws[e->draw % GpuDraws];
    uint64_t mask = 0;
    int32_t bx = g->bx, by = g->by;
    if (mine(g, d, bx, by)) {
      mask = raster_coverage(r, bx, by);
      g->bx++;
    } else {
      g->bx = (bx | 7) + 1;
    }
    if (g->bx > (r->x1 - 1) >> 3) {
      g->bx = r->x0 >> 3;
      g->by++;
    }
    uint32_t cycles = 0;
    if (mask) {
      uint64_t any = mask | mask >> 1;
      any |= any >> 2;
      uint32_t stamps = (uint32_t)__builtin_popcountll(any & 0x1111111111111111u);
      cycles = (stamps + g->params.stamp_rate - 1) / g->params.stamp_rate;
      gpu_block_t *b = gpu_ring_push(g->to_depth, &g->depth_queue);
      *b = (gpu_block_t){.ready = now + cycles, .mask = mask, .triangle = g->raster_sequence,
                         .draw = e->draw, .bx = (uint16_t)bx, .by = (uint16_t)by};
      g->stats.blocks++;
      g->stats.stamps += stamps;
      g->stats.fragments += (uint64_t)__builtin_popcountll(mask);
    } else if (++g->empty_blocks % 4 == 0) {
      cycles = 1;
    }
    did = true;
    if (g->by > (r->y1 - 1) >> 3) {
      g->raster_active = false;
      g->raster_sequence++;
      pop_entry(g);
      cycles = cycles ? cycles : 1;
    }
    g->raster_free = now + cycles;
    g->stats.busy_raster += cycles;
  }
}
