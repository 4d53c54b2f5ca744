// SPDX-License-Identifier: Apache-2.0
// The proof of a small unit from outside without a wrapper: another program (berkeley-abc in
// yosys-abc) looks for an invariant of golden model and RTL side by side from reset, and the prover
// proves that it is one.
#ifndef NOCTURNE_PROVE_DRIVER_BARE_STEP_H
#define NOCTURNE_PROVE_DRIVER_BARE_STEP_H

#include "proof_step.h"

// Writes the wrapper of a unit that has none: its golden model alone. False with err_set.
bool bare_step_prepare(const proof_step_t *step, err_t *err);
// Returns the exit status as proof_step_run.
int bare_step_run(const proof_step_t *step);

#endif
