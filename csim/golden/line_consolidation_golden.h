// SPDX-License-Identifier: Apache-2.0
// Cycle-exact reference of the line consolidation, written from docs/units/line_consolidation.md.
#ifndef NOCTURNE_GOLDEN_LINE_CONSOLIDATION_H
#define NOCTURNE_GOLDEN_LINE_CONSOLIDATION_H

#include "unit/line_consolidation/line_consolidation.h"

// False: out of memory or parameters out of range.
bool line_consolidation_golden_create(const line_consolidation_params_t *params,
                                      line_consolidation_t *engine);
void line_consolidation_golden_destroy(line_consolidation_t *engine);

// A step taken apart, for the model of the joined top; self is the engine's. A cycle; the outputs
// that it left but quiescent, at a fixed place; whether the unit is quiescent under these inputs.
void line_consolidation_golden_advance(void *self, const line_consolidation_in_t *in);
const line_consolidation_out_t *line_consolidation_golden_out(const void *self);
bool line_consolidation_golden_quiescent(const void *self, const line_consolidation_in_t *in);

#endif
