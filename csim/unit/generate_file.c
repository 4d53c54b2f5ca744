// SPDX-License-Identifier: Apache-2.0
#include "generate_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "csim/base/place.h"

static bool is_same(const char *path, const char *text, size_t size) {
  FILE *old = fopen(path, "rb");
  size_t at = 0;
  int c = EOF;
  while (old && (c = fgetc(old)) != EOF && at < size && (unsigned char)text[at] == c) {
    at++;
  }
  if (old) {
    fclose(old);
  }
  return old && c == EOF && at == size;
}

bool generate_file(const page_t *page, const char *path, generate_fn *fn, err_t *err) {
  char *text = NULL;
  size_t size = 0;
  FILE *memory = open_memstream(&text, &size);
  if (memory) {
    fn(memory, page);
  }
  if (!memory || fclose(memory) != 0) {
    free(text);
    err_set(err, ErrMachine, "out of memory");
    return false;
  }
  bool ok = is_same(path, text, size);
  if (!ok) {
    char *temporary = text_make("%s.%ld", path, (long)getpid());
    FILE *file = temporary ? fopen(temporary, "wb") : NULL;
    ok = file && fwrite(text, 1, size, file) == size;
    ok = file && fclose(file) == 0 && ok && rename(temporary, path) == 0;
    free(temporary);
  }
  if (!ok) {
    err_set(err, ErrInput, "%s: cannot be written: %s", path, strerror(errno));
  }
  free(text);
  return ok;
}
