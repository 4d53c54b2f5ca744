// SPDX-License-Identifier: Apache-2.0
// Triangle setup, coverage and attribute planes. Fixed point: FrameSubpixel units,
// samples at pixel centres, top-left rule, so that triangles which share an edge cover
// each of its pixels exactly once. docs/model/rendering.md has the rules.
#ifndef NOCTURNE_GPU_RASTER_H
#define NOCTURNE_GPU_RASTER_H

#include <stdbool.h>
#include <stdint.h>

#include "../frame/frame.h"

// A value that is linear on the screen: at vertex 0, and its growth a pixel.
typedef struct {
  double at, dx, dy;
} raster_plane_t;

typedef struct {
  // Edge i: pixel (x, y) is inside when c[i] + x dx[i] + y dy[i] >= 0.
  int64_t c[3];
  int32_t dx[3], dy[3];
  int32_t low[3], high[3];     // least and largest change of the above over a block
  int32_t x0, y0, x1, y1;      // pixels, x0 <= x < x1: bounds, cut by the scissor
  bool back;                   // negative screen area
  bool flat;                   // one vertex colour: flat_color instead of the planes
  bool shadable;               // what follows `z_high` has been set up
  const frame_vertex_t *v[3];  // in the order of positive area
  double area;                 // twice the area, subpixel units squared
  double vx, vy;               // vertex 0, pixels
  raster_plane_t z;
  double z_low, z_high;
  raster_plane_t inv_w, uv[2][2], color[4];  // attributes divided by w
  float flat_color[4];                       // 0 to 255
} raster_t;

// False: nothing can be covered (degenerate, or outside the scissor).
bool raster_setup(raster_t *r, const frame_t *frame, const frame_state_t *state,
                  const frame_triangle_t *triangle);

// The planes that shading needs. uses_uv: coordinate sets.
void raster_setup_shading(raster_t *r, const bool uses_uv[2]);

// The pixels covered of block (bx, by), bit surface_block_index(x, y).
uint64_t raster_coverage(const raster_t *r, int32_t bx, int32_t by);

// False: the square of `side` pixels at (x, y) has no covered pixel.
bool raster_may_touch(const raster_t *r, int32_t x, int32_t y, int32_t side);

// The pixels of block (bx, by) inside a rectangle.
uint64_t raster_rectangle(const frame_rect_t *rectangle, int32_t bx, int32_t by);

#endif
