// SPDX-License-Identifier: Apache-2.0
// The options of commands that can run their jobs on other machines.
#ifndef NOCTURNE_CLI_LAUNCH_OPTIONS_H
#define NOCTURNE_CLI_LAUNCH_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

#include "tb/regress/launch.h"

enum { KeyLaunch = 640, KeyAttempts, KeyLostAfter, LaunchMaxWords = 6 };

// For the command's options.
#define LAUNCH_OPTIONS                                                                            \
  {"launch",                                                                                      \
   KeyLaunch,                                                                                     \
   "COMMAND",                                                                                     \
   0,                                                                                             \
   "start each job by these words before it, such as 'srun -n1' (docs/how-to/cluster.md)",        \
   2},                                                                                            \
      {"attempts", KeyAttempts, "N", 0, "with --launch: at a job, before it is given up (3)", 2}, \
  {                                                                                               \
    "lost-after", KeyLostAfter, "SECONDS", 0,                                                     \
        "with --launch: of silence after which a job is started again (120)", 2                   \
  }

// Takes an option of these; returns false for any other.
bool launch_option(launch_options_t *options, int key, char *text, struct argp_state *state);

// Refuses, at the end of the command line, --launch without -j; jobs: -j, or 0.
void launch_check(const launch_options_t *options, uint32_t jobs, struct argp_state *state);

// Appends the same options for another command to words, of which there are count; returns how many
// there are then, at most LaunchMaxWords more.
uint32_t launch_words(const launch_options_t *options, const char **words, uint32_t count);

#endif
