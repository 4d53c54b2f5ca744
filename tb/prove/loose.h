// SPDX-License-Identifier: Apache-2.0
// Words of registers that do not matter while a condition holds, one of the unit's registers: two
// units of which these words differ then, and nothing else does, have the same outputs, and differ
// no further after a clock or a reset. A flaw that makes a unit differ no further either, is
// equivalent. The conditions are found once, for all flaws: guessed from recorded states, and kept
// where the solver finds nothing against them.
#ifndef NOCTURNE_PROVE_LOOSE_H
#define NOCTURNE_PROVE_LOOSE_H

#include "guesses.h"

// word: by register, the first of its word. conditions: by the first register of a word.
typedef struct {
  twin_t *twin;
  seen_t seen;
  uint32_t *word;
  conditions_t *conditions;
} loose_t;

typedef void loose_tell_t(void *context, uint32_t words, uint32_t questions);
// Guesses from the states that facts have seen. A question takes at most so many conflicts; where
// one takes more, the conditions that were settled before it are kept. tell: after some questions.
void loose_create(loose_t *loose, const facts_t *facts, uint32_t conflicts, loose_tell_t *tell,
                  void *context);
void loose_destroy(loose_t *loose);

// Words that have conditions.
uint32_t loose_count(const loose_t *loose);

// True if none of these registers, by register, has to be the same always.
bool loose_may(const loose_t *loose, const bool *differs);

// As twin_ask.
void loose_ask(const loose_t *loose, const flaw_t *flaws, uint32_t count, uint32_t conflicts,
               cnf_result_e *said);

#endif
