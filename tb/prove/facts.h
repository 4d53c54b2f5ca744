// SPDX-License-Identifier: Apache-2.0
// Facts that the proof of a unit did not need, and its flaws do: two bits of registers, or the two
// operands of a conjunction that depends on registers only, are never as they are in a state that
// the solver came up with. A fact is guessed where no recorded state is like that, and taken where
// all guesses about one state hold after a reset and, with relation and invariant, from each clock
// to the next. What is not needed for that is dropped.
#ifndef NOCTURNE_PROVE_FACTS_H
#define NOCTURNE_PROVE_FACTS_H

#include "twin.h"

enum { FactsStates = 1 << 16 };  // that are kept, at most

typedef struct {
  twin_t *twin;
  uint64_t *seen;          // by register: a bit of each recorded state
  uint32_t states, count;  // count: of facts
  bool *is_known;          // by node: depends on registers only, on none that is free
  bool *value;             // by node, of a recorded state
  uint8_t *was;            // by conjunction: a bit for each value of its operands that was seen
} facts_t;

// The states after resets from drawn ones count as recorded.
void facts_create(facts_t *facts, twin_t *twin);
void facts_destroy(facts_t *facts);

// A recorded state, by register.
void facts_see(facts_t *facts, const uint8_t *state);

// Looks for facts that exclude the state of these values, of all nodes; the twin's solver is told
// of them. False: none was found.
bool facts_learn(facts_t *facts, const uint8_t *value);

#endif
