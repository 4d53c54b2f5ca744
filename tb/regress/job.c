// SPDX-License-Identifier: Apache-2.0
#include "job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "csim/base/seconds.h"
#include "tb/harness/shell.h"

double job_now(void) { return seconds_wall(); }

void job_command(const test_t *test, text_t *text) {
  for (char **a = test->arguments; *a; a++) {
    bool is_file = a[1] && (strcmp(a[1], "{result}") == 0 || strcmp(a[1], "{picture}") == 0);
    if (is_file && (strcmp(*a, "--json") == 0 || strcmp(*a, "--image") == 0)) {
      a++;
    } else {
      shell_add(text, *a);
    }
  }
}

const char *job_file(text_t *path, const char *folder, const char *id, const char *suffix) {
  text_set(path, "%s/", folder);
  size_t at = path->length;
  text_put(path, id);
  for (; at < path->length; at++) {
    if (path->bytes[at] == '/') path->bytes[at] = '+';
  }
  text_put(path, suffix);
  return text_string(path);
}

// Returns the argument, or, if NOCTURNE_BUILD names another folder than build/ for what tests run
// (the programs built for coverage), the same program there.
static char *built(char *argument) {
  const char *folder = getenv("NOCTURNE_BUILD");
  if (!folder || strncmp(argument, "build/", 6) != 0) return argument;
  char *other = text_make("%s/%s", folder, argument + 6);
  return other && access(other, X_OK) == 0 ? other : argument;
}

static void set_variable(const test_job_t *job, const char *name, const char *suffix) {
  text_t path = {0};
  setenv(name, job_file(&path, job->folder, job->test->id, suffix), 1);
  text_free(&path);
}

static char **child_arguments(const test_job_t *job) {
  const test_t *t = job->test;
  size_t count = 0;
  while (t->arguments[count]) count++;
  char **arguments = calloc(count + 1, sizeof *arguments);
  for (size_t i = 0; arguments && i < count; i++) {
    text_t path = {0};
    const char *suffix = strcmp(t->arguments[i], "{result}") == 0    ? ".json"
                         : strcmp(t->arguments[i], "{picture}") == 0 ? ".png"
                                                                     : NULL;
    arguments[i] = built(t->arguments[i]);
    if (suffix) arguments[i] = (char *)job_file(&path, job->folder, t->id, suffix);
  }
  return arguments;
}

// Runs in the child: sets limits, output and environment, and starts the test.
static void become(const test_job_t *job) {
  const test_t *t = job->test;
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Made before the limit of memory.
  char **arguments = child_arguments(job);
  text_t path = {0};
  int log = open(job_file(&path, job->folder, t->id, ".log"), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  int none = open("/dev/null", O_RDONLY);
  if (log < 0 || none < 0 || !arguments) _exit(127);
  dup2(none, 0);
  dup2(log, 1);
  dup2(log, 2);
  // The regression repeats failures with waves itself, when it is asked to.
  setenv("NOCTURNE_NO_WAVES", "1", 1);
  set_variable(job, "NOCTURNE_REPORT", "");
  set_variable(job, "NOCTURNE_BUILDS", ".builds");
  if (t->kind <= TestPlay) setenv("NOCTURNE_QUICK", "1", 1);
  for (char **e = t->environment; e && *e; e++) putenv(*e);
  if (t->memory) setrlimit(RLIMIT_AS, &(struct rlimit){t->memory, t->memory});
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  execvp(arguments[0], arguments);
  dprintf(2, "nocturne: cannot start %s: %s\n", arguments[0], strerror(errno));
  _exit(127);
}

void job_clean(const char *id, const char *folder) {
  static const char *const Suffixes[] = {".json", ".png", ".svg", ".builds"};
  text_t path = {0};
  for (size_t i = 0; i < sizeof Suffixes / sizeof *Suffixes; i++) {
    unlink(job_file(&path, folder, id, Suffixes[i]));
  }
  text_free(&path);
}

bool job_start(test_job_t *job, const test_t *test, const char *folder) {
  *job = (test_job_t){.test = test, .folder = strdup(folder), .started = job_now()};
  if (!job->folder) return false;
  job_clean(test->id, folder);
  fflush(NULL);
  job->pid = fork();
  if (job->pid == 0) become(job);
  return job->pid > 0;
}

void job_free(test_job_t *job) {
  free(job->folder);
  *job = (test_job_t){0};
}

double job_share(void) {
  unsigned running = 0;
  FILE *load = fopen("/proc/loadavg", "r");
  if (load && fscanf(load, "%*f %*f %*f %u/", &running) != 1) running = 0;
  if (load) fclose(load);
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  return processors < 1 || running <= (unsigned)processors ? 1
                                                           : (double)processors / (double)running;
}

void job_charge(test_job_t *job, double seconds) {
  job->charged += seconds;
  if (!job->timed_out && job->test->seconds > 0 && job->charged > job->test->seconds) {
    job->timed_out = true;
    kill(-job->pid, SIGKILL);
    kill(job->pid, SIGKILL);
  }
}
