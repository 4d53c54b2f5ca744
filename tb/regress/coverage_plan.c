// SPDX-License-Identifier: Apache-2.0
#include "coverage_plan.h"

#include <glob.h>
#include <limits.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MaxLabels = 512, LabelSize = 80 };

typedef struct {
  coverage_plan_t *plan;
  const test_list_t *list;
  char path[300];  // of the cover points
  char label[MaxLabels][LabelSize];
  uint32_t line[MaxLabels];
  bool used[MaxLabels];
  uint32_t count;
} reader_t;

// The labels of `NAME: cover property` in tb/units/UNIT/cover.svh; none if there is no such file.
static void read_labels(reader_t *r) {
  char *line = NULL;
  size_t room = 0;
  snprintf(r->path, sizeof r->path, "tb/units/%.200s/cover.svh", r->plan->unit);
  FILE *file = fopen(r->path, "r");
  for (uint32_t n = 1; file && getline(&line, &room, file) > 0; n++) {
    char label[LabelSize];
    int used = 0;
    if (r->count < MaxLabels &&
        sscanf(line, " %79[A-Za-z0-9_] : cover property%n", label, &used) == 1 && used > 0) {
      r->line[r->count] = n;
      snprintf(r->label[r->count++], LabelSize, "%s", label);
    }
  }
  free(line);
  if (file) {
    fclose(file);
  }
}

static bool has_test(const test_list_t *list, const char *pattern) {
  for (size_t i = 0; i < list->count; i++) {
    if (fnmatch(pattern, list->tests[i].name, 0) == 0) {
      return true;
    }
  }
  return false;
}

static const yaml_node_t *element(const reader_t *r, const yaml_node_t *node, size_t i) {
  return node->type == YAML_SEQUENCE_NODE
             ? yaml_file_node(&r->plan->file, node->data.sequence.items.start[i])
             : node;
}

static bool tests_of(const reader_t *r, const yaml_node_t *node, plan_feature_t *f) {
  const yaml_file_t *file = &r->plan->file;
  if (!yaml_file_words(file, node, "tests", f->tests)) {
    return false;
  }
  for (size_t i = 0; f->tests[i]; i++) {
    if (!has_test(r->list, f->tests[i])) {
      return yaml_file_fail(file, element(r, node, i), "tests: %.100s: expected a test of the list",
                            f->tests[i]);
    }
  }
  return true;
}

static bool cover_of(reader_t *r, const yaml_node_t *node, plan_feature_t *f) {
  const yaml_file_t *file = &r->plan->file;
  if (!yaml_file_words(file, node, "cover", f->cover)) {
    return false;
  }
  for (size_t i = 0; f->cover[i]; i++) {
    uint32_t k = 0;
    while (k < r->count && strcmp(r->label[k], f->cover[i]) != 0) {
      k++;
    }
    if (k == r->count) {
      return yaml_file_fail(file, element(r, node, i), "cover: %.60s: expected a cover point of %s",
                            f->cover[i], r->path);
    }
    r->used[k] = true;
  }
  return true;
}

static bool feature_of(reader_t *r, const yaml_node_t *node, plan_feature_t *f) {
  const yaml_file_t *file = &r->plan->file;
  if (node->type != YAML_MAPPING_NODE) {
    return yaml_file_fail(file, node, "expected a feature: {name: ..., shows: ...}");
  }
  for (yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top;
       p++) {
    const yaml_node_t *key = yaml_file_node(file, p->key), *value = yaml_file_node(file, p->value);
    const char *name = NULL;
    bool good = yaml_file_text(file, key, "key", &name);
    if (good && strcmp(name, "name") == 0) {
      good = yaml_file_text(file, value, name, &f->name);
    } else if (good && strcmp(name, "shows") == 0) {
      good = yaml_file_text(file, value, name, &f->shows);
    } else if (good && strcmp(name, "tests") == 0) {
      good = tests_of(r, value, f);
    } else if (good && strcmp(name, "cover") == 0) {
      good = cover_of(r, value, f);
    } else if (good) {
      return yaml_file_fail(file, key, "unknown key %.40s, expected name, shows, tests or cover",
                            name);
    }
    if (!good) {
      return false;
    }
  }
  if (!f->name || !f->shows) {
    return yaml_file_fail(file, node, "expected name and shows");
  }
  return true;
}

