// SPDX-License-Identifier: Apache-2.0
// The results of a sweep as rows: read, normalised, averaged, written.
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep.h"

const char *sweep_label(const sweep_t *s, const sweep_row_t *row, uint32_t axis) {
  static const char *const names[] = {"mean", "max", "min"};
  int32_t at = row->at[axis];
  return at >= 0 ? s->axes[axis].choices[at].label : names[SweepMean - at];
}

const sweep_row_t *sweep_find(const sweep_t *s, const int32_t at[SweepMaxAxes]) {
  size_t place = 0;
  bool in_grid = true;
  for (uint32_t a = 0; a < s->axis_count; a++) {
    in_grid &= at[a] >= 0;
    place = place * s->axes[a].count + (size_t)at[a];
  }
  if (in_grid) {
    return &s->rows[place];
  }
  for (size_t i = s->grid_rows; i < s->row_count; i++) {
    if (memcmp(s->rows[i].at, at, s->axis_count * sizeof *at) == 0) {
      return &s->rows[i];
    }
  }
  return NULL;
}

// ---- Reading ----

// Returns the entry of a list by its number, from 0 on.
static const json_t *item_of(const json_t *o, const char *name) {
  char *end = NULL;
  unsigned long number = strtoul(name, &end, 10);
  return end != name && !*end && *name != '-' ? json_array_get(o, number) : NULL;
}

// "a.b.c" in nested objects, "a.2.c" in a list of them; the keys of "config" have dots themselves.
static const json_t *find(const json_t *o, const char *path) {
  char first[128];
  while (o && path) {
    const json_t *whole = json_object_get(o, path);
    if (whole) {
      return whole;
    }
    const char *dot = strchr(path, '.');
    snprintf(first, sizeof first, "%.*s", (int)(dot ? dot - path : 0), path);
    o = !dot ? NULL : json_is_array(o) ? item_of(o, first) : json_object_get(o, first);
    path = dot ? dot + 1 : NULL;
  }
  return NULL;
}

static double number_of(const json_t *value) {
  if (json_is_boolean(value)) {
    return json_is_true(value);
  }
  if (json_is_string(value)) {
    char *end;
    const char *text = json_string_value(value);
    double number = strtod(text, &end);
    return end != text && !*end ? number : NAN;
  }
  return json_is_number(value) ? json_number_value(value) : NAN;
}

// Returns a new string: the key with the row's label in the place of {AXIS}.
static char *fill_in(const sweep_t *s, const sweep_row_t *row, const char *key) {
  const char *open = strchr(key, '{'), *close = open ? strchr(open, '}') : NULL;
  for (uint32_t a = 0; close && a < s->axis_count; a++) {
    const char *name = s->axes[a].name;
    if (strlen(name) == (size_t)(close - open - 1) && strncmp(name, open + 1, strlen(name)) == 0) {
      return text_make("%.*s%s%s", (int)(open - key), key, sweep_label(s, row, a), close + 1);
    }
  }
  return strdup(key);
}

static double sum_of(const sweep_t *s, const sweep_row_t *row, const json_t *result,
                     const char *const *keys) {
  double sum = 0;
  for (; *keys; keys++) {
    const char *star = strchr(*keys, '*');
    double weight = star ? strtod(*keys, NULL) : 1;
    char *filled = fill_in(s, row, star ? star + 1 : *keys);
    sum += weight * number_of(filled ? find(result, filled) : NULL);
    free(filled);
  }
  return sum;
}

static void add_comparisons(sweep_t *s, json_t *result) {
  const char *name;
  json_t *unit;
  json_object_foreach(json_object_get(json_object_get(result, "engine"), "units"), name, unit) {
    s->compared += (uint64_t)json_integer_value(json_object_get(unit, "cycles_compared"));
    s->mismatches += (uint64_t)json_integer_value(json_object_get(unit, "mismatches"));
  }
}

uint64_t sweep_hash(uint64_t before, uint64_t frame) {
  const uint64_t prime = 1099511628211u;  // of FNV-1a
  return before * prime ^ frame;
}

