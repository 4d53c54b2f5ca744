// SPDX-License-Identifier: Apache-2.0
// Words of a command that a proof runs.
#ifndef NOCTURNE_PROVE_DRIVER_WORDS_H
#define NOCTURNE_PROVE_DRIVER_WORDS_H

#include <stdint.h>

enum { WordsMost = 128 };

typedef struct {
  char *at[WordsMost + 1];  // owned; NULL at the end
  uint32_t count;
} words_t;

void words_add(words_t *words, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Adds each of a text's words, which spaces divide.
void words_split(words_t *words, const char *text);
// Runs the command, its output in a file (NULL: where this program's goes), and frees its words.
// Returns its exit status.
int words_run(words_t *words, const char *output);

#endif
