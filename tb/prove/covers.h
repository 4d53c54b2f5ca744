// SPDX-License-Identifier: Apache-2.0
// That a proof speaks of something: every stream fires, every error is reached, every situation of
// the wrapper's prove_cover happens, in runs from reset.
#ifndef NOCTURNE_PROVE_COVERS_H
#define NOCTURNE_PROVE_COVERS_H

#include "proof.h"

// required: what is not reached is a failure. beyond: of events for which no run from reset is
// short enough; a state within the invariant must lead to each in a cycle.
typedef struct {
  const proof_t *proof;
  const char *params, *const *runs;
  uint32_t run_count, cycles;
  bool required;
  const char *const *beyond;
  uint32_t beyond_count;
} covers_t;

// Searches so many cycles from reset. False: something is not reached.
bool covers_search(const covers_t *c);

// Plays recorded vectors in both graphs. False: they answer otherwise than recorded, or something
// that is required is not reached.
bool covers_play(const covers_t *c);

#endif
