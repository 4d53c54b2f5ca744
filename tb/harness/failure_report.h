// SPDX-License-Identifier: Apache-2.0
// A unit's failure as text: what differed, the last transactions and inputs, the command that
// repeats it with waves.
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

// The report of a failure, cut to size.
void failure_report_write(const failure_t *failure, const failure_report_t *report, char *text,
                          size_t size);

// Every failure leaves its report in a file too, whatever becomes of the terminal, and a picture
// of its last cycles: build/reports/UNIT-N, or what NOCTURNE_REPORT names, .txt and .svg.
void failure_report_store(const failure_t *failure, const failure_report_t *report,
                          const char *text);

// Adds what a unit waits for, if it was clocked.
void failure_report_waits(const instance_t *unit, text_t *text);

#endif
