// SPDX-License-Identifier: Apache-2.0
// Attribute interpolation, texturing and combining: the colours of fragments.
#ifndef NOCTURNE_GPU_SHADE_H
#define NOCTURNE_GPU_SHADE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../frame/frame.h"
#include "isotropic.h"
#include "raster.h"

// How a sample is made. All but the first take the footprint of the quad (csim/texture).
typedef enum {
  ShadeIsotropic,      // isotropic.h: trilinear at the level of the longer axis
  ShadeFractional,     // anisotropic last, children at fractional distances
  ShadeWhole,          // anisotropic last, children at whole texels
  ShadeParents,        // anisotropic first, parents at the level of anisotropic filtering
  ShadeLattice,        // through virtual textures: lines of parents in a lattice
  ShadeIsotropicGrid,  // the same, on the grid of isotropic filtering
} shade_filter_e;

// Texture samples of pixels, counted by the number R of children (csim/texture).
typedef struct {
  uint64_t by_ratio[17];
} shade_probes_t;

typedef struct {
  uint8_t filter;          // shade_filter_e
  bool anisotropic;        // false: R is 1 everywhere
  uint8_t max_anisotropy;  // 1 to 16 instead of the frame's; 0: the frame's
  double threshold;        // T of virtual textures (csim/texture/virtual_texture.h)
  shade_probes_t *probes;  // adds the samples made; NULL: not wanted. Not with ShadeIsotropic
} shade_sampling_t;

// A draw's shading, resolved once.
typedef struct {
  shade_sampling_t sampling;
  uint32_t stage_count;  // stages that are on
  frame_stage_t stage[FrameMaxTextures];
  const frame_texture_t *texture[FrameMaxTextures];
  bool uses_uv[2];
  float color[4];  // the draw's colour, 0 to 1
} shade_state_t;

// A block between its coordinates and its colours. Lane 4 q + k is pixel k of the q-th
// stamp with a pixel in the mask: upper left, upper right, lower left, lower right.
typedef struct {
  uint64_t mask;
  uint32_t lanes;
  uint8_t index[64];                                       // surface_block_index of each lane
  float u[FrameMaxTextures][64], v[FrameMaxTextures][64];  // of each stage
  float color[4][64];                                      // before the stages, 0 to 255
  float sample[FrameMaxTextures][4][64];                   // to be filled in, 0 to 255, red first
} shade_work_t;

void shade_state_make(shade_state_t *shade, const frame_t *frame, const frame_state_t *state,
                      shade_sampling_t sampling);

// Gives colours (RGBA8, by surface_block_index) of the pixels of the mask of block (bx, by).
// traces: what each stage read (ShadeIsotropic only), or NULL.
void shade_block(const shade_state_t *shade, raster_t *r, uint32_t bx, uint32_t by, uint64_t mask,
                 uint32_t colors[64], isotropic_trace_t *traces);

// Does the same in two steps, for samples that come later. Not with ShadeIsotropic.
void shade_begin(const shade_state_t *shade, raster_t *r, uint32_t bx, uint32_t by, uint64_t mask,
                 shade_work_t *work);
void shade_end(const shade_state_t *shade, shade_work_t *work, uint32_t colors[64]);

// Returns the pixels of the mask whose sample of a stage has an alpha of at least `ref` (0 to 255):
// for a block whose samples are there, and for any block.
uint64_t shade_bright(const shade_work_t *work, uint32_t stage, uint32_t ref);
uint64_t shade_sampled_bright(const shade_state_t *shade, raster_t *r, uint32_t bx, uint32_t by,
                              uint64_t mask, uint32_t stage, uint32_t ref);

#endif
