// SPDX-License-Identifier: Apache-2.0
// Folders, made and removed with all that is in them.
#ifndef NOCTURNE_REGRESS_FOLDERS_H
#define NOCTURNE_REGRESS_FOLDERS_H

#include "csim/base/err.h"

// Makes a folder and its parents; what is there already is right.
bool folder_make(const char *path, err_t *err);

// Removes a file, or a folder with all in it. Returns false with errno set; what is not there is
// removed.
bool folder_remove(const char *path);

#endif
