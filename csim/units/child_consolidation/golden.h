// SPDX-License-Identifier: Apache-2.0
// Cycle-exact reference of the child consolidation, written from docs/units/child_consolidation.md.
#ifndef NOCTURNE_GOLDEN_CHILD_CONSOLIDATION_H
#define NOCTURNE_GOLDEN_CHILD_CONSOLIDATION_H

#include "unit/child_consolidation/child_consolidation.h"

// False: out of memory or parameters out of range.
bool child_consolidation_golden_create(const child_consolidation_params_t *params,
                                       child_consolidation_t *engine);
void child_consolidation_golden_destroy(child_consolidation_t *engine);

// A step taken apart, for the model of the joined top; self is the engine's. A cycle; the outputs
// that it left but quiescent, at a fixed place; whether the unit is quiescent under these inputs.
void child_consolidation_golden_advance(void *self, const child_consolidation_in_t *in);
const child_consolidation_out_t *child_consolidation_golden_out(const void *self);
bool child_consolidation_golden_quiescent(const void *self, const child_consolidation_in_t *in);

#endif
