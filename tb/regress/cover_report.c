// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cover.h"
#include "tb/harness/json_file.h"

// Returns the share of the covered points: of all toggles, of the lines that are not excluded.
static double share(const tally_t *t, bool all) {
  return cover_percent(t->hit, all ? t->total : t->total - t->excluded);
}

static void print_row(const char *name, const tally_t tally[PointKinds], const char *plan) {
  const tally_t *l = &tally[PointLine], *t = &tally[PointToggle], *p = &tally[PointUser];
  char line[64], toggle[80], points[64];
  snprintf(line, sizeof line, "%" PRIu64 "/%" PRIu64 " %.2f %%", l->hit, l->total - l->excluded,
           share(l, false));
  snprintf(toggle, sizeof toggle, "%" PRIu64 "/%" PRIu64 " %.2f %% (-%" PRIu64 ")", t->hit,
           t->total, share(t, true), t->excluded);
  if (t->total == 0) {
    snprintf(toggle, sizeof toggle, "no set in the plan");
  }
  snprintf(points, sizeof points, "%" PRIu64 "/%" PRIu64, p->hit, p->total);
  printf("%-22s %-18s %-28s %-8s %s\n", name, line, toggle, points, plan);
}

void cover_print(const cover_t *c, uint32_t most) {
  char plan[64];
  printf("%-22s %-18s %-28s %-8s %s\n", "unit", "line", "toggle (-excluded)", "points", "plan");
  for (size_t i = 0; i < c->plans.count; i++) {
    const cover_unit_t *u = &c->units[i];
    snprintf(plan, sizeof plan, "%u features, %" PRIu64 " bare", u->plan->feature_count, u->bare);
    print_row(u->plan->unit, u->tally, plan);
  }
  if (!c->base) print_row("RTL", c->rtl, "");
  if (c->c.total > 0) {
    printf("%-22s %" PRIu64 "/%" PRIu64 " %.2f %% (%" PRIu64 " lines excluded)\n",
           c->base ? "golden model" : "C", c->c.hit, c->c.total - c->c.excluded,
           share(&c->c, false), c->c.excluded);
  }
  for (size_t i = 0; i < c->plans.count; i++) {
    const cover_unit_t *u = &c->units[i];
    uint32_t shown = 0;
    for (size_t k = 0; k < u->points.count && shown < most; k++) {
      const point_t *p = &u->points.points[k];
      if (p->count == 0 && !p->excluded) {
        printf("missed: %s %s: %s:%u: %s (%s)\n", u->plan->unit, point_kind_name(p->kind), p->file,
               p->line, p->name, p->instance);
        shown++;
      }
    }
  }
  // The C of the tree has too many lines for this; summary.json has them.
  for (size_t i = 0; c->base && i < c->file_count; i++) {
    const cover_file_t *f = &c->files[i];
    for (size_t k = 0, shown = 0; k < f->lines && shown < most; k++) {
      if (f->count[k] == 0 && !f->excluded[k]) {
        printf("missed: golden model: %s:%u\n", f->path, f->line[k]);
        shown++;
      }
    }
  }
  size_t i;
  json_t *text;
  json_array_foreach(c->complaints, i, text) { printf("cover: %s\n", json_string_value(text)); }
  printf("%s\n", i ? "FAILED: coverage" : "passed: coverage");
}

// ---- JSON ----

static json_t *tally_json(const tally_t *t) {
  return json_pack("{s:I, s:I, s:I}", "hit", (json_int_t)t->hit, "excluded",
                   (json_int_t)t->excluded, "total", (json_int_t)t->total);
}

static json_t *unit_json(const cover_unit_t *u) {
  json_t *missed = json_array();
  for (size_t k = 0; k < u->points.count; k++) {
    const point_t *p = &u->points.points[k];
    if (p->count == 0) {
      const exclusion_t *x = p->excluded;
      json_array_append_new(
          missed, json_pack("{s:s, s:s, s:I, s:s, s:s, s:s}", "kind", point_kind_name(p->kind),
                            "file", p->file, "line", (json_int_t)p->line, "name", p->name,
                            "instance", p->instance, "excluded", x ? x->reason : ""));
    }
  }
  return json_pack("{s:s, s:o, s:o, s:o, s:{s:I, s:I}, s:o}", "name", u->plan->unit, "line",
                   tally_json(&u->tally[PointLine]), "toggle", tally_json(&u->tally[PointToggle]),
                   "points", tally_json(&u->tally[PointUser]), "features", "total",
                   (json_int_t)u->plan->feature_count, "bare", (json_int_t)u->bare, "missed",
                   missed);
}

