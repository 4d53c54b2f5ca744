// SPDX-License-Identifier: Apache-2.0
// The texels that a pixel's filtered sample needs. Of a quad, from its derivatives: major
// and minor axis, anisotropy ratio R, level of detail, step between the children. Of a
// pixel: the up to eight parents, 2x2 texels on two levels, and their weights. Formulas
// and sources: docs/model/texture.md.
#ifndef NOCTURNE_TEXTURE_FOOTPRINT_H
#define NOCTURNE_TEXTURE_FOOTPRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "../frame/frame.h"

enum {
  FootprintMaxRatio = 16,
  FootprintParents =
      8,                // 0 to 3 on the finer level, 4 to 7 on the coarser; bit 0 right, bit 1 down
  FootprintSlack = 16,  // texels that a first parent may lie outside of its level
};

// Screen derivatives in texels of level 0 a pixel.
typedef struct {
  double ux, vx;  // along x
  double uy, vy;  // along y
} footprint_gradient_t;

// The values that the pixels of a quad share.
typedef struct {
  double major, minor;      // lengths of the axes, texels of level 0
  double major_x, major_y;  // the longer axis, texels of level 0
  double axis_x, axis_y;    // between children, texels of level 0, not rounded
  double axis_u, axis_v;    // the same, 1 is the texture's width or height
  int16_t step_x, step_y;   // the same in 8.8 texels of the finer level
  uint8_t ratio;            // R, 1 to 16
  uint8_t level;            // finer level
  uint8_t weight;           // of the coarser level, 1/256; 0: one level only
  bool linear;              // bilinear; false: the nearest texel
} footprint_t;

// One pixel. Element 1 is the coarser level, valid if weight is not 0.
typedef struct {
  int16_t x[2], y[2];      // first parent; -16 <= x < width + 16
  uint8_t fx[2], fy[2];    // weight of its right and lower neighbours, 1/256
  int16_t step_x, step_y;  // the quad's, turned over where the texture is mirrored
  uint8_t mask;            // parents with a part in the sample
} footprint_pixel_t;

static inline int64_t footprint_floor(double x) {
  int64_t n = (int64_t)x;
  return n - ((double)n > x);
}

// Returns the gradient of a quad's coordinates (1 is the texture's width or height) at its pixels
// upper left, upper right, lower left, lower right.
footprint_gradient_t footprint_gradient(const frame_texture_t *texture, const float u[4],
                                        const float v[4]);

// Any gradient, also one that is infinite or not a number.
void footprint_make(footprint_t *f, const frame_texture_t *texture, const frame_stage_t *stage,
                    const footprint_gradient_t *gradient);

// Where a coordinate lies along a side, wrapped, in 1/256 texel; texel n is 256 n to 256 n + 255.
// Clamped ones lie up to FootprintSlack texels outside. *turned: in a mirrored copy.
int32_t footprint_at(uint8_t mode, float u, uint32_t side, bool *turned);

void footprint_pixel(footprint_pixel_t *p, const footprint_t *f, const frame_texture_t *texture,
                     const frame_stage_t *stage, float u, float v);

// Whole texels from a parent to its child i (0 to R - 1) along one axis: floor((2i - R + 1)
// step / 2 + 1/2), the step halved on the coarser level.
int32_t footprint_offset(int32_t step, uint32_t ratio, uint32_t i, bool coarser);

// The same of a texel number that is not within 0 to side - 1.
uint32_t footprint_wrap_outside(uint8_t mode, int64_t texel, uint32_t side);

// A texel number brought into 0 to side - 1 by the wrap mode. Most are, so that is asked here.
static inline uint32_t footprint_wrap(uint8_t mode, int64_t texel, uint32_t side) {
  return (uint64_t)texel < side ? (uint32_t)texel : footprint_wrap_outside(mode, texel, side);
}

// Where child sample i of the fractional design lies on a level (texels, half a texel
// taken off for bilinear), not wrapped, within +-2^40.
void footprint_fractional(const footprint_t *f, const frame_texture_t *texture, uint32_t level,
                          float u, float v, uint32_t i, double *x, double *y);

#endif
