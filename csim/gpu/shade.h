// Attribute interpolation, texturing and combining: the colours of fragments.
#ifndef NOCTURNE_GPU_SHADE_H
#define NOCTURNE_GPU_SHADE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../frame/frame.h"
#include "raster.h"
#include "texture.h"

// A draw's shading, resolved once.
typedef struct {
  uint32_t stage_count;                          // stages that are on
  const frame_stage_t *stage[FrameMaxTextures];
  const frame_texture_t *texture[FrameMaxTextures];
  bool uses_uv[2];
  float color[4];                                // the draw's colour, 0 to 1
} shade_state_t;

void shade_state_make(shade_state_t *shade, const frame_t *frame, const frame_state_t *state);

// Colours (RGBA8, by surface_block_index) of the pixels of the mask of block (bx, by).
// traces: what each stage read, or NULL.
void shade_block(const shade_state_t *shade, raster_t *r, uint32_t bx, uint32_t by,
                 uint64_t mask, uint32_t colors[64], texture_trace_t *traces);

#endif
