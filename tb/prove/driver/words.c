// SPDX-License-Identifier: Apache-2.0
#include "words.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "csim/base/text.h"
#include "tb/harness/spawn.h"

void words_add(words_t *w, const char *format, ...) {
  va_list arguments;
  text_t text = {0};
  va_start(arguments, format);
  text_vformat(&text, format, arguments);
  va_end(arguments);
  if (w->count < WordsMost) {
    w->at[w->count++] = text_take(&text);
  }
  text_free(&text);
}

void words_split(words_t *w, const char *text) {
  for (const char *at = text + strspn(text, " "); *at; at += strspn(at, " ")) {
    words_add(w, "%.*s", (int)strcspn(at, " "), at);
    at += strcspn(at, " ");
  }
}

int words_run(words_t *w, const char *output) {
  const int status = spawn_run((const char *const *)w->at, NULL, output);
  for (uint32_t i = 0; i < w->count; i++) {
    free(w->at[i]);
  }
  *w = (words_t){0};
  return status;
}
