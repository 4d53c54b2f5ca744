// SPDX-License-Identifier: Apache-2.0
// Values of keys as text, and back.
#include "config_internal.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static uint64_t load_uint(const void *field, size_t size) {
  switch (size) {
    case 1: return *(const uint8_t *)field;
    case 2: return *(const uint16_t *)field;
    case 4: return *(const uint32_t *)field;
    default: return *(const uint64_t *)field;
  }
}

static void store_uint(void *field, size_t size, uint64_t value) {
  switch (size) {
    case 1: *(uint8_t *)field = (uint8_t)value; break;
    case 2: *(uint16_t *)field = (uint16_t)value; break;
    case 4: *(uint32_t *)field = (uint32_t)value; break;
    default: *(uint64_t *)field = value; break;
  }
}

// The shortest text that reads back as the same number, without an exponent if it can be.
static void double_text(const config_key_t *key, double value, char text[TextSize]) {
  for (const config_word_t *w = key->words; w && w->name; w++) {
    if (w->value == value) {
      snprintf(text, TextSize, "%s", w->name);
      return;
    }
  }
  for (int digits = 1; digits <= 17; digits++) {
    snprintf(text, TextSize, "%.*g", digits, value);
    bool plain = !strchr(text, 'e') || fabs(value) >= 1e15 || fabs(value) < 1e-4;
    if (plain && strtod(text, NULL) == value) {
      return;
    }
  }
}

static size_t name_count(const config_key_t *key) {
  size_t count = 0;
  while (key->names[count]) {
    count++;
  }
  return count;
}

void config_value_text(const entry_t *e, char text[TextSize]) {
  const config_key_t *key = &e->key;
  switch (key->kind) {
    case ConfigUint:
      snprintf(text, TextSize, "%llu", (unsigned long long)load_uint(e->field, key->size));
      break;
    case ConfigBool:
      snprintf(text, TextSize, "%s", *(const bool *)e->field ? "true" : "false");
      break;
    case ConfigEnum: {
      uint64_t value = load_uint(e->field, key->size);
      snprintf(text, TextSize, "%s", value < name_count(key) ? key->names[value] : "?");
      break;
    }
    case ConfigDouble: double_text(key, *(const double *)e->field, text); break;
    case ConfigString: snprintf(text, TextSize, "%s", (const char *)e->field); break;
  }
}

// Appends to a text of TextSize; the texts of ranges are known to fit.
static void append(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(char *text, const char *format, ...) {
  size_t used = strlen(text);
  va_list args;
  va_start(args, format);
  vsnprintf(text + used, TextSize - used, format, args);
  va_end(args);
}

void config_describe_range(const entry_t *e, char text[TextSize]) {
  const config_key_t *key = &e->key;
  text[0] = 0;
  if (e->set) {
    append(text, "a set of " CONFIG_SETS "/%s or a file.yaml", e->name);
    return;
  }
  switch (key->kind) {
    case ConfigUint:
      append(text, "%llu to %llu", (unsigned long long)key->min, (unsigned long long)key->max);
      break;
    case ConfigBool: append(text, "true or false"); break;
    case ConfigEnum:
      for (size_t i = 0; key->names[i]; i++) {
        append(text, "%s%s", i == 0 ? "" : key->names[i + 1] ? ", " : " or ", key->names[i]);
      }
      break;
    case ConfigDouble:
      append(text, "%.12g to %.12g", key->low, key->high);
      for (const config_word_t *w = key->words; w && w->name; w++) {
        append(text, "%s%s", w[1].name ? ", " : " or ", w->name);
      }
      break;
    case ConfigString: append(text, "up to %zu characters", key->size - 1); break;
  }
}

const char *config_shown(const char *text, char out[ShownSize]) {
  size_t i = 0;
  for (; text[i] && i < ShownSize - 4; i++) {
    unsigned char c = (unsigned char)text[i];
    out[i] = c < ' ' || c == 127 ? '?' : text[i];
  }
  snprintf(out + i, ShownSize - i, "%s", text[i] ? "..." : "");
  return out;
}

// How well a text fits a key.
typedef enum {
  Foreign,  // of another type
  Outside,  // out of range
  Taken,
} taken_e;

static taken_e take_uint(const entry_t *e, const char *text) {
  int base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
  const char *digits = base == 16 ? text + 2 : text;
  // strtoull would take signs and spaces.
  if (!*digits ||
      strspn(digits, base == 16 ? "0123456789abcdefABCDEF" : "0123456789") != strlen(digits)) {
    return Foreign;
  }
  errno = 0;
  uint64_t value = strtoull(digits, NULL, base);
  if (errno == ERANGE || value < e->key.min || value > e->key.max) {
    return Outside;
  }
  store_uint(e->field, e->key.size, value);
  return Taken;
}

static taken_e take_bool(const entry_t *e, const char *text) {
  if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0) {
    return Foreign;
  }
  *(bool *)e->field = text[0] == 't';
  return Taken;
}

static taken_e take_enum(const entry_t *e, const char *text) {
  for (size_t i = 0; e->key.names[i]; i++) {
    if (strcmp(text, e->key.names[i]) == 0) {
      store_uint(e->field, e->key.size, i);
      return Taken;
    }
  }
  return Foreign;
}

static taken_e take_double(const entry_t *e, const char *text) {
  for (const config_word_t *w = e->key.words; w && w->name; w++) {
    if (strcmp(text, w->name) == 0) {
      *(double *)e->field = w->value;
      return Taken;
    }
  }
  char *end;
  double value = strtod(text, &end);
  if (!*text || *end || strspn(text, "0123456789+-.eE") != strlen(text)) {
    return Foreign;
  }
  if (!isfinite(value) || value < e->key.low || value > e->key.high) {
    return Outside;
  }
  *(double *)e->field = value;
  return Taken;
}

static taken_e take_string(const entry_t *e, const char *text) {
  if (strlen(text) >= e->key.size || strlen(text) >= TextSize || strpbrk(text, "\r\n")) {
    return Outside;
  }
  snprintf(e->field, e->key.size, "%s", text);
  return Taken;
}

bool config_parse_value(entry_t *e, const char *text, bool quoted, text_t *what) {
  static const char *const Types[] = {[ConfigUint] = "a whole number, ",
                                      [ConfigBool] = "",
                                      [ConfigEnum] = "one of ",
                                      [ConfigDouble] = "a number, ",
                                      [ConfigString] = ""};
  const config_key_t *key = &e->key;
  bool words = key->kind == ConfigEnum || key->kind == ConfigString;
  taken_e taken = Foreign;
  if (words || !quoted) {
    switch (key->kind) {
      case ConfigUint: taken = take_uint(e, text); break;
      case ConfigBool: taken = take_bool(e, text); break;
      case ConfigEnum: taken = take_enum(e, text); break;
      case ConfigDouble: taken = take_double(e, text); break;
      case ConfigString: taken = take_string(e, text); break;
    }
  }
  char range[TextSize], quote[ShownSize];
  config_describe_range(e, range);
  config_shown(text, quote);
  text_cut(what, 0);
  if (taken == Outside) {
    text_format(what, "%s is %s, out of range, expected %s%s%s", e->name, quote, range,
                *key->unit ? " " : "", key->unit);
  } else if (taken == Foreign) {
    text_format(what, "%s is '%s'%s, expected %s%s%s%s", e->name, quote,
                quoted ? ", a quoted text" : "", Types[key->kind], range, *key->unit ? " " : "",
                key->unit);
  }
  return taken == Taken;
}
