// SPDX-License-Identifier: Apache-2.0
// How busy a unit was: the steps in which any of its inputs was valid or taken, and the
// transactions of each of its streams.
#ifndef NOCTURNE_HARNESS_ACTIVITY_H
#define NOCTURNE_HARNESS_ACTIVITY_H

#include "observer.h"

enum { ActivityMaxStreams = 32 };

typedef struct activity {
  const char *unit;             // NULL: none was clocked
  uint64_t steps;
  uint64_t valid_steps, taken_steps;  // in which any input was valid, and taken
  uint32_t stream_count;
  struct {
    const char *name;
    uint64_t transactions;
  } streams[ActivityMaxStreams];
} activity_t;

// Adds what the first instance that it sees does to *activity, which is kept and starts as {0}; it
// may go on with that of an earlier run of the same unit. False with one line in error.
bool activity_open(observer_t *observer, activity_t *activity, err_t *err);

// Whether these inputs of a unit are valid in any stream.
bool activity_any_valid(const unit_info_t *info, const void *in);

#endif
