// SPDX-License-Identifier: Apache-2.0
// Flaws that change nothing which an output depends on, by structure. Of the RTL's nodes some hold
// one value in all states that the proof's relation and invariant allow, under any inputs, as the
// solver says. A conjunction with an operand that is 0 so depends on this operand alone. What
// outputs, and the registers that they depend on, depend on after such cuts, in a clock without a
// reset, is followed. By induction over the cycles after a reset, all that is followed is in the
// flawed unit what it is in a sound one that begins with the same registers, if the flaw lies
// elsewhere, or if it sticks at the value that its place holds: the cuts hold, too, as what makes
// them is followed. That a flawed reset leaves registers with which a sound unit may begin, is
// asked apart (keeps_ask_resets).
#ifndef NOCTURNE_PROVE_UNSEEN_H
#define NOCTURNE_PROVE_UNSEEN_H

#include "flaw.h"
#include "proof.h"

typedef struct {
  const proof_t *proof;
  uint8_t *value;         // by node: 0, 1, or that it varies
  bool *followed;         // by place of a flaw (aiger.h)
  uint32_t *left, count;  // nodes to follow
} unseen_t;

// Asks the solver. is_killed: by flaw, those that a run tells from the unit, so that its place does
// not hold that value.
void unseen_create(unseen_t *unseen, const proof_t *proof, const flaws_t *flaws,
                   const bool *is_killed);
void unseen_destroy(unseen_t *unseen);

bool unseen_is(const unseen_t *unseen, const flaw_t *flaw);

#endif
