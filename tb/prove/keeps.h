// SPDX-License-Identifier: Apache-2.0
// A flaw beside the golden model: whether the flawed unit, too, keeps the proof's relation and
// invariant, after a reset and in each clock, and has the unit's outputs. Then no run from reset
// tells it from the golden model, though registers may differ from the unit's own as far as the
// invariant lets them.
#ifndef NOCTURNE_PROVE_KEEPS_H
#define NOCTURNE_PROVE_KEEPS_H

#include "twin.h"

// A reset of a unit just made, from any registers; one in a run, and a clock without one, from
// registers as the proof allows; and one in a run from any registers.
typedef enum { KeepsBase, KeepsReset, KeepsStep, KeepsAgain, KeepsMoments } keeps_moment_e;

typedef struct {
  lit_t *broken;   // that a duty is broken, of registers that are variables
  lit_t *of_unit;  // the same of the unit's registers
  uint32_t count;  // of duties
} keeps_state_t;

typedef struct {
  const proof_t *proof;
  lit_t *registers;  // variables
  keeps_state_t states[KeepsMoments];
} keeps_t;

void keeps_create(keeps_t *keeps, const proof_t *proof);
void keeps_destroy(keeps_t *keeps);

// That in a legal clock the flaw breaks a duty, or changes an output. At most so many conflicts a
// question of which registers it changes; 0: none is asked.
lit_t keeps_broken(const keeps_t *keeps, const twin_t *twin, const aiger_t *flawed,
                   keeps_moment_e moment, lit_t legal, uint32_t conflicts);

// As twin_ask, of what is said above. twin: of the same proof, which may not be told more of states
// than it allows.
typedef void keeps_ask_t(const keeps_t *keeps, twin_t *twin, const flaw_t *flaws, uint32_t count,
                         uint32_t conflicts, cnf_result_e *said);
keeps_ask_t keeps_ask;
keeps_ask_t keeps_ask_resets;  // of resets alone, from any registers

#endif
