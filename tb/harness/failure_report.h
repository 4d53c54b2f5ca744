// SPDX-License-Identifier: Apache-2.0
// Writes a unit's failure as text: the values that differ, the last transactions and inputs, and
// the command that repeats the run with waves.
#ifndef NOCTURNE_HARNESS_FAILURE_REPORT_H
#define NOCTURNE_HARNESS_FAILURE_REPORT_H

#include "csim/base/text.h"
#include "failure.h"

typedef struct {
  const char *what;
  const void *expected, *actual;  // outputs that differ; NULL: no two were compared
  uint64_t seed;
  const char *waves_command;
} failure_report_t;

// Writes the report of a failure, cut to size.
void failure_report_write(const failure_t *failure, const failure_report_t *report, char *text,
                          size_t size);

// Stores the report and a picture of the last cycles in files, so that they outlive the terminal:
// build/reports/UNIT-N, or the name in NOCTURNE_REPORT, with .txt and .svg.
void failure_report_store(const failure_t *failure, const failure_report_t *report,
                          const char *text);

// Adds what a unit waits for, if it was clocked.
void failure_report_waits(const instance_t *unit, text_t *text);

#endif