// Sums the C by folder: csim/gpu, tb/harness ...
static json_t *folders_json(const cover_t *c) {
  json_t *folders = json_object();
  for (size_t i = 0; i < c->file_count; i++) {
    const char *path = c->files[i].path, *end = strrchr(path, '/');
    char *name = strndup(path, end ? (size_t)(end - path) : 0);
    const tally_t *t = &c->files[i].tally;
    json_t *old = name ? json_object_get(folders, name) : NULL;
    tally_t sum = {(uint64_t)json_integer_value(json_object_get(old, "hit")) + t->hit,
                   (uint64_t)json_integer_value(json_object_get(old, "excluded")) + t->excluded,
                   (uint64_t)json_integer_value(json_object_get(old, "total")) + t->total};
    json_object_set_new(folders, name, tally_json(&sum));
    free(name);
  }
  return folders;
}

static json_t *exclusions_json(const exclusions_t *e) {
  json_t *list = json_array();
  for (size_t i = 0; i < e->count; i++) {
    const exclusion_t *x = &e->list[i];
    json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:I}", "kind",
                                          x->is_c ? "c" : point_kind_name(x->kind), "file", x->file,
                                          "what", x->name[0] ? x->name[0] : x->text[0], "reason",
                                          x->reason, "points", (json_int_t)x->points));
  }
  return list;
}

static json_t *summary_json(const cover_t *c) {
  json_t *units = json_array();
  for (size_t i = 0; i < c->plans.count; i++) {
    json_array_append_new(units, unit_json(&c->units[i]));
  }
  return json_pack("{s:b, s:{s:i, s:i, s:i, s:i}, s:o, s:{s:o, s:o, s:o}, s:{s:o, s:o}, s:o, s:O}",
                   "passed", json_array_size(c->complaints) == 0, "thresholds", "line", CoverLine,
                   "toggle", CoverToggle, "c", CoverC, "excluded", CoverExcluded, "units", units,
                   "rtl", "line", tally_json(&c->rtl[PointLine]), "toggle",
                   tally_json(&c->rtl[PointToggle]), "points", tally_json(&c->rtl[PointUser]), "c",
                   "all", tally_json(&c->c), "folders", folders_json(c), "exclusions",
                   exclusions_json(&c->exclusions), "complaints", c->complaints);
}

static json_t *feature_json(const cover_t *c, const cover_unit_t *u, const plan_feature_t *f) {
  json_t *tests = json_array(), *points = json_array();
  text_t why = {0};
  for (size_t i = 0; f->tests[i]; i++) {
    uint64_t passed, failed;
    cover_tests(c, f->tests[i], &passed, &failed);
    json_array_append_new(tests, json_pack("{s:s, s:I, s:I}", "name", f->tests[i], "passed",
                                           (json_int_t)passed, "failed", (json_int_t)failed));
  }
  for (size_t i = 0; f->cover[i]; i++) {
    json_array_append_new(points, json_pack("{s:s, s:I}", "name", f->cover[i], "count",
                                            (json_int_t)cover_count(u, f->cover[i])));
  }
  bool bare = cover_is_bare(c, u, f, &why);
  json_t *json = json_pack("{s:s, s:s, s:o, s:o, s:b, s:s}", "name", f->name, "shows", f->shows,
                           "tests", tests, "cover", points, "bare", bare, "why", text_string(&why));
  text_free(&why);
  return json;
}

static json_t *plan_json(const cover_t *c) {
  json_t *units = json_array();
  for (size_t i = 0; i < c->plans.count; i++) {
    const cover_unit_t *u = &c->units[i];
    json_t *features = json_array();
    for (size_t k = 0; k < u->plan->feature_count; k++) {
      json_array_append_new(features, feature_json(c, u, &u->plan->features[k]));
    }
    json_array_append_new(units, json_pack("{s:s, s:s, s:o}", "unit", u->plan->unit, "file",
                                           u->plan->path, "features", features));
  }
  return json_pack("{s:o}", "units", units);
}

// ---- lcov's format ----

enum { MaxLines = 1 << 16 };

// Marks the lines of a block, "12,15-17". A line has the least count of the blocks that hold it.
static void mark(const point_t *p, int64_t *count) {
  const char *at = p->lines;
  do {
    char *end;
    unsigned long a = strtoul(at, &end, 10), b = a;
    if (*end == '-') {
      b = strtoul(end + 1, &end, 10);
    }
    for (; a > 0 && a <= b && a < MaxLines; a++) {
      if (count[a] < 0 || (uint64_t)count[a] > p->count) {
        count[a] = (int64_t)p->count;
      }
    }
    at = *end == ',' ? end + 1 : "";
  } while (*at);
}

