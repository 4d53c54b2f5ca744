// SPDX-License-Identifier: Apache-2.0
// Strings that are freed together: the names that a file's reader hands out.
//
// A strings_t of zeros is empty. A string stays where it is until strings_free. Without memory an
// addition returns "" and `failed` stays set, so that a reader may check once, at its end.
#ifndef NOCTURNE_BASE_STRINGS_H
#define NOCTURNE_BASE_STRINGS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
  char **all;  // owned
  size_t count, room;
  bool failed;
} strings_t;

// Copies a C string, the first bytes of one, or what a format of printf gives.
const char *strings_put(strings_t *strings, const char *string);
const char *strings_bytes(strings_t *strings, const char *bytes, size_t length);
const char *strings_format(strings_t *strings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Takes over a string of malloc; NULL counts as a lack of memory.
const char *strings_own(strings_t *strings, char *string);

void strings_free(strings_t *strings);

#endif
