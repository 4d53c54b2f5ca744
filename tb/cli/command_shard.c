// SPDX-License-Identifier: Apache-2.0
// nocturne shard PREFIX: a shard of a regression, where Slurm starts it.
#include <argp.h>

#include "cli.h"
#include "tb/regress/shard.h"

static error_t parse(int key, char *arg, struct argp_state *state) {
  const char **prefix = state->input;
  switch (key) {
    case ARGP_KEY_ARG:
      if (*prefix) {
        argp_error(state, "%s: one shard only", arg);
      }
      *prefix = arg;
      return 0;
    case ARGP_KEY_NO_ARGS:
      argp_error(state, "expected a shard, the path of its file without .jobs");
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

int cli_shard(int argc, char **argv) {
  static const struct argp_option Options[] = {{0}};
  static const struct argp Parser = {
      Options, parse, "PREFIX",
      "Runs the jobs of PREFIX.jobs as the next attempt at them, PREFIX/N: what the tasks of "
      "`nocturne regress --slurm` do.",
      NULL, NULL, NULL};
  static const int Status[] = {[ShardDone] = ExitPassed, [ShardBadFile] = ExitUsage,
                               [ShardFailed] = ExitFailed, [ShardLacking] = ExitLacking,
                               [ShardInterrupted] = ExitFailed};
  const char *prefix = NULL;
  char error[TestErrorSize];
  cli_parse(&Parser, argc, argv, &prefix);
  shard_end_e end = shard_run(prefix, error);
  return end == ShardDone ? ExitPassed : cli_complain(error, Status[end]);
}
