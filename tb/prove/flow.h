// SPDX-License-Identifier: Apache-2.0
// The order in which the blocks of a function are run when every loop is unrolled: reverse
// post-order, and the natural loops in it.
#ifndef NOCTURNE_PROVE_FLOW_H
#define NOCTURNE_PROVE_FLOW_H

#include <stdbool.h>
#include <stdint.h>

enum { FlowNone = 0xffffffff };

// Block b has the successors successors[first[b]] to successors[first[b + 1] - 1].
typedef struct {
  uint32_t blocks;
  const uint32_t *first, *successors;
} graph_t;

typedef struct {
  uint32_t count;    // of blocks that are reached from block 0
  uint32_t *order;   // blocks in reverse post-order
  uint32_t *header;  // by block: of its innermost loop, or FlowNone
  uint32_t
      *parent;     // by block that is a header: the header of the loop around its own, or FlowNone
  uint32_t *fork;  // by block: one from which control comes to it for sure, in the same turn, and
                   // without which it does not; or FlowNone
} flow_t;

// False for irreducible flow: *where is the block that jumps into the middle of a loop.
bool flow_create(flow_t *flow, const graph_t *graph, uint32_t *where);
void flow_destroy(flow_t *flow);

#endif
