// SPDX-License-Identifier: Apache-2.0
#include "coverage_plan.h"

#include <fnmatch.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csim/base/yaml_table.h"

// A cover point of the unit's file, or of the top, which has one for each error code.
typedef struct {
  char *name;
  bool is_of_top;
  uint32_t line;
  bool used;  // by a feature
} label_t;

typedef struct {
  const test_list_t *list;
  const coverage_outside_t *outside;  // or NULL
  text_t path, top;                   // of the unit's cover points; of the generated top
  label_t *labels;
  size_t count;
} reader_t;

// Adds the labels of `NAME: cover property` in a file; without the file there are none.
static bool read_labels(reader_t *r, const char *path, bool is_of_top) {
  char *line = NULL, *label = NULL;
  size_t room = 0;
  bool ok = true;
  FILE *file = fopen(path, "r");
  for (uint32_t n = 1; ok && file && getline(&line, &room, file) > 0; n++) {
    int used = 0;
    if (sscanf(line, " %m[A-Za-z0-9_] : cover property%n", &label, &used) == 1 && used > 0) {
      label_t *more = realloc(r->labels, (r->count + 1) * sizeof *more);
      ok = more != NULL;
      if (ok) {
        r->labels = more;
        r->labels[r->count++] = (label_t){.name = label, .is_of_top = is_of_top, .line = n};
        label = NULL;
      }
    }
    free(label);
    label = NULL;
  }
  free(line);
  if (file) fclose(file);
  return ok;
}

// Moves a place to the i-th of its words.
static yaml_at_t word_at(const yaml_at_t *at, size_t i) {
  yaml_at_t word = *at;
  if (at->node->type == YAML_SEQUENCE_NODE) {
    word.node = yaml_file_node(at->file, at->node->data.sequence.items.start[i]);
  }
  return word;
}

static bool has_test(const test_list_t *list, const char *pattern) {
  for (size_t i = 0; i < list->count; i++) {
    if (fnmatch(pattern, list->tests[i].name, 0) == 0) return true;
  }
  return false;
}

static bool read_tests(const yaml_at_t *at, void *field) {
  const reader_t *r = at->context;
  const char **tests = ((plan_feature_t *)field)->tests;
  if (!yaml_file_words(at->file, at->node, at->what, tests)) return false;
  for (size_t i = 0; tests[i]; i++) {
    yaml_at_t word = word_at(at, i);
    if (!has_test(r->list, tests[i]))
      return yaml_at_fail(&word, "tests: %s: expected a test of the list", tests[i]);
  }
  return true;
}

static bool read_cover(const yaml_at_t *at, void *field) {
  reader_t *r = at->context;
  const char **cover = ((plan_feature_t *)field)->cover;
  if (!yaml_file_words(at->file, at->node, at->what, cover)) return false;
  for (size_t i = 0; cover[i]; i++) {
    yaml_at_t word = word_at(at, i);
    size_t k = 0;
    while (k < r->count && strcmp(r->labels[k].name, cover[i]) != 0) k++;
    if (k == r->count) {
      return yaml_at_fail(&word, "cover: %s: expected a cover point of %s", cover[i],
                          text_string(&r->path));
    }
    r->labels[k].used = true;
  }
  return true;
}

static const yaml_row_t FeatureRows[] = {
    YamlRow("name", YamlWord, plan_feature_t, name, .required = true),
    YamlRow("shows", YamlWord, plan_feature_t, shows, .required = true),
    {.key = "tests", .kind = YamlCall, .read = read_tests},
    {.key = "cover", .kind = YamlCall, .read = read_cover},
    {0}};
static const yaml_table_t Feature = {.shape = "a feature: {name: ..., shows: ...}",
                                     .rows = FeatureRows};

static bool read_feature(const yaml_at_t *at, void *field) {
  yaml_at_t item = *at;
  item.what = NULL;
  return yaml_table_read(&item, &Feature, field);
}

static const yaml_list_t Features = {.read = read_feature,
                                     .size = sizeof(plan_feature_t),
                                     .count_offset = offsetof(coverage_plan_t, feature_count),
                                     .grows = true};

// Says where a unit's cover points are.
static void name_points(reader_t *r, const char *unit) {
  if (r->outside) {
    text_set(&r->path, "%s", r->outside->points);
    text_set(&r->top, "%s", r->outside->top);
  } else {
    text_set(&r->path, "tb/units/%s/cover.svh", unit);
    text_set(&r->top, "build/unit/%s/tb_%s.sv", unit, unit);
  }
}

