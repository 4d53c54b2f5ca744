// What failed first in an instance.
#ifndef NOCTURNE_HARNESS_FAILURE_H
#define NOCTURNE_HARNESS_FAILURE_H

#include "compare.h"

typedef struct {
  const char *class;       // MISMATCH or ASSERT; NULL: nothing failed
  const instance_t *unit;
  uint64_t cycle;
  difference_t difference;  // its field is NULL where no values differ
} failure_t;

#endif
