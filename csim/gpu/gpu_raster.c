// SPDX-License-Identifier: Apache-2.0
// The raster walks a triangle's bounding box in tiles of 64x64 pixels, in them in scan
// tiles of 16x16, in them in blocks of 8x8. A tile of another owner, a tile or scan tile
// that the triangle misses costs a cycle each; a covered block its stamps at
// raster_stamps a cycle.
// With gpu.raster_order pairs (the G80 study, E1) it walks rows of scan tiles in twos, column by
// column; in a scan tile halves of blocks of 8x4, left and right, row by row. The tiles that may be
// passed over are then of 32x32, 2x2 scan tiles.
#include "gpu_raster.h"

#include <stdlib.h>

enum {
  TileBlocks = SurfaceTile / SurfaceBlock,
  ScanBlocks = 2,
  ScanPixels = 16,
  PairBlocks = 2 * ScanBlocks,
  HalfBlocks = 8,
  Entries = 4096,       // places between geometry and raster
  ClipRoom = 64,        // triangles that clipping may make of one
  Triangles = 2048,     // triangles that blocks in flight may refer to
  RateTriangles = 512,  // triangles in flight where shading is a rate
};

// Where the raster is in a triangle: tiles of 64x64 pixels, in them scan tiles of 16x16, in them
// blocks of 8x8; with pairs tiles of 32x32 and halves of blocks. All in blocks.
typedef struct {
  int32_t x0, y0, x1, y1;  // bounds, inclusive
  int32_t side;            // of a tile
  int32_t tile_x, tile_y;  // first block of the tile
  int32_t scan_x, scan_y;  // first block of the scan tile, if in_tile
  int32_t x, y;            // next block, if in_scan
  uint32_t half;           // with pairs in their place: the next half block of the scan tile
  uint64_t covered[2];     // of the row of blocks that it is in
  bool in_tile, in_scan;
  bool any;  // the scan tile had a covered block
} walk_t;

struct gpu_raster {
  gpu_site_t *site;
  gpu_depth_t *depth;
  gpu_rop_t *rop;
  gpu_ring_t ring;
  gpu_entry_t entries[Entries];
  uint32_t entry_limit;
  bool active;  // a triangle is being walked
  bool found;   // found_* is the next block, due at free
  uint64_t found_mask;
  int32_t found_x, found_y;
  walk_t walk;
  raster_t triangles[Triangles];
  uint32_t places;         // used of them, a power of two
  uint32_t sequence;       // of the triangle in work
  uint32_t draw;           // sequence number of its draw
  uint64_t free;           // cycle
  bool clearing;           // a clear is under way until free
  uint64_t stopped_until;  // end of the last clear or hold
  bool held;
  uint64_t held_since;
};

static raster_t *current(gpu_raster_t *r) { return &r->triangles[r->sequence & (r->places - 1)]; }

// Tells if nothing is left between raster and ROP; else lowers *next to the cycle at which that
// is known to be so. The last block of the ROP brings us here again.
static bool drained(const gpu_raster_t *r, uint64_t now, uint64_t *next) {
  if (!gpu_depth_drained(r->depth)) {
    return false;
  }
  uint64_t done = cycle_later(gpu_rop_done(r->rop), gpu_depth_done(r->depth));
  if (done > now) {
    cycle_earliest(next, done);
    return false;
  }
  return true;
}

// Returns true when the entry is done with.
static bool clear_or_hold(gpu_raster_t *r, uint64_t now, uint64_t *next, const gpu_entry_t *e) {
  const gpu_draw_t *d = e->draw;
  if (r->clearing) {
    r->clearing = false;
    r->stopped_until = now;
    return true;
  }
  if (!drained(r, now, next)) {
    return false;
  }
  if (d->command.kind == GpuCommandHold) {
    if (gpu_rop_flush(r->rop)) {
      r->held = true;
      r->held_since = now;
    } else {
      cycle_earliest(next, now + 1);
    }
    return false;  // until gpu_raster_release
  }
  const frame_cmd_t *c = &r->site->frame->commands[d->command.command];
  render_clear(c, d->draw.color, d->draw.depth, d->owners, r->site->index);
  const frame_rect_t *box = &c->state.scissor;
  uint64_t pixels = (uint64_t)(box->x1 - box->x0) * (uint64_t)(box->y1 - box->y0);
  r->free = now + 1 + pixels / r->site->params.clear_rate;
  r->clearing = true;
  return false;
}

static bool start_triangle(gpu_raster_t *r, const gpu_entry_t *e) {
  raster_t *t = current(r);
  r->site->stats.triangles_rastered++;
  if (!raster_setup(t, r->site->frame, e->draw->draw.state,
                    &r->site->frame->triangles[e->triangle])) {
    return false;
  }
  walk_t *w = &r->walk;
  bool pairs = r->site->params.raster_order == GpuRasterPairs;
  *w = (walk_t){.x0 = t->x0 >> 3,
                .y0 = t->y0 >> 3,
                .x1 = (t->x1 - 1) >> 3,
                .y1 = (t->y1 - 1) >> 3,
                .side = pairs ? PairBlocks : TileBlocks};
  w->tile_x = w->x0 & ~(w->side - 1);
  w->tile_y = w->y0 & ~(w->side - 1);
  return true;
}

