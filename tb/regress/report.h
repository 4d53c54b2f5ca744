// SPDX-License-Identifier: Apache-2.0
// What the reports of a regression share.
#ifndef NOCTURNE_REGRESS_REPORT_H
#define NOCTURNE_REGRESS_REPORT_H

#include <stdio.h>

#include "regress.h"

// Failures of one cause.
typedef struct {
  const char *signature;
  size_t count, first;  // first: index of a test
} report_group_t;

// Returns how many groups, the largest first; the caller frees them.
size_t report_groups(const regress_t *r, report_group_t **groups);

bool report_is_of(const regress_end_t *end, const report_group_t *group);

// Text for XML and HTML.
void report_put_text(FILE *f, const char *text);

// A file that a test left in FOLDER/logs.
void report_path(const regress_t *r, const test_t *t, const char *suffix, char *path, size_t size);

// The first lines of a test's output, as text.
void report_put_log(FILE *f, const regress_t *r, const test_t *t, uint32_t lines);

#endif
