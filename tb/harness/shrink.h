// SPDX-License-Identifier: Apache-2.0
// Cuts a failing stimulus down.
#ifndef NOCTURNE_HARNESS_SHRINK_H
#define NOCTURNE_HARNESS_SHRINK_H

#include "harness.h"

typedef struct {
  uint64_t before, after;  // steps
  uint64_t trials;
} shrunk_t;

// After a failure of the first unit, with keep_steps large enough: cuts its inputs since the
// last reset down to a shortest stimulus with the same failure (no step can be left out, no
// field cleared), and writes it as vectors. False with one line in error.
bool shrink_stimulus(harness_t *harness, const char *path, shrunk_t *shrunk, err_t *err);

#endif
