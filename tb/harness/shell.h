// SPDX-License-Identifier: Apache-2.0
// Writes command lines for people and shells.
#ifndef NOCTURNE_HARNESS_SHELL_H
#define NOCTURNE_HARNESS_SHELL_H

#include "csim/base/text.h"

// Appends an argument, quoted where a shell needs it, and a blank before it unless the text is
// empty.
void shell_add(text_t *text, const char *argument);

#endif
