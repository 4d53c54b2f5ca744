// SPDX-License-Identifier: Apache-2.0
#include "text.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LeastRoom = 64 };

const char *text_string(const text_t *text) { return text->bytes ? text->bytes : ""; }

// Makes room for `more` characters and the 0 behind them.
static bool make_room(text_t *text, size_t more) {
  const size_t most = SIZE_MAX / 4;  // doubling does not wrap
  size_t wanted = more < most ? text->length + more + 1 : most;
  if (wanted <= text->room) return true;
  size_t room = text->room ? text->room : LeastRoom;
  while (room < wanted) room *= 2;
  char *bytes = wanted < most ? realloc(text->bytes, room) : NULL;
  if (!bytes) {
    text->failed = true;
    return false;
  }
  if (!text->bytes) bytes[0] = 0;
  text->bytes = bytes;
  text->room = room;
  return true;
}

void text_bytes(text_t *text, const void *bytes, size_t size) {
  if (!make_room(text, size)) return;
  if (size) memcpy(text->bytes + text->length, bytes, size);
  text->length += size;
  text->bytes[text->length] = 0;
}

void text_char(text_t *text, char c) { text_bytes(text, &c, 1); }

void text_put(text_t *text, const char *string) { text_bytes(text, string, strlen(string)); }

void text_vformat(text_t *text, const char *format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  int size = vsnprintf(NULL, 0, format, arguments);
  if (size >= 0 && make_room(text, (size_t)size)) {
    vsnprintf(text->bytes + text->length, (size_t)size + 1, format, again);
    text->length += (size_t)size;
  } else if (size < 0) {
    text->failed = true;
  }
  va_end(again);
}

void text_format(text_t *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  text_vformat(text, format, arguments);
  va_end(arguments);
}

const char *text_set(text_t *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  text_cut(text, 0);
  text_vformat(text, format, arguments);
  va_end(arguments);
  return text_string(text);
}

void text_cut(text_t *text, size_t length) {
  if (length >= text->length) return;
  text->length = length;
  text->bytes[length] = 0;
}

char *text_take(text_t *text) {
  if (!text->failed) make_room(text, 0);
  char *bytes = text->failed ? NULL : text->bytes;
  if (bytes)
    *text = (text_t){0};
  else
    text_free(text);
  return bytes;
}

void text_free(text_t *text) {
  free(text->bytes);
  *text = (text_t){0};
}

char *text_make(const char *format, ...) {
  text_t text = {0};
  va_list arguments;
  va_start(arguments, format);
  text_vformat(&text, format, arguments);
  va_end(arguments);
  return text_take(&text);
}
