// SPDX-License-Identifier: Apache-2.0
// State that the instances of one run share: the options, the observers, the first failure.
// harness.c makes it, lockstep.c uses it.
#ifndef NOCTURNE_HARNESS_SESSION_H
#define NOCTURNE_HARNESS_SESSION_H

#include <stdatomic.h>

#include "backlog.h"
#include "engine.h"
#include "observer.h"
#include "waves.h"

enum { SessionMaxInstances = 256, SessionMaxObservers = 3 };

struct harness {
  harness_options_t options;
  struct lockstep *units[SessionMaxInstances];
  uint32_t count;
  bool lacking;
  double build_seconds;                       // spent on building and loading hardware
  backlog_t *backlog;                         // NULL: the RTL is clocked at once
  atomic_bool failed;                         // seen by both threads
  observer_t observers[SessionMaxObservers];  // watch all instances
  uint32_t observer_count;
  waves_t waves;             // one instance has them
  failure_t failure;         // the first one
  struct draw_watch *watch;  // of a draw scheduler of the user's; NULL: there is none
  char report[16384], waves_command[4096];
  err_t output_err;  // why waves, vectors or the log are missing
};

#endif
