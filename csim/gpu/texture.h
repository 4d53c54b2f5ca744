// Texture sampling: level of detail from exact derivatives, nearest, bilinear and
// trilinear filters, three wrap modes, any size. docs/rendering.md has the rounding.
#ifndef NOCTURNE_GPU_TEXTURE_H
#define NOCTURNE_GPU_TEXTURE_H

#include "../frame/frame.h"

// What a sample read: how many texels, and the 64-byte line (4x4 texels) of the first
// texel on each level.
typedef struct {
  uint32_t texels, line_count;
  uint64_t lines[2];  // level in bits 39:32, line in the level below
} texture_read_t;

// u, v: coordinates; rho2: squared length, in texels of level 0, of the longer of the
// pixel's two footprint axes. Returns RGBA8.
uint32_t texture_sample(const frame_texture_t *texture, const frame_stage_t *stage, double u,
                        double v, double rho2, texture_read_t *read);

#endif
