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

#include "folder_lock.h"
#include "progress.h"
#include "result_cache.h"
#include "test_order.h"

// Launched tests given up one after the other, without a result between them, that end a
// regression.
enum { MostGivenUp = 3 };

// A test that runs, here or elsewhere.
typedef struct {
  size_t test;
  test_job_t job;   // here: its pid is not 0
  launch_t launch;  // elsewhere: its folder is not NULL
  uint32_t tries;   // attempts at it in this regression
} slot_t;

typedef struct {
  regress_t *r;
  const regress_options_t *options;
  const char *cache;
  test_order_t order;
  char (*keys)[TestKeySize];  // of each test
  bool *left;                 // of each test: it has not ended
  double *since;              // of each test: seconds that it runs, 0: it does not
  slot_t *slots;
  uint32_t running;
  launcher_t launcher;
  bool any_begun;     // a launched test has begun
  uint32_t given_up;  // tests given up since the last result
  progress_t progress;
  double charged;      // when limits were charged last
  double passed, had;  // wall time, and of it what a process had of a processor
} runner_t;

static volatile sig_atomic_t interrupted;

static void on_signal(int number) { interrupted = number; }

// ---- Progress ----

// Returns the seconds until all is done, < 0 while too little is known.
static double time_left(runner_t *w) {
  bool launches = w->options->launch.prefix != NULL;
  double seconds, now = job_now(), share = launches ? 1 : w->passed > 3 ? w->had / w->passed : 0;
  for (uint32_t i = 0; i < w->running; i++) {
    const slot_t *s = &w->slots[i];
    double began = s->launch.folder ? s->launch.begun : s->job.started;
    w->since[s->test] = began > 0 ? now - began : 0;
  }
  return test_order_left(&w->order, w->left, w->since, w->options->jobs, share, &seconds) ? seconds
                                                                                          : -1;
}

// The test that has run longest, whose id is all that a waiting user can act on.
static const char *longest(const runner_t *w, double *seconds) {
  const char *id = NULL;
  *seconds = 0;
  for (uint32_t i = 0; i < w->running; i++) {
    const size_t test = w->slots[i].test;
    if (w->since[test] > *seconds) {
      id = w->r->list->tests[test].id;
      *seconds = w->since[test];
    }
  }
  return id;
}

// Counts the launched tests that have not begun, and takes the last words of the first one's
// launcher.
static void count_waiting(const runner_t *w, progress_t *p) {
  free(p->words);
  p->words = NULL;
  p->waiting = 0;
  for (uint32_t i = 0; i < w->running; i++) {
    const launch_t *l = &w->slots[i].launch;
    const bool waits = l->folder && l->begun <= 0;
    p->waiting += waits;
    if (waits && p->waiting == 1) p->words = launch_last_words(l);
  }
}

static void show(runner_t *w) {
  if (!w->options->quiet && progress_is_due(&w->progress)) {
    w->progress.passed = w->r->passed;
    w->progress.failed = w->r->failed;
    const double left = time_left(w);
    w->progress.longest = longest(w, &w->progress.longest_seconds);
    count_waiting(w, &w->progress);
    progress_show(&w->progress, w->running - w->progress.waiting, left);
  }
}

// ---- The end of a test ----

static void count(regress_t *r, const job_result_t *result, bool cached) {
  r->passed += result->verdict == JobPassed;
  r->failed += result->verdict != JobPassed;
  r->good += result->good;
  r->bad += result->bad;
  r->cached += cached;
}

// Counts, says, keeps and journals a result, and frees it.
static bool finish(runner_t *w, size_t index, job_result_t *result, bool cached, err_t *err) {
  const regress_options_t *o = w->options;
  const test_t *t = &w->r->list->tests[index];
  count(w->r, result, cached);
  w->left[index] = false;
  w->since[index] = 0;
  if (!o->quiet) progress_say(t, result, o->show_command);
  if (!cached) {
    test_order_ended(&w->order, index, result);
    if ((o->keep_results || o->keep_logs) && result->verdict == JobPassed) {
      result_cache_keep_files(w->cache, w->keys[index], t->id, w->r->logs);
    }
    result_cache_keep(w->cache, w->keys[index], result);
  }
  bool ok = journal_add(&w->r->journal, t, w->keys[index], result, cached, err);
  if (ok && o->ended) o->ended(o->context, index, result, cached);
  job_result_free(result);
  return ok;
}

static void free_slot(runner_t *w, uint32_t i) {
  job_free(&w->slots[i].job);
  launch_free(&w->slots[i].launch);
  w->slots[i] = w->slots[--w->running];
}