// Writes a file's lines, and its signals as functions, which are hit if all their bits have
// toggled.
static void put_rtl(FILE *f, const points_t *points, size_t from, size_t to, const char *file) {
  static int64_t count[MaxLines];
  memset(count, -1, sizeof count);
  fprintf(f, "TN:\nSF:%s\n", file);
  for (size_t i = from; i < to; i++) {
    const point_t *p = &points->points[i];
    if (p->kind == PointLine && !p->excluded) {
      mark(p, count);
    }
  }
  text_t signal = {0}, last = {0};
  bool whole = true;
  uint32_t line = 0;
  for (size_t i = from; i <= to; i++) {
    const point_t *p = i < to ? &points->points[i] : NULL;
    if (p && p->kind != PointToggle) {
      continue;
    }
    text_cut(&signal, 0);
    if (p) text_bytes(&signal, p->name, strcspn(p->name, "["));
    if (strcmp(text_string(&signal), text_string(&last)) != 0) {
      const char *name = text_string(&last);
      if (last.length) fprintf(f, "FN:%u,%s\nFNDA:%d,%s\n", line, name, whole, name);
      text_set(&last, "%s", text_string(&signal));
      whole = true;
      line = p ? p->line : 0;
    }
    whole &= !p || p->count > 0 || p->excluded;
  }
  for (uint32_t n = 1; n < MaxLines; n++) {
    if (count[n] >= 0) {
      fprintf(f, "DA:%u,%" PRId64 "\n", n, count[n]);
    }
  }
  fputs("end_of_record\n", f);
  text_free(&signal);
  text_free(&last);
}

static int by_file(const void *a, const void *b) {
  const point_t *p = a, *q = b;
  int files = strcmp(p->file, q->file);
  return files ? files : strcmp(p->key, q->key);
}

static void put_unit(FILE *f, const cover_t *c, const cover_unit_t *u) {
  text_t path = {0};
  points_t sorted = {malloc((u->points.count + 1) * sizeof(point_t)), u->points.count};
  if (!sorted.points) {
    return;
  }
  memcpy(sorted.points, u->points.points, sorted.count * sizeof *sorted.points);
  qsort(sorted.points, sorted.count, sizeof *sorted.points, by_file);
  for (size_t i = 0, end; i < sorted.count; i = end) {
    const char *file = sorted.points[i].file;
    for (end = i; end < sorted.count && strcmp(sorted.points[end].file, file) == 0; end++) {
    }
    put_rtl(f, &sorted, i, end, cover_path(c, file, &path));
  }
  free(sorted.points);
  text_free(&path);
}

static bool write_info(const cover_t *c, const char *path) {
  FILE *f = fopen(path, "w");
  text_t name = {0};
  if (!f) {
    return false;
  }
  for (size_t i = 0; i < c->plans.count; i++) {
    if (c->units[i].points.count > 0) {
      put_unit(f, c, &c->units[i]);
    }
  }
  for (size_t i = 0; i < c->file_count; i++) {
    const cover_file_t *file = &c->files[i];
    fprintf(f, "TN:\nSF:%s\n", cover_path(c, file->path, &name));
    for (size_t k = 0; k < file->lines; k++) {
      if (!file->excluded[k]) {
        fprintf(f, "DA:%u,%" PRIu64 "\n", file->line[k], file->count[k]);
      }
    }
    fputs("end_of_record\n", f);
  }
  text_free(&name);
  bool bad = ferror(f);
  return fclose(f) == 0 && !bad;
}

static bool write_json(json_t *json, const char *folder, const char *name, err_t *err) {
  text_t path = {0};
  bool ok = json_file_write(json, text_set(&path, "%s/%s", folder, name), JSON_INDENT(1), err);
  json_decref(json);
  text_free(&path);
  return ok;
}

bool cover_write(const cover_t *c, const char *folder, err_t *err) {
  text_t path = {0};
  if (!write_json(summary_json(c), folder, "summary.json", err) ||
      !write_json(plan_json(c), folder, "plan.json", err))
    return false;
  bool ok =
      write_info(c, text_set(&path, "%s/coverage.info", folder)) ||
      err_set(err, ErrCheck, "%s: cannot be written: %s", text_string(&path), strerror(errno));
  text_free(&path);
  return ok;
}
