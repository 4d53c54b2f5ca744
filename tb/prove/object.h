// SPDX-License-Identifier: Apache-2.0
// The objects of a program's memory (memory.h), and which of them are arrays (elements.h).
#ifndef NOCTURNE_PROVE_OBJECT_H
#define NOCTURNE_PROVE_OBJECT_H

#include "arrays.h"
#include "stored.h"

typedef struct {
  int64_t offset;
  value_t value;
} stored_pointer_t;

typedef struct {
  const char *name;
  uint64_t size;  // bytes
  lit_t *bits;
  stored_pointer_t *pointers;
  uint32_t pointer_count;
  const void *function;  // what is called through a pointer to it
  bool is_constant;
  uint32_t array;         // 0: none; the object has no bits then, and its size is 0
  const store_t *stores;  // of the array
} object_t;

// An object whose elements, of so many bytes, no place is written down of (arrays.h).
typedef struct {
  const char *name;
  uint32_t object, bytes;
} element_t;

typedef struct {
  aig_t *aig;
  arena_t *arena;
  object_t *objects;  // the first is ObjectNull
  uint32_t count, room;
  stored_t *stored;  // of all copies; NULL: nothing is noted of stores
  arrays_t *arrays;  // of all copies
  const char *refusal;
} memory_t;

#endif
