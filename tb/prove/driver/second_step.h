// SPDX-License-Identifier: Apache-2.0
// Second opinions of what a proof takes on trust beside the translator (checker_step.h): what reads
// the RTL, and the solver that an invariant was found with.
#ifndef NOCTURNE_PROVE_DRIVER_SECOND_STEP_H
#define NOCTURNE_PROVE_DRIVER_SECOND_STEP_H

#include "proof_step.h"

// The RTL, as another Yosys reads it (npm's @yowasp/yosys), is proved to be what was proved equal
// to the golden model. Prints what came of it; where that Yosys is missing, says so. Returns the
// exit status.
int second_step_reader(const proof_step_t *step);

// A relation or clauses that were found and not written are proved again by another solver
// (CryptoMiniSat, in build/prove_other). Prints what came of it, nothing where nothing was found.
// Returns the exit status.
int second_step_found(const proof_step_t *step);

#endif
