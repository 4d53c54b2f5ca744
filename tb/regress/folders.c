// SPDX-License-Identifier: Apache-2.0
#include "folders.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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
  text_t part = {0};
  bool ok = true;
  for (size_t end = 1; ok && end <= strlen(path); end++) {
    if (path[end] && path[end] != '/') continue;
    text_set(&part, "%.*s", (int)end, path);
    ok = mkdir(text_string(&part), 0777) == 0 || errno == EEXIST ||
         err_set(err, ErrCheck, "%s: %s", text_string(&part), strerror(errno));
  }
  text_free(&part);
  return ok;
}
