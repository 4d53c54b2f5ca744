// SPDX-License-Identifier: Apache-2.0
// The option --liberty, which several files of one kit may have: of `area`, and of `unit`.
#ifndef NOCTURNE_CLI_LIBERTY_OPTION_H
#define NOCTURNE_CLI_LIBERTY_OPTION_H

#include "cli.h"

enum { LibertyOptionMost = 16 };

typedef struct {
  const char *files[LibertyOptionMost];
  uint32_t count;
} liberty_option_t;

// Takes one more file. Ends the program where there are too many.
void liberty_option_add(liberty_option_t *option, const char *file, struct argp_state *state);

// Sets *path to the absolute path of one library of all files, checked that it maps any unit, and
// NOCTURNE_LIBERTY for the scripts. The path is kept for the rest of the process.
bool liberty_option_make(const liberty_option_t *option, const char **path, err_t *err);

#endif
