// SPDX-License-Identifier: Apache-2.0
// The raster walks a triangle's bounding box in tiles of 64x64 pixels, in them in scan
// tiles of 16x16, in them in blocks of 8x8. A tile of another owner, a tile or scan tile
// that the triangle misses costs a cycle each; a covered block its stamps at
// raster_stamps a cycle.
// With gpu.raster_order pairs (the G80 study, E1) it walks rows of scan tiles in twos, column by
// column; in a scan tile halves of blocks of 8x4, left and right, row by row. The tiles that may be
// passed over are then of 32x32, 2x2 scan tiles.
// A front of a cluster leaves out what has no block of its cluster, at no cost.
#include "gpu_walk.h"

#include "gpu_dispatch.h"

enum {
  TileBlocks = SurfaceTile / SurfaceBlock,
  ScanBlocks = 2,
  ScanPixels = 16,
  PairBlocks = 2 * ScanBlocks,
  HalfBlocks = 8,
};

void gpu_walk_begin(gpu_walk_t *w, const gpu_site_t *s, const raster_t *t) {
  bool pairs = s->params.raster_order == GpuRasterPairs;
  *w = (gpu_walk_t){.x0 = t->x0 >> 3,
                    .y0 = t->y0 >> 3,
                    .x1 = (t->x1 - 1) >> 3,
                    .y1 = (t->y1 - 1) >> 3,
                    .side = pairs ? PairBlocks : TileBlocks};
  w->tile_x = w->x0 & ~(w->side - 1);
  w->tile_y = w->y0 & ~(w->side - 1);
}

// Tells if the tile of 64x64 pixels is this GPU's.
static bool mine(const gpu_site_t *s, const gpu_draw_t *d, int32_t bx, int32_t by) {
  if (!d->owners.owner) {
    return true;
  }
  uint32_t x = (uint32_t)(bx / TileBlocks), y = (uint32_t)(by / TileBlocks);
  return d->owners.owner[y * d->owners.tiles_x + x] == s->index;
}

// Tells if one of the blocks of a square is the front's.
static bool owns(const gpu_site_t *s, uint32_t front, int32_t x, int32_t y, int32_t side) {
  if (s->fronts == 1) {
    return true;
  }
  const uint32_t end_x = (uint32_t)(x + side), end_y = (uint32_t)(y + side), wt = s->params.wt;
  for (uint32_t by = (uint32_t)y; by < end_y; by = (by / wt + 1) * wt) {
    for (uint32_t bx = (uint32_t)x; bx < end_x; bx = (bx / wt + 1) * wt) {
      if (gpu_dispatch_cluster(s, bx, by) == front) {
        return true;
      }
    }
  }
  return false;
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

// Finds the next covered block of the scan tile. False: none is left.
static bool next_in_scan(gpu_walk_t *w, const gpu_site_t *s, uint32_t front, const raster_t *t) {
  while (w->y <= least(w->y1, w->scan_y + ScanBlocks - 1)) {
    int32_t x = w->x++, y = w->y;
    if (w->x > least(w->x1, w->scan_x + ScanBlocks - 1)) {
      w->x = most(w->x0, w->scan_x);
      w->y++;
    }
    w->found = owns(s, front, x, y, 1) ? raster_coverage(t, x, y) : 0;
    if (w->found) {
      w->found_x = x;
      w->found_y = y;
      return true;
    }
  }
  return false;
}

// Does the same by halves.
static bool next_half(gpu_walk_t *w, const gpu_site_t *s, uint32_t front, const raster_t *t) {
  while (w->half < HalfBlocks) {
    uint32_t i = w->half++, column = i & 1, lower = i >> 1 & 1;
    int32_t x = w->scan_x + (int32_t)column, y = w->scan_y + (int32_t)(i >> 2);
    if (!lower) {
      bool inside = x >= w->x0 && x <= w->x1 && y >= w->y0 && y <= w->y1 && owns(s, front, x, y, 1);
      w->covered[column] = inside ? raster_coverage(t, x, y) : 0;
    }
    w->found = w->covered[column] & 0xffffffffull << 32 * lower;
    if (w->found) {
      w->found_x = x;
      w->found_y = y;
      return true;
    }
  }
  return false;
}

bool gpu_walk_next(gpu_walk_t *w, const gpu_site_t *s, uint32_t front, const raster_t *t,
                   const gpu_draw_t *d, uint32_t *cycles) {
  while (w->tile_y <= w->y1) {
    if (!w->in_tile) {
      const bool own = owns(s, front, w->tile_x, w->tile_y, w->side);
      if (!own || !mine(s, d, w->tile_x, w->tile_y) ||
          !raster_may_touch(t, w->tile_x * SurfaceBlock, w->tile_y * SurfaceBlock,
                            w->side * SurfaceBlock)) {
        *cycles += own;
        next_tile(w);
        continue;
      }
      w->in_tile = true;
      w->scan_x = first_scan(w->x0, w->tile_x);
      w->scan_y = first_scan(w->y0, w->tile_y);
    }
    if (!w->in_scan) {
      const bool own = owns(s, front, w->scan_x, w->scan_y, ScanBlocks);
      if (!own ||
          !raster_may_touch(t, w->scan_x * SurfaceBlock, w->scan_y * SurfaceBlock, ScanPixels)) {
        *cycles += own;
        next_scan(w);
        continue;
      }
      w->in_scan = true;
      w->any = false;
      w->x = most(w->x0, w->scan_x);
      w->y = most(w->y0, w->scan_y);
      w->half = 0;
    }
    if (w->side == PairBlocks ? next_half(w, s, front, t) : next_in_scan(w, s, front, t)) {
      w->any = true;
      return true;
    }
    *cycles += !w->any;
    next_scan(w);
  }
  return false;
}
