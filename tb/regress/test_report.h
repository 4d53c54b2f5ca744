// SPDX-License-Identifier: Apache-2.0
// Parts that the reports of a regression share.
#ifndef NOCTURNE_REGRESS_TEST_REPORT_H
#define NOCTURNE_REGRESS_TEST_REPORT_H

#include <stdio.h>

#include "regress.h"

// Failures of one cause.
typedef struct {
  const char *signature;
  size_t count, first;  // first: index of a test
} report_group_t;

// Returns how many groups there are, the largest first; the caller frees them.
size_t report_groups(const regress_t *r, report_group_t **groups);

// Appends the command that repeats a test of this regression with waves.
void report_waves(const regress_t *r, const char *id, text_t *command);

bool report_is_of(const regress_end_t *end, const report_group_t *group);

// Writes text as XML and HTML take it.
void report_put_text(FILE *f, const char *text);

// Writes markup: %s stands for text, which is escaped, %h for markup, %u for a size_t, %f for a
// double with the digits of printf, as in %.1f, and %% for itself.
void report_put(FILE *f, const char *format, ...);

// Writes the first lines of a test's output, as text.
void report_put_log(FILE *f, const regress_t *r, const test_t *t, uint32_t lines);

FILE *report_open(const char *path, err_t *err);
bool report_close(FILE *f, const char *path, err_t *err);

#endif
