// SPDX-License-Identifier: Apache-2.0
// The log of transactions: a line for each, the same from golden and RTL. docs/harness.md
#ifndef NOCTURNE_HARNESS_TRANSACTIONS_H
#define NOCTURNE_HARNESS_TRANSACTIONS_H

#include "observer.h"

// Of all instances that it watches, into the file path, which is kept. False with one line in
// error.
bool transactions_open(observer_t *observer, const char *path, err_t *err);

#endif
