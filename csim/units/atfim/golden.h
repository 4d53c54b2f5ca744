// SPDX-License-Identifier: Apache-2.0
// Cycle-exact reference of a layer of A-TFIM, written from docs/units/atfim.md: the
// four golden models of the parts, each given the others' outputs.
#ifndef NOCTURNE_GOLDEN_ATFIM_H
#define NOCTURNE_GOLDEN_ATFIM_H

#include "unit/atfim/atfim.h"

// False: out of memory or parameters out of range.
bool atfim_golden_create(const atfim_params_t *params, atfim_t *engine);
void atfim_golden_destroy(atfim_t *engine);

#endif
