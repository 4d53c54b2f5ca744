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
// file's), after, limit. False with one line in error: a file is broken, or has no budget.
bool budget_check(const char *folder, const area_result_t *results, uint32_t count,
                  budget_report_t *report, char *error, size_t size);

#endif
