// SPDX-License-Identifier: Apache-2.0
// A picture of the last cycles before a failure, as SVG: the signal that failed, golden and RTL,
// above the interfaces in which something happened. For reports; docs/regress.md shows one.
#ifndef NOCTURNE_HARNESS_PICTURE_H
#define NOCTURNE_HARNESS_PICTURE_H

#include "failure.h"

// expected and actual: the outputs after the failing step, of golden and RTL; NULL where nothing
// was compared. False: the file cannot be written.
bool picture_write(const char *path, const failure_t *failure, const void *expected,
                   const void *actual);

#endif
