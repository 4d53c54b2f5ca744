#include "json_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

json_t *json_file_load(const char *path, char *error, size_t size) {
  FILE *file = fopen(path, "rb");
  if (!file) {
    snprintf(error, size, "%.300s: %s", path, strerror(errno));
    return NULL;
  }
  json_error_t e;
  json_t *root = json_loadf(file, JSON_REJECT_DUPLICATES, &e);
  if (!root) {
    snprintf(error, size, "%.300s:%d:%d: %s", path, e.line, e.column, e.text);
  }
  fclose(file);
  return root;
}
