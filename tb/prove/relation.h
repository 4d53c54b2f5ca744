// SPDX-License-Identifier: Apache-2.0
// A relation that nobody writes: what RTL registers are of the golden model's state in runs from
// reset. A bit of it, or its inverse; a function of a word of few bits; a product of two bits; or
// constant. A guess, which the proof has to confirm as it has what a wrapper says.
#ifndef NOCTURNE_PROVE_RELATION_H
#define NOCTURNE_PROVE_RELATION_H

#include "transition.h"

enum { RelationMostBits = 8 };

// The register is bit k of the table, k the number that bits of the golden state are, the first one
// lowest.
typedef struct {
  uint32_t latch, bits[RelationMostBits], count;
  uint64_t table[4];
} related_t;

typedef struct {
  related_t *list;
  uint32_t count;
} relation_t;

// Looks at the registers that are not named.
void relation_find(relation_t *relation, transition_t *t, const bool *named);
void relation_destroy(relation_t *relation);

// Returns a register's value by the relation, where a memory is the golden model's.
lit_t relation_lit(const transition_t *t, const related_t *related, const memory_t *memory);

#endif
