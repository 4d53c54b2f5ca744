// SPDX-License-Identifier: Apache-2.0
// Cycle-exact reference of the image-composition scheduler, written from
// docs/units/composition_scheduler.md.
#ifndef NOCTURNE_GOLDEN_COMPOSITION_SCHEDULER_H
#define NOCTURNE_GOLDEN_COMPOSITION_SCHEDULER_H

#include "unit/composition_scheduler/composition_scheduler.h"

// False: out of memory or parameters out of range.
bool composition_scheduler_golden_create(const composition_scheduler_params_t *params,
                                         composition_scheduler_t *engine);
void composition_scheduler_golden_destroy(composition_scheduler_t *engine);

#endif
