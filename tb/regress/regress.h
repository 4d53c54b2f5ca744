// SPDX-License-Identifier: Apache-2.0
// Runs a test list: processes side by side, a journal as they finish, and reports.
#ifndef NOCTURNE_REGRESS_REGRESS_H
#define NOCTURNE_REGRESS_REGRESS_H

#include "journal.h"
#include "launch.h"
#include "test_list.h"

typedef struct {
  uint32_t jobs;            // tests at a time
  launch_options_t launch;  // a prefix: tests run on other machines
  bool resume;              // go on with the journal of a run that was cut off
  bool use_cache;           // take passed results of the same key
  bool keep_results;  // the cache also holds each result's JSON, picture and log: all passed tests
                      // have theirs in FOLDER/logs at the end
  bool keep_logs;     // the same for commands, which need not leave a JSON
  bool quiet;         // print neither progress nor failures
  bool show_command;  // with each failure
  // NULL, or called with `context` for each test that ends, and not for those that `resume` finds.
  void (*ended)(void *context, size_t test, const job_result_t *result, bool cached);
  void *context;
  void (*begun)(void);  // NULL, or called once, when no test is left to start and a place is free
  const char *folder;   // build/regress
  const char *cache;    // folder whose cache/ is used; NULL: the same
  const char *junit;    // file, or NULL
  const char *html;     // folder, or NULL
  const char *cover;    // folder of `nocturne cover`, whose results the page shows
  const char *command;  // the regression's own command line, for the page; NULL: unknown
} regress_options_t;

// The end of a test in a finished regression.
typedef struct {
  const test_t *test;
  const journal_entry_t *entry;
} regress_end_t;

typedef struct {
  const test_list_t *list;
  const regress_options_t *options;
  char *logs;  // owned: folder of the tests' files
  journal_t journal;
  regress_end_t *ends;  // one for each test, in the order of the list
  size_t passed, failed, cached;
  size_t good, bad;  // checks; a test that does not count its own has one
  size_t fresh;      // tests that ended in this call, not in one that it resumes
  double seconds;
  int lock;  // of the folder
} regress_t;

// Runs the tests that have not ended yet. Returns false if the regression was cut off: ErrInput,
// another one runs in the folder; ErrMachine, memory or processes are missing or nothing can be
// launched; ErrCheck, a file cannot be written or a signal came. Finished tests stay in the
// journal. regress_free in any case.
bool regress_run(regress_t *regress, const test_list_t *list, const regress_options_t *options,
                 err_t *err);
void regress_free(regress_t *regress);

// Prints failures grouped by signature, each with the command that reproduces its first test and
// all that a failing command printed; then what took longest; the last line counts checks: "N
// passed, N failed".
void report_summary(const regress_t *regress);
// Writes FOLDER/results.json: the same bytes for any number of jobs, except "timing".
bool report_json(const regress_t *regress, err_t *err);
bool report_junit(const regress_t *regress, const char *path, err_t *err);
// Writes FOLDER/index.html, one self-contained page.
bool report_html(const regress_t *regress, const char *folder, err_t *err);

// Tells the pages of a service. RegressGithub: annotations on standard output, and a table into the
// file that GITHUB_STEP_SUMMARY names. RegressGitlab: FOLDER/codequality.json. `list` stands for
// the place of a failure that names none.
typedef enum { RegressNoCi, RegressGithub, RegressGitlab } regress_ci_e;
bool report_ci(const regress_t *regress, regress_ci_e ci, const char *list, err_t *err);

#endif
