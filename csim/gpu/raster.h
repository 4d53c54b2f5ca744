// Triangle setup and coverage. Fixed point throughout: FrameSubpixel units, samples at
// pixel centres, top-left rule, so that triangles which share an edge cover each of its
// pixels exactly once.
#ifndef NOCTURNE_GPU_RASTER_H
#define NOCTURNE_GPU_RASTER_H

#include <stdbool.h>
#include <stdint.h>

#include "../frame/frame.h"

// A value that is linear on the screen: at pixel (x, y) it is c + x dx + y dy.
typedef struct {
  double c, dx, dy;
} raster_plane_t;

typedef struct {
  int64_t c[3];        // edge functions at pixel (0, 0), in 1/256
  int32_t dx[3], dy[3];  // their growth a pixel
  int32_t x0, y0, x1, y1;  // pixels, x0 <= x < x1: bounds, cut by the scissor
  bool back;           // negative screen area
  raster_plane_t z, inv_w;
  raster_plane_t rgba[4];  // colour / w, 0 to 255, red first
  raster_plane_t uv[2][2]; // coordinate / w of each stage
  bool flat;           // one colour: rgba holds it in c, not divided
} raster_t;

// False: nothing can be covered (degenerate, or outside the scissor).
bool raster_setup(raster_t *r, const frame_t *frame, const frame_state_t *state,
                  const frame_triangle_t *triangle);

// The pixels covered of block (bx, by), bit surface_block_index(x, y).
uint64_t raster_coverage(const raster_t *r, int32_t bx, int32_t by);

static inline double raster_at(const raster_plane_t *p, double x, double y) {
  return p->c + x * p->dx + y * p->dy;
}

#endif
