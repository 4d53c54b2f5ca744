// SPDX-License-Identifier: Apache-2.0
#include "strings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *strings_own(strings_t *s, char *string) {
  if (string && s->count == s->room) {
    size_t room = 2 * s->room + 16;
    char **grown = realloc(s->all, room * sizeof *grown);
    if (grown) {
      s->all = grown;
      s->room = room;
    }
  }
  if (!string || s->count == s->room) {
    free(string);
    s->failed = true;
    return "";
  }
  return s->all[s->count++] = string;
}

const char *strings_put(strings_t *s, const char *string) { return strings_own(s, strdup(string)); }

const char *strings_bytes(strings_t *s, const char *bytes, size_t length) {
  return strings_own(s, strndup(bytes, length));
}

const char *strings_format(strings_t *s, const char *format, ...) {
  char *string = NULL;
  va_list arguments;
  va_start(arguments, format);
  int length = vasprintf(&string, format, arguments);
  va_end(arguments);
  return strings_own(s, length < 0 ? NULL : string);
}

void strings_free(strings_t *s) {
  for (size_t i = 0; i < s->count; i++) {
    free(s->all[i]);
  }
  free(s->all);
  *s = (strings_t){0};
}
