// SPDX-License-Identifier: Apache-2.0
#include "shard.h"

#include <errno.h>
#include <jansson.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "csim/base/sha256.h"

// ---- The file of jobs ----

static json_t *test_json(const test_t *t, const char *key) {
  json_t *arguments = json_array();
  for (uint32_t i = 0; t->arguments[i]; i++) {
    json_array_append_new(arguments, json_string(t->arguments[i]));
  }
  return json_pack("{s:s, s:s, s:s, s:i, s:I, s:i, s:f, s:b, s:I, s:b, s:o}", "id", t->id, "name",
                   t->name, "key", key, "kind", (int)t->kind, "seed", (json_int_t)t->seed,
                   "repeat", (int)t->repeat, "seconds", t->seconds, "counts", t->counts, "memory",
                   (json_int_t)t->memory, "result", t->result_wanted, "arguments", arguments);
}

static bool write_line(FILE *f, json_t *line) {
  bool ok = line && json_dumpf(line, f, JSON_COMPACT) == 0 && putc('\n', f) != EOF;
  json_decref(line);
  return ok;
}

bool shard_write(const char *prefix, const test_list_t *list, char (*keys)[JournalKeySize],
                 const size_t *tests, size_t count, char error[TestErrorSize]) {
  char path[512];
  snprintf(path, sizeof path, "%.400s.jobs", prefix);
  FILE *f = fopen(path, "w");
  bool ok = f && write_line(f, json_pack("{s:s}", "program", journal_program_key()));
  for (size_t i = 0; ok && i < count; i++) {
    ok = write_line(f, test_json(&list->tests[tests[i]], keys[tests[i]]));
  }
  if (!ok || fclose(f) != 0) {
    snprintf(error, TestErrorSize, "%.300s: cannot be written: %s", path, strerror(errno));
    return false;
  }
  return true;
}

typedef struct {
  test_list_t list;
  char (*keys)[JournalKeySize];
  bool *finished;
} jobs_t;

static bool read_test(json_t *j, test_t *t, char key[JournalKeySize]) {
  const char *id, *name, *text;
  json_t *arguments, *argument;
  json_int_t seed, memory;
  int kind, repeat, counts, result;
  size_t i;
  if (json_unpack(j, "{s:s, s:s, s:s, s:i, s:I, s:i, s:F, s:b, s:I, s:b, s:o!}", "id", &id, "name",
                  &name, "key", &text, "kind", &kind, "seed", &seed, "repeat", &repeat, "seconds",
                  &t->seconds, "counts", &counts, "memory", &memory, "result", &result,
                  "arguments", &arguments) != 0 ||
      kind < TestUnit || kind > TestCommand || strlen(text) != JournalKeySize - 1 ||
      json_array_size(arguments) < 1 || json_array_size(arguments) > TestMaxArguments) {
    return false;
  }
  t->id = strdup(id);
  t->name = strdup(name);
  t->kind = (test_kind_e)kind;
  t->seed = (uint64_t)seed;
  t->repeat = (uint32_t)repeat;
  t->counts = counts;
  t->memory = (uint64_t)memory;
  t->result_wanted = result;
  snprintf(key, JournalKeySize, "%s", text);
  json_array_foreach(arguments, i, argument) {
    if (!json_is_string(argument)) {
      return false;
    }
    t->arguments[i] = strdup(json_string_value(argument));
  }
  return true;
}

static bool add_job(jobs_t *jobs, json_t *line) {
  size_t n = jobs->list.count;
  if ((n & (n - 1)) == 0) {
    size_t room = n ? 2 * n : 16;
    test_t *tests = realloc(jobs->list.tests, room * sizeof *tests);
    jobs->list.tests = tests ? tests : jobs->list.tests;
    void *keys = tests ? realloc(jobs->keys, room * sizeof *jobs->keys) : NULL;
    jobs->keys = keys ? keys : jobs->keys;
    if (!keys) {
      return false;
    }
  }
  jobs->list.tests[n] = (test_t){0};
  jobs->list.count++;
  return read_test(line, &jobs->list.tests[n], jobs->keys[n]);
}

