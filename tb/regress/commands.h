// SPDX-License-Identifier: Apache-2.0
// Runs a set of commands, several at a time: the runner for programs other than tests (the prover,
// the mutants). Each command is a process of its own with limits, a log, a journal to go on with,
// and a cache of what has passed. A set may be run again from within one process, one set at a
// time.
#ifndef NOCTURNE_REGRESS_COMMANDS_H
#define NOCTURNE_REGRESS_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "csim/base/err.h"

typedef struct {
  const char *name;                // unique in the set, of letters, digits, _ . - and /
  const char *const *arguments;    // program first, NULL at the end
  const char *const *environment;  // "NAME=VALUE" to add, NULL at the end; or NULL
  double seconds;                  // limit of wall time on an idle machine; 0: none
  uint64_t memory;                 // limit of address space in bytes; 0: none
  double takes;                    // expected seconds of processor time; 0: unknown
  const char *key;  // all that the outcome depends on, or a hash of it; NULL: do not cache
} command_t;

// How a command ended. The strings are owned by the set of ends.
typedef struct {
  bool passed;          // exit status 0
  bool cached;          // taken from the cache or, after `resume`, from the journal
  int status;           // exit status; -1: a signal or a limit ended it
  char *what;           // why not: first report or complaint in its log, or the cause; "" if passed
  char *log;            // file of what it printed, also of a cached one
  double seconds, cpu;  // wall and processor time, of the run whose result this is
  uint64_t peak_memory;  // bytes, of the largest of its processes then; 0: not known
} command_end_t;

typedef struct {
  const char *folder;  // journal, logs and, unless `cache` is given, cache; made with its parents
  const char *cache;   // folder whose cache/ is used; NULL: the same
  uint32_t jobs;       // at a time; 0: one for each processor
  const char
      *launch;     // starts each command through this prefix (docs/how-to/cluster.md); NULL: here
  bool resume;     // go on with a set that was cut off
  bool use_cache;  // take passed results of the same key
  bool quiet;      // print neither progress nor failures
  // NULL, or called for each command that ends, in the order of ending.
  void (*ended)(void *context, size_t command, const command_end_t *end);
  void *context;
} commands_options_t;

// Runs all commands and fills ends[0..count), to be freed in any case. Returns false if the set
// could not be finished: bad input, a signal, a full disk, another run in the folder. That a
// command failed is no error.
bool commands_run(const command_t *commands, size_t count, const commands_options_t *options,
                  command_end_t *ends, err_t *err);
void commands_free(command_end_t *ends, size_t count);

#endif
