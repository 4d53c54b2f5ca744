// SPDX-License-Identifier: Apache-2.0
// Which word was meant: the nearest of a set to one that is not in it.
#ifndef NOCTURNE_BASE_SPELLING_H
#define NOCTURNE_BASE_SPELLING_H

#include <stddef.h>

// Letters to insert, delete or replace that turn a into b; SIZE_MAX if b is longer than 255.
size_t spelling_distance(const char *a, const char *b);

// Returns true if so many edits of the word are few enough that the other was meant.
_Bool spelling_is_near(const char *word, size_t distance);

// The nearest of the words (NULL behind the last), the first of equals; NULL if none is near.
const char *spelling_nearest(const char *word, const char *const *words);

#endif
