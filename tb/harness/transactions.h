// SPDX-License-Identifier: Apache-2.0
// Writes the log of transactions: one line each, the same from golden and RTL
// (docs/reference/stimulus.md).
#ifndef NOCTURNE_HARNESS_TRANSACTIONS_H
#define NOCTURNE_HARNESS_TRANSACTIONS_H

#include "observer.h"

// Opens an observer that logs all instances to the file `path`, which must outlive it.
bool transactions_open(observer_t *observer, const char *path, err_t *err);

#endif
