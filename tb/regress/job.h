// SPDX-License-Identifier: Apache-2.0
// One test as a process of its own: whatever it does, crash, hang, take all memory or write
// nonsense, is one failed test.
#ifndef NOCTURNE_REGRESS_JOB_H
#define NOCTURNE_REGRESS_JOB_H

#include <sys/resource.h>
#include <sys/types.h>

#include "test_list.h"

enum { JobTextSize = 512 };

typedef enum { JobPassed, JobFailed } job_verdict_e;

typedef struct {
  job_verdict_e verdict;
  int status;             // exit status; -1: a signal or a limit ended it
  char
      signature[256];  // class, unit, signal, assertion: what failures are grouped by; "" if passed
  char what[JobTextSize]; // first line of the report, or the cause
  char digest[65];        // SHA-256 of the result's part that does not depend on time or engine
  uint32_t good, bad;     // checks: one of a test, or the lines of one whose checks count
  double seconds;         // of wall time
  double cpu, building;   // seconds of processor time, and those of them that built units
} job_result_t;

typedef struct {
  const test_t *test;
  pid_t pid;
  double started;
  double charged;              // seconds of the limit that are spent
  bool timed_out;
  char log[512], result[512], picture[512];  // files
  char report[512];            // the same without a suffix: .txt and .svg of a unit's failure
  char builds[512];            // what the harness writes of the units that it builds
} job_t;

// The file of a test's id: FOLDER/ID, with + for /, and a suffix.
void job_file(const char *id, const char *folder, const char *suffix, char *path, size_t size);

// Removes what an earlier run of the test left that this one may not write.
void job_clean(const char *id, const char *folder);

// Starts the test; its output goes to FOLDER/ID.log. False with errno set.
bool job_start(job_t *job, const test_t *test, const char *folder);

// The share of a processor that each process that wants one has had of late, 1 at most, from the
// processes that can run at the moment.
double job_share(void);

// Counts seconds against the limit and ends a job that is over it. The seconds are those of an idle
// machine (wall time by job_share), so that no verdict depends on what else runs.
void job_charge(job_t *job, double seconds);

// Digest of a result's JSON file without "engine" and "timing". False: no JSON object.
bool job_digest(const char *path, char digest[65]);

// What wait4 said of the job, turned into a verdict.
void job_judge(const job_t *job, int status, const struct rusage *usage, double now,
               job_result_t *result);

double job_now(void);  // seconds

// The test's command as one line for a shell. Without its result's files.
void job_command(const test_t *test, char *text, size_t size);

#endif
