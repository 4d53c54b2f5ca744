// SPDX-License-Identifier: Apache-2.0
// Flaws that change nothing which an output depends on, by structure. Of the RTL's nodes some hold
// one value in all states that the proof's relation and invariant allow, under any inputs, as the
// solver says. A conjunction with an operand that is 0 so depends on this operand alone. What
// outputs, and the registers that they depend on, depend on after such cuts, in a reset and without
// one, is followed. By induction over the cycles from a first reset, all that is followed is in the
// flawed unit what it is in the sound one, if the flaw lies elsewhere, or if it sticks at the value
// that its place holds: the cuts hold, too, as what makes them is followed.
#ifndef NOCTURNE_PROVE_UNSEEN_H
#define NOCTURNE_PROVE_UNSEEN_H

#include "flaw.h"
#include "proof.h"

// A clock in reset, from any state, and one without.
typedef enum { UnseenReset, UnseenStep, UnseenMoments } unseen_moment_e;

typedef struct {
  const proof_t *proof;
  uint8_t *value[UnseenMoments];  // by node: 0, 1, or that it varies
  bool *followed[UnseenMoments];  // by place of a flaw (aiger.h)
  bool *is_register;              // by register: it is followed
  uint32_t *left, count;          // nodes to follow, twice their number and the moment
} unseen_t;

// Asks the solver. is_killed: by flaw, those that a run tells from the unit, so that its place does
// not hold that value.
void unseen_create(unseen_t *unseen, const proof_t *proof, const flaws_t *flaws,
                   const bool *is_killed);
void unseen_destroy(unseen_t *unseen);

bool unseen_is(const unseen_t *unseen, const flaw_t *flaw);

#endif
