// SPDX-License-Identifier: Apache-2.0
// Barrier and broadcast at a switch of render target or depth buffer (CHOPIN, V):
// every GPU sends the tiles that it owns and has written since the last broadcast to
// all others.
//
// Time: the links of a GPU work in parallel, each carrying all that its owner sends;
// a GPU takes in what all others send at its memory's bandwidth. So the broadcast
// lasts as long as the slower of the two, plus one latency of the link.
#ifndef NOCTURNE_MACHINE_SYNC_H
#define NOCTURNE_MACHINE_SYNC_H

#include "part.h"

typedef struct {
  uint64_t syncs;
  uint64_t cycles;
  uint64_t bytes;  // between GPUs
  // With sync_blocks: sent, and left out of tiles of which some were sent.
  uint64_t blocks, blocks_left;
} sync_stats_t;

typedef struct sync sync_t;

// NULL: out of memory.
sync_t *sync_create(const site_t *site);
part_t sync_part(sync_t *sync);
const sync_stats_t *sync_stats(const sync_t *sync);

#endif
