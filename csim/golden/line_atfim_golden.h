// SPDX-License-Identifier: Apache-2.0
// Cycle-exact reference of a layer of A-TFIM by lines, written from docs/units/line_atfim.md: the
// four golden models of the parts, each given the others' outputs.
#ifndef NOCTURNE_GOLDEN_LINE_ATFIM_H
#define NOCTURNE_GOLDEN_LINE_ATFIM_H

#include "unit/line_atfim/line_atfim.h"

// False: out of memory or parameters out of range.
bool line_atfim_golden_create(const line_atfim_params_t *params, line_atfim_t *engine);
void line_atfim_golden_destroy(line_atfim_t *engine);

#endif
