// SPDX-License-Identifier: Apache-2.0
#include "baseline.h"

#include <stdio.h>
#include <string.h>

static json_t *read_json(const char *folder, const char *name) {
  text_t path = {0};
  json_t *json = json_load_file(text_set(&path, "%s/%s", folder, name), 0, NULL);
  text_free(&path);
  return json;
}

bool baseline_open(baseline_t *c, const char *folder, err_t *err) {
  *c = (baseline_t){.folder = folder};
  if (!journal_read(&c->journal, folder, "journal.jsonl")) {
    return err_set(err, ErrInput,
                   "--compare %s: no journal.jsonl, expected the folder of a "
                   "regression",
                   folder);
  }
  c->coverage = read_json(folder, "coverage.json");
  return true;
}

void baseline_close(baseline_t *c) {
  if (c->folder) journal_close(&c->journal);
  json_decref(c->coverage);
  *c = (baseline_t){0};
}

// Returns what a page shows of coverage: both of its files, as far as there are any.
static json_t *coverage_of(const regress_t *r) {
  json_t *summary = read_json(r->options->cover, "summary.json");
  json_t *plan = read_json(r->options->cover, "plan.json"), *both = NULL;
  if (summary) {
    both = json_pack("{s:O, s:O*}", "summary", summary, "plan", plan);
  }
  json_decref(summary);
  json_decref(plan);
  return both;
}

void baseline_keep_coverage(const regress_t *r) {
  text_t path = {0};
  json_t *coverage = coverage_of(r);
  text_set(&path, "%s/coverage.json", r->options->folder);
  if (!coverage || json_dump_file(coverage, text_string(&path), JSON_COMPACT | JSON_SORT_KEYS) != 0)
    remove(text_string(&path));  // none rather than another regression's
  json_decref(coverage);
  text_free(&path);
}

// ---- Tests ----

static void print_verdicts(const baseline_t *c, const regress_t *r, const char *what,
                           job_verdict_e was, job_verdict_e is) {
  for (size_t i = 0; i < r->list->count; i++) {
    const regress_end_t *e = &r->ends[i];
    const journal_entry_t *old = journal_find(&c->journal, e->test->id);
    if (old && old->result.verdict == was && e->entry->result.verdict == is) {
      printf("%s: %s\n", what, e->test->id);
    }
  }
}

// Slower means a quarter and half a second of processor time more, without the building of units.
static void print_slower(const baseline_t *c, const regress_t *r) {
  for (size_t i = 0; i < r->list->count; i++) {
    const regress_end_t *e = &r->ends[i];
    const journal_entry_t *old = journal_find(&c->journal, e->test->id);
    double now = e->entry->result.cpu - e->entry->result.building;
    double then = old ? old->result.cpu - old->result.building : now;
    if (!e->entry->cached && now > 1.25 * then && now > then + 0.5) {
      printf("slower: %s %.1f s instead of %.1f\n", e->test->id, now, then);
    }
  }
}

// ---- Coverage ----

static json_int_t number_of(const json_t *object, const char *key) {
  return json_integer_value(json_object_get(object, key));
}

static json_int_t missed(const json_t *tally) {
  return number_of(tally, "total") - number_of(tally, "excluded") - number_of(tally, "hit");
}

static void print_tally(const char *of, const char *what, const json_t *then, const json_t *now) {
  if (then && now && missed(now) > missed(then)) {
    printf("coverage lost: %s, %lld %s missed instead of %lld\n", of, (long long)missed(now), what,
           (long long)missed(then));
  }
}

static const json_t *named(const json_t *list, const char *key, const char *name) {
  size_t i;
  const json_t *item;
  json_array_foreach((json_t *)list, i, item) {
    const char *own = json_string_value(json_object_get(item, key));
    if (own && strcmp(own, name) == 0) {
      return item;
    }
  }
  return NULL;
}

static void print_units(const json_t *then, const json_t *now) {
  static const char *const Kinds[][2] = {{"line", "lines"}, {"toggle", "toggles"}};
  size_t i;
  json_t *unit;
  json_array_foreach(json_object_get(now, "units"), i, unit) {
    const char *name = json_string_value(json_object_get(unit, "name"));
    const json_t *old = name ? named(json_object_get(then, "units"), "name", name) : NULL;
    for (size_t k = 0; k < sizeof Kinds / sizeof *Kinds; k++) {
      print_tally(name, Kinds[k][1], json_object_get(old, Kinds[k][0]),
                  json_object_get(unit, Kinds[k][0]));
    }
  }
  const char *folder;
  json_t *tally;
  const json_t *old = json_object_get(json_object_get(then, "c"), "folders");
  json_object_foreach(json_object_get(json_object_get(now, "c"), "folders"), folder, tally) {
    print_tally(folder, "lines", json_object_get(old, folder), tally);
  }
}

// Prints the cover points of the plan that were hit then and are not now.
static void print_points(const json_t *then, const json_t *now) {
  size_t u, f, p;
  json_t *unit, *feature, *point;
  json_array_foreach(json_object_get(now, "units"), u, unit) {
    const char *name = json_string_value(json_object_get(unit, "unit"));
    const json_t *old = name ? named(json_object_get(then, "units"), "unit", name) : NULL;
    json_array_foreach(json_object_get(unit, "features"), f, feature) {
      const char *shown = json_string_value(json_object_get(feature, "name"));
      const json_t *was = shown ? named(json_object_get(old, "features"), "name", shown) : NULL;
      json_array_foreach(json_object_get(feature, "cover"), p, point) {
        const char *label = json_string_value(json_object_get(point, "name"));
        const json_t *hit = label ? named(json_object_get(was, "cover"), "name", label) : NULL;
        if (hit && number_of(hit, "count") > 0 && number_of(point, "count") == 0) {
          printf("coverage lost: %s, cover point %s of feature %s\n", name, label, shown);
        }
      }
    }
  }
}

void baseline_print(const baseline_t *c, const regress_t *r) {
  size_t both = 0;
  for (size_t i = 0; i < r->list->count; i++) {
    both += journal_find(&c->journal, r->ends[i].test->id) != NULL;
  }
  printf("\nagainst %s: %zu tests in both, %zu only here, %zu only there\n", c->folder, both,
         r->list->count - both, c->journal.count - both);
  print_verdicts(c, r, "newly failing", JobPassed, JobFailed);
  print_verdicts(c, r, "newly passing", JobFailed, JobPassed);
  print_slower(c, r);
  json_t *now = coverage_of(r);
  if (now && c->coverage) {
    print_units(json_object_get(c->coverage, "summary"), json_object_get(now, "summary"));
    print_points(json_object_get(c->coverage, "plan"), json_object_get(now, "plan"));
  } else {
    printf("coverage: not measured %s\n", now ? "there" : c->coverage ? "here" : "in either");
  }
  json_decref(now);
  printf("\n");
}