static bool mine(const gpu_raster_t *r, const gpu_draw_t *d, int32_t bx, int32_t by) {
  if (!d->owners.owner) {
    return true;
  }
  uint32_t x = (uint32_t)(bx / TileBlocks), y = (uint32_t)(by / TileBlocks);
  return d->owners.owner[y * d->owners.tiles_x + x] == r->site->index;
}

static int32_t most(int32_t a, int32_t b) { return a > b ? a : b; }
static int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }

static void next_tile(walk_t *w) {
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

static void next_scan(walk_t *w) {
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

// Finds the next covered block of the scan tile. False: none is left.
static bool next_in_scan(gpu_raster_t *r, const raster_t *t, walk_t *w) {
  while (w->y <= least(w->y1, w->scan_y + ScanBlocks - 1)) {
    int32_t x = w->x++, y = w->y;
    if (w->x > least(w->x1, w->scan_x + ScanBlocks - 1)) {
      w->x = most(w->x0, w->scan_x);
      w->y++;
    }
    r->found_mask = raster_coverage(t, x, y);
    if (r->found_mask) {
      r->found_x = x;
      r->found_y = y;
      return true;
    }
  }
  return false;
}

// Does the same by halves.
static bool next_half(gpu_raster_t *r, const raster_t *t, walk_t *w) {
  while (w->half < HalfBlocks) {
    uint32_t i = w->half++, column = i & 1, lower = i >> 1 & 1;
    int32_t x = w->scan_x + (int32_t)column, y = w->scan_y + (int32_t)(i >> 2);
    if (!lower) {
      bool inside = x >= w->x0 && x <= w->x1 && y >= w->y0 && y <= w->y1;
      w->covered[column] = inside ? raster_coverage(t, x, y) : 0;
    }
    r->found_mask = w->covered[column] & 0xffffffffull << 32 * lower;
    if (r->found_mask) {
      r->found_x = x;
      r->found_y = y;
      return true;
    }
  }
  return false;
}

// Finds the next covered block or half block of the triangle, and adds the cycles spent on what
// lies before it. False: none is left.
static bool next_block(gpu_raster_t *r, const gpu_draw_t *d, uint32_t *cycles) {
  const raster_t *t = current(r);
  walk_t *w = &r->walk;
  while (w->tile_y <= w->y1) {
    if (!w->in_tile) {
      if (!mine(r, d, w->tile_x, w->tile_y) ||
          !raster_may_touch(t, w->tile_x * SurfaceBlock, w->tile_y * SurfaceBlock,
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
      if (!raster_may_touch(t, w->scan_x * SurfaceBlock, w->scan_y * SurfaceBlock, ScanPixels)) {
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
    if (w->side == PairBlocks ? next_half(r, t, w) : next_in_scan(r, t, w)) {
      w->any = true;
      return true;
    }
    *cycles += !w->any;
    next_scan(w);
  }
  return false;
}

// Looks for the next block; it or the triangle's end is due after the cycles it took.
static void seek(gpu_raster_t *r, uint64_t now, const gpu_draw_t *d, uint32_t cycles) {
  r->found = next_block(r, d, &cycles);
  if (r->found) {
    cycles += gpu_stamp_cycles(lanes_stamp_count(r->found_mask), r->site->params.raster_stamps);
  }
  r->free = now + cycles;
  r->site->stats.busy_raster += cycles;
}

static void emit(gpu_raster_t *r, uint64_t now, uint64_t *next, const gpu_draw_t *d) {
  gpu_stats_t *stats = &r->site->stats;
  uint64_t fragments = (uint64_t)__builtin_popcountll(r->found_mask);
  *gpu_depth_push(r->depth) = (gpu_block_t){.ready = now + 1,
                                            .mask = r->found_mask,
                                            .draw = d,
                                            .raster = current(r),
                                            .triangle = r->sequence,
                                            .bx = (uint16_t)r->found_x,
                                            .by = (uint16_t)r->found_y};
  cycle_earliest(next, now + 1);
  stats->first_block = stats->first_block ? stats->first_block : now + 1;
  stats->blocks++;
  stats->stamps += lanes_stamp_count(r->found_mask);
  stats->fragments += fragments;
  d->cost->fragments += fragments;
}

// Tells if a place for a triangle is free.
static bool has_place(const gpu_raster_t *r) {
  const gpu_block_t *b = gpu_depth_oldest(r->depth);
  return !b || r->sequence - b->triangle < r->places - 1;
}

// Begins the triangle at the head, or is done with it because it has no pixel. False: it has to
// wait.
static bool begin_triangle(gpu_raster_t *r, uint64_t now, uint64_t *next, const gpu_entry_t *e) {
  const gpu_draw_t *d = e->draw;
  uint32_t cycles = r->site->params.raster_triangle;
  if (d->sequence != r->draw) {
    if (!r->site->params.draw_overlap && !drained(r, now, next)) {
      return false;
    }
    d->cost->begin = cycle_later(d->cost->begin, r->stopped_until);
  }
  r->draw = d->sequence;
  if (!has_place(r)) {
    return false;
  }
  if (start_triangle(r, e)) {
    r->active = true;
    seek(r, now, d, cycles);
    return true;
  }
  gpu_ring_pop(&r->ring, Entries);
  r->free = now + cycles;
  gpu_note_end(d, r->free);
  r->site->stats.busy_raster += cycles;
  return true;
}

// Goes on with the triangle in work. False: it has to wait.
static bool go_on(gpu_raster_t *r, uint64_t now, uint64_t *next, const gpu_draw_t *d) {
  if (r->found) {
    if (gpu_depth_full(r->depth)) {
      return false;
    }
    emit(r, now, next, d);
    seek(r, now, d, 0);
    return true;
  }
  r->active = false;
  gpu_note_end(d, now);
  r->sequence++;
  gpu_ring_pop(&r->ring, Entries);
  return true;
}

static void step(void *self, uint64_t now, uint64_t *next) {
  gpu_raster_t *r = self;
  for (;;) {
    if (r->free > now) {
      cycle_earliest(next, r->free);
      return;
    }
    if (r->ring.count == 0 || r->held) {
      return;
    }
    const gpu_entry_t *e = &r->entries[r->ring.head];
    if (e->ready > now) {
      cycle_earliest(next, e->ready);
      return;
    }
    if (e->triangle == UINT32_MAX) {
      if (!clear_or_hold(r, now, next, e)) {
        cycle_earliest(next, r->clearing ? r->free : GPU_NEVER);
        return;
      }
      gpu_ring_pop(&r->ring, Entries);
    } else if (!(r->active ? go_on(r, now, next, e->draw) : begin_triangle(r, now, next, e))) {
      return;
    }
  }
}

bool gpu_raster_full(const gpu_raster_t *r) { return r->ring.count >= r->entry_limit; }

bool gpu_raster_room(const gpu_raster_t *r) { return r->ring.count < Entries; }

void gpu_raster_push(gpu_raster_t *r, const gpu_entry_t *e, uint64_t *next) {
  r->entries[gpu_ring_push(&r->ring, Entries)] = *e;
  cycle_earliest(next, r->ring.count == 1 ? e->ready : GPU_NEVER);
}

const gpu_entry_t *gpu_raster_first(const gpu_raster_t *r) {
  return r->ring.count ? &r->entries[r->ring.head] : NULL;
}

const gpu_draw_t *gpu_raster_oldest(const gpu_raster_t *r) {
  const gpu_block_t *b = gpu_depth_oldest(r->depth);
  return b ? b->draw : r->ring.count ? r->entries[r->ring.head].draw : NULL;
}

bool gpu_raster_walks(const gpu_raster_t *r, uint64_t now, uint64_t *until) {
  if (!r->active && r->free > now) {
    *until = r->free;
  }
  return r->active || r->free > now;
}

const gpu_draw_t *gpu_raster_held(const gpu_raster_t *r) {
  return r->held ? r->entries[r->ring.head].draw : NULL;
}

void gpu_raster_release(gpu_raster_t *r, uint64_t now, uint64_t until) {
  r->site->stats.held += now - r->held_since;
  r->held = false;
  gpu_ring_pop(&r->ring, Entries);
  r->free = r->stopped_until = until;
}

static bool busy(const void *self, uint64_t now) {
  const gpu_raster_t *r = self;
  return r->free > now || (r->ring.count && r->entries[r->ring.head].ready > now);
}

static bool empty(const void *self) { return ((const gpu_raster_t *)self)->ring.count == 0; }

static uint64_t done(const void *self) { return ((const gpu_raster_t *)self)->free; }

static void describe(const void *self, text_t *text) {
  const gpu_raster_t *r = self;
  text_format(text, ", %u triangles before raster%s", r->ring.count, r->held ? " (held)" : "");
}

gpu_raster_t *gpu_raster_create(gpu_part_t *part, gpu_site_t *site, gpu_depth_t *depth,
                                gpu_rop_t *rop) {
  gpu_raster_t *r = calloc(1, sizeof *r);
  const gpu_params_t *p = &site->params;
  *part = (gpu_part_t){r, step, busy, empty, done, describe, free};
  if (r) {
    uint64_t limit = p->triangle_queue + (uint64_t)p->geometry_latency * p->triangle_rate;
    r->site = site;
    r->depth = depth;
    r->rop = rop;
    r->entry_limit = (uint32_t)cycle_sooner(limit, Entries - ClipRoom);
    r->places = p->shader == GpuShaderWarp ? Triangles : RateTriangles;
  }
  return r;
}
