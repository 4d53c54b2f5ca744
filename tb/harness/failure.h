// SPDX-License-Identifier: Apache-2.0
// The first failure of an instance.
#ifndef NOCTURNE_HARNESS_FAILURE_H
#define NOCTURNE_HARNESS_FAILURE_H

#include "assertion.h"
#include "compare.h"

typedef struct {
  const char *class;  // MISMATCH, ASSERT or LOOP; NULL: nothing failed
  const instance_t *unit;
  uint64_t cycle;
  difference_t difference;  // its field is NULL where no values differ
  assertion_t assertion;    // of the same step; its file is empty where none failed
} failure_t;

// Returns true if both have one signature: class, unit, first signal, assertion.
bool failure_same(const failure_t *a, const failure_t *b);

#endif
