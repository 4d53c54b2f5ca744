// SPDX-License-Identifier: Apache-2.0
// The syntax of a liberty file: groups NAME (ARGUMENT, ...) { ... } and attributes NAME : VALUE ;
// or NAME (VALUES) ;.
#ifndef NOCTURNE_AREA_LIBERTY_TEXT_H
#define NOCTURNE_AREA_LIBERTY_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "csim/base/err.h"
#include "csim/base/strings.h"

typedef struct {
  const char *path;
  char *text;       // the whole file
  const char *at;   // the next character
  strings_t words;  // owns what statements hold
  err_t *err;
} liberty_text_t;

enum { LibertyArguments = 16 };

// A statement's head. Absent parts are "".
typedef struct {
  const char *place;  // in the text
  const char *name;
  const char *arguments[LibertyArguments];  // of a group or a complex attribute; more are left out
  int argument_count;
  const char *value;  // of a simple attribute
  bool is_group;      // its { has been read
} liberty_statement_t;

// Reads the file. liberty_text_close is needed in any case.
bool liberty_text_open(liberty_text_t *t, const char *path, err_t *err);
void liberty_text_close(liberty_text_t *t);

// Goes to the next token, over blanks and comments. False at a comment without an end.
bool liberty_text_skip(liberty_text_t *t);

// Reads a statement up to its ; or behind its {.
bool liberty_text_statement(liberty_text_t *t, liberty_statement_t *s);

// Sets the error "FILE:LINE:COLUMN: ..." of a place in the text. Returns false.
bool liberty_text_fail(const liberty_text_t *t, const char *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
