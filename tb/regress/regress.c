// SPDX-License-Identifier: Apache-2.0
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

#include "cluster.h"
#include "folder_lock.h"
#include "schedule.h"
#include "terminal.h"

enum { MaxJobs = 256, BarWidth = 28 };

typedef struct {
  regress_t *r;
  journal_t *journal;
  schedule_t schedule;
  char (*keys)[JournalKeySize];
  bool *left;          // has not ended
  double *since;       // wall time of a running test, for the schedule; 0: it does not run
  job_t jobs[MaxJobs];
  size_t test_of[MaxJobs];
  uint32_t running;    // on a cluster: shards
  const char *logs, *cache;
  double started, shown, charged;
  double passed, had;  // wall time, and of it what a process had of a processor
  size_t total, at_start;
} runner_t;

static volatile sig_atomic_t interrupted;

static void on_signal(int number) { interrupted = number; }

// "" while too little is known of what is left.
static const char *time_left(runner_t *w, char text[64]) {
  double seconds, now = job_now();
  char words[32];
  for (uint32_t i = 0; !w->r->options->slurm && i < w->running; i++) {
    w->since[w->test_of[i]] = now - w->jobs[i].started;
  }
  text[0] = '\0';
  double share = w->r->options->slurm ? 1 : w->passed > 3 ? w->had / w->passed : 0;
  if (w->r->jobs > 0 &&
      schedule_left(&w->schedule, w->left, w->since, w->r->jobs, share, &seconds)) {
    snprintf(text, 64, ", about %s left", terminal_time(seconds, words));
  }
  return text;
}

static void show(runner_t *w, bool last) {
  const regress_t *r = w->r;
  double now = job_now();
  size_t done = r->passed + r->failed;
  bool terminal = isatty(2);
  char left[64];
  if (r->options->quiet || (!last && now - w->shown < (terminal ? 0.1 : 10.0))) {
    return;
  }
  w->shown = now;
  if (terminal && last) {
    fprintf(stderr, "\r\033[K");
  } else if (terminal) {
    int filled = w->total ? (int)(BarWidth * done / w->total) : BarWidth;
    fprintf(stderr, "\r[%.*s%*s] %zu/%zu  %zu passed  %s%zu failed%s  %u running%s \033[K",
            filled, "############################", BarWidth - filled, "", done, w->total,
            r->passed, terminal_color(stderr, r->failed ? ColorBad : ColorNone), r->failed,
            terminal_color(stderr, ColorNone), w->running, time_left(w, left));
  } else if (!last) {
    printf("%zu of %zu tests, %zu passed, %zu failed, %u running%s\n", done, w->total, r->passed,
           r->failed, w->running, time_left(w, left));
    fflush(stdout);
  }
}

// A line for a test that failed, and for one that has many checks.
static void say(const runner_t *w, const test_t *t, const job_result_t *result) {
  const char *clear = isatty(2) ? "\r\033[K" : "";
  if (w->r->options->quiet || (result->verdict == JobPassed && !t->counts)) {
    return;
  }
  if (result->verdict == JobPassed) {
    fprintf(stderr, "%s%spass%s %s (%u, %.0f s, %.1f s of CPU)\n", clear,
            terminal_color(stderr, ColorGood), terminal_color(stderr, ColorNone), t->id,
            result->good, result->seconds, result->cpu);
    return;
  }
  char command[4096] = "", part[64] = "";
  if (w->r->options->show_command) {
    job_command(t, command, sizeof command);
  }
  if (t->counts) {
    snprintf(part, sizeof part, " (%u of %u, %.0f s)", result->bad, result->good + result->bad,
             result->seconds);
  }
  fprintf(stderr, "%s%sFAIL%s %s%s: %s%s%s\n", clear, terminal_color(stderr, ColorBad),
          terminal_color(stderr, ColorNone), t->id, part, result->what,
          command[0] ? "; again: " : "", command);
}

static void count(regress_t *r, const job_result_t *result, bool cached) {
  r->passed += result->verdict == JobPassed;
  r->failed += result->verdict != JobPassed;
  r->good += result->good;
  r->bad += result->bad;
  r->cached += cached;
}

static bool finish(runner_t *w, size_t index, const job_result_t *result, bool cached,
                   char error[TestErrorSize]) {
  regress_t *r = w->r;
  const test_t *t = &r->list->tests[index];
  count(r, result, cached);
  w->left[index] = false;
  w->since[index] = 0;
  say(w, t, result);
  if (!cached) {
    schedule_ended(&w->schedule, index, result);
    if ((r->options->keep_results || r->options->keep_logs) && result->verdict == JobPassed) {
      journal_keep_files(w->cache, w->keys[index], t->id, w->logs);
    }
    journal_keep(w->cache, w->keys[index], result);
  }
  if (!journal_add(w->journal, t, w->keys[index], result, cached, error)) {
    return false;
  }
  if (r->options->ended) {
    r->options->ended(r->options->context, index, result, cached);
  }
  return true;
}

