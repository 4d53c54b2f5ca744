// SPDX-License-Identifier: Apache-2.0
// The report of nocturne area --liberty: figures of the library's own process and corner, nothing
// scaled. docs/area.md.
#ifndef NOCTURNE_AREA_REPORT_CELLS_H
#define NOCTURNE_AREA_REPORT_CELLS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "area.h"

void report_cells_print(const area_result_t *results, uint32_t count);
void report_cells_print_energy(const area_result_t *result);

// Adds the library's figures to a unit's object that has its bits, cells and memories.
void report_cells_json(json_t *unit, const area_result_t *result);
json_t *report_cells_library(const area_result_t *result, const char *path);

// False where the file cannot be written, errno says why.
bool report_cells_csv(const char *path, const area_result_t *results, uint32_t count);

#endif
