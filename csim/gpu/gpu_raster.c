// SPDX-License-Identifier: Apache-2.0
// Raster: walks a triangle's bounding box in tiles of 64x64 pixels, in them in scan
// tiles of 16x16, in them in blocks of 8x8. A tile of another owner, a tile or scan tile
// that the triangle misses costs a cycle each; a covered block its stamps at
// raster_stamps a cycle. Clears and holds wait here until all before them has left the ROP.
// gpu.raster_order pairs (the G80 study, E1): rows of scan tiles in twos, column by column; in a
// scan tile halves of blocks of 8x4, left and right, row by row. The tiles that may be passed over
// are then of 32x32, 2x2 scan tiles.
#include "gpu_internal.h"

enum {
  TileBlocks = SurfaceTile / SurfaceBlock, ScanBlocks = 2, ScanPixels = 16,
  PairBlocks = 2 * ScanBlocks, HalfBlocks = 8,
};

static bool drained(const gpu_t *g, uint64_t now, uint64_t *next) {
  if (!gpu_drained(g)) {
    return false;  // the ROP's last block brings us here again
  }
  if (g->rop_free > now || g->depth_free > now) {
    cycle_earliest(next, cycle_later(g->rop_free, g->depth_free));
    return false;
  }
  return true;
}

// True when the entry is done with.
static bool clear_or_hold(gpu_t *g, uint64_t now, uint64_t *next, const gpu_entry_t *e) {
  gpu_draw_t *d = &g->draws[e->draw % GpuDraws];
  if (g->clearing) {
    g->clearing = false;
    g->stopped_until = now;
    return true;
  }
  if (!drained(g, now, next)) {
    return false;
  }
  if (d->command.kind == GpuCommandHold) {
    if (gpu_flush_touches(g)) {
      g->held = true;
      g->held_since = now;
    } else {
      cycle_earliest(next, now + 1);
    }
    return false;  // until gpu_release
  }
  const frame_cmd_t *c = &g->frame->commands[d->command.command];
  render_clear(c, d->draw.color, d->draw.depth, d->owners, g->index);
  const frame_rect_t *box = &c->state.scissor;
  uint64_t pixels = (uint64_t)(box->x1 - box->x0) * (uint64_t)(box->y1 - box->y0);
  g->raster_free = now + 1 + pixels / g->params.clear_rate;
  g->clearing = true;
  return false;
}

static bool start_triangle(gpu_t *g, const gpu_entry_t *e) {
  raster_t *r = gpu_raster(g, g->raster_sequence);
  const gpu_draw_t *d = &g->draws[e->draw % GpuDraws];
  g->stats.triangles_rastered++;
  if (!raster_setup(r, g->frame, d->draw.state, &g->frame->triangles[e->triangle])) {
    return false;
  }
  gpu_walk_t *w = &g->walk;
  *w = (gpu_walk_t){.x0 = r->x0 >> 3, .y0 = r->y0 >> 3, .x1 = (r->x1 - 1) >> 3,
                    .y1 = (r->y1 - 1) >> 3,
                    .side = g->params.raster_order == GpuRasterPairs ? PairBlocks : TileBlocks};
  w->tile_x = w->x0 & ~(w->side - 1);
  w->tile_y = w->y0 & ~(w->side - 1);
  return true;
}

static bool mine(const gpu_t *g, const gpu_draw_t *d, int32_t bx, int32_t by) {
  if (!d->owners.owner) {
    return true;
  }
  uint32_t x = (uint32_t)(bx / TileBlocks), y = (uint32_t)(by / TileBlocks);
  return d->owners.owner[y * d->owners.tiles_x + x] == g->index;
}

static int32_t most(int32_t a, int32_t b) { return a > b ? a : b; }
static int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }

static void next_tile(gpu_walk_t *w) {
  w->in_tile = false;
  w->tile_x += w->side;
  if (w->tile_x > w->x1) {
    w->tile_x = w->x0 & ~(w->side - 1);
    w->tile_y += w->side;
  }
}

static int32_t first_scan(int32_t bound, int32_t tile) {
  return most(bound, tile) & ~(ScanBlocks - 1);
}

static void next_scan(gpu_walk_t *w) {
  int32_t end_x = least(w->x1, w->tile_x + w->side - 1);
  int32_t end_y = least(w->y1, w->tile_y + w->side - 1);
  w->in_scan = false;
  if (w->side == PairBlocks) {
    w->scan_y += ScanBlocks;
    if (w->scan_y > end_y) {
      w->scan_y = first_scan(w->y0, w->tile_y);
      w->scan_x += ScanBlocks;
    }
  } else {
    w->scan_x += ScanBlocks;
    if (w->scan_x > end_x) {
      w->scan_x = first_scan(w->x0, w->tile_x);
      w->scan_y += ScanBlocks;
    }
  }
  if (w->scan_x > end_x || w->scan_y > end_y) {
    next_tile(w);
  }
}

// The next covered block of the scan tile. False: none is left.
static bool next_in_scan(gpu_t *g, const raster_t *r, gpu_walk_t *w) {
  while (w->y <= least(w->y1, w->scan_y + ScanBlocks - 1)) {
    int32_t x = w->x++, y = w->y;
    if (w->x > least(w->x1, w->scan_x + ScanBlocks - 1)) {
      w->x = most(w->x0, w->scan_x);
      w->y++;
    }
    g->found_mask = raster_coverage(r, x, y);
    if (g->found_mask) {
      g->found_x = x;
      g->found_y = y;
      return true;
    }
  }
  return false;
}

