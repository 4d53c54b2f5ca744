// SPDX-License-Identifier: Apache-2.0
// Cycle-exact reference of the combination unit, written from docs/units/combination_unit.md.
#ifndef NOCTURNE_GOLDEN_COMBINATION_UNIT_GOLDEN_H
#define NOCTURNE_GOLDEN_COMBINATION_UNIT_GOLDEN_H

#include "unit/combination_unit/combination_unit.h"

// False: out of memory or parameters out of range.
bool combination_unit_golden_create(const combination_unit_params_t *params,
                                    combination_unit_t *engine);
void combination_unit_golden_destroy(combination_unit_t *engine);

// A step taken apart, for the model of the joined top; self is the engine's. A cycle; the outputs
// that it left but quiescent, at a fixed place; whether the unit is quiescent under these inputs.
void combination_unit_golden_advance(void *self, const combination_unit_in_t *in);
const combination_unit_out_t *combination_unit_golden_out(const void *self);
bool combination_unit_golden_quiescent(const void *self, const combination_unit_in_t *in);

#endif