// Returns whether the result file of a test that has ended is still what it was then.
static bool has_result(const runner_t *w, size_t index, const job_result_t *result) {
  char digest[65];
  if (!w->options->keep_results || result->verdict != JobPassed) return true;
  text_t path = {0};
  job_file(&path, w->r->logs, w->r->list->tests[index].id, ".json");
  bool same = job_digest(text_string(&path), digest) && strcmp(digest, result->digest) == 0;
  text_free(&path);
  return same;
}

static bool find_cached(const runner_t *w, size_t index, job_result_t *result) {
  const regress_options_t *o = w->options;
  const char *key = w->keys[index];
  const test_t *t = &w->r->list->tests[index];
  const char *required = o->keep_results ? ".json" : ".log";
  if (!o->use_cache || (!t->inputs && t->only_inputs) || !result_cache_find(w->cache, key, result))
    return false;
  if ((!(o->keep_results || o->keep_logs) ||
       result_cache_restore_files(w->cache, key, t->id, w->r->logs, required)) &&
      has_result(w, index, result))
    return true;
  job_result_free(result);
  return false;
}

// Takes the results that are in the cache; the tests left then take time.
static bool take_cached(runner_t *w, err_t *err) {
  bool ok = true;
  for (size_t i = 0; ok && !interrupted && i < w->r->list->count; i++) {
    job_result_t result;
    if (w->left[i] && find_cached(w, i, &result)) {
      ok = finish(w, i, &result, true, err);
      show(w);
    }
  }
  return ok;
}

// ---- Launched tests ----

static bool take_launched(runner_t *w, size_t test, const char *attempt, job_result_t *result,
                          err_t *err) {
  w->given_up = 0;
  if (!launch_collect(attempt, w->r->logs, err)) {
    job_result_free(result);
    return false;
  }
  bool ok = finish(w, test, result, false, err);
  launch_forget(&w->launcher, &w->r->list->tests[test]);
  return ok;
}

// Takes what the attempts of a regression that was cut off have finished, and goes on with those
// that live.
static bool take_over_launched(runner_t *w, err_t *err) {
  bool ok = true;
  for (size_t i = 0; ok && access(w->launcher.folder, F_OK) == 0 && i < w->r->list->count; i++) {
    const test_t *t = &w->r->list->tests[i];
    job_result_t result;
    char *attempt = w->left[i] ? launch_find(&w->launcher, t, w->keys[i], &result) : NULL;
    launch_t *place = &w->slots[w->running].launch;
    if (attempt) {
      ok = take_launched(w, i, attempt, &result, err);
    } else if (w->left[i] && w->running < w->options->jobs &&
               launch_adopt(&w->launcher, t, w->keys[i], place)) {
      w->slots[w->running].test = i;
      w->slots[w->running++].tries = 1;
    }
    free(attempt);
  }
  return ok;
}

// Starts a lost test again. One that has had all its attempts fails; if that happens to several in
// a row, or none has ever begun, it is not the tests' fault.
static bool lose(runner_t *w, uint32_t i, err_t *err) {
  const launch_options_t *o = &w->options->launch;
  slot_t *s = &w->slots[i];
  const test_t *t = &w->r->list->tests[s->test];
  char *said = launch_last_words(&s->launch);
  const char *words = said ? said : "it printed nothing";
  bool ok = true;
  launch_give_up(&s->launch);
  launch_free(&s->launch);
  if (s->tries < o->attempts) {
    s->tries++;
    ok = launch_start(&w->launcher, t, w->keys[s->test], &s->launch, err);
  } else if (!w->any_begun) {
    ok = err_set(err, ErrMachine, "--launch '%s': no test began in %u attempts: %s", o->prefix,
                 s->tries, words);
  } else if (++w->given_up >= MostGivenUp) {
    ok = err_set(err, ErrCheck,
                 "%u tests in a row were lost %u times each, the last one %s: %s; "
                 "--resume goes on",
                 w->given_up, s->tries, t->id, words);
  } else {
    job_result_t result = {
        .verdict = JobFailed,
        .status = -1,
        .bad = 1,
        .signature = strdup(LaunchLostSignature),
        .what = text_make("launched %u times, lost each time: %s", s->tries, words)};
    ok = (result.signature && result.what) || err_memory(err, t->id);
    if (ok) ok = finish(w, s->test, &result, false, err);
    free_slot(w, i);
  }
  free(said);
  return ok;
}

static bool look_at_launched(runner_t *w, err_t *err) {
  bool ok = true;
  for (uint32_t i = w->running; ok && i-- > 0;) {
    slot_t *s = &w->slots[i];
    job_result_t result;
    if (!s->launch.folder) continue;
    launch_state_e state = launch_look(&w->launcher, w->keys[s->test], &s->launch, &result);
    w->any_begun = w->any_begun || s->launch.begun > 0 || state == LaunchEnded;
    if (state == LaunchEnded) {
      ok = take_launched(w, s->test, s->launch.folder, &result, err);
      free_slot(w, i);
    } else if (state == LaunchLost) {
      ok = lose(w, i, err);
    }
  }
  return ok;
}

