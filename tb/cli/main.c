// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "csim/base/place.h"
#include "csim/base/spelling.h"
#include "tb/harness/origin.h"

static int help(int argc, char **argv);

static const struct {
  const char *name;
  int (*run)(int argc, char **argv);
  const char *what;
} Commands[] = {
    {"run", cli_run, "render a frame on the configured machine"},
    {"sweep", cli_sweep, "a grid of runs side by side: one table, plots"},
    {"paper", cli_paper, "the papers' figures: sweeps, pages of stated and ours"},
    {"frame", cli_frame, "what a frame holds; generated frames as files"},
    {"config", cli_config, "the reference of all configuration keys"},
    {"policy", cli_policy, "a scheduling policy of your own: a skeleton, a table over all frames"},
    {"unit", cli_unit, "drive one hardware unit with random stimulus"},
    {"mutate", cli_mutate, "mutants of units: killed by tests, or settled by the proof"},
    {"prove", cli_prove, "golden model and RTL are equal, by induction"},
    {"room", cli_room, "what tools must know of the units, as JSON"},
    {"regress", cli_regress, "run test lists: processes, journal, reports"},
    {"job", cli_job, "one test of a regression, where a launcher starts it"},
    {"rerun", cli_rerun, "one test again: with waves around the failure, or cut down"},
    {"bench", cli_bench, "measure speed: units against bare RTL, memory models, the frame"},
    {"cover", cli_cover, "what a regression covered, against the plans"},
    {"area", cli_area, "what the units cost: storage, cells, area, clock"},
    {"quality", cli_quality, "compare the ways to filter textures by their pictures"},
    {"memory", cli_memory, "measure the memory models against the measured peers"},
    {"help", help, "help COMMAND: its arguments and options, as COMMAND --help"},
};
enum { CommandCount = sizeof Commands / sizeof *Commands };

static int usage(FILE *to) {
  fprintf(to, "Usage: nocturne COMMAND [ARGUMENTS]\n\nCommands (each has --help):\n");
  for (size_t i = 0; i < CommandCount; i++) {
    fprintf(to, "  %-8s %s\n", Commands[i].name, Commands[i].what);
  }
  fprintf(to, "\n  --version  this program's, its revision and its tools'\n");
  return to == stdout ? ExitPassed : ExitUsage;
}

static int version(void) {
  const char *revision = origin_revision(), *verilator = origin_verilator();
  char *remedy = place_remedy("verilator g++ make");
  printf("nocturne %s, %s%s\n", NOCTURNE_VERSION, revision[0] ? "revision " : "built outside git",
         revision);
  printf("compiler: %s\n", origin_compiler());
  printf("verilator: %s%s\n", verilator[0] ? verilator : "missing; ",
         verilator[0] || !remedy ? "" : remedy);
  free(remedy);
  return ExitPassed;
}

static int run(int argc, char **argv) {
  char name[64];
  const char *names[CommandCount + 1] = {NULL};
  for (size_t i = 0; i < CommandCount; i++) {
    names[i] = Commands[i].name;
    if (strcmp(argv[1], names[i]) == 0) {
      snprintf(name, sizeof name, "nocturne %s", argv[1]);
      argv[1] = name;
      return Commands[i].run(argc - 1, argv + 1);
    }
  }
  const char *nearest = spelling_nearest(argv[1], names);
  return cli_refuse(ExitUsage, "no command '%s'%s%s; `nocturne --help` lists them", argv[1],
                    nearest ? ", expected perhaps " : "", nearest ? nearest : "");
}

static int help(int argc, char **argv) {
  char program[] = "nocturne", option[] = "--help";
  char *arguments[] = {program, argc > 1 ? argv[1] : NULL, option, NULL};
  if (argc < 2 || strcmp(argv[1], option) == 0) {
    return usage(stdout);
  }
  if (argc > 2) {
    fprintf(stderr, "nocturne help: %s: one command only\n", argv[2]);
    return ExitUsage;
  }
  return strcmp(argv[1], "help") == 0 ? usage(stdout) : run(3, arguments);
}

// Ends with 1 where all went well but for the output, of which the end is still on its way.
static void close_output(int status, void *nothing) {
  (void)nothing;
  errno = 0;
  if ((fflush(stdout) != 0 || ferror(stdout)) && status == ExitPassed) {
    fprintf(stderr, "nocturne: standard output cannot be written: %s\n",
            strerror(errno ? errno : EIO));
    _exit(ExitFailed);
  }
}

int main(int argc, char **argv) {
  on_exit(close_output, NULL);
  setenv("ARGP_HELP_FMT", "rmargin=100", 0);
  if (argc < 2) {
    return usage(stderr);
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
    return usage(stdout);
  }
  if (strcmp(argv[1], "--version") == 0) {
    return version();
  }
  // No command has another -h.
  static char whole[] = "--help";
  for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++) {
    if (strcmp(argv[i], "--version") == 0) {
      return version();
    }
    argv[i] = strcmp(argv[i], "-h") == 0 ? whole : argv[i];
  }
  return run(argc, argv);
}
