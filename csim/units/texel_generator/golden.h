// SPDX-License-Identifier: Apache-2.0
// Cycle-exact reference of the texel generator, from docs/units/texel_generator.md.
//
// create, then reset once, then any number of steps. False: bad parameters or out of memory.
#ifndef NOCTURNE_GOLDEN_TEXEL_GENERATOR_GOLDEN_H
#define NOCTURNE_GOLDEN_TEXEL_GENERATOR_GOLDEN_H

#include "unit/texel_generator/texel_generator.h"

bool texel_generator_golden_create(const texel_generator_params_t *params,
                                   texel_generator_t *engine);
void texel_generator_golden_destroy(texel_generator_t *engine);

// A step taken apart, for the model of the joined top; self is the engine's. A cycle; the outputs
// that it left but quiescent, at a fixed place; whether the unit is quiescent under these inputs.
void texel_generator_golden_advance(void *self, const texel_generator_in_t *in);
const texel_generator_out_t *texel_generator_golden_out(const void *self);
bool texel_generator_golden_quiescent(const void *self, const texel_generator_in_t *in);

#endif