// ---- The work ----

static bool start(runner_t *w, size_t index, err_t *err) {
  const test_t *t = &w->r->list->tests[index];
  slot_t *s = &w->slots[w->running++];
  *s = (slot_t){.test = index, .tries = 1};
  if (w->options->launch.prefix) {
    job_clean(t->id, w->r->logs);
    return launch_start(&w->launcher, t, w->keys[index], &s->launch, err);
  }
  return job_start(&s->job, t, w->r->logs) ||
         err_set(err, ErrMachine, "cannot start a process: %s", strerror(errno));
}

// Takes one child that has ended, if there is one.
static bool reap(runner_t *w, bool *ok, err_t *err) {
  int status;
  struct rusage usage;
  pid_t pid = wait4(-1, &status, WNOHANG, &usage);
  for (uint32_t i = 0; pid > 0 && i < w->running; i++) {
    slot_t *s = &w->slots[i];
    if (s->job.pid == pid) {
      job_result_t result;
      bool judged = job_judge(&s->job, status, &usage, job_now(), &result) ||
                    err_memory(err, s->job.test->id);
      kill(-pid, SIGKILL);  // what it may have left behind
      *ok = judged && finish(w, s->test, &result, false, err) && *ok;
      free_slot(w, i);
      break;
    }
    if (s->launch.pid == pid) {
      s->launch.pid = 0;
      s->launch.gone = job_now();
      s->launch.looked = 0;
    }
  }
  return pid > 0;
}

// Counts the time since the last call against the limits of what runs here.
static void charge(runner_t *w) {
  double now = job_now(), seconds = now - w->charged;
  if (seconds < 0.05) return;
  w->charged = now;
  w->passed += seconds;
  seconds *= job_share();
  w->had += seconds;
  for (uint32_t i = 0; i < w->running; i++) {
    test_job_t *job = &w->slots[i].job;
    double age = now - job->started;
    if (job->pid > 0) job_charge(job, seconds < age ? seconds : age);
  }
}

// Ends what still runs.
static void stop(runner_t *w) {
  uint32_t launchers = 0;
  for (uint32_t i = 0; i < w->running; i++) {
    if (w->slots[i].launch.folder) launch_give_up(&w->slots[i].launch);
    if (w->slots[i].job.pid > 0) kill(-w->slots[i].job.pid, SIGKILL);
    launchers += w->slots[i].launch.pid > 0;
  }
  for (double start = job_now(); launchers > 0 && job_now() - start < 3;) {
    pid_t pid = waitpid(-1, NULL, WNOHANG);
    for (uint32_t i = 0; pid > 0 && i < w->running; i++) {
      launchers -= w->slots[i].launch.pid == pid;
      if (w->slots[i].launch.pid == pid) w->slots[i].launch.pid = 0;
    }
    if (pid < 0) break;
    if (pid == 0) nanosleep(&(struct timespec){0, 10000000}, NULL);
  }
  while (w->running > 0) {
    pid_t launcher = w->slots[w->running - 1].launch.pid;
    if (launcher > 0) kill(-launcher, SIGKILL);
    free_slot(w, w->running - 1);
  }
}

static bool is_running(const runner_t *w, size_t test) {
  for (uint32_t i = 0; i < w->running; i++) {
    if (w->slots[i].test == test) return true;
  }
  return false;
}

static bool work(runner_t *w, err_t *err) {
  const regress_options_t *o = w->options;
  const size_t total = w->r->list->count;
  const long pause = o->launch.prefix ? 10000000 : 2000000;  // ns
  bool begun = !o->begun, ok = true;
  for (size_t at = 0; ok && !interrupted && (at < total || w->running > 0); show(w)) {
    if (at < total && w->running < o->jobs) {
      size_t next = w->order.order[at++];
      ok = !w->left[next] || is_running(w, next) || start(w, next, err);
      continue;
    }
    while (reap(w, &ok, err)) {
    }
    ok = ok && look_at_launched(w, err);
    if (ok && !begun && at == total && w->running < o->jobs) {
      begun = true;
      o->begun();
    }
    charge(w);
    if (w->running == o->jobs || at == total) nanosleep(&(struct timespec){0, pause}, NULL);
  }
  return ok;
}

// ---- All ----

