// SPDX-License-Identifier: Apache-2.0
#include "json_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

json_t *json_file_load(const char *path, err_t *err) {
  json_error_t e;
  FILE *file = fopen(path, "rb");
  int first = file ? fgetc(file) : EOF;
  if (!file || ferror(file)) {  // a directory opens but does not read
    err_set(err, ErrInput, "%s: %s", path, strerror(errno));
    if (file) {
      fclose(file);
    }
    return NULL;
  }
  ungetc(first, file);
  json_t *root = json_loadf(file, JSON_REJECT_DUPLICATES, &e);
  if (!root) {
    err_set(err, ErrInput, "%s:%d:%d: %s", path, e.line, e.column, e.text);
  }
  fclose(file);
  return root;
}

static bool dump(const json_t *json, FILE *file, size_t flags) {
  return json_dumpf(json, file, flags) == 0 && fputc('\n', file) == '\n';
}

// Leaves the reason in errno.
static bool write_file(const json_t *json, const char *path, size_t flags) {
  struct stat old;
  const bool special = stat(path, &old) == 0 && !S_ISREG(old.st_mode);
  char *other = special ? NULL : text_make("%s.tmp%d", path, (int)getpid());
  const char *name = special ? path : other;
  FILE *file = name ? fopen(name, "w") : NULL;
  bool ok = file && dump(json, file, flags);
  ok = (!file || fclose(file) == 0) && ok;
  ok = ok && (special || rename(name, path) == 0);
  const int why = errno;
  if (!ok && other) {
    unlink(other);
  }
  free(other);
  errno = why;
  return ok;
}

bool json_file_write(const json_t *json, const char *path, size_t flags, err_t *err) {
  const bool standard = strcmp(path, "-") == 0;
  errno = 0;
  if (json && (standard ? dump(json, stdout, flags) && fflush(stdout) == 0
                        : write_file(json, path, flags))) {
    return true;
  }
  const char *name = standard ? "standard output" : path;
  return json && errno ? err_set(err, ErrCheck, "%s: cannot be written: %s", name, strerror(errno))
                       : err_set(err, ErrMachine, "%s: cannot be written: out of memory", name);
}
