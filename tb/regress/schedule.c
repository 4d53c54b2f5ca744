// SPDX-License-Identifier: Apache-2.0
#include "schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void times_path(const char *folder, char *path, size_t size) {
  snprintf(path, size, "%.400s/times.json", folder);
}

// What the last regressions in this folder measured; an unreadable file is none.
static void read_times(schedule_t *s, const char *folder) {
  char path[512];
  times_path(folder, path, sizeof path);
  json_t *file = json_load_file(path, 0, NULL), *tests = json_object_get(file, "tests");
  const char *sources = json_string_value(json_object_get(file, "sources"));
  s->must_build = !sources || strcmp(sources, s->sources) != 0;
  s->kept = json_is_object(tests) ? json_incref(tests) : json_object();
  json_decref(file);
}

static bool is_time(double seconds) { return seconds >= 0 && seconds < 1e7; }

static schedule_time_t time_of(const schedule_t *s, const test_t *test) {
  const json_t *kept = json_object_get(s->kept, test->id);
  double run = json_number_value(json_array_get(kept, 0)),
         building = json_number_value(json_array_get(kept, 1));
  if (json_array_size(kept) == 2 && is_time(run) && is_time(building)) {
    return (schedule_time_t){run, building};
  }
  return (schedule_time_t){test->takes > 0 ? test->takes : -1, 0};
}

static double mean_of_name(const schedule_t *s, size_t i) {
  size_t first = s->first[i];
  return s->known[first] ? s->sum[first] / (double)s->known[first] : -1;
}

static double run_of(const schedule_t *s, size_t i) {
  return s->times[i].run >= 0 ? s->times[i].run : mean_of_name(s, i);
}

static double all_of(const schedule_t *s, size_t i) {
  return run_of(s, i) + (s->must_build ? s->times[i].building : 0);
}

double schedule_takes(const schedule_t *s, size_t i) { return all_of(s, i); }

// ---- The order ----

typedef struct {
  size_t test, turn;
  bool failed;
  double takes;
} start_t;

static int by_start(const void *a, const void *b) {
  const start_t *x = a, *y = b;
  if (x->failed != y->failed) {
    return y->failed - x->failed;
  }
  if ((x->turn > 0) != (y->turn > 0)) {
    return x->turn > 0 ? 1 : -1;
  }
  if (x->takes != y->takes) {
    return x->takes < y->takes ? 1 : -1;
  }
  if (x->turn != y->turn) {
    return x->turn < y->turn ? -1 : 1;
  }
  return x->test < y->test ? -1 : 1;
}

// Neighbours seldom wait for the same unit to be built, every kind of test has run early, and what
// is short fills the processors at the end.
static bool put_in_order(schedule_t *s, bool (*has_failed)(void *context, const char *id),
                         void *context) {
  const test_list_t *list = s->list;
  start_t *starts = calloc(list->count + 1, sizeof *starts);
  for (size_t i = 0; starts && i < list->count; i++) {
    starts[i] = (start_t){i, i - s->first[i], has_failed && has_failed(context, list->tests[i].id),
                          all_of(s, i)};
  }
  if (starts) {
    qsort(starts, list->count, sizeof *starts, by_start);
  }
  for (size_t i = 0; starts && i < list->count; i++) {
    s->order[i] = starts[i].test;
  }
  free(starts);
  return starts != NULL;
}

bool schedule_make(schedule_t *s, const test_list_t *list, const char *folder, const char *sources,
                   bool (*has_failed)(void *context, const char *id), void *context) {
  size_t count = list->count + 1;
  *s = (schedule_t){.list = list};
  snprintf(s->sources, sizeof s->sources, "%s", sources);
  s->order = calloc(count, sizeof *s->order);
  s->times = calloc(count, sizeof *s->times);
  s->first = calloc(count, sizeof *s->first);
  s->sum = calloc(count, sizeof *s->sum);
  s->known = calloc(count, sizeof *s->known);
  if (!s->order || !s->times || !s->first || !s->sum || !s->known) {
    return false;
  }
  read_times(s, folder);
  for (size_t i = 0; i < list->count; i++) {
    bool same = i > 0 && strcmp(list->tests[i].name, list->tests[i - 1].name) == 0;
    s->first[i] = same ? s->first[i - 1] : i;
    s->times[i] = time_of(s, &list->tests[i]);
    if (s->times[i].run >= 0) {
      s->sum[s->first[i]] += s->times[i].run;
      s->known[s->first[i]]++;
    }
  }
  return put_in_order(s, has_failed, context);
}

void schedule_free(schedule_t *s) {
  free(s->order);
  free(s->times);
  free(s->first);
  free(s->sum);
  free(s->known);
  json_decref(s->kept);
  *s = (schedule_t){0};
}

// ---- What is left ----

void schedule_ended(schedule_t *s, size_t i, const job_result_t *r) {
  double run = r->cpu > r->building ? r->cpu - r->building : 0;
  // A unit that stood ready is still to be built when its sources change.
  double building = r->building > 0 ? r->building : s->times[i].building;
  s->cpu += r->cpu;
  s->wall += r->seconds;
  if (r->verdict != JobPassed) {
    return;  // it may have ended early
  }
  if (s->times[i].run < 0) {
    s->sum[s->first[i]] += run;
    s->known[s->first[i]]++;
  }
  s->times[i].run = run;
  json_object_set_new(s->kept, s->list->tests[i].id, json_pack("[f, f]", run, building));
}

bool schedule_left(const schedule_t *s, const bool *is_left, const double *since, uint32_t jobs,
                   double share, double *seconds) {
  // Of a test: seconds of processor time in a second of its own.
  double speed = s->wall > 5 ? s->cpu / s->wall : share, work = 0, longest = 0;
  if (speed <= 0) {
    return false;
  }
  speed = speed < 0.05 ? 0.05 : speed;
  size_t left = 0, unknown = 0;
  for (size_t i = 0; i < s->list->count; i++) {
    double takes = is_left[i] ? all_of(s, i) : 0;
    if (!is_left[i]) {
      continue;
    }
    left++;
    unknown += run_of(s, i) < 0;
    if (since[i] > 0) {  // a little is always left of what runs
      double rest = takes - since[i] * speed;
      takes = rest > takes / 20 ? rest : takes / 20;
    }
    work += takes > 0 ? takes : 0;
    longest = takes > longest ? takes : longest;
  }
  if (unknown * 10 > left) {
    return false;
  }
  if (left > unknown) {
    work *= (double)left / (double)(left - unknown);
  }
  double shared = work / (speed * (double)(left < jobs ? left ? left : 1 : jobs));
  *seconds = longest / speed > shared ? longest / speed : shared;
  return true;
}

void schedule_keep(const schedule_t *s, const char *folder) {
  char path[512], fresh[540];
  times_path(folder, path, sizeof path);
  snprintf(fresh, sizeof fresh, "%s.%d", path, (int)getpid());
  json_t *file = json_pack("{s:s, s:O}", "sources", s->sources, "tests", s->kept);
  // Without it the next regression knows less, and is right all the same.
  if (!file || json_dump_file(file, fresh, JSON_COMPACT | JSON_SORT_KEYS) != 0 ||
      rename(fresh, path) != 0) {
    unlink(fresh);
  }
  json_decref(file);
}
