// SPDX-License-Identifier: Apache-2.0
// Cuts a failing stimulus down.
#ifndef NOCTURNE_HARNESS_SHRINK_H
#define NOCTURNE_HARNESS_SHRINK_H

#include "harness.h"

typedef struct {
  uint64_t before, after;  // steps
  uint64_t trials;
} shrunk_t;

// Cuts the inputs of the first unit since the last reset down to a shortest stimulus with the same
// failure (no step can be left out, no field cleared), and writes it as vectors. Call it after a
// failure, with keep_steps large enough.
bool shrink_stimulus(harness_t *harness, const char *path, shrunk_t *shrunk, err_t *err);

#endif
