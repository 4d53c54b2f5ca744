// SPDX-License-Identifier: Apache-2.0
// A flaw that changes registers, and no output: what a register is in the unit and in the flawed
// unit, while another register, or two together, have some value, is guessed from recorded runs;
// what of that holds after a reset and from each clock to the next, together with the proof's
// relation and invariant, is kept. Where outputs are then always equal, no run tells the two apart.
#ifndef NOCTURNE_PROVE_STRAY_H
#define NOCTURNE_PROVE_STRAY_H

#include "seen.h"
#include "twin.h"

// CnfUnsatisfiable: equivalent. CnfSatisfiable: not by what was guessed. At most so many conflicts
// a question. number: of the flaw in `seen`.
cnf_result_e stray_ask(const seen_t *seen, uint32_t number, twin_t *twin, const flaw_t *flaw,
                       uint32_t conflicts);

#endif
