// SPDX-License-Identifier: Apache-2.0
// Proves the duties of a part of a proof: many in one question where they are easy, one by one
// where not; what is proved helps with what follows. Where the wrapper tells cases apart
// (prove_case), what is the same in all of them is proved once, and the rest in each; none of these
// need wait for another.
#ifndef NOCTURNE_PROVE_CASES_H
#define NOCTURNE_PROVE_CASES_H

#include "proof.h"

// Prints how it went, and of what is refuted the counterexample. granted: NULL, or a proof of which
// all is known to hold; at_once: so many processes, whose number changes nothing but the time.
bool cases_prove(proof_t *proof, proof_part_e part, const proof_t *granted, uint32_t at_once);

#endif
