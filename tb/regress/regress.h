// SPDX-License-Identifier: Apache-2.0
// Runs a test list: processes side by side, a journal as they finish, and reports.
#ifndef NOCTURNE_REGRESS_REGRESS_H
#define NOCTURNE_REGRESS_REGRESS_H

#include "journal.h"
#include "slurm.h"

typedef struct {
  uint32_t jobs;        // at a time on this machine
  const slurm_options_t *slurm;  // run them on a cluster; NULL: on this machine
  bool resume;          // go on with the journal of a run that was cut off
  bool use_cache;       // take passed results of the same key
  bool keep_results;    // the cache also holds each result's JSON and picture: all passed tests
                        // have theirs in FOLDER/logs at the end
  bool keep_logs;       // the same of each command's log
  bool quiet;           // print neither progress nor failures
  bool show_command;    // with each failure
  // NULL, or called with `context` for each test that ends, and not for those that `resume` finds.
  void (*ended)(void *context, size_t test, const job_result_t *result, bool cached);
  void *context;
  void (*begun)(void);  // NULL, or called once, when no test is left to start and a place is free
  const char *folder;   // build/regress
  const char *cache;    // folder whose cache/ is used; NULL: the same
  const char *junit;    // file, or NULL
  const char *html;     // folder, or NULL
  const char *cover;    // folder of `nocturne cover`, whose results the page shows
  const char *command;  // the regression's own command line, for the page; NULL: not known
} regress_options_t;

// The end of a test in a finished regression.
typedef struct {
  const test_t *test;
  const journal_entry_t *entry;
} regress_end_t;

typedef struct {
  const test_list_t *list;
  const regress_options_t *options;
  regress_end_t *ends;       // one for each test, in the order of the list
  size_t passed, failed, cached;
  size_t good, bad;          // checks, of which a test that does not count its own has one
  uint32_t jobs;             // at a time; on a cluster the most that were seen to run
  size_t fresh;              // ended in this call, not in one that it resumes
  double seconds;
  bool lacking;              // regress_run failed for want of memory or processes
  bool refused;              // another regression runs in the folder, or Slurm refuses an option
  int lock;                  // of the folder, until regress_free
} regress_t;

// Runs what has not ended yet. False with one line in error: the machine is lacking, a journal
// cannot be written, or a signal cut it off; what has finished stays in the journal.
bool regress_run(regress_t *regress, const test_list_t *list, const regress_options_t *options,
                 char error[TestErrorSize]);
void regress_free(regress_t *regress);

// Failures grouped by signature, each with its first test's reproducing command and, of a command,
// all that it printed; what took longest; and as the last line the checks: "N passed, N failed".
void report_summary(const regress_t *regress);
// FOLDER/results.json: the same bytes whatever the number of jobs, but for "timing".
bool report_json(const regress_t *regress, char error[TestErrorSize]);
bool report_junit(const regress_t *regress, const char *path, char error[TestErrorSize]);
// FOLDER/index.html, one self-contained page.
bool report_html(const regress_t *regress, const char *folder, char error[TestErrorSize]);

#endif
