// Cycle-exact reference of the parent texel buffer, written from
// docs/units/parent_texel_buffer.md.
#ifndef NOCTURNE_GOLDEN_PARENT_TEXEL_BUFFER_H
#define NOCTURNE_GOLDEN_PARENT_TEXEL_BUFFER_H

#include "../unit/parent_texel_buffer.h"

// False: out of memory or parameters out of range.
bool parent_texel_buffer_golden_create(const parent_texel_buffer_params_t *params,
                                       parent_texel_buffer_t *engine);
void parent_texel_buffer_golden_destroy(parent_texel_buffer_t *engine);

#endif
