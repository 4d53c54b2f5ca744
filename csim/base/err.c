// SPDX-License-Identifier: Apache-2.0
#include "err.h"

#include <stdio.h>
#include <string.h>

bool err_vset(err_t *err, err_status_e status, const char *format, va_list arguments) {
  if (!err) return false;
  text_t text = {0};
  text_vformat(&text, format, arguments);
  if (err->sink) {
    snprintf(err->sink, err->sink_size, "%s", text_string(&text));
    text_free(&text);
    err->status = status;
    return false;
  }
  text_free(&err->text);
  err->text = text;
  err->status = status;
  return false;
}

bool err_set(err_t *err, err_status_e status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  err_vset(err, status, format, arguments);
  va_end(arguments);
  return false;
}

bool err_memory(err_t *err, const char *what) {
  return err_set(err, ErrMachine, "%s: out of memory", what);
}

bool err_before(err_t *err, const char *format, ...) {
  if (!err) return false;
  text_t text = {0};
  va_list arguments;
  va_start(arguments, format);
  text_vformat(&text, format, arguments);
  va_end(arguments);
  text_put(&text, err_text(err));
  if (err->sink) {
    snprintf(err->sink, err->sink_size, "%s", text_string(&text));
    text_free(&text);
    return false;
  }
  text_free(&err->text);
  err->text = text;
  return false;
}

bool err_move(err_t *to, err_t *from) {
  if (to && to->sink) {
    err_set(to, from->status, "%s", err_text(from));
    err_free(from);
    return false;
  }
  if (to) {
    text_free(&to->text);
    *to = *from;
  } else {
    text_free(&from->text);
  }
  *from = (err_t){0};
  return false;
}

const char *err_text(const err_t *err) {
  if (!err) return "";
  if (err->sink) return err->sink;
  return err->text.failed ? "out of memory, and none is left to say where"
                          : text_string(&err->text);
}

bool err_is_set(const err_t *err) {
  return err && err->status != ErrNone;
}

void err_free(err_t *err) {
  if (!err) return;
  text_free(&err->text);
  if (err->sink) err->sink[0] = 0;
  err->status = ErrNone;
}

bool err_give(err_t *err, char *error, size_t size) {
  if (err_is_set(err) && size > 0) {
    size_t length = strlen(err_text(err));
    length = length < size ? length : size - 1;
    memcpy(error, err_text(err), length);
    error[length] = '\0';
  }
  err_free(err);
  return false;
}
