// SPDX-License-Identifier: Apache-2.0
// Conditions under which words of registers may not matter, guessed from states: those of recorded
// runs, and those that the solver comes up with. A guess is one as long as in each state in which
// the condition holds another value of the word changes no output, and after a clock none but words
// that may differ there.
#ifndef NOCTURNE_PROVE_GUESSES_H
#define NOCTURNE_PROVE_GUESSES_H

#include "csim/base/rng.h"
#include "facts.h"
#include "seen.h"

enum { GuessesMost = 16 };  // conditions of a word

// Places in `seen`'s whiles.
typedef struct {
  uint32_t list[GuessesMost], count;
} conditions_t;

// word: by register, the first of its word. conditions: by the first register of a word, those that
// are taken. kept: by first register of a word, a bit for each condition that is left. holds: by
// batch of 64 recorded states and condition, the states before the clock in which it holds;
// holds_after: of one batch, after it. value, after: by node of the RTL, before and after the
// clock; flipped: with another value of a word.
typedef struct {
  const facts_t *facts;
  const twin_t *twin;
  const aiger_t *a;
  const seen_t *seen;
  const uint32_t *word;
  conditions_t *conditions;
  uint32_t batches, words;
  uint64_t *kept, *holds, *holds_after;
  uint64_t *value, *after, *flipped, *flipped_after;
  rng_t rng;
} guesses_t;

// From the recorded states; the rest stays the caller's.
void guesses_create(guesses_t *g, const facts_t *facts, const seen_t *seen, const uint32_t *word,
                    conditions_t *conditions);
void guesses_destroy(guesses_t *g);

static inline bool guesses_has(const guesses_t *g, uint32_t word, uint32_t condition) {
  return g->kept[(size_t)word * g->words + condition / 64] >> condition % 64 & 1;
}
void guesses_drop(guesses_t *g, uint32_t word, uint32_t condition);

// Returns in how many of the recorded states that were looked at last it holds.
uint32_t guesses_states(const guesses_t *g, uint32_t condition);

// Drops what 64 states refute, of which those of `lanes` count. word: by node of the proof's graph;
// in, registers: its literals for the unit's.
void guesses_see(guesses_t *g, const uint64_t *word, const lit_t *in, const lit_t *registers,
                 uint64_t lanes);

// Gives each word the conditions that hold in most recorded states in which none of those that it
// has does. Returns false if there are none.
bool guesses_take(guesses_t *g);

#endif
