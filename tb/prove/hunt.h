// SPDX-License-Identifier: Apache-2.0
// Golden model and RTL side by side from reset in their graph, 64 runs at once, under random
// inputs: a search, which proves nothing. It reaches sizes and depths that no solver does, and
// finds in seconds what differs at a size only.
#ifndef NOCTURNE_PROVE_HUNT_H
#define NOCTURNE_PROVE_HUNT_H

#include "proof.h"

enum { HuntCycles = 2400 };

typedef struct {
  uint32_t cycles;      // in which the outputs of a run come to differ; 0: they don't
  uint32_t strays;      // in which relation, invariant or a check stops holding; 0: it does not
  const char *strayed;  // what stops first
} hunted_t;

// Runs for so many cycles. Where outputs differ, or else anything strays, that run goes to a file
// as vectors (tb/harness/vectors.h), which expect what the golden model in the graph says. Ends the
// program where the file cannot be written.
hunted_t hunt(const proof_t *proof, uint32_t cycles, const char *params, const char *vectors);

#endif
