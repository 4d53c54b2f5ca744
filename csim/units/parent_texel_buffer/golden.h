// SPDX-License-Identifier: Apache-2.0
// Cycle-exact reference of the parent texel buffer, written from docs/units/parent_texel_buffer.md.
#ifndef NOCTURNE_GOLDEN_PARENT_TEXEL_BUFFER_GOLDEN_H
#define NOCTURNE_GOLDEN_PARENT_TEXEL_BUFFER_GOLDEN_H

#include "unit/parent_texel_buffer/parent_texel_buffer.h"

// False: out of memory or parameters out of range.
bool parent_texel_buffer_golden_create(const parent_texel_buffer_params_t *params,
                                       parent_texel_buffer_t *engine);
void parent_texel_buffer_golden_destroy(parent_texel_buffer_t *engine);

// A step taken apart, for the model of the joined top; self is the engine's. A cycle; the outputs
// that it left but quiescent, at a fixed place; whether the unit is quiescent under these inputs.
void parent_texel_buffer_golden_advance(void *self, const parent_texel_buffer_in_t *in);
const parent_texel_buffer_out_t *parent_texel_buffer_golden_out(const void *self);
bool parent_texel_buffer_golden_quiescent(const void *self, const parent_texel_buffer_in_t *in);

#endif
