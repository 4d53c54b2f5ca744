// SPDX-License-Identifier: Apache-2.0
#include "cover.h"

#include <errno.h>
#include <fnmatch.h>
#include <fts.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tb/harness/json_file.h"

static void complain(cover_t *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void complain(cover_t *c, const char *format, ...) {
  text_t text = {0};
  va_list arguments;
  va_start(arguments, format);
  text_vformat(&text, format, arguments);
  va_end(arguments);
  json_array_append_new(c->complaints, json_string(text_string(&text)));
  text_free(&text);
}

const char *cover_path(const cover_t *c, const char *file, text_t *path) {
  return c->base && file[0] != '/' ? text_set(path, "%s/%s", c->base, file)
                                   : text_set(path, "%s", file);
}

double cover_percent(uint64_t part, uint64_t whole) {
  return whole ? 100.0 * (double)part / (double)whole : 100.0;
}

// ---- Tests ----

static bool read_results(cover_t *c, const char *path, err_t *err) {
  json_t *root = json_file_load(path, err), *test;
  size_t i;
  if (!root) {
    return false;
  }
  json_array_foreach(json_object_get(root, "tests"), i, test) {
    const char *name = json_string_value(json_object_get(test, "name"));
    const char *verdict = json_string_value(json_object_get(test, "verdict"));
    if (!name || !verdict) {
      continue;
    }
    json_t *counts = json_object_get(c->tests, name);
    if (!counts) {
      counts = json_pack("[i,i]", 0, 0);
      json_object_set_new(c->tests, name, counts);
    }
    size_t at = strcmp(verdict, "passed") != 0;
    json_array_set_new(counts, at,
                       json_integer(json_integer_value(json_array_get(counts, at)) + 1));
  }
  json_decref(root);
  return true;
}

void cover_tests(const cover_t *c, const char *pattern, uint64_t *passed, uint64_t *failed) {
  const char *name;
  json_t *counts;
  *passed = *failed = 0;
  json_object_foreach(c->tests, name, counts) {
    if (fnmatch(pattern, name, 0) == 0) {
      *passed += (uint64_t)json_integer_value(json_array_get(counts, 0));
      *failed += (uint64_t)json_integer_value(json_array_get(counts, 1));
    }
  }
}

// ---- RTL ----

uint64_t cover_count(const cover_unit_t *unit, const char *name) {
  for (size_t i = 0; i < unit->points.count; i++) {
    const point_t *p = &unit->points.points[i];
    if (p->kind == PointUser && strcmp(p->name, name) == 0) {
      return p->count;
    }
  }
  return 0;
}

bool cover_is_bare(const cover_t *c, const cover_unit_t *unit, const plan_feature_t *f,
                   text_t *why) {
  if (!f->tests[0] || !f->cover[0]) {
    text_set(why, "no %s", f->tests[0] ? "cover point" : "test");
    return true;
  }
  for (size_t i = 0; f->tests[i]; i++) {
    uint64_t passed, failed;
    cover_tests(c, f->tests[i], &passed, &failed);
    if (passed == 0 || failed > 0) {
      text_set(why, "%s %s", f->tests[i], failed ? "failed" : "did not run");
      return true;
    }
  }
  for (size_t i = 0; f->cover[i]; i++) {
    if (cover_count(unit, f->cover[i]) == 0) {
      text_set(why, "%s was not hit", f->cover[i]);
      return true;
    }
  }
  return false;
}

// Complains if not enough of a unit's points of a kind are covered or excluded.
static void judge_kind(cover_t *c, const cover_unit_t *u, point_kind_e kind, unsigned threshold) {
  const tally_t *t = &u->tally[kind];
  uint64_t enough = t->hit + t->excluded;
  const bool is_wanted = !c->base || kind != PointToggle || u->plan->toggle[0];
  if (t->total == 0 && is_wanted)
    complain(c, "%s: no %s coverage", u->plan->unit, point_kind_name(kind));
  if (100 * enough >= threshold * t->total) return;
  complain(c, "%s: %s %.2f %%, expected %u %%: %" PRIu64 " of %" PRIu64 " points missed",
           u->plan->unit, point_kind_name(kind),
           kind == PointLine ? cover_percent(t->hit, t->total - t->excluded)
                             : cover_percent(enough, t->total),
           threshold, t->total - enough, t->total);
}

static void judge_unit(cover_t *c, cover_unit_t *u) {
  text_t why = {0};
  const char *name = u->plan->unit;
  for (size_t i = 0; i < u->points.count; i++) {
    point_t *p = &u->points.points[i];
    tally_t *t = &u->tally[p->kind];
    if (p->count == 0 && p->kind != PointUser) {
      p->excluded = exclusions_of_point(&c->exclusions, name, p);
    }
    if (p->kind == PointUser && strcmp(p->name, "cover") == 0) {
      complain(c, "%s:%u: a cover point without a name", p->file, p->line);
    }
    t->total++;
    t->hit += p->count > 0;
    t->excluded += p->excluded != NULL;
  }
  for (size_t i = 0; i < u->plan->feature_count; i++) {
    const plan_feature_t *f = &u->plan->features[i];
    if (cover_is_bare(c, u, f, &why)) {
      complain(c, "%s: feature %s is bare: %s", name, f->name, text_string(&why));
      u->bare++;
    }
  }
  text_free(&why);
  judge_kind(c, u, PointLine, CoverLine);
  judge_kind(c, u, PointToggle, CoverToggle);
  const tally_t *user = &u->tally[PointUser];
  if (user->hit < user->total) {
    complain(c, "%s: %" PRIu64 " of %" PRIu64 " cover points missed", name, user->total - user->hit,
             user->total);
  }
}

// Over all the RTL an excluded point counts as missed, and their number has a limit.
static void judge_rtl(cover_t *c) {
  for (size_t i = 0; i < c->plans.count; i++) {
    for (point_kind_e k = 0; k < PointKinds; k++) {
      c->rtl[k].hit += c->units[i].tally[k].hit;
      c->rtl[k].excluded += c->units[i].tally[k].excluded;
      c->rtl[k].total += c->units[i].tally[k].total;
    }
  }
  if (c->base) return;
  const tally_t *toggle = &c->rtl[PointToggle];
  if (100 * toggle->hit < CoverToggle * toggle->total) {
    complain(c, "RTL: toggle %.2f %%, expected %d %%", cover_percent(toggle->hit, toggle->total),
             CoverToggle);
  }
  for (point_kind_e k = PointLine; k <= PointToggle; k++) {
    const tally_t *t = &c->rtl[k];
    if (100 * t->excluded > CoverExcluded * t->total) {
      complain(c, "RTL: %.2f %% of the %s points are excluded, expected at most %d %%",
               cover_percent(t->excluded, t->total), point_kind_name(k), CoverExcluded);
    }
  }
}

static bool has_suffix(const char *text, const char *suffix) {
  size_t a = strlen(text), b = strlen(suffix);
  return a >= b && strcmp(text + a - b, suffix) == 0;
}

static bool in_plan(const cover_t *c, const char *file) {
  for (size_t i = 0; i < c->plans.count; i++) {
    for (size_t k = 0; c->plans.plans[i].files[k]; k++) {
      if (fnmatch(c->plans.plans[i].files[k], file, 0) == 0) {
        return true;
      }
    }
  }
  return false;
}

// ---- C ----

static bool add_line(cover_file_t *f, uint32_t line, uint64_t count) {
  if ((f->lines & (f->lines - 1)) == 0) {
    size_t room = f->lines ? 2 * f->lines : 64;
    uint32_t *lines = realloc(f->line, room * sizeof *lines);
    f->line = lines ? lines : f->line;
    uint64_t *counts = realloc(f->count, room * sizeof *counts);
    f->count = counts ? counts : f->count;
    bool *excluded = realloc(f->excluded, room * sizeof *excluded);
    f->excluded = excluded ? excluded : f->excluded;
    if (!lines || !counts || !excluded) {
      return false;
    }
  }
  f->line[f->lines] = line;
  f->count[f->lines] = count;
  f->excluded[f->lines++] = false;
  return true;
}

static cover_file_t *new_file(cover_t *c, const char *path) {
  cover_file_t *more = realloc(c->files, (c->file_count + 1) * sizeof *more);
  if (!more) {
    return NULL;
  }
  c->files = more;
  c->files[c->file_count] = (cover_file_t){.path = strdup(path)};
  return &c->files[c->file_count++];
}

// The C in the folder of a unit from outside.
static bool is_our_c(const cover_t *c, const char *path) {
  return c->base ? has_suffix(path, ".c") && path[0] != '/'
                 : has_suffix(path, ".c") &&
                       (strncmp(path, "csim/", 5) == 0 || strncmp(path, "dpi/", 4) == 0 ||
                        strncmp(path, "tb/", 3) == 0);
}

static bool read_c(cover_t *c, const char *path, err_t *err) {
  char *line = NULL, *here = c->base ? strdup(c->base) : getcwd(NULL, 0);
  size_t room = 0, length = here ? strlen(here) : 0;
  FILE *file = fopen(path, "r");
  cover_file_t *f = NULL;
  bool ok = (file && here) || err_set(err, ErrInput, "%s: %s", path, strerror(errno));
  while (ok && getline(&line, &room, file) > 0) {
    line[strcspn(line, "\n")] = '\0';
    unsigned number;
    long long count;
    if (strncmp(line, "SF:", 3) == 0) {
      const char *at = line + 3;
      at += strncmp(at, here, length) == 0 && at[length] == '/' ? length + 1 : 0;
      f = is_our_c(c, at) ? new_file(c, at) : NULL;
    } else if (f && sscanf(line, "DA:%u,%lld", &number, &count) == 2) {
      ok = add_line(f, number, count > 0 ? (uint64_t)count : 0) || err_memory(err, path);
    }
  }
  if (file) fclose(file);
  free(line);
  free(here);
  return ok;
}

static void judge_c(cover_t *c) {
  for (size_t i = 0; i < c->file_count; i++) {
    cover_file_t *f = &c->files[i];
    for (size_t k = 0; k < f->lines; k++) {
      f->excluded[k] =
          f->count[k] == 0 && exclusions_of_line(&c->exclusions, f->path, f->line[k]) != NULL;
      f->tally.hit += f->count[k] > 0;
      f->tally.excluded += f->excluded[k];
    }
    f->tally.total = f->lines;
    c->c.hit += f->tally.hit;
    c->c.excluded += f->tally.excluded;
    c->c.total += f->tally.total;
  }
  if (100 * c->c.hit < CoverC * (c->c.total - c->c.excluded) || c->c.total == 0) {
    complain(c, "%s: line %.2f %%, expected %d %%", c->base ? "golden model" : "C",
             cover_percent(c->c.hit, c->c.total - c->c.excluded), CoverC);
  }
}

static bool is_measured(const cover_t *c, const char *path) {
  for (size_t i = 0; i < c->file_count; i++) {
    if (strcmp(c->files[i].path, path) == 0) {
      return true;
    }
  }
  return false;
}

static int by_name(const FTSENT **a, const FTSENT **b) {
  return strcmp((*a)->fts_name, (*b)->fts_name);
}

// Every source but packages of constants belongs to a plan, is measured, or is left out with a
// reason.
static void judge_sources(cover_t *c, bool with_c) {
  char *const trees[] = {"rtl", "csim", "dpi", "tb", NULL};
  FTS *walk = fts_open(trees, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
  for (FTSENT *e; walk && (e = fts_read(walk));) {
    const char *path = e->fts_path;
    if (e->fts_info != FTS_F) {
      continue;
    }
    if (strncmp(path, "rtl/", 4) == 0 && has_suffix(path, ".sv") && !has_suffix(path, "_pkg.sv") &&
        !in_plan(c, path)) {
      complain(c, "%s: in no plan", path);
    }
    if (with_c && is_our_c(c, path) && !is_measured(c, path) &&
        !exclusions_of_line(&c->exclusions, path, 1)) {
      complain(c, "%s: not measured", path);
    }
  }
  if (walk) {
    fts_close(walk);
  }
}

// ---- All ----

bool cover_check(cover_t *c, const cover_options_t *o, const test_list_t *list, err_t *err) {
  *c = (cover_t){.tests = json_object(),
                 .complaints = json_array(),
                 .base = o->outside ? o->outside->base : NULL};
  if (!(o->outside ? coverage_plans_outside(&c->plans, o->outside, list, err)
                   : coverage_plans_load(&c->plans, o->plans, list, err)) ||
      (o->exclusions && !exclusions_load(&c->exclusions, o->exclusions, err)))
    return false;
  c->exclusions.base = c->base;
  c->units = calloc(c->plans.count + 1, sizeof *c->units);
  for (size_t i = 0; c->units && i < c->plans.count; i++) c->units[i].plan = &c->plans.plans[i];
  return c->units || err_memory(err, o->plans);
}

bool cover_measure(cover_t *c, const cover_options_t *o, const test_list_t *list, err_t *err) {
  err_t stale = {0};
  if (!cover_check(c, o, list, err) || !read_results(c, o->results, err) ||
      (o->c && !read_c(c, o->c, err)))
    return false;
  for (size_t i = 0; i < c->plans.count; i++) {
    if (!points_load(&c->units[i].points, c->units[i].plan, o->data, err)) return false;
    judge_unit(c, &c->units[i]);
  }
  judge_rtl(c);
  if (o->c) judge_c(c);
  if (!c->base) judge_sources(c, o->c != NULL);
  if (!exclusions_are_fresh(&c->exclusions, o->c != NULL, &stale)) {
    complain(c, "%s", err_text(&stale));
    err_free(&stale);
  }
  return true;
}

void cover_free(cover_t *c) {
  for (size_t i = 0; c->units && i < c->plans.count; i++) {
    points_free(&c->units[i].points);
  }
  for (size_t i = 0; i < c->file_count; i++) {
    free(c->files[i].path);
    free(c->files[i].line);
    free(c->files[i].count);
    free(c->files[i].excluded);
  }
  free(c->units);
  free(c->files);
  coverage_plans_free(&c->plans);
  exclusions_free(&c->exclusions);
  json_decref(c->tests);
  json_decref(c->complaints);
  *c = (cover_t){0};
}
