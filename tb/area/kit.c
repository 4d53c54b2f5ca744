// SPDX-License-Identifier: Apache-2.0
#include "kit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "csim/base/keep.h"
#include "liberty.h"
#include "liberty_text.h"

// The properties that all files of a kit share.
static const char *const Common[] = {"delay_model",        "time_unit",
                                     "voltage_unit",       "current_unit",
                                     "leakage_power_unit", "capacitive_load_unit",
                                     "nom_process",        "nom_voltage",
                                     "nom_temperature",    "input_threshold_pct_rise"};
enum { CommonCount = sizeof Common / sizeof *Common };

typedef struct {
  liberty_text_t t;
  text_t *out;       // of all files
  const char *kept;  // what is in the text from here on has not been put out
  bool is_first, has_changed;
  const char **common;  // of the first file, by Common
  strings_t *groups;    // "NAME ARGUMENT" of the library's, of all files
  const char *first;    // the first file's path
} kit_t;

static void put_up_to(kit_t *k, const char *end) {
  text_bytes(k->out, k->kept, (size_t)(end - k->kept));
  k->kept = end;
}

// Puts quotes around an expression that has none.
static void put_value(kit_t *k, const liberty_statement_t *s) {
  const char *value = strchr(s->place, ':');
  if (!s->value[0] || !value || !strpbrk(s->value, "!&|^'")) {
    return;
  }
  value += 1 + strspn(value + 1, " \t");
  if (*value != '"') {
    put_up_to(k, value);
    text_format(k->out, "\"%s\"", s->value);
    k->kept = value + strlen(s->value);
    k->has_changed = true;
  }
}

static bool walk(kit_t *k, int depth);

// Keeps the first file's value; compares the others' with it.
static bool check_common(kit_t *k, const liberty_statement_t *s) {
  text_t value = {0};
  text_put(&value, s->value);
  for (int a = 0; a < s->argument_count; a++) {
    text_format(&value, "%s%s", a ? ", " : "", s->arguments[a]);
  }
  bool same = true;
  for (size_t i = 0; i < CommonCount; i++) {
    if (strcmp(s->name, Common[i]) != 0) {
      continue;
    }
    if (k->is_first) {
      k->common[i] = strings_put(k->groups, text_string(&value));
    } else if (k->common[i] && strcmp(k->common[i], text_string(&value)) != 0) {
      same = liberty_text_fail(&k->t, s->place,
                               "%s is %s, but %s has %s; expected files of one corner and kit",
                               s->name, text_string(&value), k->first, k->common[i]);
    }
  }
  text_free(&value);
  return same;
}

// Returns true if a group of the library is a new one. Fails where a cell comes twice.
static bool is_new(kit_t *k, const liberty_statement_t *s, bool *is_known) {
  char *group = text_make("%s %s", s->name, s->arguments[0]);
  *is_known = false;
  for (size_t i = 0; group && i < k->groups->count; i++) {
    *is_known = *is_known || strcmp(k->groups->all[i], group) == 0;
  }
  if (*is_known && strcmp(s->name, "cell") == 0) {
    free(group);
    return liberty_text_fail(&k->t, s->place, "cell (%s): comes twice, expected it once",
                             s->arguments[0]);
  }
  return strings_own(k->groups, group) && !k->groups->failed;
}

// A statement of the library itself: of later files only groups that are new stay.
static bool library_statement(kit_t *k, const liberty_statement_t *s) {
  bool is_known = false;
  if (!s->is_group) {
    if (!check_common(k, s)) {
      return false;
    }
  } else if (!is_new(k, s, &is_known)) {
    return false;
  }
  if (!k->is_first && s->is_group && !is_known) {
    text_char(k->out, '\n');
    k->kept = s->place;
  }
  if (s->is_group && !walk(k, 2)) {
    return false;
  }
  if (!k->is_first && s->is_group && !is_known) {
    put_up_to(k, k->t.at);
  }
  return true;
}

static bool statement(kit_t *k, int depth) {
  liberty_statement_t s;
  if (!liberty_text_statement(&k->t, &s)) {
    return false;
  }
  put_value(k, &s);
  return depth == 1 ? library_statement(k, &s) : !s.is_group || walk(k, depth + 1);
}

// Goes behind the } of a group; of a library up to it.
static bool walk(kit_t *k, int depth) {
  for (;;) {
    if (!liberty_text_skip(&k->t)) {
      return false;
    }
    if (!*k->t.at) {
      return liberty_text_fail(&k->t, k->t.at, "a { without an end, expected }");
    }
    if (*k->t.at == '}') {
      k->t.at += depth > 1;
      return true;
    }
    if (*k->t.at == ';') {
      k->t.at++;
    } else if (!statement(k, depth)) {
      return false;
    }
  }
}

// Appends the first file up to the } that ends its library, and what the other files add.
static bool read_file(kit_t *k, const char *path, err_t *err) {
  liberty_t library;
  liberty_statement_t s;
  // (It tells more about what is wrong.)
  if (!liberty_load(&library, path, err)) {
    return false;
  }
  liberty_free(&library);
  if (!liberty_text_open(&k->t, path, err)) {
    return false;
  }
  k->kept = k->t.at;
  bool ok = liberty_text_skip(&k->t) && liberty_text_statement(&k->t, &s) && s.is_group;
  if (!ok) {
    return liberty_text_fail(&k->t, k->t.at, "expected library (NAME) { ... }");
  }
  if (!walk(k, 1)) {
    return false;
  }
  if (k->is_first) {
    put_up_to(k, k->t.at);
  }
  return true;
}

// Keeps the text under its hash.
static bool put(const text_t *text, const char *folder, char **path, err_t *err) {
  char hash[BaseSha256Text];
  base_sha256_hex(text->bytes, text->length, hash);
  if (!keep_has(folder, hash, ".lib") &&
      !keep_put(folder, hash, ".lib", text->bytes, text->length, err)) {
    return false;
  }
  char *made = keep_path(folder, hash, ".lib");
  *path = made ? realpath(made, NULL) : NULL;
  if (made && !*path) {
    err_set(err, ErrCheck, "%s: %s", made, strerror(errno));
  }
  free(made);
  return *path || (!made && err_memory(err, folder));
}

bool kit_make(const char *const *files, uint32_t count, const char *folder, char **path,
              err_t *err) {
  const char *common[CommonCount] = {NULL};
  text_t out = {0};
  strings_t groups = {0};
  bool ok = true, has_changed = count > 1;
  *path = NULL;
  for (uint32_t f = 0; ok && f < count; f++) {
    kit_t k = {.out = &out, .is_first = f == 0, .common = common, .groups = &groups};
    k.first = files[0];
    ok = read_file(&k, files[f], err);
    has_changed = has_changed || k.has_changed;
    liberty_text_close(&k.t);
  }
  text_put(&out, "\n}\n");
  if (ok && (out.failed || groups.failed)) {
    ok = err_memory(err, files[0]);
  } else if (ok && has_changed) {
    ok = put(&out, folder, path, err);
  } else if (ok) {
    *path = realpath(files[0], NULL);
    ok = *path || err_set(err, ErrInput, "%s: %s", files[0], strerror(errno));
  }
  text_free(&out);
  strings_free(&groups);
  return ok;
}
