// SPDX-License-Identifier: Apache-2.0
// Draws the last cycles before a failure as SVG: the failed signal of golden and RTL above the
// interfaces in which something happened. docs/how-to/regress.md shows one.
#ifndef NOCTURNE_HARNESS_PICTURE_H
#define NOCTURNE_HARNESS_PICTURE_H

#include "failure.h"

// Returns false if the file cannot be written. expected and actual: the outputs of golden and RTL
// after the failing step; NULL where nothing was compared.
bool picture_write(const char *path, const failure_t *failure, const void *expected,
                   const void *actual);

#endif
