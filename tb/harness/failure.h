// A unit's failure as text: what differed, the last transactions and inputs, the command that
// repeats it with waves.
#ifndef NOCTURNE_HARNESS_FAILURE_H
#define NOCTURNE_HARNESS_FAILURE_H

#include "lockstep.h"

typedef struct {
  const char *what;
  const void *expected, *actual;  // outputs that differ; NULL: no two were compared
  uint64_t seed;
  const char *waves_command;
} failure_report_t;

// The first difference of two structs. False: there is none.
bool failure_find(const unit_info_t *info, const unit_field_t *fields, const void *expected,
                  const void *actual, lockstep_failure_t *found);

// The report of the unit's failure, cut to size.
void failure_write(const lockstep_t *l, const failure_report_t *report, char *text, size_t size);

// Every failure leaves its report in a file too, whatever becomes of the terminal, and a picture
// of its last cycles: build/reports/UNIT-N, or what NOCTURNE_REPORT names, .txt and .svg.
void failure_store(const lockstep_t *l, const failure_report_t *report, const char *text);

// What a unit that was clocked waits for. The characters written, 0 for another.
size_t failure_describe(const lockstep_t *l, char *text, size_t size);

#endif
