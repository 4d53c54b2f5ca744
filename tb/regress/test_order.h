// SPDX-License-Identifier: Apache-2.0
// The order in which the tests of a regression start, and the time that is left. Both come from
// what each test took last in this folder (FOLDER/times.json), or else from its list, or else from
// its other seeds. Times are seconds of processor time, so that a busy machine spoils none.
#ifndef NOCTURNE_REGRESS_TEST_ORDER_H
#define NOCTURNE_REGRESS_TEST_ORDER_H

#include <jansson.h>

#include "job.h"

// The known times of a test.
typedef struct {
  double run;       // seconds; < 0: unknown
  double building;  // seconds on top of it, if its units are to be built
  size_t first;     // first test of the same name
  double sum;       // in the first test: of the known times of this name
  size_t known;     // in the first test: how many these are
} test_times_t;

typedef struct {
  const test_list_t *list;
  size_t *order;        // tests, the first to start first
  test_times_t *times;  // by test
  json_t *kept;         // {"id": [run, building]}
  char sources[65];     // key of the sources of the units
  bool must_build;      // the sources differ from those of the kept times
  double cpu, wall;     // of the tests that ended in this regression
} test_order_t;

// Makes the order: first the tests that failed last (has_failed; NULL: none did), then the first
// seed of each test, then the others, the longest first. sources: key of the sources of the units.
// Returns false when out of memory; test_order_free in any case.
bool test_order_make(test_order_t *order, const test_list_t *list, const char *folder,
                     const char *sources, bool (*has_failed)(void *context, const char *id),
                     void *context);
void test_order_free(test_order_t *order);

// Takes the times of a test that ended, unless its result is from a cache.
void test_order_ended(test_order_t *order, size_t test, const job_result_t *result);

// Estimates the wall time until all is done. is_left: tests that have not ended; since: wall
// seconds that a running test has had, or 0; share: of a processor that each process has had, 0 if
// unknown, used until tests have ended. Returns false while too little is known.
bool test_order_left(const test_order_t *order, const bool *is_left, const double *since,
                     uint32_t jobs, double share, double *seconds);

// Writes the times for the next regression in this folder.
void test_order_keep(const test_order_t *order, const char *folder);

#endif
