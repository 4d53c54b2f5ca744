// SPDX-License-Identifier: Apache-2.0
// Tests that run on other machines (docs/how-to/cluster.md): each is started through a prefix, such
// as "srun -n1", and followed by the files of its attempt, in a folder that all machines share:
//
//   FOLDER/launched/HASH/N/   attempt N at the test whose id has this hash
//     job.json                what to run, written by the front end
//     alive                   touched while the launched process lives
//     files/                  what the test leaves: log, result, picture
//     result.json             how it ended, written once and whole
//     over                    the front end gave the attempt up: the launched process ends the test
//     launcher.log            what the launcher printed
//
// The launched process is `nocturne job ATTEMPT` (launched.c). The result file alone says how a
// test ended; the exit status of a launcher says nothing. An attempt is lost if its launcher is
// gone without a result, or if it has been silent for too long.
#ifndef NOCTURNE_REGRESS_LAUNCH_H
#define NOCTURNE_REGRESS_LAUNCH_H

#include <time.h>

#include "csim/base/err.h"
#include "job.h"

typedef struct {
  const char *prefix;  // words of a shell before the command
  uint32_t attempts;   // at a test, before it is given up
  double lost_after;   // seconds of silence after which an attempt is lost
} launch_options_t;

#define LaunchDefaults ((launch_options_t){.attempts = 3, .lost_after = 120})

// The front end's side of all attempts.
typedef struct {
  launch_options_t options;
  char *folder;   // owned: absolute path of FOLDER/launched
  char *program;  // owned: absolute path of this program
  double delay;   // seconds until the folder shows here what another machine has written
} launcher_t;

// An attempt that is under way.
typedef struct {
  char *folder;          // owned: of the attempt; NULL: none
  pid_t pid;             // of the launcher; 0: it has ended, or was another process's
  double gone;           // when the launcher ended; 0: it has not
  double heard;          // when the launched process was heard of last
  double begun;          // when it was heard of first; 0: not yet
  double looked;         // when launch_look looked last
  struct timespec beat;  // time of `alive` then
} launch_t;

// The signature of a test that had all its attempts and was lost in each.
#define LaunchLostSignature "LOST"

typedef enum { LaunchRuns, LaunchEnded, LaunchLost } launch_state_e;

// Makes the folder. Without `resume` the attempts of earlier regressions are ended and removed. Of
// the options only the prefix may be missing, in a regression that runs on this machine.
bool launcher_open(launcher_t *launcher, const launch_options_t *options, const char *folder,
                   bool resume, err_t *err);
void launcher_close(launcher_t *launcher);

// Finds the result that an attempt of an earlier front end has left at a test of this key. Returns
// the attempt's folder, which the caller frees, or NULL with nothing to free.
char *launch_find(const launcher_t *launcher, const test_t *test, const char *key,
                  job_result_t *result);

// Takes over an attempt that another front end has begun and that lives; ends those that do not.
// Returns whether there is one.
bool launch_adopt(const launcher_t *launcher, const test_t *test, const char *key,
                  launch_t *launch);

// Starts the next attempt at a test.
bool launch_start(const launcher_t *launcher, const test_t *test, const char *key, launch_t *launch,
                  err_t *err);

// Looks at the files of an attempt. LaunchEnded: the result is filled.
launch_state_e launch_look(const launcher_t *launcher, const char *key, launch_t *launch,
                           job_result_t *result);

// Returns the last line that the launcher printed, which the caller frees; NULL: none.
char *launch_last_words(const launch_t *launch);

// Tells the launched process and the launcher to end.
void launch_give_up(const launch_t *launch);
void launch_free(launch_t *launch);

// Moves the files of an attempt to the logs; what was moved before a kill is there already.
bool launch_collect(const char *attempt, const char *logs, err_t *err);

// Removes all attempts at a test.
void launch_forget(const launcher_t *launcher, const test_t *test);

// The launched process: runs the test of an attempt's folder and writes its result. Returns false
// if there is none: the attempt is over, a signal came, or something cannot be read or written.
bool launched_run(const char *attempt, err_t *err);

#endif
