// SPDX-License-Identifier: Apache-2.0
// The subcommands of nocturne. Each takes its own arguments (argv[0] is "nocturne" and the
// subcommand) and returns the exit status.
#ifndef NOCTURNE_CLI_H
#define NOCTURNE_CLI_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include "csim/base/err.h"
#include "tb/harness/harness.h"
#include "tb/regress/test_list.h"
#include "tb/stimulus/stimulus.h"

enum {
  ExitPassed = ErrNone,
  ExitFailed = ErrCheck,
  ExitUsage = ErrInput,
  ExitLacking = ErrMachine,
};

int cli_run(int argc, char **argv);
int cli_sweep(int argc, char **argv);
int cli_paper(int argc, char **argv);
int cli_policy(int argc, char **argv);
int cli_unit(int argc, char **argv);
int cli_frame(int argc, char **argv);
int cli_config(int argc, char **argv);
int cli_mutate(int argc, char **argv);
int cli_prove(int argc, char **argv);
int cli_room(int argc, char **argv);
int cli_regress(int argc, char **argv);
int cli_job(int argc, char **argv);
int cli_rerun(int argc, char **argv);
int cli_cover(int argc, char **argv);
int cli_bench(int argc, char **argv);
int cli_memory(int argc, char **argv);
int cli_quality(int argc, char **argv);
int cli_area(int argc, char **argv);

// Repeats a failed command with waves around the failure and prints where they are, unless the
// environment has NOCTURNE_NO_WAVES.
void cli_repeat_with_waves(const harness_t *harness);

// Repeats a machine's run that failed without a unit's report (a hang, a unit's error output) with
// waves of all units, from `before` cycles before the failure (0: 200).
void cli_repeat_machine(const char *command, uint64_t cycle, uint64_t before);

// Reads a number of decimal digits only. Returns false unless it lies from least to most.
bool cli_read_number(const char *text, uint64_t least, uint64_t most, uint64_t *number);

// Reads the command line as argp_parse does; refuses a misspelt long option and names the nearest.
void cli_parse(const struct argp *parser, int argc, char **argv, void *options);

// Prints the error's text as one line and returns its status, the exit status. Frees the error.
int cli_fail(err_t *err);

// Prints one line and returns the status.
int cli_refuse(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Read options that several commands have. A text that cannot be read ends the program with one
// line and ExitUsage.
uint64_t cli_number(struct argp_state *state, const char *option, const char *text, uint64_t least,
                    uint64_t most);
// A folder whose name a script of Yosys or abc has, which end it at a space.
const char *cli_script_folder(struct argp_state *state, const char *text);
const unit_model_t *cli_unit_named(struct argp_state *state, const char *name);
engine_e cli_engine(struct argp_state *state, const char *text);
void cli_waves_unit(struct argp_state *state, const char *text, harness_options_t *options);
void cli_window(struct argp_state *state, const char *text, harness_options_t *options);
// Refuses waves that cannot be written; called once all options are read.
void cli_check_waves(struct argp_state *state, const harness_options_t *options);

// Returns false after one line if an output's folder takes no file, so that no long run is lost.
// NULL and "-" are right.
bool cli_can_write(const char *path);

enum { CliMostJobs = 4096 };  // of -j

// Test lists as a command's arguments.
typedef struct {
  const char *paths[32];
  uint32_t count;
} cli_lists_t;

void cli_add_list(struct argp_state *state, cli_lists_t *lists, const char *path);
// Adds the tests of all to a list that starts as {0}.
bool cli_load_lists(const cli_lists_t *lists, const test_seeds_t *seeds, test_list_t *list,
                    err_t *err);
void cli_print_list(const test_list_t *list);  // each test's id and command

uint32_t cli_processors(void);  // on line, 1 or more: as many processes at a time

// Returns the command line as one string, quoted where needed, for reports; the caller frees it.
char *cli_command_line(int argc, char **argv);
// The same without some options, each of which has a value: "--waves" also as --waves=FILE, "-w"
// also as -wFILE. options: up to NULL.
char *cli_command_without(int argc, char **argv, const char *const *options);

#endif
