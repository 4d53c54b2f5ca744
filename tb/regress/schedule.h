// SPDX-License-Identifier: Apache-2.0
// In which order the tests of a regression start, and how long what is left takes: from what each
// took last in this folder (FOLDER/times.json), or else what its list says that it takes, or else
// its other seeds. Times are seconds of processor time, so that a busy machine spoils none.
#ifndef NOCTURNE_REGRESS_SCHEDULE_H
#define NOCTURNE_REGRESS_SCHEDULE_H

#include <jansson.h>

#include "job.h"

typedef struct {
  double run;       // < 0: not known
  double building;  // on top of it, if its units are to be built
} schedule_time_t;

typedef struct {
  const test_list_t *list;
  size_t *order;
  schedule_time_t *times;        // of each test
  size_t *first;                 // of the tests of the same name
  double *sum;                   // by first: of the known times of a name
  size_t *known;                 // by first: how many these are
  json_t *kept;                  // {"id": [run, building]}
  char sources[65];              // key of what the units are built from, now
  bool must_build;               // it is another one than that of the kept times
  double cpu, wall;              // of the tests that have ended in this regression
} schedule_t;

// sources: key of what units are built from. has_failed: whether a test failed last (NULL: none
// did); these start first, then the first seed of each test, then the others, the longest first.
// False: out of memory.
bool schedule_make(schedule_t *schedule, const test_list_t *list, const char *folder,
                   const char *sources, bool (*has_failed)(void *context, const char *id),
                   void *context);
void schedule_free(schedule_t *schedule);

// Seconds of processor time that a test takes; < 0: not known.
double schedule_takes(const schedule_t *schedule, size_t test);

// A test has ended, not from a cache.
void schedule_ended(schedule_t *schedule, size_t test, const job_result_t *result);

// Wall time until all is done. is_left: tests that have not ended; since: wall seconds that a
// running one has had, or 0; share: of a processor that each process has had, 0 if not known, which
// counts until tests have ended. False while too little is known to say.
bool schedule_left(const schedule_t *schedule, const bool *is_left, const double *since,
                   uint32_t jobs, double share, double *seconds);

// Writes the times for the next regression in this folder.
void schedule_keep(const schedule_t *schedule, const char *folder);

#endif
