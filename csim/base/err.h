// SPDX-License-Identifier: Apache-2.0
// An error: a status, which decides how the program ends, and a text for people, which no
// code reads.
//
// A function that can fail takes an err_t as its last argument and returns false or NULL after
// err_set. The caller starts with an err_t of zeros and calls err_free when done. Every function
// here takes NULL for a caller who does not want to know. (The name error_t belongs to glibc's
// <errno.h> and <argp.h>.)
#ifndef NOCTURNE_BASE_ERR_H
#define NOCTURNE_BASE_ERR_H

#include "text.h"

// The exit status of every command (docs/reference/commands.md).
typedef enum {
  ErrNone = 0,     // all passed
  ErrCheck = 1,    // a check failed, or a result could not be written
  ErrInput = 2,    // bad usage or bad input
  ErrMachine = 3,  // the machine lacks a tool or memory
} err_status_e;

typedef struct {
  err_status_e status;
  text_t text;  // one line without its end: what happened, where, what was expected, what to do
} err_t;

// An error that goes out of scope is freed: err_auto_t err = {0};
#define err_auto_t __attribute__((cleanup(err_free))) err_t

// Sets status and text, in place of what was there; the arguments may be the old text. Returns
// false.
bool err_set(err_t *err, err_status_e status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// The same for a function that takes a format itself.
bool err_vset(err_t *err, err_status_e status, const char *format, va_list arguments);

// Sets ErrMachine and "WHAT: out of memory". Returns false.
bool err_memory(err_t *err, const char *what);

// Puts words before the text: the place, when only the caller knows it. Returns false.
bool err_before(err_t *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Moves one error into another; `from` is empty afterwards. Returns false.
bool err_move(err_t *to, err_t *from);

// Returns the text, never NULL; without memory for it, words that say so.
const char *err_text(const err_t *err);

bool err_is_set(const err_t *err);

void err_free(err_t *err);

#endif