static bool reap(runner_t *w, bool *ok, char error[TestErrorSize]) {
  int status;
  struct rusage usage;
  pid_t pid = wait4(-1, &status, WNOHANG, &usage);
  for (uint32_t i = 0; pid > 0 && i < w->running; i++) {
    if (w->jobs[i].pid == pid) {
      job_result_t result;
      job_judge(&w->jobs[i], status, &usage, job_now(), &result);
      kill(-pid, SIGKILL);  // what it may have left behind
      *ok = finish(w, w->test_of[i], &result, false, error) && *ok;
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
  const test_t *t = &w->r->list->tests[index];
  return o->use_cache && (t->inputs || !t->only_inputs) &&
         journal_cached(w->cache, key, result) &&
         (!(o->keep_results || o->keep_logs) ||
          journal_restore(w->cache, key, t->id, w->logs, o->keep_results ? ".json" : ".log")) &&
         has_result(w, index, result);
}

// Takes what is known; what is left then is what takes time.
static bool take_cached(runner_t *w, char error[TestErrorSize]) {
  bool ok = true;
  for (size_t i = 0; ok && !interrupted && i < w->total; i++) {
    job_result_t result;
    if (w->left[i] && is_cached(w, i, &result)) {
      ok = finish(w, i, &result, true, error);
      show(w, false);
    }
  }
  return ok;
}

static bool start(runner_t *w, size_t index, char error[TestErrorSize]) {
  if (!job_start(&w->jobs[w->running], &w->r->list->tests[index], w->logs)) {
    snprintf(error, TestErrorSize, "cannot start a process: %s", strerror(errno));
    w->r->lacking = true;
    return false;
  }
  w->test_of[w->running++] = index;
  return true;
}

// Counts the time since the last call against the limits of what runs.
static void charge(runner_t *w) {
  double now = job_now(), seconds = now - w->charged;
  if (seconds < 0.05) {
    return;
  }
  w->charged = now;
  w->passed += seconds;
  seconds *= job_share();
  w->had += seconds;
  for (uint32_t i = 0; i < w->running; i++) {
    double age = now - w->jobs[i].started;
    job_charge(&w->jobs[i], seconds < age ? seconds : age);
  }
}

static bool work_here(runner_t *w, char error[TestErrorSize]) {
  const regress_options_t *o = w->r->options;
  size_t at = 0;
  bool begun = !o->begun, ok = true;
  while (ok && !interrupted && (at < w->total || w->running > 0)) {
    if (at < w->total && w->running < o->jobs) {
      size_t next = w->schedule.order[at++];
      ok = !w->left[next] || start(w, next, error);
      show(w, false);
      continue;
    }
    while (reap(w, &ok, error)) {
    }
    if (!begun && at == w->total && w->running < o->jobs) {
      begun = true;
      o->begun();
    }
    charge(w);
    show(w, false);
    if (w->running == o->jobs || at == w->total) {
      nanosleep(&(struct timespec){0, 2000000}, NULL);
    }
  }
  for (uint32_t i = 0; i < w->running; i++) {
    kill(-w->jobs[i].pid, SIGKILL);
  }
  return ok;
}

static bool ended(void *context, size_t test, const job_result_t *result,
                  char error[TestErrorSize]) {
  return finish(context, test, result, false, error);
}

static void shown(void *context, uint32_t running) {
  runner_t *w = context;
  w->running = running;
  w->r->jobs = running > w->r->jobs ? running : w->r->jobs;
  show(w, false);
}

// What a regression in this folder left on a cluster, and the tests that are left now.
static bool work_on_cluster(runner_t *w, char error[TestErrorSize]) {
  const regress_options_t *o = w->r->options;
  merge_t merge = {.list = w->r->list, .keys = w->keys, .left = w->left, .logs = w->logs,
                   .ended = ended, .context = w};
  cluster_t cluster = {.options = o->slurm, .folder = o->folder, .schedule = &w->schedule,
                       .merge = &merge, .stop = &interrupted, .shown = shown};
  if (!o->resume && !cluster_clear(o->folder, error)) {
    return false;
  }
  if (!merge_open(&merge)) {
    snprintf(error, TestErrorSize, "out of memory");
    w->r->lacking = true;
    return false;
  }
  bool ok = cluster_take_over(&cluster, o->slurm, error) &&
            (!o->use_cache || take_cached(w, error));
  if (ok && o->slurm) {
    cluster_end_e end = cluster_run(&cluster, error);
    ok = end == ClusterOk;
    w->r->lacking = end == ClusterLacking;
    w->r->refused = end == ClusterRefused;
    w->running = 0;
    if (ok && o->begun) {
      o->begun();
    }
  }
  merge_close(&merge);
  return ok;
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

// Results of an earlier regression that this one goes on with.
static void take_over(runner_t *w) {
  for (size_t i = 0; i < w->total; i++) {
    journal_key(&w->r->list->tests[i], w->keys[i]);
    // A result of other sources is not this test's.
    const journal_entry_t *e = journal_find(w->journal, w->r->list->tests[i].id);
    w->left[i] = !e || strcmp(e->key, w->keys[i]) != 0 || !has_result(w, i, &e->result);
    if (!w->left[i]) {
      count(w->r, &e->result, e->cached);
    }
  }
  w->at_start = w->r->passed + w->r->failed;
}

static bool failed_before(void *context, const char *id) {
  const journal_entry_t *e = journal_find(context, id);
  return e && e->result.verdict != JobPassed;
}

static bool prepare(runner_t *w) {
  size_t count = w->r->list->count + 1;
  char path[512];
  journal_t before;
  w->total = w->r->list->count;
  w->keys = calloc(count, sizeof *w->keys);
  w->left = calloc(count, sizeof *w->left);
  w->since = calloc(count, sizeof *w->since);
  w->r->ends = calloc(count, sizeof *w->r->ends);
  snprintf(path, sizeof path, "%.400s/journal-before.jsonl", w->r->options->folder);
  bool known = journal_read(&before, path);
  bool ok = w->keys && w->left && w->since && w->r->ends &&
            schedule_make(&w->schedule, w->r->list, w->r->options->folder, journal_units_key(),
                          known ? failed_before : NULL, &before);
  if (known) {
    journal_close(&before);
  }
  if (ok) {
    take_over(w);
  }
  return ok;
}

static void release(runner_t *w) {
  schedule_free(&w->schedule);
  free(w->keys);
  free(w->left);
  free(w->since);
}

// A signal ends a regression between two tests, with its journal whole.
static void catch_signals(void) {
  static const int Numbers[] = {SIGINT, SIGTERM, SIGHUP};
  for (size_t i = 0; i < sizeof Numbers / sizeof *Numbers; i++) {
    struct sigaction old;
    // nohup's wish is kept.
    if (sigaction(Numbers[i], NULL, &old) != 0 || old.sa_handler != SIG_IGN) {
      signal(Numbers[i], on_signal);
    }
  }
}

static bool run(runner_t *w, char error[TestErrorSize]) {
  regress_t *r = w->r;
  if (!journal_open(w->journal, r->options->folder, r->options->resume, error)) {
    return false;
  }
  if (!prepare(w)) {
    r->lacking = true;
    snprintf(error, TestErrorSize, "out of memory");
    return false;
  }
  catch_signals();
  bool ok = work_on_cluster(w, error) && (r->options->slurm || work_here(w, error));
  show(w, true);
  schedule_keep(&w->schedule, r->options->folder);
  if (ok && interrupted) {
    snprintf(error, TestErrorSize, "interrupted after %zu of %zu tests; --resume goes on",
             r->passed + r->failed, w->total);
    ok = false;
  }
  for (size_t i = 0; ok && i < w->total; i++) {
    const test_t *t = &r->list->tests[i];
    r->ends[i] = (regress_end_t){t, journal_find(w->journal, t->id)};
  }
  r->seconds = job_now() - w->started;
  r->fresh = r->passed + r->failed - w->at_start;
  return ok;
}

bool regress_run(regress_t *r, const test_list_t *list, const regress_options_t *options,
                 char error[TestErrorSize]) {
  static journal_t journal;
  static runner_t w;
  char logs[512];
  double now = job_now();
  w = (runner_t){.r = r, .journal = &journal, .logs = logs,
                 .cache = options->cache ? options->cache : options->folder, .started = now,
                 .shown = now, .charged = now};
  *r = (regress_t){.list = list, .options = options, .lock = -1,
                   .jobs = options->slurm ? 0 : options->jobs};
  error[0] = '\0';
  if (!make_folders(options, logs, sizeof logs, error)) {
    return false;
  }
  r->lock = folder_lock(options->folder, &r->refused, error);
  bool ok = r->lock >= 0 && run(&w, error);
  release(&w);
  return ok;
}

void regress_free(regress_t *r) {
  free(r->ends);
  if (r->list) {
    folder_unlock(r->lock);
  }
  *r = (regress_t){0};
}
