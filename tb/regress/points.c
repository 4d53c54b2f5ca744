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

// A key is a row of \1 NAME \2 VALUE. Copies the value, "" if there is none.
static void value_of(const char *key, const char *name, char *value, size_t size) {
  char wanted[16];
  snprintf(wanted, sizeof wanted, "\1%s\2", name);
  const char *at = strstr(key, wanted);
  size_t n = 0;
  for (at = at ? at + strlen(wanted) : ""; at[n] && at[n] != '\1' && n + 1 < size; n++) {
    value[n] = at[n];
  }
  value[n] = '\0';
}

static bool counts_for(const coverage_plan_t *plan, const char *file) {
  for (size_t i = 0; plan->files[i]; i++) {
    if (fnmatch(plan->files[i], file, 0) == 0) {
      return true;
    }
  }
  return false;
}

static bool add(points_t *points, size_t *room, const coverage_plan_t *plan, const char *raw,
                uint64_t count) {
  char file[256], line[16], column[16], page[128], name[256], lines[512], instance[256], key[1200];
  value_of(raw, "f", file, sizeof file);
  value_of(raw, "l", line, sizeof line);
  value_of(raw, "n", column, sizeof column);
  value_of(raw, "page", page, sizeof page);
  value_of(raw, "o", name, sizeof name);
  value_of(raw, "S", lines, sizeof lines);
  value_of(raw, "h", instance, sizeof instance);
  point_kind_e kind = strncmp(page, "v_toggle", 8) == 0 ? PointToggle
                      : strncmp(page, "v_user", 6) == 0 ? PointUser
                                                        : PointLine;
  if (kind != PointUser && !counts_for(plan, file)) {
    return true;
  }
  if (kind == PointUser) {
    snprintf(key, sizeof key, "user %s", name);
  } else if (kind == PointToggle) {
    snprintf(key, sizeof key, "toggle %s %6s %s %s", file, line, name, instance);
  } else {
    snprintf(key, sizeof key, "line %s %6s %s %s", file, line, column, name);
  }
  if (points->count == *room) {
    *room = *room ? 2 * *room : 1024;
    point_t *more = realloc(points->points, *room * sizeof *more);
    if (!more) {
      return false;
    }
    points->points = more;
  }
  points->points[points->count++] =
      (point_t){.key = strdup(key), .file = strdup(file), .name = strdup(name),
                .lines = strdup(lines), .instance = strdup(instance),
                .line = (uint32_t)strtoul(line, NULL, 10), .kind = kind, .count = count};
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

static void free_point(point_t *p) {
  free(p->key);
  free(p->file);
  free(p->name);
  free(p->lines);
  free(p->instance);
}

static int by_key(const void *a, const void *b) {
  return strcmp(((const point_t *)a)->key, ((const point_t *)b)->key);
}

// One entry for each key, with the sum of the counts.
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

bool points_load(points_t *points, const coverage_plan_t *plan, const char *folder,
                 char error[YamlErrorSize]) {
  struct dirent **names = NULL;
  char at[512], path[1024];
  size_t room = 0;
  *points = (points_t){0};
  snprintf(at, sizeof at, "%.300s/%.100s", folder, plan->unit);
  int count = scandir(at, &names, is_data, alphasort);
  bool ok = true;
  for (int i = 0; i < count; i++) {
    snprintf(path, sizeof path, "%s/%.400s", at, names[i]->d_name);
    if (ok && !read_file(points, &room, plan, path)) {
      snprintf(error, YamlErrorSize, "%.300s: cannot be read", path);
      ok = false;
    }
    free(names[i]);
  }
  free(names);
  if (points->count > 0) {
    join(points);
  }
  return ok;
}

void points_free(points_t *points) {
  for (size_t i = 0; i < points->count; i++) {
    free_point(&points->points[i]);
  }
  free(points->points);
  *points = (points_t){0};
}
