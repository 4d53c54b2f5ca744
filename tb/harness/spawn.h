// SPDX-License-Identifier: Apache-2.0
// Runs other programs to their end.
#ifndef NOCTURNE_HARNESS_SPAWN_H
#define NOCTURNE_HARNESS_SPAWN_H

#include <stdbool.h>

#include "csim/base/err.h"

enum { SpawnMissing = 127 };  // the status of a program that is not there, as a shell's

// Runs a program that PATH finds and returns its exit status, or 128 + the signal that ended it.
// arguments: the program first, NULL at the end. environment: "NAME=VALUE" added to this process's,
// NULL at the end; or NULL. output: file that takes all that it prints, or NULL for this process's
// own output. Nothing is read from standard input.
int spawn_run(const char *const *arguments, const char *const *environment, const char *output);

// The same of a line for /bin/sh; `text` takes what it prints to standard output.
int spawn_read(const char *line, text_t *text);

// Returns true if PATH has the program.
bool spawn_has(const char *program);

// Returns the path of this program's own file, valid until its end.
const char *spawn_self(void);

#endif
