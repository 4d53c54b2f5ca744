// SPDX-License-Identifier: Apache-2.0
// Widths that runs suggested (widths.h) and that the solver finds wrong.
#ifndef NOCTURNE_PROVE_REFINE_H
#define NOCTURNE_PROVE_REFINE_H

#include "proof.h"

// Asks whether a step from any state within relation and invariant leaves what was found of widths,
// and gives up what is wrong: true, the moments are made anew, and a proof has to be made anew,
// too. Guesses that take more conflicts of the solver are left for the proof; 0: none.
bool refine_widths(const proof_t *proof, uint32_t conflicts);

#endif
