// SPDX-License-Identifier: Apache-2.0
#include "files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "csim/base/text.h"

void files_show(const char *path, FILE *to) {
  char line[FilesLine];
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file)) {
    fputs(line, to);
  }
  if (file) {
    fclose(file);
  }
}

const char *files_line(const char *path, const char *words, char line[FilesLine]) {
  FILE *file = fopen(path, "r");
  bool found = false;
  while (file && !found && fgets(line, FilesLine, file)) {
    found = strstr(line, words) != NULL;
  }
  if (file) {
    fclose(file);
  }
  line[found ? strcspn(line, "\n") : 0] = '\0';
  return line;
}

bool files_make_folder(const char *path, err_t *err) {
  char *copy = text_make("%s", path);
  bool ok = copy != NULL;
  for (char *c = copy; ok && *c; c++) {
    if (c[1] && c[1] != '/') {
      continue;
    }
    const char next = c[1];
    c[1] = '\0';
    ok = mkdir(copy, 0777) == 0 || errno == EEXIST;
    c[1] = next;
  }
  free(copy);
  return ok || err_set(err, ErrCheck, "%s: %s", path, strerror(errno));
}
