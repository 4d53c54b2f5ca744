// SPDX-License-Identifier: Apache-2.0
// One test as a process of its own: a crash, a hang, exhausted memory or a broken result is one
// failed test.
#ifndef NOCTURNE_REGRESS_JOB_H
#define NOCTURNE_REGRESS_JOB_H

#include <sys/resource.h>
#include <sys/types.h>

#include "job_result.h"
#include "test_list.h"

typedef struct {
  const test_t *test;
  char *folder;    // owned; the test's files are in it
  pid_t pid;       // 0: no process, the job is free
  double started;  // by job_now
  double charged;  // seconds of the limit that are spent
  bool timed_out;
} test_job_t;

// Replaces path by the file of a test's id, FOLDER/ID and a suffix, with + for / in the id; returns
// it.
const char *job_file(text_t *path, const char *folder, const char *id, const char *suffix);

// Removes what an earlier run of the test left and this one may not write.
void job_clean(const char *id, const char *folder);

// Starts the test; its output goes to FOLDER/ID.log. Returns false with errno set. In either case
// job_free frees the job.
bool job_start(test_job_t *job, const test_t *test, const char *folder);
void job_free(test_job_t *job);

// Returns the share of a processor, 1 at most, that each process that can run gets at the moment.
double job_share(void);

// Counts seconds against the limit and ends a job that exceeds it. The seconds are those of an idle
// machine (wall time times job_share), so that no verdict depends on what else runs.
void job_charge(test_job_t *job, double seconds);

// Turns what wait4 returned into a verdict. Returns false, with nothing to free, when out of
// memory.
bool job_judge(const test_job_t *job, int status, const struct rusage *usage, double now,
               job_result_t *result);

// Computes the digest of a result's JSON file without "engine" and "timing". Returns false for a
// file without a JSON object.
bool job_digest(const char *path, char digest[65]);

double job_now(void);  // seconds of a clock that only goes forward

// Appends the test's command as one line for a shell, without the options that name result files.
void job_command(const test_t *test, text_t *text);

#endif
