// SPDX-License-Identifier: Apache-2.0
// A flaw beside the golden model, as keeps.h has it, with facts of the flawed unit of its own: a
// register that the flaw changes has one value while another register, or two together, have
// theirs. What was so in recorded runs is guessed; what of that holds after a reset, and with
// relation and invariant from each clock to the next, is kept. Where the flawed unit then keeps
// relation and invariant and has the unit's outputs, no run tells the two apart.
#ifndef NOCTURNE_PROVE_HOLDS_H
#define NOCTURNE_PROVE_HOLDS_H

#include "keeps.h"
#include "seen.h"

// CnfUnsatisfiable: equivalent. CnfSatisfiable: not by such facts. At most so many conflicts a
// question. number: of the flaw in `seen`.
cnf_result_e holds_ask(const seen_t *seen, uint32_t number, const keeps_t *keeps, twin_t *twin,
                       const flaw_t *flaw, uint32_t conflicts);

#endif