// Takes results of an earlier regression that this one goes on with. A result of other sources is
// not this test's, and one that was lost says nothing about it.
static void take_over(runner_t *w) {
  for (size_t i = 0; i < w->r->list->count; i++) {
    test_key(&w->r->list->tests[i], w->keys[i]);
    const journal_entry_t *e = journal_find(&w->r->journal, w->r->list->tests[i].id);
    w->left[i] = !e || strcmp(e->key, w->keys[i]) != 0 || !has_result(w, i, &e->result) ||
                 strcmp(e->result.signature, LaunchLostSignature) == 0;
    if (!w->left[i]) count(w->r, &e->result, e->cached);
  }
}

static bool failed_before(void *context, const char *id) {
  const journal_entry_t *e = journal_find(context, id);
  return e && e->result.verdict != JobPassed;
}

static bool prepare(runner_t *w) {
  size_t count = w->r->list->count + 1;
  journal_t before;
  w->keys = calloc(count, sizeof *w->keys);
  w->left = calloc(count, sizeof *w->left);
  w->since = calloc(count, sizeof *w->since);
  w->slots = calloc(w->options->jobs + 1, sizeof *w->slots);
  w->r->ends = calloc(count, sizeof *w->r->ends);
  journal_read(&before, w->options->folder, "journal-before.jsonl");
  bool ok = w->keys && w->left && w->since && w->slots && w->r->ends &&
            test_order_make(&w->order, w->r->list, w->options->folder, test_key_units(),
                            failed_before, &before);
  journal_close(&before);
  if (ok) take_over(w);
  return ok;
}

static void release(runner_t *w) {
  test_order_free(&w->order);
  launcher_close(&w->launcher);
  free(w->keys);
  free(w->left);
  free(w->since);
  free(w->slots);
}

// A signal ends a regression between two tests, with its journal whole.
static void catch_signals(void) {
  static const int Numbers[] = {SIGINT, SIGTERM, SIGHUP};
  for (size_t i = 0; i < sizeof Numbers / sizeof *Numbers; i++) {
    struct sigaction old;
    // A signal that nohup ignores stays ignored.
    if (sigaction(Numbers[i], NULL, &old) != 0 || old.sa_handler != SIG_IGN) {
      signal(Numbers[i], on_signal);
    }
  }
}

static bool run(runner_t *w, err_t *err) {
  regress_t *r = w->r;
  const regress_options_t *o = w->options;
  if (!journal_open(&r->journal, o->folder, o->resume, err)) return false;
  if (!prepare(w)) return err_memory(err, o->folder);
  size_t at_start = r->passed + r->failed;
  double started = w->charged;
  catch_signals();
  bool ok = launcher_open(&w->launcher, &o->launch, o->folder, o->resume, err) &&
            take_over_launched(w, err) && take_cached(w, err) && work(w, err);
  stop(w);
  if (!o->quiet) progress_end(&w->progress);
  free(w->progress.words);
  test_order_keep(&w->order, o->folder);
  if (ok && interrupted) {
    ok = err_set(err, ErrCheck, "interrupted after %zu of %zu tests; --resume goes on",
                 r->passed + r->failed, r->list->count);
  }
  for (size_t i = 0; ok && i < r->list->count; i++) {
    const test_t *t = &r->list->tests[i];
    r->ends[i] = (regress_end_t){t, journal_find(&r->journal, t->id)};
  }
  r->seconds = job_now() - started;
  r->fresh = r->passed + r->failed - at_start;
  return ok;
}

// Makes the folder and its logs. The folder's parent must be there, so that a misspelt path is
// refused.
static bool make_folders(const regress_t *r, err_t *err) {
  mkdir("build", 0777);
  return ((mkdir(r->options->folder, 0777) == 0 || errno == EEXIST) &&
          (mkdir(r->logs, 0777) == 0 || errno == EEXIST)) ||
         err_set(err, ErrCheck, "%s: %s", r->logs, strerror(errno));
}

bool regress_run(regress_t *r, const test_list_t *list, const regress_options_t *options,
                 err_t *err) {
  double now = job_now();
  *r = (regress_t){.list = list,
                   .options = options,
                   .lock = -1,
                   .journal = {.file = -1},
                   .logs = text_make("%s/logs", options->folder)};
  runner_t w = {.r = r,
                .options = options,
                .charged = now,
                .cache = options->cache ? options->cache : options->folder,
                .progress = {.total = list->count, .shown = now, .on_terminal = isatty(2)}};
  if (!r->logs) return err_memory(err, options->folder);
  if (!make_folders(r, err)) return false;
  r->lock = folder_lock(options->folder, err);
  bool ok = r->lock >= 0 && run(&w, err);
  release(&w);
  return ok;
}

void regress_free(regress_t *r) {
  if (!r->list) return;
  folder_unlock(r->lock);
  journal_close(&r->journal);
  free(r->ends);
  free(r->logs);
  *r = (regress_t){0};
}
