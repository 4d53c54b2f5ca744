// SPDX-License-Identifier: Apache-2.0
// The coverage of a unit's input, for libFuzzer: counts of the Verilated model's coverage points
// (lines, branches, toggles, cover points), and pairs of small fields that changed in one step.
// The coverage of the golden model comes from clang's counters.
#ifndef NOCTURNE_FUZZ_FEATURES_H
#define NOCTURNE_FUZZ_FEATURES_H

#include "tb/harness/lockstep.h"

typedef struct {
  lockstep_t *unit;
  const uint32_t *counters;  // of the model; NULL: it has none
  uint32_t *before, count;
  uint8_t *last;  // outputs and state of the last step
} features_t;

// False: out of memory.
bool features_open(features_t *features, lockstep_t *unit);

void features_begin(features_t *features);
void features_step(features_t *features, const void *out);
void features_end(features_t *features);

#endif
