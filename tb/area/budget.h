// SPDX-License-Identifier: Apache-2.0
// Limits on what the units cost at their default parameters: `budget` of tests/units/NAME/unit.yaml
// (tb/harness/room.h).
#ifndef NOCTURNE_AREA_BUDGET_H
#define NOCTURNE_AREA_BUDGET_H

#include "area.h"

typedef struct {
  uint32_t checked, exceeded;
} budget_report_t;

// Compares each result with FOLDER/UNIT/unit.yaml and prints a line for each figure: before (the
// file's), after, limit. Fails when a file is broken or has no budget.
bool budget_check(const char *folder, const area_results_t *results, budget_report_t *report,
                  err_t *err);

#endif
