// SPDX-License-Identifier: Apache-2.0
// Blending: into 8-bit targets, into 16-bit sub-images of transparent groups, and of a
// composed sub-image with what lies behind it. docs/model/rendering.md has the rounding.
#ifndef NOCTURNE_GPU_BLEND_H
#define NOCTURNE_GPU_BLEND_H

#include <stdint.h>

#include "../frame/frame.h"

// Blends the colours (64, by surface_block_index) of the mask's pixels into a block of a
// target.
void blend_block(const frame_state_t *state, uint64_t mask, const uint32_t *colors,
                 uint32_t *target);

// Does the same into a block of a sub-image. written: its pixels written before; the first
// fragment of a pixel sets it.
void blend_subimage(const frame_state_t *state, uint64_t mask, const uint32_t *colors,
                    uint64_t *subimage, uint64_t written);

// Composes the written pixels of a sub-image's block in front of the target's.
void blend_background(const frame_state_t *state, const uint64_t *subimage, uint64_t written,
                      uint32_t *target);

#endif
