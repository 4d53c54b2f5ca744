// SPDX-License-Identifier: Apache-2.0
// Recorded vectors (tb/harness/vectors.h) played in both graphs: what the translator made of the
// golden model and what Yosys made of the RTL must answer as the compiled golden model did.
#ifndef NOCTURNE_PROVE_PLAY_H
#define NOCTURNE_PROVE_PLAY_H

#include "search.h"

// What is looked for: reached[i] is set where events[i] happens.
typedef struct {
  const event_t *events;
  uint32_t count;
  bool *reached;
} sought_t;

// The number of lines played; what differs first, or is not within relation and invariant, is
// printed, and same is false then. Ends the program with one line where the file is not of this
// unit with these parameters.
uint32_t play_vectors(const proof_t *proof, const char *path, const char *params,
                      const sought_t *sought, bool *same);

#endif