// The same by halves.
static bool next_half(gpu_t *g, const raster_t *r, gpu_walk_t *w) {
  while (w->half < HalfBlocks) {
    uint32_t i = w->half++, column = i & 1, lower = i >> 1 & 1;
    int32_t x = w->scan_x + (int32_t)column, y = w->scan_y + (int32_t)(i >> 2);
    if (!lower) {
      bool inside = x >= w->x0 && x <= w->x1 && y >= w->y0 && y <= w->y1;
      w->covered[column] = inside ? raster_coverage(r, x, y) : 0;
    }
    g->found_mask = w->covered[column] & 0xffffffffull << 32 * lower;
    if (g->found_mask) {
      g->found_x = x;
      g->found_y = y;
      return true;
    }
  }
  return false;
}

// The next covered block or half block of the triangle, and the cycles spent on what lies before
// it. False: none is left.
static bool next_block(gpu_t *g, const gpu_draw_t *d, uint32_t *cycles) {
  const raster_t *r = gpu_raster(g, g->raster_sequence);
  gpu_walk_t *w = &g->walk;
  while (w->tile_y <= w->y1) {
    if (!w->in_tile) {
      if (!mine(g, d, w->tile_x, w->tile_y) ||
          !raster_may_touch(r, w->tile_x * SurfaceBlock, w->tile_y * SurfaceBlock,
                            w->side * SurfaceBlock)) {
        *cycles += 1;
        next_tile(w);
        continue;
      }
      w->in_tile = true;
      w->scan_x = first_scan(w->x0, w->tile_x);
      w->scan_y = first_scan(w->y0, w->tile_y);
    }
    if (!w->in_scan) {
      if (!raster_may_touch(r, w->scan_x * SurfaceBlock, w->scan_y * SurfaceBlock, ScanPixels)) {
        *cycles += 1;
        next_scan(w);
        continue;
      }
      w->in_scan = true;
      w->any = false;
      w->x = most(w->x0, w->scan_x);
      w->y = most(w->y0, w->scan_y);
      w->half = 0;
    }
    if (w->side == PairBlocks ? next_half(g, r, w) : next_in_scan(g, r, w)) {
      w->any = true;
      return true;
    }
    *cycles += !w->any;
    next_scan(w);
  }
  return false;
}

// Looks for the next block; it or the triangle's end is due after the cycles it took.
static void seek(gpu_t *g, uint64_t now, const gpu_draw_t *d, uint32_t cycles) {
  g->found = next_block(g, d, &cycles);
  if (g->found) {
    cycles += gpu_stamp_cycles(lanes_stamp_count(g->found_mask), g->params.raster_stamps);
  }
  g->raster_free = now + cycles;
  g->stats.busy_raster += cycles;
}

static void emit(gpu_t *g, uint64_t now, uint64_t *next, uint32_t draw) {
  gpu_block_t *b = gpu_ring_push(g->to_depth, &g->depth_queue);
  *b = (gpu_block_t){.ready = now + 1, .mask = g->found_mask, .triangle = g->raster_sequence,
                     .draw = draw, .bx = (uint16_t)g->found_x, .by = (uint16_t)g->found_y};
  cycle_earliest(next, now + 1);
  g->stats.blocks++;
  g->stats.stamps += lanes_stamp_count(g->found_mask);
  g->stats.fragments += (uint64_t)__builtin_popcountll(g->found_mask);
  gpu_cost(g, &g->draws[draw % GpuDraws])->fragments +=
      (uint64_t)__builtin_popcountll(g->found_mask);
}

// The triangle at the head is begun, or has no pixel and is done. False: it has to wait.
static bool begin_triangle(gpu_t *g, uint64_t now, uint64_t *next, const gpu_entry_t *e,
                           const gpu_draw_t *d) {
  if (e->draw != g->raster_draw) {
    if (!g->params.draw_overlap && !drained(g, now, next)) {
      return false;
    }
    gpu_draw_cost_t *cost = gpu_cost(g, d);
    cost->begin = cycle_later(cost->begin, g->stopped_until);
  }
  g->raster_draw = e->draw;
  if (g->raster_sequence - gpu_oldest_triangle(g) >= g->triangle_places - 1) {
    return false;
  }
  if (start_triangle(g, e)) {
    g->raster_active = true;
    seek(g, now, d, g->params.raster_triangle);
    return true;
  }
  gpu_ring_pop(&g->triangles, GpuEntries);
  g->raster_free = now + g->params.raster_triangle;
  gpu_note_end(g, d, g->raster_free);
  g->stats.busy_raster += g->params.raster_triangle;
  return true;
}

void gpu_raster_step(gpu_t *g, uint64_t now, uint64_t *next) {
  for (;;) {
    if (g->raster_free > now) {
      cycle_earliest(next, g->raster_free);
      return;
    }
    if (g->triangles.count == 0 || g->held) {
      return;
    }
    gpu_entry_t *e = &g->entries[g->triangles.head];
    if (e->ready > now) {
      cycle_earliest(next, e->ready);
      return;
    }
    if (e->triangle == UINT32_MAX) {
      if (!clear_or_hold(g, now, next, e)) {
        if (g->clearing) {
          cycle_earliest(next, g->raster_free);
        }
        return;
      }
      gpu_ring_pop(&g->triangles, GpuEntries);
      continue;
    }
    const gpu_draw_t *d = &g->draws[e->draw % GpuDraws];
    if (!g->raster_active) {
      if (!begin_triangle(g, now, next, e, d)) {
        return;
      }
      continue;
    }
    if (g->found) {
      if (g->depth_queue.count >= g->params.depth_queue) {
        return;
      }
      emit(g, now, next, e->draw);
      seek(g, now, d, 0);
      continue;
    }
    g->raster_active = false;
    gpu_note_end(g, d, now);
    g->raster_sequence++;
    gpu_ring_pop(&g->triangles, GpuEntries);
  }
}
