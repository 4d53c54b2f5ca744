// SPDX-License-Identifier: Apache-2.0
// Runs what does not depend on each other in processes of its own, so many at a time. What they
// print comes in their order, and what comes of them is the same however many run at once: the
// first that fails counts, those before it are waited for, those after it are ended.
#ifndef NOCTURNE_PROVE_PROCESSES_H
#define NOCTURNE_PROVE_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>

typedef struct process process_t;
// In a process of its own. What it prints after process_is_refuted is for processes_explain.
typedef bool process_run_t(process_t *job, const void *context, uint32_t number);
void process_is_refuted(process_t *job);
void process_count(process_t *job, uint64_t n);

typedef struct {
  process_t *first_failed;  // NULL: none
  uint64_t counted;         // by all
  void *mapped;
  uint32_t count;
} processes_t;

// A fault in one of them ends the program with its status, as does a signal with FaultLacking.
void processes_run(processes_t *jobs, uint32_t count, uint32_t at_once, process_run_t *run,
                   const void *context);
// Prints what the first that failed had to say of it.
void processes_explain(const processes_t *jobs);
void processes_destroy(processes_t *jobs);

#endif
