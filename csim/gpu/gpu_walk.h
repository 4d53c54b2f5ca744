// SPDX-License-Identifier: Apache-2.0
// The walk over a triangle: which blocks it covers, in the order of the raster, and what passing
// over the others costs. docs/model/gpu-model.md has the rules.
#ifndef NOCTURNE_GPU_GPU_WALK_H
#define NOCTURNE_GPU_GPU_WALK_H

#include "gpu_part.h"

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
  bool any;                  // the scan tile had a covered block
  uint64_t found;            // pixels of the block that was found last
  int32_t found_x, found_y;  // it
} gpu_walk_t;

// Begins the walk over a triangle that has been set up.
void gpu_walk_begin(gpu_walk_t *walk, const gpu_site_t *site, const raster_t *triangle);

// Finds the next covered block or half block, of those that a front's clusters shade, and adds the
// cycles spent on what lies before it. False: none is left.
bool gpu_walk_next(gpu_walk_t *walk, const gpu_site_t *site, uint32_t front,
                   const raster_t *triangle, const gpu_draw_t *draw, uint32_t *cycles);

#endif
