// SPDX-License-Identifier: Apache-2.0
// Berkeley's abc, as Yosys brings it, on an AIGER file with one output.
#ifndef NOCTURNE_PROVE_ABC_H
#define NOCTURNE_PROVE_ABC_H

#include <stdbool.h>
#include <stdint.h>

#include "reel.h"

// Reads the file and runs the commands, for so many seconds of CPU at most. True: abc says that the
// output is never 1. Otherwise *frames: of a run in which it is, or 0.
bool abc_ask(const char *path, const char *commands, uint32_t seconds, uint32_t *frames);

// Takes the inputs of a run that `write_cex` wrote. A frame has `inputs` of them: the unit's, then
// reset_i, then the unit's in the first reset, which counts in the first frame only. reel: as long
// as the run and a reset before it. False: the file holds no such run.
bool abc_take_run(const char *path, uint32_t inputs, reel_t *reel);

#endif
