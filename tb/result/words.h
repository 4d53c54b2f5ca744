// SPDX-License-Identifier: Apache-2.0
// A run's figures in words, for who sees them for the first time: what was shown, what was checked,
// and where time is won and lost against another scheme. All of it is computed from the run.
#ifndef NOCTURNE_RESULT_WORDS_H
#define NOCTURNE_RESULT_WORDS_H

#include "result.h"

void words_print(const result_t *r, FILE *file);

#endif
