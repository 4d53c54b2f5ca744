// SPDX-License-Identifier: Apache-2.0
// Cycle-exact reference of the tile coalescer, written from
// docs/units/tile_coalescer.md.
#ifndef NOCTURNE_GOLDEN_TILE_COALESCER_GOLDEN_H
#define NOCTURNE_GOLDEN_TILE_COALESCER_GOLDEN_H

#include "unit/tile_coalescer/tile_coalescer.h"

// False: out of memory or parameters out of range.
bool tile_coalescer_golden_create(const tile_coalescer_params_t *params, tile_coalescer_t *engine);
void tile_coalescer_golden_destroy(tile_coalescer_t *engine);

#endif
