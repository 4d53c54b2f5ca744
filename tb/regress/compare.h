// SPDX-License-Identifier: Apache-2.0
// A regression beside an earlier one: what fails newly, what passes again, what takes longer, what
// is no longer covered.
#ifndef NOCTURNE_REGRESS_COMPARE_H
#define NOCTURNE_REGRESS_COMPARE_H

#include <jansson.h>

#include "regress.h"

typedef struct {
  const char *folder;
  journal_t journal;
  json_t *coverage;  // NULL: not measured
} compare_t;

// Reads what the last regression in the folder left; to be called before the new one starts, which
// may use the same folder. False with one line in error.
bool compare_open(compare_t *compare, const char *folder, char error[TestErrorSize]);
void compare_close(compare_t *compare);

void compare_print(const compare_t *compare, const regress_t *regress);

// Keeps the coverage that the regression's page shows as FOLDER/coverage.json, for a later one.
void compare_keep_coverage(const regress_t *regress);

#endif
