// SPDX-License-Identifier: Apache-2.0
// A flaw that changes registers, and no output: a register of the flawed unit may differ from the
// unit's own while another register has a value. Which ones is guessed from recorded runs; what of
// that holds after a reset and from each clock to the next, together with the proof's relation and
// invariant, is kept. Where outputs are then always equal, no run tells the two apart.
#ifndef NOCTURNE_PROVE_STRAY_H
#define NOCTURNE_PROVE_STRAY_H

#include "twin.h"

typedef struct {
  uint32_t latches, words, count;  // count: of flaws
  // By flaw and register, NULL where that never differed: registers of the unit that were 1 while
  // it did, then those that were 0, a bit each.
  uint64_t **seen;
} strays_t;

void strays_create(strays_t *strays, uint32_t latches, uint32_t flaws);
void strays_destroy(strays_t *strays);

// A register that differs in a recorded run, in this state of the unit.
void strays_see(strays_t *strays, uint32_t flaw, uint32_t latch, const uint64_t *state);

// CnfUnsatisfiable: equivalent. CnfSatisfiable: not by what was guessed. At most so many conflicts
// a question.
cnf_result_e stray_ask(twin_t *twin, const flaw_t *flaw, const strays_t *strays, uint32_t number,
                       uint32_t conflicts);

#endif
