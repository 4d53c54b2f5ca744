// SPDX-License-Identifier: Apache-2.0
#include "spelling.h"

#include <stdint.h>
#include <string.h>

enum { MostLetters = 255 };

size_t spelling_distance(const char *a, const char *b) {
  size_t row[MostLetters + 1];
  size_t n = strlen(b);
  if (n > MostLetters) {
    return SIZE_MAX;
  }
  for (size_t j = 0; j <= n; j++) {
    row[j] = j;
  }
  for (size_t i = 1; a[i - 1]; i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= n; j++) {
      size_t best = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      if (row[j] + 1 < best) {
        best = row[j] + 1;
      }
      if (row[j - 1] + 1 < best) {
        best = row[j - 1] + 1;
      }
      row[j] = best;
    }
  }
  return row[n];
}

_Bool spelling_is_near(const char *word, size_t distance) {
  return distance <= 1 + strlen(word) / 3;
}

const char *spelling_nearest(const char *word, const char *const *words) {
  const char *nearest = NULL;
  size_t least = SIZE_MAX;
  for (; *words; words++) {
    size_t d = spelling_distance(word, *words);
    if (d < least) {
      least = d;
      nearest = *words;
    }
  }
  return nearest && spelling_is_near(word, least) ? nearest : NULL;
}
