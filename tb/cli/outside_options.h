// SPDX-License-Identifier: Apache-2.0
// The options of commands that take a unit from outside the tree.
#ifndef NOCTURNE_CLI_OUTSIDE_OPTIONS_H
#define NOCTURNE_CLI_OUTSIDE_OPTIONS_H

#include <argp.h>

#include "tb/harness/outside.h"
#include "tb/stimulus/stimulus.h"

typedef struct {
  outside_t outside;
  const char *skeleton;  // --new: a page; its folder is the command's argument
} outside_options_t;

enum { KeyPage = 512, KeyRtl, KeyGolden, KeyNew };

// For the command's options.
#define OUTSIDE_GIVEN                                                                            \
  {"page", KeyPage, "P.yaml", 0, "a unit of your own (docs/how-to/add-a-unit.md): its page", 1}, \
      {"rtl", KeyRtl, "DIR", 0, "the folder of its RTL (that of the page)", 1}, {                \
    "golden", KeyGolden, "LIB.so", 0, "its golden model", 1                                      \
  }
#define OUTSIDE_OPTIONS                                                                 \
  OUTSIDE_GIVEN, {                                                                      \
    "new", KeyNew, "P.yaml", 0, "write RTL, golden model and contract to begin with", 1 \
  }

// Takes one of these options. Returns false if the key is none of them.
bool outside_option(outside_options_t *options, int key, char *text);

// Reads --waves-unit after --page, where the unit's name is not known yet. Returns false unless the
// text is NAME:N.
bool outside_waves_unit(const char *text, harness_options_t *options);

// Prints the options as they were given, for a command that repeats the run.
void outside_print(const outside_options_t *options);

// Loads the unit of --page. Returns NULL after one line, with an exit status.
const unit_model_t *outside_unit(const outside_options_t *options, int *status);

// Writes the files to begin a unit with: `nocturne unit --new PAGE FOLDER`. Returns an exit status.
int outside_new(const char *page, const char *folder);

#endif
