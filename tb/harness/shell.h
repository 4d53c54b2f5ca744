// SPDX-License-Identifier: Apache-2.0
// Command lines for people and shells.
#ifndef NOCTURNE_HARNESS_SHELL_H
#define NOCTURNE_HARNESS_SHELL_H

#include <stddef.h>

// Appends an argument, quoted where a shell needs it, to the text that already has `used` bytes;
// returns how many it has then. What does not fit is cut.
size_t shell_add(char *text, size_t size, size_t used, const char *argument);

#endif
