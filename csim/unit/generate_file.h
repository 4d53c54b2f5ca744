// SPDX-License-Identifier: Apache-2.0
// Files that are made from pages.
#ifndef NOCTURNE_UNIT_GENERATE_FILE_H
#define NOCTURNE_UNIT_GENERATE_FILE_H

#include <stdio.h>

#include "page.h"

// Writes a file by `fn`, but leaves one of the same content as it is, so that what depends on it
// is not built anew. False with one line in error.
typedef void generate_fn(FILE *file, const page_t *page);
bool generate_file(const page_t *page, const char *path, generate_fn *fn, err_t *err);

#endif
