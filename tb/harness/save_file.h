// SPDX-License-Identifier: Apache-2.0
// Writes save files for GTKWave beside the waves (docs/how-to/waves.md).
#ifndef NOCTURNE_HARNESS_SAVE_FILE_H
#define NOCTURNE_HARNESS_SAVE_FILE_H

#include "failure.h"

// Picoseconds per cycle in all waves: a cycle is shown as a nanosecond. Inputs change at its
// beginning, and the clock rises in its middle. tb/harness/verilated.cpp has the same number.
enum { WavesCycle = 1000 };

// Writes FILE.gtkw for the waves FILE.fst or FILE.vcd, and the names of values in enums/ beside it.
// failure: NULL if nothing failed; from: the first cycle shown then. Returns false if that fails.
bool save_file_write(const char *waves, const instance_t *const *units, uint32_t count,
                     bool is_system, const failure_t *failure, uint64_t from);

#endif
