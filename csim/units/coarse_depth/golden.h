// SPDX-License-Identifier: Apache-2.0
// Cycle-exact reference of the shared coarse depth, written from docs/units/coarse_depth.md.
#ifndef NOCTURNE_GOLDEN_COARSE_DEPTH_GOLDEN_H
#define NOCTURNE_GOLDEN_COARSE_DEPTH_GOLDEN_H

#include "unit/coarse_depth/coarse_depth.h"

// False: out of memory or parameters out of range.
bool coarse_depth_golden_create(const coarse_depth_params_t *params, coarse_depth_t *engine);
void coarse_depth_golden_destroy(coarse_depth_t *engine);

#endif
