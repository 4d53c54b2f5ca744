// SPDX-License-Identifier: Apache-2.0
// The golden model of a unit at one size as a Verilog file, which is read back and proved to be
// that model (tb/prove/checker.h).
#ifndef NOCTURNE_PROVE_DRIVER_CHECKER_STEP_H
#define NOCTURNE_PROVE_DRIVER_CHECKER_STEP_H

#include "proof_step.h"

// Returns the exit status as proof_step_run. The file is there only where it is proved.
int checker_step_run(const proof_step_t *step, const char *path, err_t *err);

// A second opinion of the translator: the golden model as clang compiles it without optimisation,
// as such a file, is proved to be the golden model as it is proved equal to the RTL. Prints what
// came of it, and returns the exit status; what cannot be compared is said, and no failure.
int checker_step_second(const proof_step_t *step);

// A proof with a parameter that changes nothing at its size says less than it seems to: prints each
// that is 1 where the golden model is the same with 0, of golden.bc as it was proved. Sizes whose
// checker is large are not looked at.
bool checker_step_is_void(const proof_step_t *step);

#endif