// Returns the hash of its frame, or of its frames together.
static void hash_of(const json_t *result, char hash[24]) {
  const json_t *frames = json_object_get(result, "frames");
  const char *alone = json_string_value(json_object_get(result, "frame_hash"));
  uint64_t all = 0;
  for (size_t i = 0; i < json_array_size(frames); i++) {
    const char *one = json_string_value(json_object_get(json_array_get(frames, i), "frame_hash"));
    all = sweep_hash(all, one ? strtoull(one, NULL, 16) : 0);
  }
  snprintf(hash, 24, "%.16s", alone ? alone : "");
  if (frames) {
    snprintf(hash, 24, "%016" PRIx64, all);
  }
}

static bool is_result_of(const sweep_t *s, size_t test, const json_t *result) {
  const char *sha = json_string_value(json_object_get(result, "config_sha256"));
  char hash[24];
  hash_of(result, hash);
  return sha && strcmp(sha, s->config_sha256[test]) == 0 && strcmp(hash, s->frame_hash[test]) == 0;
}

static bool read_results(sweep_t *s, const regress_t *r, err_t *err) {
  text_t path = {0};
  for (size_t t = 0; t < r->list->count; t++) {
    if (r->ends[t].entry->result.verdict != JobPassed) {
      continue;
    }
    job_file(&path, r->logs, r->list->tests[t].id, ".json");
    json_t *result = json_load_file(text_string(&path), 0, NULL);
    if (!is_result_of(s, t, result)) {
      err_set(err, ErrCheck,
              "%s: not the result of this configuration and frame; if the program was built "
              "anew meanwhile, run the sweep again",
              text_string(&path));
      json_decref(result);
      text_free(&path);
      return false;
    }
    add_comparisons(s, result);
    for (size_t i = 0; i < s->grid_rows; i++) {
      for (uint32_t c = 0; s->rows[i].test == t && c < s->column_count; c++) {
        const sweep_column_t *column = &s->columns[c];
        const sweep_row_t *row = &s->rows[i];
        double per = column->per[0] ? sum_of(s, row, result, column->per) : 1;
        double scale = per != 0 ? column->scale / per : NAN;
        s->rows[i].values[c] = scale * sum_of(s, row, result, column->keys);
        s->rows[i].base[c] = column->base_keys[0]
                                 ? scale * sum_of(s, row, result, column->base_keys)
                                 : s->rows[i].values[c];
      }
    }
    json_decref(result);
  }
  text_free(&path);
  return true;
}

// A key that no result has is a slip of the file; some results may lack some.
static bool all_known(sweep_t *s, const regress_t *r, err_t *err) {
  s->file.err = err;
  for (uint32_t c = 0; r->passed && c < s->column_count; c++) {
    bool known = false;
    for (size_t i = 0; i < s->grid_rows && !known; i++) {
      known = !isnan(s->rows[i].values[c]);
    }
    if (!known) {
      return yaml_file_fail(&s->file, s->columns[c].at,
                            "column %s: no result has a number under %s%s%s", s->columns[c].name,
                            s->columns[c].keys[0], s->columns[c].per[0] ? " per " : "",
                            s->columns[c].per[0] ? s->columns[c].per[0] : "");
    }
  }
  return true;
}

// ---- What is made of them ----

static void normalise(sweep_t *s) {
  for (uint32_t c = 0; c < s->column_count; c++) {
    const sweep_column_t *column = &s->columns[c];
    if (column->kind == SweepPlain) {
      continue;
    }
    for (size_t i = 0; i < s->grid_rows; i++) {
      size_t place = 0;
      for (uint32_t a = 0; a < s->axis_count; a++) {
        int32_t at = column->base[a] == SweepAny ? s->rows[i].at[a] : column->base[a];
        place = place * s->axes[a].count + (size_t)at;
      }
      double value = s->rows[i].values[c], base = s->rows[place].base[c];
      double ratio = column->kind == SweepSpeedup ? base / value : value / base;
      ratio = isfinite(ratio) ? ratio : NAN;
      s->rows[i].values[c] = column->kind == SweepChange ? 100 * (ratio - 1) : ratio;
    }
  }
}

// Returns a value of a row of the summary; NAN if one of its values is missing.
static double summarise(const sweep_t *s, const sweep_row_t *row, uint32_t c) {
  const sweep_axis_t *axis = &s->axes[s->summary_axis];
  sweep_mean_e mean = s->columns[c].mean;
  int32_t kind = row->at[s->summary_axis], at[SweepMaxAxes];
  double sum = 0, most = -INFINITY, least = INFINITY;
  memcpy(at, row->at, sizeof at);
  if (kind == SweepMean && mean == SweepNoMean) {
    return NAN;
  }
  for (uint32_t i = 0; i < axis->count; i++) {
    at[s->summary_axis] = (int32_t)i;
    double value = sweep_find(s, at)->values[c];
    sum += mean == SweepGeometric ? log(value) : value;
    most = fmax(most, value);
    least = fmin(least, value);
  }
  double average = sum / axis->count;
  average = mean == SweepGeometric ? exp(average) : average;
  double value = kind == SweepMean ? average : kind == SweepMost ? most : least;
  return isfinite(average) ? value : NAN;
}

