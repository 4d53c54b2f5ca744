// SPDX-License-Identifier: Apache-2.0
// Readers of files as targets of a fuzzer: each takes any bytes as a file, and either takes it or
// refuses it in one line. What breaks this ends the program (fuzz_wrong), as the sanitizers do.
// fuzz_parsers.c runs them.
#ifndef NOCTURNE_TESTS_FUZZ_FUZZ_H
#define NOCTURNE_TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  const char *name, *meaning;
  void (*run)(const uint8_t *data, size_t size);
  bool is_text;  // mutated as text, too
  // A file in the form that the target takes, at most `room` bytes; returns its size, 0: it cannot
  // be read. NULL: the file as it is.
  size_t (*convert)(const uint8_t *file, size_t size, uint8_t *to, size_t room);
} fuzz_target_t;

extern const fuzz_target_t FuzzFrames[], FuzzTexts[], FuzzLists[];  // each ends with a NULL name

// The folder of this process.
extern char fuzz_folder[64];

// The bytes as the file NAME of that folder; returns its path, until the next call.
const char *fuzz_store(const char *name, const uint8_t *data, size_t size);

// Says what is wrong and aborts.
void fuzz_wrong(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

// Refused: one line that is not empty.
void fuzz_refused(const char *error);

#endif
