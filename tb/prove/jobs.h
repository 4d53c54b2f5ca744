// SPDX-License-Identifier: Apache-2.0
// Runs what does not depend on each other in processes of its own, so many at a time. What they
// print comes in their order, and what comes of them is the same however many run at once: the
// first that fails counts, those before it are waited for, those after it are ended.
#ifndef NOCTURNE_PROVE_JOBS_H
#define NOCTURNE_PROVE_JOBS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct job job_t;
// In a process of its own. What it prints after job_is_refuted is for jobs_explain.
typedef bool job_run_t(job_t *job, const void *context, uint32_t number);
void job_is_refuted(job_t *job);
void job_count(job_t *job, uint64_t n);

typedef struct {
  job_t *first_failed;  // NULL: none
  uint64_t counted;     // by all
  void *mapped;
  uint32_t count;
} jobs_t;

// A fault in one of them ends the program with its status, as does a signal with FaultLacking.
void jobs_run(jobs_t *jobs, uint32_t count, uint32_t at_once, job_run_t *run, const void *context);
// Prints what the first that failed had to say of it.
void jobs_explain(const jobs_t *jobs);
void jobs_destroy(jobs_t *jobs);

#endif
