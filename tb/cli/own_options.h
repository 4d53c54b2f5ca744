// SPDX-License-Identifier: Apache-2.0
// The options of commands that run a policy of the user's own (tb/harness/own.h).
#ifndef NOCTURNE_CLI_OWN_OPTIONS_H
#define NOCTURNE_CLI_OWN_OPTIONS_H

#include <argp.h>

#include "tb/harness/own.h"

enum { KeyOwnUnit = 704, KeyOwnDriver };

// For the command's options.
#define OWN_OPTIONS                                                                          \
  {"unit",                                                                                   \
   KeyOwnUnit,                                                                               \
   "NAME=DIR",                                                                               \
   0,                                                                                        \
   "a unit of your own in place of ours (docs/how-to/your-own-policy.md); may be repeated",  \
   1},                                                                                       \
  {                                                                                          \
    "driver", KeyOwnDriver, "LIB.so", 0, "decisions of your own in place of the driver's", 1 \
  }

// Takes one of these options. Returns false if the key is none of them.
bool own_option(own_options_t *options, int key, char *text, struct argp_state *state);

#endif
