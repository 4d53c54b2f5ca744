// SPDX-License-Identifier: Apache-2.0
// Filtered samples of one pixel in three ways (docs/model/texture.md):
//   fractional: anisotropic last, children at fractional distances; the reference of
//               quality and the value of baseline, B-PIM and S-TFIM
//   whole:      anisotropic last, children at the whole-texel distances of the hardware
//   parents:    anisotropic first in integers, parents at the level of ordinary anisotropic
//               filtering: where the paper's reordering (V-B) is exact
// Channels are RGBA, red first, 0 to 255.
#ifndef NOCTURNE_TEXTURE_FILTER_H
#define NOCTURNE_TEXTURE_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "footprint.h"

// The scale of filter_parents: one is 65536.
enum { FilterOne = 1 << 16 };

void filter_fractional(const frame_texture_t *texture, const frame_stage_t *stage,
                       const footprint_t *f, float u, float v, double out[4]);

// A child's weight on level l (0 finer, 1 coarser).
static inline double filter_weight(const footprint_t *f, uint32_t l) {
  return (l ? f->weight : 256 - f->weight) / (256.0 * f->ratio);
}

// Adds what filter_fractional adds for one child on one level, child by child, finer level first:
// 2x2 texels (right is bit 0, down is bit 1) at the fractions fx, fy.
void filter_add(const uint32_t texel[4], double fx, double fy, double weight, double sum[4]);

void filter_whole(const frame_texture_t *texture, const frame_stage_t *stage, const footprint_t *f,
                  const footprint_pixel_t *p, double out[4]);

// Texel (RGBA8, red lowest) number k of the pixel's parents: the mean of its children,
// rounded to nearest.
uint32_t filter_parent(const frame_texture_t *texture, const frame_stage_t *stage,
                       const footprint_t *f, const footprint_pixel_t *p, uint32_t k);

// Where parent k lies: level and texel, wrapped.
void filter_parent_place(const frame_texture_t *texture, const frame_stage_t *stage,
                         const footprint_t *f, const footprint_pixel_t *p, uint32_t k,
                         uint32_t *level, uint32_t *x, uint32_t *y);

// Bilinear, then trilinear, on the parents in the mask, in units of 1/65536: the
// texture unit's arithmetic (docs/model/rendering.md).
void filter_parents(const footprint_t *f, const footprint_pixel_t *p, const uint32_t parent[8],
                    int32_t out[4]);

// The largest difference of a channel between filter_whole and filter_parents.
static inline double filter_bound(void) { return 0.5 + 1.0 / 512; }

#endif
