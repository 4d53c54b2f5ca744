#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "tb/harness/shell.h"

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
    {"unit", cli_unit, "drive one hardware unit with random stimulus"},
    {"regress", cli_regress, "run test lists: processes, journal, reports"},
    {"rerun", cli_rerun, "one test again: with waves around the failure, or cut down"},
    {"bench", cli_bench, "measure speed: units against bare RTL, memory models, the frame"},
    {"cover", cli_cover, "what a regression covered, against the plans"},
    {"area", cli_area, "what the units cost: storage, cells, area, clock"},
    {"memory", cli_memory, "measure the memory models against the measured peers"},
};

void cli_command_line(int argc, char **argv, char *text, size_t size) {
  size_t used = (size_t)snprintf(text, size, "build/%s", argv[0]);
  for (int i = 1; i < argc; i++) {
    used = shell_add(text, size, used, argv[i]);
  }
}

static int usage(FILE *to) {
  fprintf(to, "Usage: nocturne COMMAND [ARGUMENTS]\n\nCommands (each has --help):\n");
  for (size_t i = 0; i < sizeof Commands / sizeof *Commands; i++) {
    fprintf(to, "  %-8s %s\n", Commands[i].name, Commands[i].what);
  }
  return to == stdout ? ExitPassed : ExitUsage;
}

int main(int argc, char **argv) {
  setenv("ARGP_HELP_FMT", "rmargin=100", 0);
  if (argc < 2) {
    return usage(stderr);
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
    return usage(stdout);
  }
  for (size_t i = 0; i < sizeof Commands / sizeof *Commands; i++) {
    if (strcmp(argv[1], Commands[i].name) == 0) {
      char name[64];
      snprintf(name, sizeof name, "nocturne %s", argv[1]);
      argv[1] = name;
      return Commands[i].run(argc - 1, argv + 1);
    }
  }
  fprintf(stderr, "nocturne: no command '%s'; `nocturne --help` lists them\n", argv[1]);
  return ExitUsage;
}
