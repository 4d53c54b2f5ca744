// SPDX-License-Identifier: Apache-2.0
// Golden model and RTL side by side from reset in their graph, 64 runs at once, under random
// inputs.
#ifndef NOCTURNE_PROVE_LANES_H
#define NOCTURNE_PROVE_LANES_H

#include "csim/base/rng.h"
#include "layout.h"
#include "reel.h"

enum { LanesRuns = 64, LanesReels = 32 };

typedef uint64_t word64_t;  // a bit of each run

// A node and its operands.
typedef struct {
  uint32_t node;
  lit_t a, b;
} lanes_node_t;

typedef struct {
  const transition_t *t;
  rng_t rng;
  layout_t layout;
  lit_t *roots;  // of a clock, of a reset, and what else is looked at, before either
  uint32_t root_count;
  lanes_node_t *order;  // operands first
  uint32_t order_count;
  word64_t *value;  // by node
} lanes_t;

// more: literals that are looked at, too. Made anew: the runs start.
void lanes_create(lanes_t *lanes, const transition_t *t, const lit_t *more, uint32_t count);
void lanes_destroy(lanes_t *lanes);

// Draws the inputs of a cycle; returns in which runs it is a reset. Every fourth run has one now
// and then, and so has one whose inputs the wrapper rules out.
word64_t lanes_cycle(lanes_t *lanes, uint32_t cycle);
// The same, but that recorded runs play in some of the runs, to their end; and that of a cycle by
// itself, from any state that is set before.
word64_t lanes_cycle_or_reels(lanes_t *lanes, uint32_t cycle);
void lanes_try(lanes_t *lanes);
// Plays these runs, at most LanesRuns, from reset, and clears in them the inputs that the wrapper
// rules out; a cycle whose cleared inputs it rules out, too, becomes a reset.
void lanes_keep_legal(lanes_t *lanes, reel_t *reels, uint32_t count);
// Values of golden state, then RTL registers, in so many cycles of these runs: all cycles of the
// first one, and so on. The caller frees them.
word64_t *lanes_watch(lanes_t *lanes, uint32_t cycles);
// A literal before the cycle's end, of those that are roots or variables; what the graph has at
// place i of the layout after it.
word64_t lanes_get(const lanes_t *lanes, lit_t l);
word64_t lanes_after(const lanes_t *lanes, uint32_t i, word64_t reset);
void lanes_clock(lanes_t *lanes, word64_t reset);

#endif
