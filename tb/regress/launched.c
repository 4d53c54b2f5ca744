// SPDX-License-Identifier: Apache-2.0
// The launched process: one test on another machine.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch.h"
#include "test_key.h"

static volatile sig_atomic_t interrupted;

static void on_signal(int number) { interrupted = number; }

typedef struct {
  const char *folder;  // of the attempt
  test_t test;
  const char *key;
  double beat;    // seconds between two touches
  double beaten;  // when the last one was
  json_t *json;   // job.json, which owns the key
} launched_t;

static bool read_words(json_t *list, char ***words) {
  size_t i;
  json_t *word;
  json_array_foreach(list, i, word) {
    if (!json_is_string(word) || !test_add_word(words, "%s", json_string_value(word))) return false;
  }
  return true;
}

static bool read_test(json_t *json, test_t *t) {
  const char *id, *name;
  json_t *arguments, *environment;
  json_int_t memory;
  int kind, counts, result;
  if (json_unpack(json, "{s:s, s:s, s:i, s:F, s:b, s:I, s:b, s:o, s:o}", "id", &id, "name", &name,
                  "kind", &kind, "seconds", &t->seconds, "counts", &counts, "memory", &memory,
                  "result", &result, "arguments", &arguments, "environment", &environment) != 0 ||
      kind < TestUnit || kind > TestCommand || json_array_size(arguments) < 1)
    return false;
  t->id = strdup(id);
  t->name = strdup(name);
  t->kind = (test_kind_e)kind;
  t->counts = counts;
  t->memory = (uint64_t)memory;
  t->result_wanted = result;
  return t->id && t->name && read_words(arguments, &t->arguments) &&
         read_words(environment, &t->environment);
}

// A program of another time may still be the same.
static bool is_same_program(json_int_t time, const char *key) {
  struct stat now = {0};
  stat("/proc/self/exe", &now);
  return (json_int_t)now.st_mtim.tv_sec * 1000000000 + now.st_mtim.tv_nsec == time ||
         strcmp(key, test_key_program()) == 0;
}

static bool read_job(launched_t *l, err_t *err) {
  text_t path = {0};
  const char *directory = "", *program = "";
  json_t *test = NULL, *environment = NULL;
  json_int_t time = 0;
  char **variables = NULL;
  l->json = json_load_file(text_set(&path, "%s/job.json", l->folder), 0, NULL);
  bool ok = l->json &&
            json_unpack(l->json, "{s:o, s:s, s:s, s:s, s:I, s:F, s:o}", "test", &test, "key",
                        &l->key, "directory", &directory, "program", &program, "program_time",
                        &time, "beat", &l->beat, "environment", &environment) == 0 &&
            read_test(test, &l->test) && read_words(environment, &variables);
  if (!ok) {
    err_set(err, ErrInput, "%s: %s", text_string(&path),
            access(text_string(&path), F_OK) == 0 ? "not a job" : strerror(errno));
  } else if (chdir(directory) != 0) {
    ok = err_set(err, ErrInput, "%s: %s", directory, strerror(errno));
  } else if (!is_same_program(time, program)) {
    ok = err_set(err, ErrInput,
                 "%s: of another program than this machine has; expected the same "
                 "folder on all machines, and nothing built meanwhile",
                 text_string(&path));
  }
  for (char **v = variables; v && *v; v++) {
    char *value = strchr(*v, '=');
    if (ok && value) {
      *value = '\0';
      setenv(*v, value + 1, 1);
    }
    free(*v);
  }
  free(variables);
  text_free(&path);
  return ok;
}

// Returns false if nobody wants the result any more.
static bool is_wanted(const launched_t *l) {
  text_t path = {0};
  bool over = access(text_set(&path, "%s/over", l->folder), F_OK) == 0 ||
              access(text_set(&path, "%s/job.json", l->folder), F_OK) != 0;
  text_free(&path);
  return !over;
}

// Touches `alive`, when it is time to. Returns false if the test is to end.
static bool beat(launched_t *l, err_t *err) {
  double now = job_now();
  if (interrupted) return err_set(err, ErrCheck, "interrupted");
  if (l->beaten > 0 && now - l->beaten < l->beat) return true;
  if (!is_wanted(l)) return err_set(err, ErrCheck, "%s: the attempt is over", l->folder);
  text_t path = {0};
  int alive = open(text_set(&path, "%s/alive", l->folder), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  bool ok =
      (alive >= 0 && futimens(alive, NULL) == 0) || l->beaten > 0 ||
      err_set(err, ErrCheck, "%s: cannot be written: %s", text_string(&path), strerror(errno));
  if (alive >= 0) close(alive);
  text_free(&path);
  l->beaten = now;
  return ok;
}

static bool run_test(launched_t *l, job_result_t *result, err_t *err) {
  text_t files = {0};
  test_job_t job = {0};
  int status = 0;
  struct rusage usage;
  text_set(&files, "%s/files", l->folder);
  bool ok =
      (mkdir(text_string(&files), 0777) == 0 && job_start(&job, &l->test, text_string(&files))) ||
      err_set(err, ErrCheck, "%s: no test can start: %s", text_string(&files), strerror(errno));
  double charged = job.started;
  pid_t ended = 0;
  while (ok && (ended = wait4(job.pid, &status, WNOHANG, &usage)) == 0 && (ok = beat(l, err))) {
    double now = job_now();
    if (now - charged >= 0.05) {
      job_charge(&job, (now - charged) * job_share());
      charged = now;
    }
    nanosleep(&(struct timespec){0, 5000000}, NULL);
  }
  ok = ok && (job_judge(&job, status, &usage, job_now(), result) || err_memory(err, l->test.id));
  if (job.pid > 0) kill(-job.pid, SIGKILL);  // what it may have left behind
  // A signal to all processes of a launched job may end the test first, which says nothing about
  // it.
  if (ok && result->verdict != JobPassed) {
    nanosleep(&(struct timespec){0, 200000000}, NULL);
    if (interrupted) ok = err_set(err, ErrCheck, "interrupted");
  }
  job_free(&job);
  text_free(&files);
  return ok;
}

// Writes a file whole, and out to the server.
static bool write_result(const launched_t *l, const job_result_t *result, err_t *err) {
  text_t path = {0}, fresh = {0};
  json_t *json = job_result_json(result);
  text_set(&path, "%s/result.json", l->folder);
  text_set(&fresh, "%s.new", text_string(&path));
  int file = open(text_string(&fresh), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  bool ok = file >= 0 && json && json_object_set_new(json, "key", json_string(l->key)) == 0 &&
            json_dumpfd(json, file, JSON_COMPACT) == 0 && fsync(file) == 0;
  ok = (file < 0 || close(file) == 0) && ok && rename(text_string(&fresh), text_string(&path)) == 0;
  if (!ok) {
    err_set(err, ErrCheck, "%s: cannot be written: %s", text_string(&path), strerror(errno));
  }
  json_decref(json);
  text_free(&path);
  text_free(&fresh);
  return ok;
}

bool launched_run(const char *attempt, err_t *err) {
  launched_t l = {.folder = attempt};
  job_result_t result = {0};
  signal(SIGINT, on_signal);
  signal(SIGTERM, on_signal);
  signal(SIGHUP, on_signal);
  bool ok = read_job(&l, err) && beat(&l, err) && run_test(&l, &result, err) &&
            write_result(&l, &result, err);
  job_result_free(&result);
  test_clear(&l.test);
  json_decref(l.json);
  return ok;
}
