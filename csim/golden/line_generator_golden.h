// SPDX-License-Identifier: Apache-2.0
// Cycle-exact reference of the line generator, from docs/units/line_generator.md.
//
// create, then reset once, then any number of steps. False: bad parameters or out of memory.
#ifndef NOCTURNE_GOLDEN_LINE_GENERATOR_GOLDEN_H
#define NOCTURNE_GOLDEN_LINE_GENERATOR_GOLDEN_H

#include "unit/line_generator/line_generator.h"

bool line_generator_golden_create(const line_generator_params_t *params, line_generator_t *engine);
void line_generator_golden_destroy(line_generator_t *engine);

// A step taken apart, for the model of the joined top; self is the engine's. A cycle; the outputs
// that it left but quiescent, at a fixed place; whether the unit is quiescent under these inputs.
void line_generator_golden_advance(void *self, const line_generator_in_t *in);
const line_generator_out_t *line_generator_golden_out(const void *self);
bool line_generator_golden_quiescent(const void *self, const line_generator_in_t *in);

#endif
