// SPDX-License-Identifier: Apache-2.0
// A string that grows as it is written.
//
// Invariants: a text_t of zeros is an empty text. Between calls either bytes is NULL and length is
// 0, or bytes holds length characters and a 0 behind them. Nothing is ever cut: when memory runs
// out, the addition is left out whole and `failed` stays set until text_free, so that a caller may
// check once, after the last addition.
#ifndef NOCTURNE_BASE_TEXT_H
#define NOCTURNE_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct {
  char *bytes;    // owned; NULL while nothing was added
  size_t length;  // characters without the 0 behind them
  size_t room;    // bytes allocated
  bool failed;    // an addition was left out: out of memory
} text_t;

// Returns the text as a C string, "" when it is empty. Valid until the next call that changes the
// text.
const char *text_string(const text_t *text);

// Adds one character, a C string, a number of bytes, or what a format of printf gives.
void text_char(text_t *text, char c);
void text_put(text_t *text, const char *string);
void text_bytes(text_t *text, const void *bytes, size_t size);
void text_format(text_t *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vformat(text_t *text, const char *format, va_list arguments);

// Replaces the text and returns it as a C string: a name that is made again and again.
const char *text_set(text_t *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Cuts the text to its first characters; the memory is kept for what comes next.
void text_cut(text_t *text, size_t length);

// Returns the string and leaves the text empty; the caller frees it. NULL if an addition failed.
char *text_take(text_t *text);

// Frees the memory and leaves an empty text.
void text_free(text_t *text);

// Returns what a format gives as a string that the caller frees; NULL if memory runs out.
char *text_make(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
