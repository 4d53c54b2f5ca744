#include "regress.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MaxJobs = 256, BarWidth = 28 };

typedef struct {
  regress_t *r;
  journal_t *journal;
  char (*keys)[JournalKeySize];
  bool *ended;         // before this run
  size_t *order;       // in which the tests start
  job_t jobs[MaxJobs];
  size_t test_of[MaxJobs];
  uint32_t running;
  const char *logs, *cache;
  double started, shown;
  size_t total, at_start;
} runner_t;

static volatile sig_atomic_t interrupted;

static void on_signal(int number) { interrupted = number; }

static void show(runner_t *w, bool last) {
  const regress_t *r = w->r;
  double now = job_now(), spent = now - w->started;
  size_t done = r->passed + r->failed, fresh = done - w->at_start;
  bool terminal = isatty(2);
  if (!last && now - w->shown < (terminal ? 0.1 : 10.0)) {
    return;
  }
  w->shown = now;
  double left = fresh ? spent / (double)fresh * (double)(w->total - done) : 0;
  if (terminal) {
    int filled = w->total ? (int)(BarWidth * done / w->total) : BarWidth;
    fprintf(stderr, "\r[%.*s%*s] %zu/%zu  %zu passed  %zu failed  %u running  %d:%02d left \033[K",
            filled, "############################", BarWidth - filled, "", done, w->total,
            r->passed, r->failed, w->running, (int)left / 60, (int)left % 60);
    if (last) {
      fprintf(stderr, "\r\033[K");
    }
  } else if (!last) {
    printf("%zu of %zu, %zu passed, %zu failed, %u running, about %.0f s left\n", done, w->total,
           r->passed, r->failed, w->running, left);
    fflush(stdout);
  }
}

static bool finish(runner_t *w, size_t index, const job_result_t *result, bool cached) {
  regress_t *r = w->r;
  const test_t *t = &r->list->tests[index];
  r->passed += result->verdict == JobPassed;
  r->failed += result->verdict != JobPassed;
  r->cached += cached;
  if (result->verdict != JobPassed) {
    char command[4096] = "";
    if (r->options->show_command) {
      job_command(t, command, sizeof command);
    }
    fprintf(stderr, "%sFAIL %s: %s%s%s\n", isatty(2) ? "\r\033[K" : "", t->id, result->what,
            command[0] ? "; again: " : "", command);
  }
  if (!cached) {
    if (r->options->keep_results && result->verdict == JobPassed) {
      journal_keep_files(w->cache, w->keys[index], t->id, w->logs);
    }
    journal_keep(w->cache, w->keys[index], result);
  }
  return journal_add(w->journal, t, w->keys[index], result, cached);
}

static bool reap(runner_t *w, bool *ok) {
  int status;
  pid_t pid = waitpid(-1, &status, WNOHANG);
  for (uint32_t i = 0; pid > 0 && i < w->running; i++) {
    if (w->jobs[i].pid == pid) {
      job_result_t result;
      job_judge(&w->jobs[i], status, job_now(), &result);
      kill(-pid, SIGKILL);  // what it may have left behind
      *ok = finish(w, w->test_of[i], &result, false) && *ok;
      w->running--;
      w->jobs[i] = w->jobs[w->running];
      w->test_of[i] = w->test_of[w->running];
      break;
    }
  }
  return pid > 0;
}

// The result of a test that has ended is still what it was then.
static bool has_result(const runner_t *w, size_t index, const job_result_t *result) {
  char path[512], digest[65];
  if (!w->r->options->keep_results || result->verdict != JobPassed) {
    return true;
  }
  job_file(w->r->list->tests[index].id, w->logs, ".json", path, sizeof path);
  return job_digest(path, digest) && strcmp(digest, result->digest) == 0;
}

static bool is_cached(const runner_t *w, size_t index, job_result_t *result) {
  const regress_options_t *o = w->r->options;
  const char *key = w->keys[index];
  return o->use_cache && journal_cached(w->cache, key, result) &&
         (!o->keep_results ||
          journal_restore(w->cache, key, w->r->list->tests[index].id, w->logs)) &&
         has_result(w, index, result);
}

// The first seed of each test, then the second, and so on: neighbours seldom wait for the same
// unit to be built, and every kind of test has run early.
static bool put_in_order(size_t *order, const test_list_t *list) {
  size_t *turn = calloc(list->count + 1, sizeof *turn), *place = calloc(list->count + 2, sizeof *place);
  for (size_t i = 0; turn && place && i < list->count; i++) {
    bool same = i > 0 && strcmp(list->tests[i].name, list->tests[i - 1].name) == 0;
    turn[i] = same ? turn[i - 1] + 1 : 0;
    place[turn[i] + 1]++;
  }
  for (size_t i = 1; turn && place && i < list->count; i++) {
    place[i] += place[i - 1];
  }
  for (size_t i = 0; turn && place && i < list->count; i++) {
    order[place[turn[i]]++] = i;
  }
  bool ok = turn && place;
  free(turn);
  free(place);
  return ok;
}

