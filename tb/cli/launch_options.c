// SPDX-License-Identifier: Apache-2.0
#include "launch_options.h"

#include <stdio.h>

#include "cli.h"

bool launch_option(launch_options_t *o, int key, char *text, struct argp_state *state) {
  switch (key) {
    case KeyLaunch: o->prefix = text; return true;
    case KeyAttempts:
      o->attempts = (uint32_t)cli_number(state, "--attempts", text, 1, 1000);
      return true;
    case KeyLostAfter:
      o->lost_after = (double)cli_number(state, "--lost-after", text, 1, 1000000);
      return true;
    default: return false;
  }
}

void launch_check(const launch_options_t *o, uint32_t jobs, struct argp_state *state) {
  if (o->prefix && !jobs) argp_error(state, "--launch: expected -j N beside it, jobs at a time");
}

uint32_t launch_words(const launch_options_t *o, const char **words, uint32_t n) {
  static char attempts[16], lost_after[32];
  if (!o->prefix) return n;
  snprintf(attempts, sizeof attempts, "%u", o->attempts);
  snprintf(lost_after, sizeof lost_after, "%.0f", o->lost_after);
  const char *const all[] = {"--launch", o->prefix,      "--attempts",
                             attempts,   "--lost-after", lost_after};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) words[n++] = all[i];
  return n;
}
