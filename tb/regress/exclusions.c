// SPDX-License-Identifier: Apache-2.0
#include "exclusions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csim/base/yaml_table.h"

// Compares a text with a pattern, in which * is any text.
static bool matches(const char *pattern, const char *text) {
  for (; *pattern && *pattern != '*'; pattern++, text++) {
    if (*pattern != *text) return false;
  }
  if (!*pattern) return !*text;
  do {
    if (matches(pattern + 1, text)) return true;
  } while (*text++);
  return false;
}

// ---- The file ----

static const char *const Kinds[] = {[PointLine] = "line", [PointToggle] = "toggle", NULL};

static const yaml_row_t Rows[] = {YamlRow("kind", YamlChoice, exclusion_t, kind, .words = Kinds),
                                  YamlRow("unit", YamlWord, exclusion_t, unit),
                                  YamlRow("file", YamlWord, exclusion_t, file),
                                  YamlRow("name", YamlWords, exclusion_t, name),
                                  YamlRow("text", YamlWords, exclusion_t, text),
                                  YamlRow("reason", YamlWord, exclusion_t, reason),
                                  {0}};
static const yaml_table_t Exclusion = {.shape = "an exclusion: {file: ..., reason: ...}",
                                       .rows = Rows,
                                       .keeps_at = true,
                                       .at_offset = offsetof(exclusion_t, at)};

static bool read_exclusion(const yaml_at_t *at, exclusion_t *x, bool is_c) {
  yaml_at_t item = *at;
  item.what = NULL;
  *x = (exclusion_t){.is_c = is_c, .kind = -1};
  if (!yaml_table_read(&item, &Exclusion, x)) return false;
  bool has_kind = x->kind >= 0, wants_text = is_c || x->kind == PointLine;
  if (!x->file || !x->reason) return yaml_at_fail(at, "expected a file and a reason");
  if (is_c ? has_kind || x->name[0] || x->unit : !has_kind) {
    return yaml_at_fail(at, is_c ? "of C: expected file, text and reason only"
                                 : "of RTL: expected a kind: line or toggle");
  }
  return (wants_text ? x->text[0] != NULL : x->name[0] && !x->text[0]) ||
         yaml_at_fail(at, wants_text ? "expected text, a line of the source"
                                     : "expected name, a signal's bit, and no text");
}

static bool read_rtl(const yaml_at_t *at, void *field) { return read_exclusion(at, field, false); }

static bool read_c(const yaml_at_t *at, void *field) { return read_exclusion(at, field, true); }

#define LIST_BY(function)                                         \
  {                                                               \
    .read = function, .size = sizeof(exclusion_t), .grows = true, \
    .count_offset = offsetof(exclusions_t, count)                 \
  }
static const yaml_list_t Rtl = LIST_BY(read_rtl), C = LIST_BY(read_c);
static const yaml_row_t FileRows[] = {YamlRow("rtl", YamlList, exclusions_t, list, .list = &Rtl),
                                      YamlRow("c", YamlList, exclusions_t, list, .list = &C),
                                      {0}};
static const yaml_table_t File = {.shape = "rtl and c", .rows = FileRows};

bool exclusions_load(exclusions_t *e, const char *path, err_t *err) {
  *e = (exclusions_t){.path = strdup(path)};
  return e->path ? yaml_table_load(&e->file, e->path, &File, NULL, e, err) : err_memory(err, path);
}

static void forget_source(exclusions_t *e) {
  free(e->lines);
  free(e->text);
  free(e->source);
  e->lines = NULL;
  e->text = e->source = NULL;
  e->line_count = 0;
}

void exclusions_free(exclusions_t *e) {
  yaml_file_free(&e->file);
  forget_source(e);
  free(e->list);
  free(e->path);
  *e = (exclusions_t){0};
}

// ---- Lines of sources ----

// Keeps the lines of a source, in place of those of another one.
static void read_source(exclusions_t *e, const char *path) {
  size_t room = 0;
  forget_source(e);
  e->source = strdup(path);
  char *from = e->base && path[0] != '/' ? text_make("%s/%s", e->base, path) : strdup(path);
  FILE *file = from ? fopen(from, "r") : NULL;
  free(from);
  char *at = file && getdelim(&e->text, &room, '\0', file) > 0 ? e->text : NULL;
  if (file) fclose(file);
  while (at) {
    char **more = realloc(e->lines, (e->line_count + 1) * sizeof *more);
    if (!more) return;
    e->lines = more;
    e->lines[e->line_count++] = at + strspn(at, " \t");
    at = strchr(at, '\n');
    if (at) *at++ = '\0';
  }
}

static const char *source_line(exclusions_t *e, const char *path, uint32_t line) {
  if (!e->source || strcmp(e->source, path) != 0) read_source(e, path);
  return line > 0 && line <= e->line_count ? e->lines[line - 1] : "";
}

// Without patterns, any text will do.
static bool any_matches(const char *const *patterns, const char *text) {
  for (size_t i = 0; patterns[i]; i++) {
    if (matches(patterns[i], text)) return true;
  }
  return !patterns[0];
}

const exclusion_t *exclusions_of_point(exclusions_t *e, const char *unit, const point_t *p) {
  for (uint32_t i = 0; i < e->count; i++) {
    exclusion_t *x = &e->list[i];
    if (!x->is_c && x->kind == (int)p->kind && (!x->unit || strcmp(x->unit, unit) == 0) &&
        matches(x->file, p->file) && any_matches(x->name, p->name) &&
        any_matches(x->text, source_line(e, p->file, p->line))) {
      x->points++;
      return x;
    }
  }
  return NULL;
}

const exclusion_t *exclusions_of_line(exclusions_t *e, const char *file, uint32_t line) {
  for (uint32_t i = 0; i < e->count; i++) {
    exclusion_t *x = &e->list[i];
    if (x->is_c && matches(x->file, file) && any_matches(x->text, source_line(e, file, line))) {
      x->points++;
      return x;
    }
  }
  return NULL;
}

bool exclusions_are_fresh(exclusions_t *e, bool with_c, err_t *err) {
  e->file.err = err;
  for (uint32_t i = 0; i < e->count; i++) {
    if (e->list[i].points == 0 && (with_c || !e->list[i].is_c)) {
      return yaml_file_fail(&e->file, e->list[i].at,
                            "stale: it leaves out nothing that was missed, expected to be removed");
    }
  }
  return true;
}
