// SPDX-License-Identifier: Apache-2.0
#include "json_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

json_t *json_file_load(const char *path, char *error, size_t size) {
  FILE *file = fopen(path, "rb");
  if (!file) {
    snprintf(error, size, "%.300s: %s", path, strerror(errno));
    return NULL;
  }
  json_error_t e;
  int first = fgetc(file);
  if (ferror(file)) {  // a directory opens but does not read
    snprintf(error, size, "%.300s: %s", path, strerror(errno));
    fclose(file);
    return NULL;
  }
  ungetc(first, file);
  json_t *root = json_loadf(file, JSON_REJECT_DUPLICATES, &e);
  if (!root) {
    snprintf(error, size, "%.300s:%d:%d: %s", path, e.line, e.column, e.text);
  }
  fclose(file);
  return root;
}

static bool dump(const json_t *json, FILE *file, size_t flags) {
  return json_dumpf(json, file, flags) == 0 && fputc('\n', file) == '\n';
}

bool json_file_write(const json_t *json, const char *path, size_t flags, char *error, size_t size) {
  bool ok;
  errno = 0;
  if (strcmp(path, "-") == 0) {
    ok = json && dump(json, stdout, flags) && fflush(stdout) == 0;
    path = "standard output";
  } else {
    struct stat old;
    bool special = stat(path, &old) == 0 && !S_ISREG(old.st_mode);
    char temporary[512];
    if (special) {
      snprintf(temporary, sizeof temporary, "%.480s", path);
    } else {
      snprintf(temporary, sizeof temporary, "%.480s.tmp%d", path, (int)getpid());
    }
    FILE *file = json ? fopen(temporary, "w") : NULL;
    ok = file && dump(json, file, flags);
    ok = (!file || fclose(file) == 0) && ok;
    ok = ok && (special || rename(temporary, path) == 0);
    int why = errno;
    if (!ok && !special) {
      unlink(temporary);
    }
    errno = why;
  }
  if (!ok) {
    snprintf(error, size, "%.300s: cannot be written: %.60s", path,
             json && errno ? strerror(errno) : "out of memory");
  }
  return ok;
}
