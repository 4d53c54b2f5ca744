// SPDX-License-Identifier: Apache-2.0
// Cycle-exact reference of the draw-command scheduler, written from its contract,
// docs/units/draw_scheduler.md.
//
// create gives an engine in its reset state. The engine owns its memory until
// destroy; step neither allocates nor fails. The quiescent output of reset is that
// under inputs of 0.
#ifndef NOCTURNE_GOLDEN_DRAW_SCHEDULER_GOLDEN_H
#define NOCTURNE_GOLDEN_DRAW_SCHEDULER_GOLDEN_H

#include "unit/draw_scheduler/draw_scheduler.h"

// False: out of memory, or a parameter beyond its range.
bool draw_scheduler_golden_create(const draw_scheduler_params_t *params, draw_scheduler_t *engine);
void draw_scheduler_golden_destroy(draw_scheduler_t *engine);

#endif
