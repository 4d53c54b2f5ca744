// SPDX-License-Identifier: Apache-2.0
// The memory of a program that runs on symbols: objects of bytes, each bit a literal, and the
// pointers that lie in them. One copy: what is stored under a condition becomes a choice between
// new and old.
//
// An access whose place is one of several is spread over all of them. `missed` grows by the
// condition under which an access of `bytes` lies outside every object. What can't be told is
// refused: the functions return false with a reason in memory->refusal.
#ifndef NOCTURNE_PROVE_MEMORY_H
#define NOCTURNE_PROVE_MEMORY_H

#include "object.h"

void memory_create(memory_t *memory, aig_t *aig, arena_t *arena);
void memory_destroy(memory_t *memory);
uint32_t memory_new(memory_t *memory, const char *name, uint64_t size);  // all 0
// A copy of all objects; back to what a copy holds: objects made since are gone.
void memory_copy(memory_t *to, const memory_t *from);
void memory_restore(memory_t *memory, const memory_t *copy);

bool memory_load_word(memory_t *memory, const value_t *pointer, uint32_t width, lit_t guard,
                      value_t *value, lit_t *missed);
bool memory_load_pointer(memory_t *memory, const value_t *pointer, lit_t guard, value_t *value,
                         lit_t *missed);
// A word is stored with zeros up to whole bytes.
bool memory_store(memory_t *memory, const value_t *pointer, const value_t *value, uint64_t bytes,
                  lit_t guard, lit_t *missed);
// Bytes with the pointers among them.
bool memory_move(memory_t *memory, const value_t *to, const value_t *from, uint64_t bytes,
                 lit_t guard, lit_t *missed);

// For the start: without conditions.
void memory_put_word(object_t *object, uint64_t offset, uint32_t width, const lit_t *bits);
void memory_put_pointer(object_t *object, int64_t offset, const value_t *value);

#endif
