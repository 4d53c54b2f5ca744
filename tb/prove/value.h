// SPDX-License-Identifier: Apache-2.0
// A C value while a program runs on symbols: a word of literals; a pointer to one of
// several places, each under its condition; or a group of values. Values are never changed; they
// lie in an arena.
#ifndef NOCTURNE_PROVE_VALUE_H
#define NOCTURNE_PROVE_VALUE_H

#include "bits.h"
#include "fault.h"

enum { PointerBits = 64, ObjectNull = 0, ValueMostChoices = 64 };

// index x scale bytes; the index is a signed word of PointerBits.
typedef struct {
  const lit_t *index;
  int64_t scale;
} term_t;

typedef struct {
  lit_t when;
  uint32_t object;  // ObjectNull: nowhere
  int64_t offset;   // in bytes, beside the terms
  uint32_t term_count;
  const term_t *terms;
} target_t;

typedef enum { ValueNone, ValueWord, ValuePointer, ValueGroup } value_e;

typedef struct value {
  value_e kind;
  uint32_t count;  // of bits, targets or members
  union {
    const lit_t *bits;
    const target_t *targets;
    const struct value *members;
  };
  const struct fork *fork;  // of a word: what it is one of; NULL: not known
} value_t;

typedef struct fork {
  lit_t condition;
  value_t then, otherwise;
} fork_t;

// A word that it may be, and when it is that one.
typedef struct {
  lit_t when;
  const lit_t *bits;
} choice_t;

value_t value_word(arena_t *arena, uint32_t width, const lit_t *bits);
value_t value_number(arena_t *arena, uint32_t width, uint64_t number);
value_t value_pointer(arena_t *arena, uint32_t object, int64_t offset);
value_t value_group(arena_t *arena, uint32_t count, const value_t *members);
// The pointer with bytes added; with index x scale added.
value_t value_advance(arena_t *arena, const value_t *pointer, int64_t bytes);
value_t value_index(arena_t *arena, const value_t *pointer, const value_t *index, int64_t scale);
// Both of one kind; a ValueNone gives the other.
value_t value_mux(aig_t *aig, arena_t *arena, lit_t condition, const value_t *then,
                  const value_t *otherwise);
// The words that a word may be, each once; returns how many, 0: more than `most`.
uint32_t value_choices(aig_t *aig, const value_t *word, choice_t *choices, uint32_t most);
// Returns true if two pointers are equal. False if that can't be told.
bool value_same_place(aig_t *aig, const value_t *a, const value_t *b, lit_t *same);
bool value_is_null(const value_t *pointer);

#endif