// Reads the features of a unit, and then the names of all its cover points are known to be used.
static bool read_features(const yaml_at_t *at, void *field) {
  reader_t *r = at->context;
  coverage_plan_t *p = field;
  if (!p->unit) return yaml_at_fail(at, "features: expected unit, too");
  if (r->outside && strcmp(p->unit, r->outside->unit) != 0)
    return yaml_at_fail(at, "unit: %s, expected %s", p->unit, r->outside->unit);
  name_points(r, p->unit);
  if (!read_labels(r, text_string(&r->path), false) || !read_labels(r, text_string(&r->top), true))
    return err_memory(at->file->err, p->path);
  if (!yaml_list_read(at, &Features, p, offsetof(coverage_plan_t, features))) return false;
  for (uint32_t i = 0; i < p->feature_count; i++) {
    yaml_at_t feature = word_at(at, i);
    for (uint32_t k = 0; k < i; k++) {
      if (strcmp(p->features[k].name, p->features[i].name) == 0)
        return yaml_at_fail(&feature, "two features %s, expected one", p->features[i].name);
    }
  }
  for (size_t k = 0; k < r->count; k++) {
    if (!r->labels[k].used) {
      return err_set(at->file->err, ErrInput, "%s:%u:1: %s: expected in a feature of %s",
                     text_string(r->labels[k].is_of_top ? &r->top : &r->path), r->labels[k].line,
                     r->labels[k].name, p->path);
    }
  }
  return true;
}

static const yaml_row_t PlanRows[] = {
    YamlRow("unit", YamlWord, coverage_plan_t, unit, .required = true),
    YamlRow("files", YamlWords, coverage_plan_t, files, .required = true),
    YamlRow("toggle", YamlWords, coverage_plan_t, toggle, .required = true),
    {.key = "features", .kind = YamlCall, .read = read_features, .required = true},
    {0}};
static const yaml_table_t Plan = {.shape = "unit, files, toggle and features", .rows = PlanRows};

static bool load(coverage_plan_t *p, const char *path, const test_list_t *list,
                 const coverage_outside_t *outside, err_t *err) {
  reader_t r = {.list = list, .outside = outside};
  p->path = strdup(path);
  bool ok = p->path ? yaml_table_load(&p->file, p->path, &Plan, &r, p, err) : err_memory(err, path);
  for (size_t i = 0; i < r.count; i++) free(r.labels[i].name);
  free(r.labels);
  text_free(&r.path);
  text_free(&r.top);
  return ok;
}

bool coverage_plans_load(coverage_plans_t *plans, const char *folder, const test_list_t *list,
                         err_t *err) {
  glob_t found = {0};
  text_t pattern = {0};
  bool ok = true;
  *plans = (coverage_plans_t){0};
  if (glob(text_set(&pattern, "%s/*/plan.yaml", folder), 0, NULL, &found) != 0) {
    ok = err_set(err, ErrInput, "%s: no plans, expected UNIT/plan.yaml", folder);
  } else if (!(plans->plans = calloc(found.gl_pathc, sizeof *plans->plans))) {
    ok = err_memory(err, folder);
  }
  for (size_t i = 0; ok && i < found.gl_pathc; i++) {
    ok = load(&plans->plans[plans->count++], found.gl_pathv[i], list, NULL, err);
  }
  globfree(&found);
  text_free(&pattern);
  return ok;
}

bool coverage_plans_outside(coverage_plans_t *plans, const coverage_outside_t *unit,
                            const test_list_t *list, err_t *err) {
  *plans = (coverage_plans_t){.plans = calloc(1, sizeof *plans->plans)};
  if (!plans->plans) {
    return err_memory(err, unit->unit);
  }
  coverage_plan_t *p = &plans->plans[plans->count++];
  p->base = unit->base;
  if (unit->plan) {
    return load(p, unit->plan, list, unit, err);
  }
  p->unit = p->own_unit = strdup(unit->unit);
  p->path = strdup("none");
  p->files[0] = "*.sv";
  p->files[1] = "*.svh";
  return (p->unit && p->path) || err_memory(err, unit->unit);
}

void coverage_plans_free(coverage_plans_t *plans) {
  for (size_t i = 0; i < plans->count; i++) {
    free(plans->plans[i].own_unit);
    yaml_file_free(&plans->plans[i].file);
    free(plans->plans[i].features);
    free(plans->plans[i].path);
  }
  free(plans->plans);
  *plans = (coverage_plans_t){0};
}
