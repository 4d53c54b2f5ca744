// SPDX-License-Identifier: Apache-2.0
// An and-inverter graph: Boolean functions as conjunctions of two literals each, equal ones shared.
//
// A literal is twice a node's number, plus one where it is inverted. Nodes are numbered from their
// operands upwards, so an ascending pass meets operands first. A node whose function has at most
// six variables is known by its truth table, so that what is constant or equal there folds by
// itself: this ends the loops over the bits of a mask, and keeps bits that never change out of the
// state. Running out of memory ends the program (fault.h).
#ifndef NOCTURNE_PROVE_AIG_H
#define NOCTURNE_PROVE_AIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t lit_t;
enum { AigFalse = 0, AigTrue = 1, AigNone = 0xfffffffe };

typedef struct aig aig_t;

aig_t *aig_create(void);
void aig_destroy(aig_t *aig);
uint32_t aig_count(const aig_t *aig);  // of nodes, the constant among them

lit_t aig_variable(aig_t *aig);
bool aig_is_variable(const aig_t *aig, uint32_t node);
// The operands of a node that is neither the constant nor a variable.
void aig_operands(const aig_t *aig, uint32_t node, lit_t *a, lit_t *b);

static inline lit_t aig_not(lit_t a) { return a ^ 1; }
lit_t aig_and(aig_t *aig, lit_t a, lit_t b);
lit_t aig_or(aig_t *aig, lit_t a, lit_t b);
lit_t aig_xor(aig_t *aig, lit_t a, lit_t b);
// The disjunction of all, as a balanced tree: with one literal changed, few nodes are new.
lit_t aig_or_all(aig_t *aig, const lit_t *list, size_t count);
lit_t aig_mux(aig_t *aig, lit_t condition, lit_t then, lit_t otherwise);

// Compares literals, for qsort and bsearch.
int aig_ascending(const void *a, const void *b);

// Returns true if a conjunction, taken apart as far as is quick, holds a literal and its opposite.
bool aig_contradicts(const aig_t *aig, lit_t lit);

// Sets needed[node] for every node that the roots depend on; needed has aig_count bytes, all 0.
void aig_cone(const aig_t *aig, const lit_t *roots, size_t count, uint8_t *needed);
// Marks in the same way what the literals depend on, as far as that is known: not operands of which
// a node's function of few variables does not.
void aig_support(const aig_t *aig, const lit_t *roots, size_t count, uint8_t *needed);

// The roots with literals replaced: from[i] by to[i]. In place.
void aig_substitute(aig_t *aig, const lit_t *from, const lit_t *to, size_t count, lit_t *roots,
                    size_t root_count);

// Grows a list of literals that are true by those that follow from them at once: both operands of
// a conjunction, and where it is false and one operand is true, the inverse of the other. Returns
// the new count, at most `room`.
size_t aig_implied(const aig_t *aig, lit_t *list, size_t count, size_t room);

// The values of all nodes; value[node] is given for variables, 0 or 1, and written for all others.
void aig_evaluate(const aig_t *aig, uint8_t *value);
// The nodes from `first` to before `end` only.
void aig_evaluate_some(const aig_t *aig, uint32_t first, uint32_t end, uint8_t *value);
// The same of 64 values at once, a bit for each.
void aig_evaluate_words(const aig_t *aig, uint32_t first, uint32_t end, uint64_t *word);
static inline bool aig_value(const uint8_t *value, lit_t l) { return value[l / 2] ^ (l & 1); }
static inline uint64_t aig_word(const uint64_t *word, lit_t l) {
  return l & 1 ? ~word[l / 2] : word[l / 2];
}

#endif
