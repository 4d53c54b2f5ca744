// SPDX-License-Identifier: Apache-2.0
// The results of area_measure as text, JSON and CSV.
#ifndef NOCTURNE_AREA_REPORT_H
#define NOCTURNE_AREA_REPORT_H

#include "area.h"

// Prints the table, with the clocks' paths; then, where measured, energy and modules; with_fields:
// every register and memory. cycles: of the run that the vectors come from, in which the unit idles
// without a vector; 0: as many as vectors.
void area_print(const area_results_t *results, bool with_table, bool with_fields, uint64_t cycles);

// Writes the results as JSON ("-": standard output). liberty: the user's library, or NULL.
bool area_write_json(const area_results_t *results, const char *liberty, uint64_t cycles,
                     const char *path, err_t *err);

bool area_write_csv(const area_results_t *results, const char *path, err_t *err);

#endif
