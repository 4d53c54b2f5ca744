// SPDX-License-Identifier: Apache-2.0
// What a regression leaves while it runs: a line of JSON for each finished test, written at
// once and whole, so that a run that is killed goes on where it was; and results of earlier
// runs, kept by what they depend on.
#ifndef NOCTURNE_REGRESS_JOURNAL_H
#define NOCTURNE_REGRESS_JOURNAL_H

#include "job.h"

enum { JournalKeySize = 65 };

typedef struct {
  char *id;
  char key[JournalKeySize];
  job_result_t result;
  bool cached;
} journal_entry_t;

typedef struct {
  int file;  // -1: closed
  char path[512];
  journal_entry_t **entries;  // in the order of finishing
  void *by_id;
  size_t count;
} journal_t;

// Opens FOLDER/journal.jsonl. resume: takes over what it holds (a line cut off by a kill is
// dropped); otherwise it starts anew and the old one becomes journal-before.jsonl. False
// with one line in error.
bool journal_open(journal_t *journal, const char *folder, bool resume, char error[TestErrorSize]);

// Appends a finished test; false with one line in error if it could not be written.
bool journal_add(journal_t *journal, const test_t *test, const char *key,
                 const job_result_t *result, bool cached, char error[TestErrorSize]);
const journal_entry_t *journal_find(const journal_t *journal, const char *id);
// What is in the journal is on the disk, or on the server of a shared folder.
bool journal_sync(const journal_t *journal, char error[TestErrorSize]);
void journal_close(journal_t *journal);

// A line of a journal; the caller frees entry->id.
bool journal_parse(const char *line, journal_entry_t *entry);

// Reads a journal without touching it; false if there is none.
bool journal_read(journal_t *journal, const char *path);

// What a test's result depends on: the program, the RTL and what stands around it, and the
// test's inputs, or else its command and the files that it names.
void journal_key(const test_t *test, char key[JournalKeySize]);

// Of this program.
const char *journal_program_key(void);

// Of all that is compiled into the units' objects.
const char *journal_units_key(void);

// A passed result of the same key, from FOLDER/cache.
bool journal_cached(const char *folder, const char *key, job_result_t *result);
void journal_keep(const char *folder, const char *key, const job_result_t *result);

// The files that a test left, its result's JSON, picture and log: copies them from LOGS to
// FOLDER/cache, and back. Restoring fails if the required one, a suffix, is missing.
void journal_keep_files(const char *folder, const char *key, const char *id, const char *logs);
bool journal_restore(const char *folder, const char *key, const char *id, const char *logs,
                     const char *required);

#endif