bool sweep_gather(sweep_t *s, const regress_t *r, err_t *err) {
  for (size_t i = 0; i < s->row_count; i++) {
    for (uint32_t c = 0; c < s->column_count; c++) {
      s->rows[i].values[c] = s->rows[i].base[c] = NAN;
    }
  }
  if (!read_results(s, r, err) || !all_known(s, r, err)) {
    return false;
  }
  normalise(s);
  for (size_t i = s->grid_rows; i < s->row_count; i++) {
    for (uint32_t c = 0; c < s->column_count; c++) {
      s->rows[i].values[c] = summarise(s, &s->rows[i], c);
    }
  }
  return true;
}

// ---- Writing ----

// Twelve digits are what the results have.
static void put_number(FILE *f, double value) {
  if (!isnan(value)) {
    fprintf(f, "%.12g", value);
  }
}

static void write_csv(const sweep_t *s, FILE *f) {
  for (uint32_t a = 0; a < s->axis_count; a++) {
    fprintf(f, "%s%s", a ? "," : "", s->axes[a].name);
  }
  for (uint32_t c = 0; c < s->column_count; c++) {
    fprintf(f, ",%s", s->columns[c].name);
  }
  fputc('\n', f);
  for (size_t i = 0; i < s->row_count; i++) {
    for (uint32_t a = 0; a < s->axis_count; a++) {
      fprintf(f, "%s%s", a ? "," : "", sweep_label(s, &s->rows[i], a));
    }
    for (uint32_t c = 0; c < s->column_count; c++) {
      fputc(',', f);
      put_number(f, s->rows[i].values[c]);
    }
    fputc('\n', f);
  }
}

static json_t *row_json(const sweep_t *s, const sweep_row_t *row) {
  json_t *o = json_object(), *at = json_object(), *values = json_object();
  for (uint32_t a = 0; a < s->axis_count; a++) {
    json_object_set_new(at, s->axes[a].name, json_string(sweep_label(s, row, a)));
  }
  for (uint32_t c = 0; c < s->column_count; c++) {
    double value = row->values[c];
    json_object_set_new(values, s->columns[c].name, isnan(value) ? json_null() : json_real(value));
  }
  json_object_set_new(o, "at", at);
  json_object_set_new(o, "values", values);
  return o;
}

json_t *sweep_json(const sweep_t *s) {
  json_t *o = json_object(), *rows = json_array(), *units = json_object();
  for (size_t i = 0; i < s->row_count; i++) {
    json_array_append_new(rows, row_json(s, &s->rows[i]));
  }
  for (uint32_t c = 0; c < s->column_count; c++) {
    json_object_set_new(units, s->columns[c].name, json_string(s->columns[c].unit));
  }
  json_object_set_new(o, "sweep", json_string(s->name));
  json_object_set_new(o, "title", json_string(s->title));
  json_object_set_new(o, "source", json_string(s->source ? s->source : ""));
  json_object_set_new(o, "seed", json_integer((json_int_t)s->seed));
  json_object_set_new(o, "units", units);
  json_object_set_new(o, "rows", rows);
  return o;
}

static void write_json(const sweep_t *s, const regress_t *r, FILE *f) {
  json_t *o = sweep_json(s), *failed = json_array(), *rows = json_object_get(o, "rows");
  for (size_t i = 0; i < s->grid_rows; i++) {
    json_t *row = json_array_get(rows, i);
    json_object_set_new(row, "config_sha256", json_string(s->config_sha256[s->rows[i].test]));
    json_object_set_new(row, "frame_hash", json_string(s->frame_hash[s->rows[i].test]));
  }
  for (size_t t = 0; t < r->list->count; t++) {
    const job_result_t *result = &r->ends[t].entry->result;
    if (result->verdict != JobPassed) {
      text_t command = {0};
      job_command(&r->list->tests[t], &command);
      json_array_append_new(failed, json_pack("{s:s, s:s, s:s}", "id", r->list->tests[t].id, "what",
                                              result->what, "command", text_string(&command)));
      text_free(&command);
    }
  }
  json_object_set_new(o, "failed", failed);
  json_dumpf(o, f, JSON_INDENT(1) | JSON_SORT_KEYS | JSON_REAL_PRECISION(12));
  fputc('\n', f);
  json_decref(o);
}

