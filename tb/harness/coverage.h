// SPDX-License-Identifier: Apache-2.0
// Gathers coverage of the Verilated units while NOCTURNE_COVERAGE names a folder.
//
// Each unit is then built with coverage. When a model ends, its points are added to the file
// FOLDER/UNIT/PARAMETERS.dat, which all processes share. FOLDER/toggle lists the parameter sets
// whose toggles count, a line "UNIT PARAMETERS" each; the others gather lines and user points,
// which costs much less. docs/how-to/coverage.md has the rest.
#ifndef NOCTURNE_HARNESS_COVERAGE_H
#define NOCTURNE_HARNESS_COVERAGE_H

#include <stdbool.h>

// Returns the build kind of a unit: toggle or cover with NOCTURNE_COVERAGE, otherwise quick with
// NOCTURNE_QUICK, otherwise plain.
const char *coverage_kind(const char *unit, const char *params);

// Returns the build kind of a unit with waves: glance with NOCTURNE_QUICK, otherwise trace.
const char *coverage_trace_kind(void);

// Adds the points that `write` puts into a file of Verilator's. If the process ends early or the
// disk is full, the coverage stays as it was.
void coverage_add(const char *unit, const char *params, void *model,
                  void (*write)(void *model, const char *path));

#endif
