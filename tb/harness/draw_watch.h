// SPDX-License-Identifier: Apache-2.0
// Watches a draw scheduler of the user's own: every draw that it takes must reach the GPUs that it
// is for, once, before its group is composed. What comes out wrong is a failure of the unit; a
// picture would not tell of an opaque draw that is drawn twice.
#ifndef NOCTURNE_HARNESS_DRAW_WATCH_H
#define NOCTURNE_HARNESS_DRAW_WATCH_H

#include "csim/base/text.h"
#include "lockstep.h"
#include "unit/draw_scheduler/draw_scheduler.h"

typedef struct draw_watch draw_watch_t;

// Puts itself between an engine and its caller. l: the unit's instance. NULL: out of memory.
draw_watch_t *draw_watch_create(const draw_scheduler_params_t *params, draw_scheduler_t *engine,
                                lockstep_t *l);
void draw_watch_destroy(draw_watch_t *watch);

// Adds to the report of a hang the draws that were taken and not given.
void draw_watch_describe(const draw_watch_t *watch, text_t *text);

#endif
