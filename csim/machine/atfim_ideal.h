// SPDX-License-Identifier: Apache-2.0
// A-TFIM's units in the cube without their limits, for experiments: the same answers, a given
// number of children a cycle, no time in the vaults. Behind the same interface as the
// hardware, which is then not in the loop.
#ifndef NOCTURNE_MACHINE_ATFIM_IDEAL_H
#define NOCTURNE_MACHINE_ATFIM_IDEAL_H

#include "../texture/texture_map.h"
#include "unit/atfim/atfim.h"

// rate: children a cycle, not 0. Allocates the engine's self, to be freed by
// atfim_ideal_destroy. False: out of memory.
bool atfim_ideal_create(const texture_map_t *map, uint32_t rate, bool exact, atfim_t *engine);
void atfim_ideal_destroy(atfim_t *engine);

#endif
