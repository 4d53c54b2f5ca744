// SPDX-License-Identifier: Apache-2.0
// GPUpd (CHOPIN, III-A, and its authors' simulator): the draws of a batch are projected
// cooperatively, a share of each draw on each GPU; then the GPUs send the triangles to
// the owners of the tiles that they touch, one GPU after the other, so that they arrive in
// order; then every GPU draws what it has got.
//
// The exchange of a batch starts when all GPUs have projected it and the exchange before it
// is over. A sender looks up send_rate triangles a cycle and sends the indices of each to all
// of its owners in the same cycle, and after each draw a mark to everyone; it waits for the
// links and for a place in the buffer of every receiver, whose credit comes back when the
// message has arrived. The next sender starts when the last mark has reached it. Ideal GPUpd
// has no limit of links and buffers and no latency (CHOPIN, V), but the same order and
// lookups. With runahead a batch is projected before the one before it is drawn, and distributed
// meanwhile. When a batch is sent and how long it takes does not depend on the drawing, so
// the exchange is worked out before the run.
#ifndef NOCTURNE_MACHINE_DISTRIBUTE_H
#define NOCTURNE_MACHINE_DISTRIBUTE_H

#include "part.h"

// The commands of a GPU are a stream of projections and work items, the same places in all GPUs.
typedef struct {
  bool project;   // else a work item of the plan
  uint32_t item;  // of the plan
  uint32_t batch;
} stream_entry_t;

typedef struct {
  uint64_t batches;
  uint64_t bytes;   // triangles and marks between GPUs
  uint64_t cycles;  // of the links: the batches' exchanges, one after the other
} distribute_stats_t;

typedef struct distribute distribute_t;

// Tells the GPUs the destinations of their triangles. NULL: out of memory.
distribute_t *distribute_create(const site_t *site);
part_t distribute_part(distribute_t *distribute);

// The entry at this place, or NULL at the end.
const stream_entry_t *distribute_entry(const distribute_t *distribute, uint32_t place);
// Returns true if a GPU may be given it.
bool distribute_ready(const distribute_t *distribute, const stream_entry_t *entry);
// A GPU's share of the primitives of a draw to project.
void distribute_share(const site_t *site, uint32_t g, uint32_t primitives, uint32_t *first,
                      uint32_t *count);

const distribute_stats_t *distribute_stats(const distribute_t *distribute);

#endif
