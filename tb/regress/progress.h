// SPDX-License-Identifier: Apache-2.0
// Prints the progress of a regression, a bar on a terminal or now and then a line, and its
// failures.
#ifndef NOCTURNE_REGRESS_PROGRESS_H
#define NOCTURNE_REGRESS_PROGRESS_H

#include "job.h"

typedef struct {
  size_t passed, failed, total;  // tests
  uint32_t waiting;              // launched tests that have not begun
  char *words;                   // owned: what the launcher of one of them printed last, or NULL
  double shown;                  // when the last was printed
  bool on_terminal;
  const char *longest;  // id of the test that has run longest, or NULL
  double longest_seconds;
} progress_t;

// Returns true when it is time for progress_show; on a terminal more often.
bool progress_is_due(const progress_t *progress);

// Prints how far the regression is, with `running` tests that have begun. left: seconds, < 0:
// unknown.
void progress_show(progress_t *progress, uint32_t running, double left);

// Clears the bar, at the end.
void progress_end(const progress_t *progress);

// Prints a line for a test that failed, and for one with many checks.
void progress_say(const test_t *test, const job_result_t *result, bool show_command);

#endif
