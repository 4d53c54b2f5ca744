// SPDX-License-Identifier: Apache-2.0
#include "folders.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "csim/base/place.h"

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place) {
  (void)info;
  (void)kind;
  (void)place;
  return remove(path);
}

bool folder_remove(const char *path) {
  return nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0 || errno == ENOENT;
}

bool folder_make(const char *path, err_t *err) {
  return place_make_folder(path) || err_set(err, ErrCheck, "%s: %s", path, strerror(errno));
}
