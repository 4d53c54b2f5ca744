// SPDX-License-Identifier: Apache-2.0
#include "err.h"

bool err_vset(err_t *err, err_status_e status, const char *format, va_list arguments) {
  if (!err) return false;
  text_t text = {0};
  text_vformat(&text, format, arguments);
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
  text_free(&err->text);
  err->text = text;
  return false;
}

bool err_move(err_t *to, err_t *from) {
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
  return err->text.failed ? "out of memory, and none is left to say where"
                          : text_string(&err->text);
}

bool err_is_set(const err_t *err) { return err && err->status != ErrNone; }

void err_free(err_t *err) {
  if (!err) return;
  text_free(&err->text);
  err->status = ErrNone;
}
