// Cycle-exact reference of the parent texel buffer, written from
// docs/units/parent_texel_buffer.md.
#ifndef NOCTURNE_GOLDEN_PARENT_TEXEL_BUFFER_H
#define NOCTURNE_GOLDEN_PARENT_TEXEL_BUFFER_H

#include "../unit/parent_texel_buffer.h"

// False: out of memory or parameters out of range.
bool parent_texel_buffer_golden_create(const parent_texel_buffer_params_t *params,
                                       parent_texel_buffer_t *engine);
void parent_texel_buffer_golden_destroy(parent_texel_buffer_t *engine);

// The halves of a step, for the model of the joined top: a cycle without out->quiescent, and
// whether the unit is quiescent under these inputs. self is the engine's.
void parent_texel_buffer_golden_advance(void *self, const parent_texel_buffer_in_t *in,
                                        parent_texel_buffer_out_t *out);
bool parent_texel_buffer_golden_quiescent(const void *self, const parent_texel_buffer_in_t *in);

#endif
