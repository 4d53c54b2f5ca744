// SPDX-License-Identifier: Apache-2.0
// Cycle-exact reference of the offloading unit for lines, written from docs/units/offload_unit.md.
#ifndef NOCTURNE_GOLDEN_OFFLOAD_UNIT_H
#define NOCTURNE_GOLDEN_OFFLOAD_UNIT_H

#include "unit/offload_unit/offload_unit.h"

// False: out of memory or parameters out of range.
bool offload_unit_golden_create(const offload_unit_params_t *params, offload_unit_t *engine);
void offload_unit_golden_destroy(offload_unit_t *engine);

#endif
