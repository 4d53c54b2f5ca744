// SPDX-License-Identifier: Apache-2.0
// The pixels of the pipeline, without time: depth, shading and blending of one 8x8
// block of one triangle. The single-GPU reference picture and the timed GPU share it, so
// that a fragment has the same value wherever it is drawn. Every value depends on the
// triangle and the pixel alone: nothing is accumulated from pixel to pixel.
// docs/model/rendering.md has the rounding of each step.
#ifndef NOCTURNE_GPU_RENDER_H
#define NOCTURNE_GPU_RENDER_H

#include "../frame/frame.h"
#include "raster.h"
#include "shade.h"
#include "surface.h"

// How a draw writes, beyond its state.
typedef struct {
  bool compose;    // mark written pixels in their depth words
  bool subimage;   // blend into the sub-image instead of the surface
  bool ties;       // tags are the numbers of GPUs; notes equal depth of two of them
  uint8_t tag;     // order tag of the depth words
  uint32_t group;  // with compose: whose marks are valid
} render_mode_t;

// The surfaces and the state of a draw, resolved once.
typedef struct {
  const frame_t *frame;
  const frame_state_t *state;
  surface_t *color, *depth;  // NULL: none
  render_mode_t mode;
  shade_state_t shade;
  uint8_t *layers;  // counts blended fragments of each pixel, or NULL
  bool layered;     // this draw counts; others reset what they replace
} render_draw_t;

typedef struct {
  uint32_t probes;      // texture samples
  uint32_t line_count;  // texture lines touched by the first pixel of each stamp
  uint64_t lines[FrameMaxTextures * IsotropicMaxLines];
  uint8_t of[FrameMaxTextures * IsotropicMaxLines];  // as in isotropic_trace_t
  uint32_t first[FrameMaxTextures + 1];              // of each stage its first line
} render_shaded_t;

// Resolves a draw into the surfaces of its state, without mode and layers.
void render_draw_make(render_draw_t *d, const frame_t *frame, const frame_state_t *state,
                      surface_t *targets, surface_t *depths, shade_sampling_t sampling);

// Tells if depth is tested after shading because the alpha test may discard what would be written.
bool render_is_late(const frame_state_t *state);

// Tests and writes depth and stencil of the pixels of the mask; returns those that pass.
uint64_t render_depth(const render_draw_t *d, const raster_t *r, uint32_t bx, uint32_t by,
                      uint64_t mask);

// Shades the pixels of the mask into colors (64, RGBA8, by surface_block_index) and
// returns those that the alpha test keeps.
uint64_t render_shade(const render_draw_t *d, raster_t *r, uint32_t bx, uint32_t by, uint64_t mask,
                      uint32_t *colors, render_shaded_t *shaded);

// Tells if the pixels of a draw need colours at all: to write them or to test their alpha.
bool render_needs_colors(const render_draw_t *d);

// Ends shading in two steps (shade_begin): makes the colours, returns what the alpha test keeps.
uint64_t render_shade_end(const render_draw_t *d, shade_work_t *work, uint32_t *colors);

// Tests depth if late, and blends the colours. Returns the pixels written.
uint64_t render_write(const render_draw_t *d, const raster_t *r, uint32_t bx, uint32_t by,
                      uint64_t mask, const uint32_t *colors);

// Clears what a clear command clears, in the tiles whose owner is `owner`. With a map of
// everyone's tiles all GPUs clear alike: a tile that is cleared whole, as far as draws into these
// surfaces reach, is no longer dirty.
void render_clear(const frame_cmd_t *c, surface_t *color, surface_t *depth, surface_owners_t owners,
                  uint32_t owner);

// Composes the sub-image with the surface in one tile, by the operator of the state;
// returns the pixels composed.
uint32_t render_background(const frame_state_t *state, surface_t *color, uint32_t tile);

// Renders commands first .. last - 1 in order, as one GPU does.
// layers, if not NULL: for each target one byte a pixel in surface order, or NULL; counts
// (up to 255) the fragments of draws with layered[command] that were blended since the
// pixel was last replaced.
void render_commands(const frame_t *frame, uint32_t first, uint32_t last, surface_t *targets,
                     surface_t *depths, shade_sampling_t sampling, const bool *layered,
                     uint8_t **layers);

// The same of the rows from y0 on, before y1: multiples of SurfaceTile, or beyond all surfaces.
void render_rows(const frame_t *frame, uint32_t first, uint32_t last, int32_t y0, int32_t y1,
                 surface_t *targets, surface_t *depths, shade_sampling_t sampling,
                 const bool *layered, uint8_t **layers);

// Allocates surfaces for all of the frame's targets and depth buffers: colour 0, depth
// FrameMaxDepth. False: out of memory, nothing is left allocated.
bool render_surfaces_create(const frame_t *frame, surface_t **targets, surface_t **depths);
// The same, in which clears of whole tiles wait (surface.h).
bool render_surfaces_create_waiting(const frame_t *frame, surface_t **targets, surface_t **depths);
void render_surfaces_destroy(const frame_t *frame, surface_t *targets, surface_t *depths);

#endif