static int wider(int width, const char *text) {
  int n = (int)strlen(text);
  return n > width ? n : width;
}

static void cell_text(const sweep_column_t *column, double value, char text[32]) {
  if (isnan(value)) {
    snprintf(text, 32, "-");
  } else {
    snprintf(text, 32, "%.*f%s", (int)column->digits, value,
             column->kind == SweepSpeedup  ? "x"
             : column->kind == SweepChange ? "%"
                                           : "");
  }
}

void sweep_write_text(const sweep_t *s, bool only_summary, FILE *f) {
  int axis_width[SweepMaxAxes], column_width[SweepMaxColumns];
  char text[32];
  bool units = false;
  for (uint32_t a = 0; a < s->axis_count; a++) {
    axis_width[a] = wider(0, s->axes[a].name);
    for (size_t i = 0; i < s->row_count; i++) {
      axis_width[a] = wider(axis_width[a], sweep_label(s, &s->rows[i], a));
    }
  }
  for (uint32_t c = 0; c < s->column_count; c++) {
    units |= *s->columns[c].unit != '\0';
    column_width[c] = wider(wider(0, s->columns[c].name), s->columns[c].unit);
    for (size_t i = 0; i < s->row_count; i++) {
      cell_text(&s->columns[c], s->rows[i].values[c], text);
      column_width[c] = wider(column_width[c], text);
    }
  }
  fprintf(f, "%s%s%s%s\n", s->title, s->source ? " (" : "", s->source ? s->source : "",
          s->source ? ")" : "");
  for (uint32_t line = 0; line < (units ? 2 : 1); line++) {
    for (uint32_t a = 0; a < s->axis_count; a++) {
      fprintf(f, "%s%-*s", a ? "  " : "", axis_width[a], line ? "" : s->axes[a].name);
    }
    for (uint32_t c = 0; c < s->column_count; c++) {
      fprintf(f, "  %*s", column_width[c], line ? s->columns[c].unit : s->columns[c].name);
    }
    fputc('\n', f);
  }
  for (size_t i = only_summary ? s->grid_rows : 0; i < s->row_count; i++) {
    for (uint32_t a = 0; a < s->axis_count; a++) {
      fprintf(f, "%s%-*s", a ? "  " : "", axis_width[a], sweep_label(s, &s->rows[i], a));
    }
    for (uint32_t c = 0; c < s->column_count; c++) {
      cell_text(&s->columns[c], s->rows[i].values[c], text);
      fprintf(f, "  %*s", column_width[c], text);
    }
    fputc('\n', f);
  }
  const char *separator = "mean: geometric of ";
  for (uint32_t c = 0; s->summary_axis >= 0 && c < s->column_count; c++) {
    if (s->columns[c].mean == SweepGeometric) {
      fprintf(f, "%s%s", separator, s->columns[c].name);
      separator = ", ";
    }
  }
  fputs(separator[0] == ',' ? "\n" : "", f);
  if (s->note) {
    fprintf(f, "%s\n", s->note);
  }
}

static bool close_file(FILE *f, const char *path, err_t *err) {
  bool ok = f && !ferror(f);
  ok = (!f || fclose(f) == 0) && ok;
  return ok || err_set(err, ErrCheck, "%s: %s", path, strerror(errno));
}

bool sweep_write(const sweep_t *s, const regress_t *r, const char *folder, err_t *err) {
  static const char *const names[] = {"csv", "json", "txt"};
  for (uint32_t k = 0; k < 3; k++) {
    char *path = text_make("%s/table.%s", folder, names[k]);
    FILE *f = path ? fopen(path, "w") : NULL;
    if (f && k == 0) {
      write_csv(s, f);
    } else if (f && k == 1) {
      write_json(s, r, f);
    } else if (f) {
      sweep_write_text(s, false, f);
    }
    bool ok = close_file(f, path ? path : folder, err);
    free(path);
    if (!ok) {
      return false;
    }
  }
  sweep_write_text(s, s->prints && s->summary_axis >= 0, stdout);
  return true;
}
