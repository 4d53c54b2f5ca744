// SPDX-License-Identifier: Apache-2.0
// Memories of which no place is written down: what a memory holds before a clock is a function that
// nothing is known of, and what a clock makes of it is a list of stores. A load is a choice between
// the stores and that function, of which the words at the places that loads ask for are variables:
// two of them are equal where their places are (arrays_known). A proof with them holds for whatever
// the memory held, and its graph does not grow with the memory.
#ifndef NOCTURNE_PROVE_ARRAYS_H
#define NOCTURNE_PROVE_ARRAYS_H

#include "bits.h"
#include "fault.h"

typedef struct arrays arrays_t;

// Under a condition, at a place or at all from `first` to before `end`. The last store comes first
// in a list; NULL: the memory as it was before.
typedef struct store {
  const struct store *before;
  lit_t when;
  const lit_t *index;  // NULL: a range
  uint32_t first, end;
  const lit_t *word;
} store_t;

// A question of a load to the memory before.
typedef struct {
  uint32_t array;
  const lit_t *index, *word;  // word: variables, but for bits that never vary
} lookup_t;

arrays_t *arrays_create(aig_t *aig, arena_t *arena);
void arrays_destroy(arrays_t *arrays);

// Returns its number, from 1 on. made: what each word is made with, or NULL: all bits vary.
uint32_t arrays_add(arrays_t *arrays, const char *name, uint32_t words, uint32_t width,
                    const lit_t *made);
uint32_t arrays_count(const arrays_t *arrays);
const char *arrays_name(const arrays_t *arrays, uint32_t array);
uint32_t arrays_words(const arrays_t *arrays, uint32_t array);
uint32_t arrays_width(const arrays_t *arrays, uint32_t array);
uint32_t arrays_index_bits(const arrays_t *arrays, uint32_t array);
// As made, before any of its bits varies.
const store_t *arrays_made(arrays_t *arrays, uint32_t array);

// An index has arrays_index_bits.
void arrays_load(arrays_t *arrays, uint32_t array, const store_t *stores, const lit_t *index,
                 lit_t *word);
// Room for literals that last as long as the arrays.
lit_t *arrays_room(arrays_t *arrays, uint32_t count);
const store_t *arrays_store(arrays_t *arrays, const store_t *stores, const store_t *store);

// Lets the bits vary that these stores do not leave as made; returns how many are new. Loads from
// before do not count then.
uint32_t arrays_vary(arrays_t *arrays, uint32_t array, const store_t *stores);

const lookup_t *arrays_asked(const arrays_t *arrays, uint32_t *count);
// That words at equal places are equal.
lit_t arrays_known(arrays_t *arrays);

#endif
