// SPDX-License-Identifier: Apache-2.0
// Cycle-exact reference of the line combination, written from docs/units/line_combination.md.
#ifndef NOCTURNE_GOLDEN_LINE_COMBINATION_GOLDEN_H
#define NOCTURNE_GOLDEN_LINE_COMBINATION_GOLDEN_H

#include "unit/line_combination/line_combination.h"

// False: out of memory or parameters out of range.
bool line_combination_golden_create(const line_combination_params_t *params,
                                    line_combination_t *engine);
void line_combination_golden_destroy(line_combination_t *engine);

// A step taken apart, for the model of the joined top; self is the engine's. A cycle; the outputs
// that it left but quiescent, at a fixed place; whether the unit is quiescent under these inputs.
void line_combination_golden_advance(void *self, const line_combination_in_t *in);
const line_combination_out_t *line_combination_golden_out(const void *self);
bool line_combination_golden_quiescent(const void *self, const line_combination_in_t *in);

#endif
