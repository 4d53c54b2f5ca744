// SPDX-License-Identifier: Apache-2.0
// Stores at one of several places. Each leaves in every place the word stored, if it is this one,
// or what was there. A load at one of these places is then a choice between the word and what such
// a load would have got before, and not a tree over all places of such choices, which a solver has
// to take apart place by place.
#ifndef NOCTURNE_PROVE_STORED_H
#define NOCTURNE_PROVE_STORED_H

#include "value.h"

typedef struct stored stored_t;

stored_t *stored_create(void);
void stored_destroy(stored_t *stored);

// A store under a condition, at the place that an index of PointerBits says: its number, from 1 on.
uint32_t stored_begin(stored_t *stored, lit_t guard, const lit_t *index);
// The bit that it left at a place, of the bit stored and the one before.
void stored_note(stored_t *stored, lit_t left, uint32_t store, int64_t place, lit_t bit,
                 lit_t before);

// A bit at each of 2^bits places that an index, with its sign the highest of its bits, may say;
// AigNone: nothing is there. Takes off it what the last of the stores left there, if one left it
// everywhere. Returns the store, 0: none; sets the bit that it stored.
uint32_t stored_take(stored_t *stored, aig_t *aig, lit_t *bits, uint64_t count, lit_t *bit);
// Returns whether a store took place, and where an index says.
lit_t stored_hit(const stored_t *stored, aig_t *aig, uint32_t store, const lit_t *index);

#endif
