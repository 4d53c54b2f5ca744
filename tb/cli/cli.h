// The subcommands of nocturne. Each takes its own arguments (argv[0] is the
// subcommand) and returns the exit status.
#ifndef NOCTURNE_CLI_H
#define NOCTURNE_CLI_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include "tb/harness/harness.h"

enum { ExitPassed = 0, ExitFailed = 1, ExitUsage = 2, ExitLacking = 3 };

int cli_run(int argc, char **argv);
int cli_sweep(int argc, char **argv);
int cli_unit(int argc, char **argv);
int cli_frame(int argc, char **argv);
int cli_config(int argc, char **argv);
int cli_regress(int argc, char **argv);
int cli_rerun(int argc, char **argv);
int cli_cover(int argc, char **argv);
int cli_bench(int argc, char **argv);
int cli_memory(int argc, char **argv);
int cli_area(int argc, char **argv);

// Runs the failed command once more with waves around the failure, unless the environment has
// NOCTURNE_NO_WAVES, and says where they are.
void cli_repeat_with_waves(const harness_t *harness);

// Reads --window BEFORE:AFTER into the harness's options.
void cli_window(struct argp_state *state, const char *text, harness_options_t *options);

// The command line as one string, quoted where needed, for reports.
void cli_command_line(int argc, char **argv, char *text, size_t size);

#endif
