// SPDX-License-Identifier: Apache-2.0
// Coarse depth that GPUs share: the unit of each GPU (docs/units/coarse_depth.md), what its GPU
// asks and tells, and the messages between the units, of 4 bytes and with the latency of all
// messages.
#ifndef NOCTURNE_MACHINE_COARSE_H
#define NOCTURNE_MACHINE_COARSE_H

#include "machine_units.h"
#include "part.h"

typedef struct {
  uint64_t hidden;           // pixels dropped before the depth test
  uint64_t messages, bytes;  // between GPUs
  uint64_t waits;            // cycles in which a block waited for its look
  uint64_t told, untold;     // tells taken by a unit; dropped since the last ones still waited
  uint64_t forgets;
} coarse_stats_t;

typedef struct coarse coarse_t;

// NULL with a line in err.
coarse_t *coarse_create(const site_t *site, const machine_units_t *units, err_t *err);
void coarse_destroy(coarse_t *coarse);

// GPU g has left the composition of a composed group: it tells the blocks of its own tiles.
void coarse_publish(coarse_t *coarse, uint32_t g, uint32_t composed);

// A cycle of all units, after the GPUs and the parts. Returns the next cycle at which there is
// something to do; what the units still send matters to nobody once all GPUs are done.
uint64_t coarse_step(coarse_t *coarse, uint64_t now, halt_t *halt);

coarse_stats_t coarse_stats(const coarse_t *coarse);

#endif
