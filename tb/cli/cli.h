// The subcommands of nocturne. Each takes its own arguments (argv[0] is the
// subcommand) and returns the exit status.
#ifndef NOCTURNE_CLI_H
#define NOCTURNE_CLI_H

#include <stdbool.h>
#include <stddef.h>

enum { ExitPassed = 0, ExitFailed = 1, ExitUsage = 2, ExitLacking = 3 };

int cli_run(int argc, char **argv);
int cli_unit(int argc, char **argv);
int cli_frame(int argc, char **argv);
int cli_config(int argc, char **argv);
int cli_bench(int argc, char **argv);

// The command line as one string, quoted where needed, for reports.
void cli_command_line(int argc, char **argv, char *text, size_t size);

#endif