static bool load(const char *prefix, jobs_t *jobs, char error[TestErrorSize]) {
  char path[512], *line = NULL;
  size_t room = 0, number = 0;
  snprintf(path, sizeof path, "%.400s.jobs", prefix);
  FILE *f = fopen(path, "r");
  if (!f) {
    snprintf(error, TestErrorSize, "%.300s: %s", path, strerror(errno));
    return false;
  }
  bool ok = true;
  while (ok && getline(&line, &room, f) > 0) {
    json_t *j = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
    const char *program = json_string_value(json_object_get(j, "program"));
    if (++number > 1) {
      ok = add_job(jobs, j);
    } else if ((ok = program != NULL) && strcmp(program, journal_program_key()) != 0) {
      snprintf(error, TestErrorSize, "%.300s: of another program than this machine has; "
               "expected the same folder on all machines, and nothing built meanwhile", path);
      ok = false;
    }
    json_decref(j);
  }
  if ((!ok || number == 0) && !error[0]) {
    snprintf(error, TestErrorSize, "%.300s:%zu:1: expected a test of a shard", path, number);
  }
  free(line);
  fclose(f);
  jobs->finished = calloc(jobs->list.count + 1, sizeof *jobs->finished);
  return ok && number > 0 && jobs->finished;
}

// ---- The attempts ----

static bool exists(const char *path) { return access(path, F_OK) == 0; }

// Where a test's files are in an attempt's folder. An id may be long, and stands in their names.
static void files_of(const char *id, const char *folder, char files[600]) {
  char digest[BaseSha256Text];
  base_sha256_t sha;
  base_sha256_begin(&sha);
  base_sha256_add(&sha, id, strlen(id));
  base_sha256_end(&sha, digest);
  snprintf(files, 600, "%s/%.16s", folder, digest);
}

static bool read_attempt(shard_reader_t *r, uint32_t attempt,
                         bool (*found)(void *context, const journal_entry_t *entry,
                                       const char *files),
                         void *context) {
  char folder[512], path[600], files[600], *line = NULL;
  size_t room = 0;
  ssize_t n;
  bool ok = true;
  snprintf(folder, sizeof folder, "%s/%u", r->prefix, attempt + 1);
  snprintf(path, sizeof path, "%s/journal.jsonl", folder);
  FILE *f = fopen(path, "r");  // anew each time: so a shared folder shows what is new
  if (!f) {
    return true;
  }
  ok = fseeko(f, r->read[attempt], SEEK_SET) == 0;
  while (ok && (n = getline(&line, &room, f)) > 0 && line[n - 1] == '\n') {
    journal_entry_t e;
    r->read[attempt] += n;
    if (journal_parse(line, &e)) {
      files_of(e.id, folder, files);
      ok = found(context, &e, files);
      free(e.id);
    }
  }
  free(line);
  fclose(f);
  return ok;
}

bool shard_read(shard_reader_t *r,
                bool (*found)(void *context, const journal_entry_t *entry, const char *files),
                void *context) {
  char path[512];
  bool ok = true;
  for (uint32_t next = r->attempts; next < ShardMaxAttempts; next++) {
    snprintf(path, sizeof path, "%s/%u", r->prefix, next + 1);
    if (!exists(path)) {
      break;
    }
    r->attempts = next + 1;
  }
  for (uint32_t i = 0; ok && i < r->attempts; i++) {
    ok = read_attempt(r, i, found, context);
  }
  return ok;
}

// Makes the folder of the next attempt: its number, or 0.
static uint32_t claim(const char *prefix, char folder[512], char error[TestErrorSize]) {
  if (mkdir(prefix, 0777) == 0 || errno == EEXIST) {
    for (uint32_t n = 1; n <= ShardMaxAttempts; n++) {
      snprintf(folder, 512, "%.400s/%u", prefix, n);
      if (mkdir(folder, 0777) == 0) {
        return n;
      }
      if (errno != EEXIST) {
        break;
      }
    }
  }
  snprintf(error, TestErrorSize, "%.300s: no attempt can begin: %s", prefix, strerror(errno));
  return 0;
}

// ---- The work ----

static volatile sig_atomic_t interrupted;

static void on_signal(int number) { interrupted = number; }

typedef struct {
  const char *prefix;
  uint32_t number;
  char folder[512];
  jobs_t *jobs;
  shard_reader_t others;
} attempt_t;