static bool features_of(reader_t *r, const yaml_node_t *node) {
  coverage_plan_t *p = r->plan;
  if (node->type != YAML_SEQUENCE_NODE) {
    return yaml_file_fail(&p->file, node, "features: expected a list");
  }
  size_t most = (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
  p->features = calloc(most + 1, sizeof *p->features);
  for (size_t i = 0; p->features && i < most; i++) {
    const yaml_node_t *at = element(r, node, i);
    plan_feature_t *f = &p->features[i];
    if (!feature_of(r, at, f)) {
      return false;
    }
    for (size_t k = 0; k < i; k++) {
      if (strcmp(p->features[k].name, f->name) == 0) {
        return yaml_file_fail(&p->file, at, "two features %.80s, expected one", f->name);
      }
    }
    p->feature_count = i + 1;
  }
  return p->features != NULL;
}

static bool read_plan(reader_t *r) {
  coverage_plan_t *p = r->plan;
  const yaml_file_t *file = &p->file;
  const yaml_node_t *root = yaml_document_get_root_node(&p->file.document), *features = NULL;
  if (!root || root->type != YAML_MAPPING_NODE) {
    snprintf(file->error, YamlErrorSize, "%.200s:1:1: expected unit, files and features", p->path);
    return false;
  }
  for (yaml_node_pair_t *q = root->data.mapping.pairs.start; q < root->data.mapping.pairs.top;
       q++) {
    const yaml_node_t *key = yaml_file_node(file, q->key), *value = yaml_file_node(file, q->value);
    const char *name = NULL;
    bool good = yaml_file_text(file, key, "key", &name);
    if (good && strcmp(name, "unit") == 0) {
      good = yaml_file_text(file, value, name, &p->unit);
    } else if (good && strcmp(name, "files") == 0) {
      good = yaml_file_words(file, value, name, p->files);
    } else if (good && strcmp(name, "toggle") == 0) {
      good = yaml_file_words(file, value, name, p->toggle);
    } else if (good && strcmp(name, "features") == 0) {
      features = value;
    } else if (good) {
      return yaml_file_fail(file, key,
                            "unknown key %.40s, expected unit, files, toggle or features", name);
    }
    if (!good) {
      return false;
    }
  }
  if (!p->unit || !p->files[0] || !p->toggle[0] || !features) {
    return yaml_file_fail(file, root, "expected unit, files, toggle and features");
  }
  read_labels(r);
  if (!features_of(r, features)) {
    return false;
  }
  for (uint32_t k = 0; k < r->count; k++) {
    if (!r->used[k]) {
      snprintf(file->error, YamlErrorSize, "%s:%u:1: %s: expected in a feature of %.100s", r->path,
               r->line[k], r->label[k], p->path);
      return false;
    }
  }
  return true;
}

bool plans_load(coverage_plans_t *plans, const char *folder, const test_list_t *list,
                char error[YamlErrorSize]) {
  glob_t found = {0};
  char pattern[PATH_MAX];
  *plans = (coverage_plans_t){0};
  snprintf(pattern, sizeof pattern, "%s/*/plan.yaml", folder);
  if (glob(pattern, 0, NULL, &found) != 0) {
    snprintf(error, YamlErrorSize, "%.300s: no plans, expected UNIT/plan.yaml", folder);
    return false;
  }
  plans->plans = calloc(found.gl_pathc, sizeof *plans->plans);
  bool ok = plans->plans != NULL;
  for (size_t i = 0; i < found.gl_pathc; i++) {
    static reader_t r;
    coverage_plan_t *p = ok ? &plans->plans[plans->count++] : NULL;
    ok = ok && (p->path = strdup(found.gl_pathv[i]));
    memset(&r, 0, sizeof r);
    r.plan = p;
    r.list = list;
    ok = ok && yaml_file_load(&p->file, p->path, error) && read_plan(&r);
  }
  globfree(&found);
  return ok;
}

void plans_free(coverage_plans_t *plans) {
  for (size_t i = 0; i < plans->count; i++) {
    yaml_file_free(&plans->plans[i].file);
    free(plans->plans[i].features);
    free(plans->plans[i].path);
  }
  free(plans->plans);
  *plans = (coverage_plans_t){0};
}
