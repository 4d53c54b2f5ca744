// SPDX-License-Identifier: Apache-2.0
// Isotropic texture sampling of up to 64 pixels at once: level of detail from exact derivatives,
// nearest, bilinear and trilinear filters, three wrap modes, any size. docs/model/rendering.md has
// the formulas. csim/texture has the anisotropic filters and the timed texture units.
#ifndef NOCTURNE_GPU_ISOTROPIC_H
#define NOCTURNE_GPU_ISOTROPIC_H

#include <stdint.h>

#include "../frame/frame.h"

// A request: coordinates and their screen derivatives of `count` lanes, a multiple of 8.
// Lanes beyond the wanted pixels repeat one of them.
typedef struct {
  uint32_t count;
  float u[64], v[64];    // 1 is the texture's width or height
  float ux[64], uy[64];  // du/dx, du/dy
  float vx[64], vy[64];
} isotropic_request_t;

enum { IsotropicMaxLines = 32 };

// The 64-byte lines (4x4 texels) that the traced lanes read, neighbours that repeat left
// out: level in bits 39:32, line in the level below. of: the first traced lane that reads a line;
// those after it, up to that of the next line of the same level, read it too.
typedef struct {
  uint32_t lane_count;
  uint8_t lane[16];
  uint32_t line_count;
  uint64_t line[IsotropicMaxLines];
  uint8_t of[IsotropicMaxLines];
} isotropic_trace_t;

// Gives filtered samples, 0 to 255 a channel, red first. trace: may be NULL.
void isotropic_sample(const frame_texture_t *texture, const frame_stage_t *stage,
                      const isotropic_request_t *request, float sample[4][64],
                      isotropic_trace_t *trace);

#endif
