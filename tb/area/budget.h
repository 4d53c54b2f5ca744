// SPDX-License-Identifier: Apache-2.0
// Limits on what the units cost at their default parameters: tests/area/budget.yaml.
#ifndef NOCTURNE_AREA_BUDGET_H
#define NOCTURNE_AREA_BUDGET_H

#include "area.h"

typedef struct {
  uint32_t checked, exceeded;
} budget_report_t;

// Compares all results with the file and prints a line for each figure: before (the file's), after,
// limit. False with one line in error: the file is broken, or lacks a unit.
bool budget_check(const char *path, const area_result_t *results, uint32_t count,
                  budget_report_t *report, char *error, size_t size);

#endif
