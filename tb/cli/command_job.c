// SPDX-License-Identifier: Apache-2.0
// nocturne job ATTEMPT: one test of a regression, on the machine where a launcher starts it.
#include <argp.h>

#include "cli.h"
#include "tb/regress/launch.h"

static error_t parse(int key, char *arg, struct argp_state *state) {
  const char **attempt = state->input;
  switch (key) {
    case ARGP_KEY_ARG:
      if (*attempt) argp_error(state, "%s: one job only", arg);
      *attempt = arg;
      return 0;
    case ARGP_KEY_NO_ARGS:
      argp_error(state, "expected a job, the folder of its job.json");
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

int cli_job(int argc, char **argv) {
  static const struct argp_option Options[] = {{0}};
  static const struct argp Parser = {
      Options,
      parse,
      "ATTEMPT",
      "Runs the test of ATTEMPT/job.json and writes ATTEMPT/result.json: what `nocturne regress "
      "--launch` starts on other machines.",
      NULL,
      NULL,
      NULL};
  const char *attempt = NULL;
  err_t err = {0};
  cli_parse(&Parser, argc, argv, &attempt);
  return launched_run(attempt, &err) ? ExitPassed : cli_fail(&err);
}
