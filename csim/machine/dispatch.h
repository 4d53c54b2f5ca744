// SPDX-License-Identifier: Apache-2.0
// The driver's side: work items through the draw-command scheduler into the GPUs'
// command queues, credits and progress back (CHOPIN, IV-D). Without a draw scheduler (single GPU,
// primitive duplication, GPUpd) the driver writes every item to every GPU itself.
#ifndef NOCTURNE_MACHINE_DISPATCH_H
#define NOCTURNE_MACHINE_DISPATCH_H

#include "distribute.h"
#include "machine_units.h"

typedef struct {
  uint64_t command_bytes;  // commands and credits
  uint64_t progress_bytes;
  uint64_t scout_cycles;  // that group starts waited for scouts
} dispatch_stats_t;

typedef struct dispatch dispatch_t;

// distribute: where the commands of GPUpd come from, else NULL. NULL with one line in error.
dispatch_t *dispatch_create(const site_t *site, const distribute_t *distribute,
                            const machine_units_t *units, err_t *err);
part_t dispatch_part(dispatch_t *dispatch);

// Reports what a GPU has not yet reported of its progress, however little.
void dispatch_flush_progress(dispatch_t *dispatch, uint32_t g, uint64_t now);

// Returns true if there is more for a GPU, which has to wait for a batch's distribution.
bool dispatch_waits(const dispatch_t *dispatch, uint32_t g);

// The share of the work items that have been taken, 0 to 1.
double dispatch_share(const dispatch_t *dispatch);

const dispatch_stats_t *dispatch_stats(const dispatch_t *dispatch);

#endif
