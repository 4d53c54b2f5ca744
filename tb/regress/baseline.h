// SPDX-License-Identifier: Apache-2.0
// An earlier regression to compare with: what fails newly, what passes again, what takes longer,
// what is no longer covered.
#ifndef NOCTURNE_REGRESS_BASELINE_H
#define NOCTURNE_REGRESS_BASELINE_H

#include "regress.h"

typedef struct {
  const char *folder;
  journal_t journal;
  json_t *coverage;  // NULL: not measured
} baseline_t;

// Reads what the last regression in the folder left. Call it before the new one starts, which may
// use the same folder; baseline_close in any case.
bool baseline_open(baseline_t *baseline, const char *folder, err_t *err);
void baseline_close(baseline_t *baseline);

void baseline_print(const baseline_t *baseline, const regress_t *regress);

// Keeps the coverage that the regression's page shows as FOLDER/coverage.json, for a later
// comparison.
void baseline_keep_coverage(const regress_t *regress);

#endif
