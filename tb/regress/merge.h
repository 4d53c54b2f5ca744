// SPDX-License-Identifier: Apache-2.0
// What the attempts at shards have finished, merged into one regression: of each test the first
// result that is found, once, with its files.
#ifndef NOCTURNE_REGRESS_MERGE_H
#define NOCTURNE_REGRESS_MERGE_H

#include "shard.h"

typedef struct {
  const test_list_t *list;
  char (*keys)[JournalKeySize];  // of each test
  bool *left;                    // of each test: not finished
  const char *logs;              // where the tests' files go
  // A test has finished. False with one line in error ends the merge.
  bool (*ended)(void *context, size_t test, const job_result_t *result,
                char error[TestErrorSize]);
  void *context;
  size_t *by_id;      // tests in the order of their ids; of merge_open
  char *error;
} merge_t;

// The fields above but by_id are given. False: out of memory.
bool merge_open(merge_t *merge);
void merge_close(merge_t *merge);

// Takes what is new in a shard. A result of another key than the test has now is none of its.
bool merge_shard(merge_t *merge, shard_reader_t *reader, char error[TestErrorSize]);

#endif