static bool mark(void *context, const journal_entry_t *entry, const char *files) {
  jobs_t *jobs = context;
  (void)files;
  for (size_t i = 0; i < jobs->list.count; i++) {
    if (strcmp(jobs->list.tests[i].id, entry->id) == 0 && strcmp(jobs->keys[i], entry->key) == 0) {
      jobs->finished[i] = true;
    }
  }
  return true;
}

// A later attempt, or another round, sees to what is left; or nobody wants it.
static bool is_superseded(const attempt_t *a) {
  char path[512], copy[ShardPathSize];
  snprintf(path, sizeof path, "%.400s/%u", a->prefix, a->number + 1);
  if (exists(path) || !exists(a->folder)) {
    return true;
  }
  snprintf(copy, sizeof copy, "%s", a->prefix);
  snprintf(path, sizeof path, "%.400s/over", dirname(copy));
  return exists(path);
}

static bool run_test(const attempt_t *a, const test_t *test, job_result_t *result,
                     char error[TestErrorSize]) {
  char files[600];
  job_t job;
  int status;
  struct rusage usage;
  files_of(test->id, a->folder, files);
  if (mkdir(files, 0777) != 0 || !job_start(&job, test, files)) {
    snprintf(error, TestErrorSize, "%.300s: no test can start: %s", files, strerror(errno));
    return false;
  }
  double charged = job.started;
  pid_t ended;
  while ((ended = wait4(job.pid, &status, WNOHANG, &usage)) == 0 && !interrupted) {
    double now = job_now();
    if (now - charged >= 0.05) {
      job_charge(&job, (now - charged) * job_share());
      charged = now;
    }
    nanosleep(&(struct timespec){0, 5000000}, NULL);
  }
  if (ended == job.pid) {
    job_judge(&job, status, &usage, job_now(), result);
  }
  kill(-job.pid, SIGKILL);  // what it may have left behind
  // A signal to all processes of a Slurm job may end the test first, which says nothing about it.
  if (ended == job.pid && result->verdict != JobPassed) {
    nanosleep(&(struct timespec){0, 200000000}, NULL);
  }
  return ended == job.pid && (!interrupted || result->verdict == JobPassed);
}

static shard_end_e work(attempt_t *a, journal_t *journal, char error[TestErrorSize]) {
  jobs_t *jobs = a->jobs;
  for (size_t i = 0; i < jobs->list.count && !interrupted && !is_superseded(a); i++) {
    const test_t *t = &jobs->list.tests[i];
    job_result_t result;
    shard_read(&a->others, mark, jobs);
    if (jobs->finished[i]) {
      continue;
    }
    if (!run_test(a, t, &result, error)) {
      return interrupted ? ShardInterrupted : ShardLacking;
    }
    jobs->finished[i] = true;
    if (!journal_add(journal, t, jobs->keys[i], &result, false, error) ||
        !journal_sync(journal, error)) {
      return ShardFailed;
    }
  }
  return interrupted ? ShardInterrupted : ShardDone;
}

static shard_end_e attempt(const char *prefix, jobs_t *jobs, char error[TestErrorSize]) {
  attempt_t a = {.prefix = prefix, .jobs = jobs};
  journal_t journal;
  snprintf(a.others.prefix, sizeof a.others.prefix, "%s", prefix);
  a.number = claim(prefix, a.folder, error);
  if (!a.number || !journal_open(&journal, a.folder, false, error)) {
    return ShardFailed;
  }
  shard_end_e end = work(&a, &journal, error);
  journal_close(&journal);
  return end;
}

shard_end_e shard_run(const char *prefix, char error[TestErrorSize]) {
  jobs_t jobs = {0};
  shard_end_e end = ShardBadFile;
  error[0] = '\0';
  signal(SIGINT, on_signal);
  signal(SIGTERM, on_signal);
  signal(SIGHUP, on_signal);
  if (load(prefix, &jobs, error)) {
    end = attempt(prefix, &jobs, error);
  }
  if (end != ShardDone && !error[0]) {
    snprintf(error, TestErrorSize, "%s",
             end == ShardInterrupted ? "interrupted" : "out of memory");
  }
  free(jobs.keys);
  free(jobs.finished);
  test_list_free(&jobs.list);
  return end;
}