static bool work(runner_t *w, char error[TestErrorSize]) {
  const regress_options_t *o = w->r->options;
  size_t started = 0;
  bool ok = true, begun = !o->begun;
  while (ok && !interrupted && (started < w->total || w->running > 0)) {
    if (started < w->total && w->running < o->jobs) {
      size_t next = w->order[started++];
      job_result_t result;
      if (w->ended[next]) {
        continue;
      }
      if (is_cached(w, next, &result)) {
        ok = finish(w, next, &result, true);
      } else if (job_start(&w->jobs[w->running], &w->r->list->tests[next], w->logs)) {
        w->test_of[w->running++] = next;
      } else {
        snprintf(error, TestErrorSize, "cannot start a process: %s", strerror(errno));
        w->r->lacking = true;
        break;
      }
      show(w, false);
      continue;
    }
    while (reap(w, &ok)) {
    }
    if (!begun && started == w->total && w->running < o->jobs) {
      begun = true;
      o->begun();
    }
    double now = job_now();
    for (uint32_t i = 0; i < w->running; i++) {
      job_check_time(&w->jobs[i], now);
    }
    show(w, false);
    if (w->running == o->jobs || started == w->total) {
      nanosleep(&(struct timespec){0, 2000000}, NULL);
    }
  }
  for (uint32_t i = 0; i < w->running; i++) {
    kill(-w->jobs[i].pid, SIGKILL);
  }
  if (!ok) {
    snprintf(error, TestErrorSize, "%.300s/journal.jsonl: cannot be written: %s", o->folder,
             strerror(errno));
  }
  return ok && !error[0];
}

static bool make_folders(const regress_options_t *o, char *logs, size_t size,
                         char error[TestErrorSize]) {
  mkdir("build", 0777);
  snprintf(logs, size, "%.400s/logs", o->folder);
  if ((mkdir(o->folder, 0777) != 0 && errno != EEXIST) ||
      (mkdir(logs, 0777) != 0 && errno != EEXIST)) {
    snprintf(error, TestErrorSize, "%.300s: %s", logs, strerror(errno));
    return false;
  }
  return true;
}

static bool prepare(runner_t *w) {
  size_t count = w->r->list->count + 1;
  w->keys = calloc(count, sizeof *w->keys);
  w->ended = calloc(count, sizeof *w->ended);
  w->order = calloc(count, sizeof *w->order);
  w->r->ends = calloc(count, sizeof *w->r->ends);
  if (!w->keys || !w->ended || !w->order || !w->r->ends ||
      !put_in_order(w->order, w->r->list)) {
    return false;
  }
  w->total = w->r->list->count;
  for (size_t i = 0; i < w->total; i++) {
    journal_key(&w->r->list->tests[i], w->keys[i]);
    // A result of other sources is not this test's.
    const journal_entry_t *e = journal_find(w->journal, w->r->list->tests[i].id);
    if (e && strcmp(e->key, w->keys[i]) == 0 && has_result(w, i, &e->result)) {
      w->ended[i] = true;
      w->r->passed += e->result.verdict == JobPassed;
      w->r->failed += e->result.verdict != JobPassed;
      w->r->cached += e->cached;
    }
  }
  w->at_start = w->r->passed + w->r->failed;
  return true;
}

bool regress_run(regress_t *r, const test_list_t *list, const regress_options_t *options,
                 char error[TestErrorSize]) {
  static journal_t journal;
  static runner_t w;
  char logs[512];
  w = (runner_t){.r = r, .journal = &journal, .logs = logs,
                 .cache = options->cache ? options->cache : options->folder,
                 .started = job_now(), .shown = job_now()};
  *r = (regress_t){.list = list, .options = options};
  error[0] = '\0';
  if (!make_folders(options, logs, sizeof logs, error) ||
      !journal_open(&journal, options->folder, options->resume, error)) {
    return false;
  }
  if (!prepare(&w)) {
    r->lacking = true;
    snprintf(error, TestErrorSize, "out of memory");
    return false;
  }
  signal(SIGINT, on_signal);
  signal(SIGTERM, on_signal);
  bool ok = work(&w, error);
  show(&w, true);
  if (interrupted) {
    snprintf(error, TestErrorSize, "interrupted after %zu of %zu tests; --resume goes on",
             r->passed + r->failed, w.total);
    ok = false;
  }
  for (size_t i = 0; ok && i < list->count; i++) {
    r->ends[i] = (regress_end_t){&list->tests[i], journal_find(&journal, list->tests[i].id)};
  }
  r->seconds = job_now() - w.started;
  r->fresh = r->passed + r->failed - w.at_start;
  free(w.keys);
  free(w.ended);
  free(w.order);
  return ok;
}

void regress_free(regress_t *r) {
  free(r->ends);
  *r = (regress_t){0};
}
