// SPDX-License-Identifier: Apache-2.0
// Cycle-exact reference of the composition scheduler with lookahead, written from
// docs/units/lookahead_scheduler.md.
#ifndef NOCTURNE_GOLDEN_LOOKAHEAD_SCHEDULER_H
#define NOCTURNE_GOLDEN_LOOKAHEAD_SCHEDULER_H

#include "unit/lookahead_scheduler/lookahead_scheduler.h"

// False: out of memory or parameters out of range.
bool lookahead_scheduler_golden_create(const lookahead_scheduler_params_t *params,
                                       lookahead_scheduler_t *engine);
void lookahead_scheduler_golden_destroy(lookahead_scheduler_t *engine);

#endif
