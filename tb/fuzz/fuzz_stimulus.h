// SPDX-License-Identifier: Apache-2.0
// The units' stimulus as it is compiled for fuzzing (Makefile): with choices.h for its random
// numbers, and with these functions in the place of the harness's: the one unit is made once, and
// stops at the end of an input.
#ifndef NOCTURNE_FUZZ_FUZZ_STIMULUS_H
#define NOCTURNE_FUZZ_FUZZ_STIMULUS_H

#include "tb/harness/lockstep.h"
#include "tb/stimulus/stimulus.h"

// harness_unit_create, harness_unit, lockstep_step.

bool fuzz_unit_create(harness_t *harness, const unit_info_t *info, const void *params,
                      uint32_t instance, void *typed, char error[HarnessErrorSize]);
lockstep_t *fuzz_unit_made(const harness_t *harness, uint32_t index);
unit_status_e fuzz_unit_step(lockstep_t *unit, const void *in, void *out);

#endif
