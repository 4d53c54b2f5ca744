// SPDX-License-Identifier: Apache-2.0
// Objects of a program's memory that are arrays (arrays.h): read and written element by element, or
// filled from a known place on.
#ifndef NOCTURNE_PROVE_ELEMENTS_H
#define NOCTURNE_PROVE_ELEMENTS_H

#include "object.h"

// Makes an array of an object whose elements, of so many bytes, are one known word and no pointers;
// false: it is another one.
bool elements_make(memory_t *memory, const element_t *element);
// Returns true if a pointer may mean an array.
bool elements_meant(const memory_t *memory, const value_t *pointer, lit_t guard);

// As memory.h has them.
bool elements_load(memory_t *memory, const value_t *pointer, uint32_t width, lit_t guard,
                   value_t *value, lit_t *missed);
bool elements_store(memory_t *memory, const value_t *pointer, const value_t *value, uint64_t bytes,
                    lit_t guard, lit_t *missed);
// Notes why an access is refused; false.
bool elements_refuse(memory_t *memory);

#endif
