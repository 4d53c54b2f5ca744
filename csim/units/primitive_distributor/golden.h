// SPDX-License-Identifier: Apache-2.0
// Cycle-exact reference of the primitive distributor, written from
// docs/units/primitive_distributor.md.
#ifndef NOCTURNE_GOLDEN_PRIMITIVE_DISTRIBUTOR_GOLDEN_H
#define NOCTURNE_GOLDEN_PRIMITIVE_DISTRIBUTOR_GOLDEN_H

#include "unit/primitive_distributor/primitive_distributor.h"

// False: out of memory or parameters out of range.
bool primitive_distributor_golden_create(const primitive_distributor_params_t *params,
                                         primitive_distributor_t *engine);
void primitive_distributor_golden_destroy(primitive_distributor_t *engine);

#endif
