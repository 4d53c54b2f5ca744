// SPDX-License-Identifier: Apache-2.0
// How a test ended.
#ifndef NOCTURNE_REGRESS_JOB_RESULT_H
#define NOCTURNE_REGRESS_JOB_RESULT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum { JobPassed, JobFailed } job_verdict_e;

typedef struct {
  job_verdict_e verdict;
  int status;            // exit status; -1: a signal or a limit ended it
  char *signature;       // class, unit, signal, assertion: groups failures; "" if passed
  char *what;            // first line of the report, or the cause
  char digest[65];       // SHA-256 of the result's part that does not depend on time or engine
  uint32_t good, bad;    // checks: one per test, or the lines of a test that `counts`
  double seconds;        // wall time
  double cpu, building;  // seconds of processor time, and the part of them that built units
  uint64_t peak_memory;  // bytes, of the largest of its processes; 0: not known
} job_result_t;

// Copies a result with its strings. Returns false, with nothing to free, when out of memory.
bool job_result_copy(job_result_t *to, const job_result_t *from);
void job_result_free(job_result_t *result);

// Converts from and to the object of a journal's line. job_result_read ignores other keys; it
// returns false, with nothing to free, for an object that is no result.
json_t *job_result_json(const job_result_t *result);
bool job_result_read(json_t *json, job_result_t *result);

#endif
