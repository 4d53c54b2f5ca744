// SPDX-License-Identifier: Apache-2.0
// Cycle-exact reference of the line buffer, written from docs/units/line_buffer.md.
#ifndef NOCTURNE_GOLDEN_LINE_BUFFER_GOLDEN_H
#define NOCTURNE_GOLDEN_LINE_BUFFER_GOLDEN_H

#include "unit/line_buffer/line_buffer.h"

// False: out of memory or parameters out of range.
bool line_buffer_golden_create(const line_buffer_params_t *params, line_buffer_t *engine);
void line_buffer_golden_destroy(line_buffer_t *engine);

// A step taken apart, for the model of the joined top; self is the engine's. A cycle; the outputs
// that it left but quiescent, at a fixed place; whether the unit is quiescent under these inputs.
void line_buffer_golden_advance(void *self, const line_buffer_in_t *in);
const line_buffer_out_t *line_buffer_golden_out(const void *self);
bool line_buffer_golden_quiescent(const void *self, const line_buffer_in_t *in);

#endif
