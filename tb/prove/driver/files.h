// SPDX-License-Identifier: Apache-2.0
// Files that the tools of a proof write, and the folder for them.
#ifndef NOCTURNE_PROVE_DRIVER_FILES_H
#define NOCTURNE_PROVE_DRIVER_FILES_H

#include <stdio.h>

#include "csim/base/err.h"

enum { FilesLine = 1024 };

void files_show(const char *path, FILE *to);
// The first line of the file with these words, or "".
const char *files_line(const char *path, const char *words, char line[FilesLine]);
// Makes the folder and those that it lies in.
bool files_make_folder(const char *path, err_t *err);

#endif
