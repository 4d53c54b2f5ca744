// SPDX-License-Identifier: Apache-2.0
// Explains a run's figures to a first-time reader: what was shown, what was checked, and where time
// is saved and paid against another scheme. Everything is computed from the run.
#ifndef NOCTURNE_RESULT_WORDS_H
#define NOCTURNE_RESULT_WORDS_H

#include "result.h"

void words_print(const result_t *r, FILE *file);

#endif
