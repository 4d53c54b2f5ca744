// SPDX-License-Identifier: Apache-2.0
#include "test_order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Reads what the last regressions in this folder measured; an unreadable file is none.
static void read_times(test_order_t *o, const char *folder) {
  text_t path = {0};
  json_t *file = json_load_file(text_set(&path, "%s/times.json", folder), 0, NULL);
  json_t *tests = json_object_get(file, "tests");
  const char *sources = json_string_value(json_object_get(file, "sources"));
  o->must_build = !sources || strcmp(sources, o->sources) != 0;
  o->kept = json_is_object(tests) ? json_incref(tests) : json_object();
  json_decref(file);
  text_free(&path);
}

static bool is_time(double seconds) { return seconds >= 0 && seconds < 1e7; }

static void set_times(test_order_t *o, size_t i) {
  const test_t *test = &o->list->tests[i];
  test_times_t *t = &o->times[i];
  const json_t *kept = json_object_get(o->kept, test->id);
  double run = json_number_value(json_array_get(kept, 0)),
         building = json_number_value(json_array_get(kept, 1));
  bool same = i > 0 && strcmp(test->name, o->list->tests[i - 1].name) == 0;
  *t = (test_times_t){.run = test->takes > 0 ? test->takes : -1,
                      .first = same ? o->times[i - 1].first : i};
  if (json_array_size(kept) == 2 && is_time(run) && is_time(building)) {
    t->run = run;
    t->building = building;
  }
  if (t->run >= 0) {
    o->times[t->first].sum += t->run;
    o->times[t->first].known++;
  }
}

// Returns the time of a test, or the mean of those of its name; < 0: unknown.
static double run_of(const test_order_t *o, size_t i) {
  const test_times_t *t = &o->times[i], *first = &o->times[t->first];
  return t->run >= 0 ? t->run : first->known ? first->sum / (double)first->known : -1;
}

static double all_of(const test_order_t *o, size_t i) {
  return run_of(o, i) + (o->must_build ? o->times[i].building : 0);
}

// ---- The order ----

typedef struct {
  size_t test, turn;
  bool failed;
  double takes;
} start_t;

static int by_start(const void *a, const void *b) {
  const start_t *x = a, *y = b;
  if (x->failed != y->failed) return y->failed - x->failed;
  if ((x->turn > 0) != (y->turn > 0)) return x->turn > 0 ? 1 : -1;
  if (x->takes != y->takes) return x->takes < y->takes ? 1 : -1;
  if (x->turn != y->turn) return x->turn < y->turn ? -1 : 1;
  return x->test < y->test ? -1 : 1;
}

// In this order neighbours seldom wait for the same unit to be built, every kind of test runs
// early, and short tests fill the processors at the end.
static bool put_in_order(test_order_t *o, bool (*has_failed)(void *context, const char *id),
                         void *context) {
  const test_list_t *list = o->list;
  start_t *starts = calloc(list->count + 1, sizeof *starts);
  if (!starts) return false;
  for (size_t i = 0; i < list->count; i++) {
    starts[i] = (start_t){i, i - o->times[i].first,
                          has_failed && has_failed(context, list->tests[i].id), all_of(o, i)};
  }
  qsort(starts, list->count, sizeof *starts, by_start);
  for (size_t i = 0; i < list->count; i++) o->order[i] = starts[i].test;
  free(starts);
  return true;
}

bool test_order_make(test_order_t *o, const test_list_t *list, const char *folder,
                     const char *sources, bool (*has_failed)(void *context, const char *id),
                     void *context) {
  *o = (test_order_t){.list = list,
                      .order = calloc(list->count + 1, sizeof *o->order),
                      .times = calloc(list->count + 1, sizeof *o->times)};
  if (!o->order || !o->times) return false;
  snprintf(o->sources, sizeof o->sources, "%s", sources);
  read_times(o, folder);
  for (size_t i = 0; i < list->count; i++) set_times(o, i);
  return put_in_order(o, has_failed, context);
}

void test_order_free(test_order_t *o) {
  free(o->order);
  free(o->times);
  json_decref(o->kept);
  *o = (test_order_t){0};
}

// ---- The time that is left ----

void test_order_ended(test_order_t *o, size_t i, const job_result_t *r) {
  test_times_t *t = &o->times[i];
  double run = r->cpu > r->building ? r->cpu - r->building : 0;
  // A unit that stood ready is still to be built when its sources change.
  double building = r->building > 0 ? r->building : t->building;
  o->cpu += r->cpu;
  o->wall += r->seconds;
  if (r->verdict != JobPassed) return;  // it may have ended early
  if (t->run < 0) {
    o->times[t->first].sum += run;
    o->times[t->first].known++;
  }
  t->run = run;
  json_object_set_new(o->kept, o->list->tests[i].id, json_pack("[f, f]", run, building));
}

bool test_order_left(const test_order_t *o, const bool *is_left, const double *since, uint32_t jobs,
                     double share, double *seconds) {
  // The processor time of a test per second of wall time.
  double speed = o->wall > 5 ? o->cpu / o->wall : share, work = 0, longest = 0;
  if (speed <= 0) return false;
  speed = speed < 0.05 ? 0.05 : speed;
  size_t left = 0, unknown = 0;
  for (size_t i = 0; i < o->list->count; i++) {
    double takes = is_left[i] ? all_of(o, i) : 0;
    if (!is_left[i]) continue;
    left++;
    unknown += run_of(o, i) < 0;
    if (since[i] > 0) {  // a little is always left of what runs
      double rest = takes - since[i] * speed;
      takes = rest > takes / 20 ? rest : takes / 20;
    }
    work += takes > 0 ? takes : 0;
    longest = takes > longest ? takes : longest;
  }
  if (unknown * 10 > left) return false;
  if (left > unknown) work *= (double)left / (double)(left - unknown);
  double shared = work / (speed * (double)(left < jobs ? left ? left : 1 : jobs));
  *seconds = longest / speed > shared ? longest / speed : shared;
  return true;
}

void test_order_keep(const test_order_t *o, const char *folder) {
  text_t path = {0}, fresh = {0};
  text_set(&path, "%s/times.json", folder);
  text_set(&fresh, "%s.%d", text_string(&path), (int)getpid());
  json_t *file = json_pack("{s:s, s:O}", "sources", o->sources, "tests", o->kept);
  // Without the file the next regression knows less, and is right all the same.
  if (!file || json_dump_file(file, text_string(&fresh), JSON_COMPACT | JSON_SORT_KEYS) != 0 ||
      rename(text_string(&fresh), text_string(&path)) != 0)
    unlink(text_string(&fresh));
  json_decref(file);
  text_free(&path);
  text_free(&fresh);
}
