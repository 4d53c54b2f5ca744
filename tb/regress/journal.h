// SPDX-License-Identifier: Apache-2.0
// The journal of a regression: a line of JSON for each finished test, written at once and whole, so
// that a run that was killed can go on where it was.
#ifndef NOCTURNE_REGRESS_JOURNAL_H
#define NOCTURNE_REGRESS_JOURNAL_H

#include "csim/base/err.h"
#include "job_result.h"
#include "test_key.h"

typedef struct {
  char *id;
  char key[TestKeySize];
  job_result_t result;
  bool cached;  // the result was taken from the cache
} journal_entry_t;

typedef struct {
  int file;                   // -1: closed
  char *path;                 // owned
  journal_entry_t **entries;  // in the order of finishing
  void *by_id;
  size_t count;
} journal_t;

// Opens FOLDER/journal.jsonl. With `resume` it takes over what the file holds and drops a line that
// a kill cut off; otherwise the old file becomes journal-before.jsonl. journal_close in any case.
bool journal_open(journal_t *journal, const char *folder, bool resume, err_t *err);

// Appends a finished test; what the result points to is copied.
bool journal_add(journal_t *journal, const test_t *test, const char *key,
                 const job_result_t *result, bool cached, err_t *err);
const journal_entry_t *journal_find(const journal_t *journal, const char *id);
void journal_close(journal_t *journal);

// Reads FOLDER/NAME without touching it. Returns false if there is none; journal_close in any case.
bool journal_read(journal_t *journal, const char *folder, const char *name);

#endif
