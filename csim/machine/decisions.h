// SPDX-License-Identifier: Apache-2.0
// The driver's decisions on a frame before it runs: groups, hints, pieces; made of the machine's
// parameters.
#ifndef NOCTURNE_MACHINE_DECISIONS_H
#define NOCTURNE_MACHINE_DECISIONS_H

#include "../driver/pieces.h"
#include "machine_params.h"

typedef struct {
  plan_t *plan;
  driver_hint_t *hints;  // of each command, from the frame before; NULL: none
  pieces_t *pieces;
  nocturne_draw_t *draws;  // with a policy
} decisions_t;

// memory: of the frame before, or NULL. policy: NULL: the driver decides alone. False: out of
// memory; decisions_free then, too.
bool decisions_make(decisions_t *decisions, const machine_params_t *params, const frame_t *frame,
                    const driver_memory_t *memory, const driver_policy_t *policy);
void decisions_free(decisions_t *decisions);

#endif
