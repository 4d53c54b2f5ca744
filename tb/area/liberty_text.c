// SPDX-License-Identifier: Apache-2.0
#include "liberty_text.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool liberty_text_fail(const liberty_text_t *t, const char *place, const char *format, ...) {
  text_t what = {0};
  int line = 1;
  const char *start = t->text;
  va_list list;
  va_start(list, format);
  text_vformat(&what, format, list);
  va_end(list);
  for (const char *p = t->text; p < place; p++) {
    if (*p == '\n') {
      line++;
      start = p + 1;
    }
  }
  err_set(t->err, ErrInput, "%s:%d:%d: %s", t->path, line, (int)(place - start) + 1,
          text_string(&what));
  text_free(&what);
  return false;
}

// ---- words ----------------------------------------------------------------------------

bool liberty_text_skip(liberty_text_t *t) {
  for (;;) {
    t->at += strspn(t->at, " \t\r\n\\");
    if (strncmp(t->at, "/*", 2) == 0) {
      const char *end = strstr(t->at + 2, "*/");
      if (!end) {
        return liberty_text_fail(t, t->at, "a comment without an end, expected */");
      }
      t->at = end + 2;
    } else if (strncmp(t->at, "//", 2) == 0) {
      t->at += strcspn(t->at, "\n");
    } else {
      return true;
    }
  }
}

// Copies without line breaks and the blanks at the end.
static const char *keep(liberty_text_t *t, const char *from, size_t length) {
  char *out = malloc(length + 1);
  size_t used = 0;
  for (size_t i = 0; out && i < length; i++) {
    if (from[i] != '\\' && from[i] != '\n' && from[i] != '\r') {
      out[used++] = from[i];
    }
  }
  while (used && isspace((unsigned char)out[used - 1])) {
    used--;
  }
  if (out) {
    out[used] = '\0';
  }
  return strings_own(&t->words, out);
}

// Reads a quoted text, or a word up to one of stop.
static bool read_word(liberty_text_t *t, const char *stop, const char **out) {
  if (!liberty_text_skip(t)) {
    return false;
  }
  if (*t->at == '"') {
    const char *end = t->at + 1;
    while (*end && *end != '"') {
      end += *end == '\\' && end[1] ? 2 : 1;
    }
    if (!*end) {
      return liberty_text_fail(t, t->at, "a text without an end, expected \"");
    }
    *out = keep(t, t->at + 1, (size_t)(end - t->at - 1));
    t->at = end + 1;
    return true;
  }
  size_t length = strcspn(t->at, stop);
  for (size_t i = 0; i + 1 < length; i++) {
    if (t->at[i] == '/' && t->at[i + 1] == '*') {
      length = i;
    }
  }
  *out = keep(t, t->at, length);
  t->at += length;
  return true;
}

static bool read_arguments(liberty_text_t *t, liberty_statement_t *s) {
  const char *open = t->at++, *word;
  for (;;) {
    if (!liberty_text_skip(t)) {
      return false;
    }
    if (*t->at == ')') {
      t->at++;
      return true;
    }
    if (*t->at == ',') {
      t->at++;
      continue;
    }
    if (!*t->at || strchr("{};", *t->at)) {
      return liberty_text_fail(t, open, "%s: a ( without an end, expected )", s->name);
    }
    if (!read_word(t, ",){};\"\n", &word)) {
      return false;
    }
    if (s->argument_count < LibertyArguments) {
      s->arguments[s->argument_count++] = word;
    }
  }
}

bool liberty_text_statement(liberty_text_t *t, liberty_statement_t *s) {
  size_t length = strcspn(t->at, " \t\r\n:(){};,\"");
  *s = (liberty_statement_t){.place = t->at, .value = ""};
  for (int i = 0; i < LibertyArguments; i++) {
    s->arguments[i] = "";
  }
  if (!length) {
    return liberty_text_fail(t, t->at, "'%c', expected a name", *t->at);
  }
  s->name = keep(t, t->at, length);
  t->at += length;
  if (!liberty_text_skip(t)) {
    return false;
  }
  if (*t->at == ':') {
    t->at++;
    return read_word(t, ";\n}", &s->value) && liberty_text_skip(t);
  }
  if (*t->at != '(') {
    return liberty_text_fail(t, t->at, "%s: expected : or ( behind it", s->name);
  }
  if (!read_arguments(t, s) || !liberty_text_skip(t)) {
    return false;
  }
  s->is_group = *t->at == '{';
  t->at += s->is_group;
  return true;
}

// ---- file -----------------------------------------------------------------------------

// Returns the file's bytes and a 0 behind them. NULL: errno says why.
static char *read_file(const char *path, size_t *size) {
  FILE *f = fopen(path, "r");
  text_t text = {0};
  char buffer[1 << 16];
  for (size_t got; f && (got = fread(buffer, 1, sizeof buffer, f)) > 0;) {
    text_bytes(&text, buffer, got);
  }
  bool ok = f && !ferror(f) && !text.failed;
  if (f) {
    fclose(f);
  }
  *size = text.length;
  char *bytes = !ok ? NULL : text.length ? text_take(&text) : strdup("");
  text_free(&text);
  return bytes;
}

bool liberty_text_open(liberty_text_t *t, const char *path, err_t *err) {
  size_t size;
  errno = 0;
  *t = (liberty_text_t){.path = path, .err = err, .text = read_file(path, &size)};
  t->at = t->text;
  if (!t->text) {
    return err_set(err, ErrInput, "%s: %s", path, strerror(errno ? errno : ENOMEM));
  }
  return strlen(t->text) == size ||
         err_set(err, ErrInput, "%s: not a text; a packed file (.gz) is unpacked first", path);
}

void liberty_text_close(liberty_text_t *t) {
  free(t->text);
  strings_free(&t->words);
}
