// SPDX-License-Identifier: Apache-2.0
// Texture sampling of up to 64 pixels at once: the seam at which other designs of the
// texture unit attach. Level of detail from exact derivatives, nearest, bilinear and
// trilinear filters, three wrap modes, any size. docs/rendering.md has the formulas.
#ifndef NOCTURNE_GPU_TEXTURE_H
#define NOCTURNE_GPU_TEXTURE_H

#include <stdint.h>

#include "../frame/frame.h"

// What a texture unit is asked: coordinates and their screen derivatives of `count`
// lanes, a multiple of 8. Lanes beyond the wanted pixels repeat one of them.
typedef struct {
  uint32_t count;
  float u[64], v[64];    // 1 is the texture's width or height
  float ux[64], uy[64];  // du/dx, du/dy
  float vx[64], vy[64];
} texture_request_t;

// The 64-byte lines (4x4 texels) that the traced lanes read, neighbours that repeat left
// out: level in bits 39:32, line in the level below. of: the first traced lane that reads it; those
// after it up to the next line's read it too, level by level.
enum { TextureMaxLines = 32 };
// of: the first traced lane that reads a line; those after it, up to that of the next line of the
// same level, read it too.
typedef struct {
  uint32_t lane_count;
  uint8_t lane[16];
  uint32_t line_count;
  uint64_t line[TextureMaxLines];
  uint8_t of[TextureMaxLines];
} texture_trace_t;

// Filtered samples, 0 to 255 a channel, red first. trace: may be NULL.
void texture_sample(const frame_texture_t *texture, const frame_stage_t *stage,
                    const texture_request_t *request, float sample[4][64],
                    texture_trace_t *trace);

#endif
