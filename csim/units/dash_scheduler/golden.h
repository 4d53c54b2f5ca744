// SPDX-License-Identifier: Apache-2.0
// Cycle-exact reference of the DASH scheduler, written from
// docs/units/dash_scheduler.md.
#ifndef NOCTURNE_GOLDEN_DASH_SCHEDULER_GOLDEN_H
#define NOCTURNE_GOLDEN_DASH_SCHEDULER_GOLDEN_H

#include "unit/dash_scheduler/dash_scheduler.h"

// False: out of memory or parameters out of range.
bool dash_scheduler_golden_create(const dash_scheduler_params_t *params, dash_scheduler_t *engine);
void dash_scheduler_golden_destroy(dash_scheduler_t *engine);

#endif
