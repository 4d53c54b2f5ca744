// SPDX-License-Identifier: Apache-2.0
// Jobs of a regression for another process, on this machine or another that shares the folder. Any
// list of tests can be a shard; it is run one test after the other. Files:
//
//   PREFIX.jobs             key of the program, then the tests, a line of JSON each
//   PREFIX/N/journal.jsonl  what attempt N has finished
//   PREFIX/N/HASH/          files of the test of this hash of its id
//   over                    in PREFIX's folder: no attempt starts another test
//
// Each process that works on a shard is an attempt, with the next number. An attempt runs what no
// other one has finished, and starts nothing more once there is a later attempt, whether or not
// Slurm knows that it is alive. So no finished test runs again, and of attempts that run the same
// test at a time, the result that the reader finds first counts.
#ifndef NOCTURNE_REGRESS_SHARD_H
#define NOCTURNE_REGRESS_SHARD_H

#include "journal.h"

enum { ShardPathSize = 400, ShardMaxAttempts = 64 };

// Writes PREFIX.jobs; keys: of all tests of the list. False with one line in error.
bool shard_write(const char *prefix, const test_list_t *list, char (*keys)[JournalKeySize],
                 const size_t *tests, size_t count, char error[TestErrorSize]);

typedef enum {
  ShardDone,         // the shard's tests are finished, or a later attempt sees to them
  ShardBadFile,      // PREFIX.jobs is missing or broken, or of another program
  ShardFailed,       // something cannot be written
  ShardLacking,      // of memory or processes
  ShardInterrupted,  // by a signal
} shard_end_e;

// Runs the shard as the next attempt. One line in error unless done.
shard_end_e shard_run(const char *prefix, char error[TestErrorSize]);

// ---- The reader of the attempts ----

typedef struct {
  char prefix[ShardPathSize];
  uint32_t attempts;            // seen so far
  off_t read[ShardMaxAttempts]; // of each one's journal
} shard_reader_t;

// Calls found for each entry that is new since the last call, with the folder of the test's files,
// earlier attempts first. It returns false to stop; so does this then.
bool shard_read(shard_reader_t *reader,
                bool (*found)(void *context, const journal_entry_t *entry, const char *files),
                void *context);

#endif
