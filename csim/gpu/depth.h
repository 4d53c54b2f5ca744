// SPDX-License-Identifier: Apache-2.0
// Stencil and depth test of one block of one triangle, and what they write.
#ifndef NOCTURNE_GPU_DEPTH_H
#define NOCTURNE_GPU_DEPTH_H

#include <stdint.h>

#include "../frame/frame.h"
#include "raster.h"

// Tests the pixels of the mask of block (bx, by) and writes depth and stencil as the
// state says. words and stencil: the block's 64. extra: mark and tag of a written word.
// Returns the pixels that pass.
uint64_t depth_block(const frame_state_t *state, const raster_t *r, uint32_t bx, uint32_t by,
                     uint64_t mask, uint32_t extra, uint32_t *words, uint8_t *stencil);

// Returns the pixels of the mask that lie at this depth or before it.
uint64_t depth_within(const raster_t *r, uint32_t bx, uint32_t by, uint64_t mask, uint32_t limit);

// Returns the pixels of the mask that have the depth of their words.
uint64_t depth_equal(const raster_t *r, uint32_t bx, uint32_t by, uint64_t mask,
                     const uint32_t *words);

#endif
