// SPDX-License-Identifier: Apache-2.0
#include "points.h"

#include <dirent.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *point_kind_name(point_kind_e kind) {
  static const char *const names[] = {"line", "toggle", "user"};
  return names[kind];
}

// A key is a row of \1 NAME \2 VALUE. Returns a copy of the value, "" if there is none; NULL: out
// of memory.
static char *value_of(const char *key, const char *name) {
  size_t length = strlen(name);
  for (const char *at = strchr(key, '\1'); at; at = strchr(at + 1, '\1')) {
    if (strncmp(at + 1, name, length) == 0 && at[1 + length] == '\2')
      return strndup(at + length + 2, strcspn(at + length + 2, "\1"));
  }
  return strdup("");
}

// Names a file of a unit from outside from its page's folder. Only the files of its own folder have
// absolute names, or those of the link to it. Returns false if the file is not the unit's.
static bool name_own(const coverage_plan_t *plan, char *file) {
  text_t link = {0};
  text_format(&link, "build/outside/rtl-%s/", plan->unit);
  const size_t length = strlen(plan->base);
  const bool is_linked = strncmp(file, text_string(&link), link.length) == 0;
  const bool is_below = strncmp(file, plan->base, length) == 0 && file[length] == '/';
  const bool is_own = is_linked || file[0] == '/';
  const size_t cut = is_linked ? link.length : is_below ? length + 1 : 0;
  memmove(file, file + cut, strlen(file + cut) + 1);
  text_free(&link);
  return is_own;
}

static bool counts_for(const coverage_plan_t *plan, char *file) {
  if (plan->base && !name_own(plan, file)) {
    return false;
  }
  for (size_t i = 0; plan->files[i]; i++) {
    if (fnmatch(plan->files[i], file, 0) == 0) {
      return true;
    }
  }
  return false;
}

static void free_point(point_t *p) {
  free(p->key);
  free(p->file);
  free(p->name);
  free(p->lines);
  free(p->instance);
}

static point_kind_e kind_of(const char *page) {
  return strncmp(page, "v_toggle", 8) == 0 ? PointToggle
         : strncmp(page, "v_user", 6) == 0 ? PointUser
                                           : PointLine;
}

// Makes a point of one raw key, and finds out whether the plan counts it. Returns false when out of
// memory; free_point in any case.
static bool make_point(const char *raw, uint64_t count, const coverage_plan_t *plan, point_t *p,
                       bool *is_counted) {
  char *line = value_of(raw, "l"), *column = value_of(raw, "n"), *page = value_of(raw, "page");
  *p = (point_t){.file = value_of(raw, "f"),
                 .name = value_of(raw, "o"),
                 .lines = value_of(raw, "S"),
                 .instance = value_of(raw, "h"),
                 .count = count};
  bool ok = line && column && page && p->file && p->name && p->lines && p->instance;
  if (ok) {
    p->kind = kind_of(page);
    *is_counted = counts_for(plan, p->file) || p->kind == PointUser;
    p->line = (uint32_t)strtoul(line, NULL, 10);
    p->key = p->kind == PointUser ? text_make("user %s", p->name)
             : p->kind == PointToggle
                 ? text_make("toggle %s %6s %s %s", p->file, line, p->name, p->instance)
                 : text_make("line %s %6s %s %s", p->file, line, column, p->name);
  }
  free(line);
  free(column);
  free(page);
  return ok && p->key;
}

static bool add(points_t *points, size_t *room, const coverage_plan_t *plan, const char *raw,
                uint64_t count) {
  point_t point;
  bool is_counted = false;
  bool ok = make_point(raw, count, plan, &point, &is_counted);
  if (!ok || !is_counted) {
    free_point(&point);
    return ok;
  }
  if (points->count == *room) {
    size_t more = *room ? 2 * *room : 1024;
    point_t *larger = realloc(points->points, more * sizeof *larger);
    if (!larger) {
      free_point(&point);
      return false;
    }
    points->points = larger;
    *room = more;
  }
  points->points[points->count++] = point;
  return true;
}

static bool read_file(points_t *points, size_t *room, const coverage_plan_t *plan,
                      const char *path) {
  char *line = NULL;
  size_t size = 0;
  FILE *file = fopen(path, "r");
  bool ok = file != NULL;
  while (ok && getline(&line, &size, file) > 0) {
    char *end = strrchr(line, '\'');
    if (strncmp(line, "C '", 3) == 0 && end > line + 3) {
      *end = '\0';
      ok = add(points, room, plan, line + 3, strtoull(end + 1, NULL, 10));
    }
  }
  free(line);
  if (file) {
    fclose(file);
  }
  return ok;
}

static int by_key(const void *a, const void *b) {
  return strcmp(((const point_t *)a)->key, ((const point_t *)b)->key);
}

// Joins the points of one key, and adds their counts.
static void join(points_t *points) {
  size_t kept = 0;
  qsort(points->points, points->count, sizeof *points->points, by_key);
  for (size_t i = 0; i < points->count; i++) {
    point_t *p = &points->points[i];
    if (kept > 0 && strcmp(points->points[kept - 1].key, p->key) == 0) {
      points->points[kept - 1].count += p->count;
      free_point(p);
    } else {
      points->points[kept++] = *p;
    }
  }
  points->count = kept;
}

static int is_data(const struct dirent *e) {
  size_t n = strlen(e->d_name);
  return n > 4 && strcmp(e->d_name + n - 4, ".dat") == 0;
}

bool points_load(points_t *points, const coverage_plan_t *plan, const char *folder, err_t *err) {
  struct dirent **names = NULL;
  text_t at = {0}, path = {0};
  size_t room = 0;
  bool ok = true;
  *points = (points_t){0};
  int count = scandir(text_set(&at, "%s/%s", folder, plan->unit), &names, is_data, alphasort);
  for (int i = 0; i < count; i++) {
    text_set(&path, "%s/%s", text_string(&at), names[i]->d_name);
    ok = ok && (read_file(points, &room, plan, text_string(&path)) ||
                err_set(err, ErrInput, "%s: cannot be read", text_string(&path)));
    free(names[i]);
  }
  free(names);
  text_free(&at);
  text_free(&path);
  if (points->count > 0) join(points);
  return ok;
}

void points_free(points_t *points) {
  for (size_t i = 0; i < points->count; i++) {
    free_point(&points->points[i]);
  }
  free(points->points);
  *points = (points_t){0};
}
