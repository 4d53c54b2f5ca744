// SPDX-License-Identifier: Apache-2.0
// Counts how busy a unit is: the steps in which any of its inputs is valid or taken, and the
// transactions of each of its streams.
#ifndef NOCTURNE_HARNESS_ACTIVITY_H
#define NOCTURNE_HARNESS_ACTIVITY_H

#include "observer.h"

enum { ActivityMaxStreams = 32 };

typedef struct activity {
  const char *unit;  // NULL: no unit was clocked
  uint64_t steps;
  uint64_t valid_steps, taken_steps;  // in which any input was valid, and taken
  uint32_t stream_count;
  struct {
    const char *name;
    uint64_t transactions;
  } streams[ActivityMaxStreams];
} activity_t;

// Opens an observer that adds the steps of the first instance it sees to *activity. That starts as
// {0} or holds the counts of an earlier run of the same unit, and must outlive the observer.
bool activity_open(observer_t *observer, activity_t *activity, err_t *err);

// Returns true if these inputs of a unit are valid in any stream.
bool activity_any_valid(const unit_info_t *info, const void *in);

#endif
