// SPDX-License-Identifier: Apache-2.0
#include "job.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "csim/base/seconds.h"
#include "csim/base/sha256.h"
#include "tb/harness/shell.h"

double job_now(void) { return seconds_wall(); }

void job_command(const test_t *test, char *text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (uint32_t i = 0; test->arguments[i]; i++) {
    const char *a = test->arguments[i], *next = test->arguments[i + 1];
    bool is_file = next && (strcmp(next, "{result}") == 0 || strcmp(next, "{picture}") == 0);
    if (is_file && (strcmp(a, "--json") == 0 || strcmp(a, "--image") == 0)) {
      i++;
      continue;
    }
    used = shell_add(text, size, used, a);
  }
}

void job_file(const char *id, const char *folder, const char *suffix, char *path, size_t size) {
  int used = snprintf(path, size, "%s/", folder);
  for (const char *c = id; *c && (size_t)used + 8 < size; c++) {
    path[used++] = *c == '/' ? '+' : *c;
  }
  snprintf(path + used, size - (size_t)used, "%s", suffix);
}

// NOCTURNE_BUILD names another folder than build/ for what the tests run, such as the programs
// that are built for coverage.
static const char *built(const char *path, char *other, size_t size) {
  const char *folder = getenv("NOCTURNE_BUILD");
  if (!folder || strncmp(path, "build/", 6) != 0) {
    return path;
  }
  snprintf(other, size, "%s/%s", folder, path + 6);
  return access(other, X_OK) == 0 ? other : path;
}

// In the child: limits, output, and the test.
static void become(const job_t *job) {
  const test_t *t = job->test;
  char *arguments[TestMaxArguments + 1], other[512];
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (t->memory) {
    struct rlimit memory = {t->memory, t->memory};
    setrlimit(RLIMIT_AS, &memory);
  }
  struct rlimit core = {0, 0};
  setrlimit(RLIMIT_CORE, &core);
  int log = open(job->log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  int none = open("/dev/null", O_RDONLY);
  if (log < 0 || none < 0) {
    _exit(127);
  }
  dup2(none, 0);
  dup2(log, 1);
  dup2(log, 2);
  // The regression repeats failures with waves itself, when it is asked to.
  setenv("NOCTURNE_NO_WAVES", "1", 1);
  setenv("NOCTURNE_REPORT", job->report, 1);
  setenv("NOCTURNE_BUILDS", job->builds, 1);
  if (t->kind <= TestPlay) {
    setenv("NOCTURNE_QUICK", "1", 1);
  }
  for (char **e = t->environment; e && *e; e++) {
    putenv(*e);
  }
  for (uint32_t i = 0; i <= TestMaxArguments; i++) {
    arguments[i] = t->arguments[i];
    if (!arguments[i]) {
      break;
    }
    if (strcmp(arguments[i], "{result}") == 0) {
      arguments[i] = (char *)job->result;
    } else if (strcmp(arguments[i], "{picture}") == 0) {
      arguments[i] = (char *)job->picture;
    }
    arguments[i] = strdup(built(arguments[i], other, sizeof other));
  }
  execvp(arguments[0], arguments);
  dprintf(2, "nocturne: cannot start %s: %s\n", arguments[0], strerror(errno));
  _exit(127);
}

void job_clean(const char *id, const char *folder) {
  static const char *const Suffixes[] = {".json", ".png", ".svg", ".builds"};
  char path[512];
  for (size_t i = 0; i < sizeof Suffixes / sizeof *Suffixes; i++) {
    job_file(id, folder, Suffixes[i], path, sizeof path);
    unlink(path);
  }
}

bool job_start(job_t *job, const test_t *test, const char *folder) {
  *job = (job_t){.test = test, .started = job_now()};
  job_file(test->id, folder, ".log", job->log, sizeof job->log);
  job_file(test->id, folder, ".json", job->result, sizeof job->result);
  job_file(test->id, folder, "", job->report, sizeof job->report);
  job_file(test->id, folder, ".png", job->picture, sizeof job->picture);
  job_file(test->id, folder, ".builds", job->builds, sizeof job->builds);
  job_clean(test->id, folder);
  fflush(NULL);
  job->pid = fork();
  if (job->pid == 0) {
    become(job);
  }
  return job->pid > 0;
}

double job_share(void) {
  unsigned running = 0;
  FILE *load = fopen("/proc/loadavg", "r");
  if (load && fscanf(load, "%*f %*f %*f %u/", &running) != 1) {
    running = 0;
  }
  if (load) {
    fclose(load);
  }
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  return processors < 1 || running <= (unsigned)processors ? 1
                                                           : (double)processors / (double)running;
}

void job_charge(job_t *job, double seconds) {
  job->charged += seconds;
  if (!job->timed_out && job->test->seconds > 0 && job->charged > job->test->seconds) {
    job->timed_out = true;
    kill(-job->pid, SIGKILL);
    kill(job->pid, SIGKILL);
  }
}

// ---- The verdict ----

static bool find_line(FILE *log, const char *const *starts, char *line, size_t size) {
  rewind(log);
  while (fgets(line, (int)size, log)) {
    line[strcspn(line, "\r\n")] = '\0';
    for (const char *const *s = starts; *s; s++) {
      if (strncmp(line, *s, strlen(*s)) == 0) {
        return true;
      }
    }
  }
  return false;
}

// "MISMATCH: unit 0, cycle ...", then "  signal NAME[1]: ..." give "MISMATCH unit NAME"; a line
// "  assertion LABEL FILE:LINE INSTANCE" adds all that it says.
static void sign(FILE *log, const char *first, job_result_t *r) {
  static const char *const signals[] = {"  signal ", NULL};
  static const char *const assertions[] = {"  assertion ", NULL};
  char kind[32] = "", unit[64] = "", line[1024], name[64] = "";
  sscanf(first, "%31[A-Z]: %63[a-z_]", kind, unit);
  if (find_line(log, signals, line, sizeof line)) {
    sscanf(line, "  signal %63[^:[]", name);
  }
  if (strcmp(kind, "HANG") == 0) {
    unit[0] = '\0';
  }
  bool asserts = find_line(log, assertions, line, sizeof line);
  snprintf(r->signature, sizeof r->signature, "%s%s%s%s%s%s%s", kind, unit[0] ? " " : "", unit,
           name[0] ? " " : "", name, asserts ? " " : "", asserts ? line + 2 : "");
}

static void fail(job_result_t *r, const char *signature, const char *what) {
  r->verdict = JobFailed;
  snprintf(r->signature, sizeof r->signature, "%s", signature);
  snprintf(r->what, sizeof r->what, "%s", what);
}

static void judge_report(const job_t *job, int code, job_result_t *r) {
  static const char *const reports[] = {"MISMATCH: ", "ASSERT: ", "PROTOCOL: ", "HANG: ",
                                        "FAILED: ", "SHRUNK: ", NULL};
  static const char *const complaints[] = {"nocturne: ", "[  FAILED  ] ", NULL};
  char line[1024] = "", text[64];
  FILE *log = fopen(job->log, "r");
  snprintf(text, sizeof text, "exit status %d", code);
  fail(r, text, text);
  if (!log) {
    return;
  }
  if (find_line(log, reports, line, sizeof line)) {
    snprintf(r->what, sizeof r->what, "%.*s", JobTextSize - 1, line);
    sign(log, line, r);
  } else if (find_line(log, complaints, line, sizeof line)) {
    const char *what = strchr(line, ' ') + 1;
    bool memory = strstr(line, "out of memory") || strstr(line, "memory exhausted");
    fail(r, memory ? "OUT OF MEMORY" : text, what);
  } else {
    rewind(log);
    while (fgets(line, sizeof line, log)) {
      if (strstr(line, "bad_alloc") || strstr(line, "out of memory")) {
        fail(r, "OUT OF MEMORY", "out of memory");
      }
    }
  }
  fclose(log);
}

static bool digest_of(json_t *result, char digest[65]) {
  json_object_del(result, "engine");
  json_object_del(result, "timing");
  char *text = json_dumps(result, JSON_COMPACT | JSON_SORT_KEYS);
  if (text) {
    base_sha256_t sha;
    base_sha256_begin(&sha);
    base_sha256_add(&sha, text, strlen(text));
    base_sha256_end(&sha, digest);
  }
  free(text);
  return text != NULL;
}

bool job_digest(const char *path, char digest[65]) {
  json_t *result = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
  bool ok = json_is_object(result) && digest_of(result, digest);
  json_decref(result);
  return ok;
}

// A test that ends well must also have written its result.
static void judge_result(const job_t *job, job_result_t *r) {
  json_error_t error;
  json_t *result = json_load_file(job->result, JSON_REJECT_DUPLICATES, &error);
  if (!json_is_object(result)) {
    char what[JobTextSize];
    bool missing = access(job->result, F_OK) != 0;
    snprintf(what, sizeof what, "%s", missing ? "it ended well without writing its result"
                                              : "its result is not a JSON object");
    fail(r, missing ? "NO RESULT" : "GARBAGE", what);
    json_decref(result);
    return;
  }
  const json_t *passed = json_object_get(result, "passed");
  if (passed && !json_is_true(passed)) {
    fail(r, "FAILED", "its result says that it failed");
  }
  digest_of(result, r->digest);
  json_decref(result);
}

// A log may hold anything; JSON and XML take text only.
static void make_plain(char *text) {
  for (; *text; text++) {
    *text = *text < ' ' || *text > '~' ? '?' : *text;
  }
}

// ---- Checks that count ----

// A line that a script of tests/ or a cmocka program prints for each check.
static bool is_good(const char *line) {
  return strncmp(line, "ok ", 3) == 0 || strncmp(line, "[       OK ] ", 13) == 0;
}

static bool is_bad(const char *line) {
  static const char Failed[] = "[  FAILED  ] ";
  const char *name = line + sizeof Failed - 1;
  if (strncmp(line, "not ok ", 7) == 0) {
    return true;
  }
  // Its summary begins so, too, and goes on with a number and words.
  return strncmp(line, Failed, sizeof Failed - 1) == 0 && *name &&
         name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")] ==
             '\0';
}

// The checks that the log shows; a test that failed otherwise, or checked nothing, has one bad one.
static void count_checks(const job_t *job, job_result_t *r) {
  char *line = NULL, first[JobTextSize] = "";
  size_t room = 0;
  FILE *log = fopen(job->log, "r");
  while (log && getline(&line, &room, log) > 0) {
    line[strcspn(line, "\r\n")] = '\0';
    r->good += is_good(line);
    r->bad += is_bad(line);
    if (!first[0] && is_bad(line)) {
      snprintf(first, sizeof first, "%s", line);
    }
  }
  free(line);
  if (log) {
    fclose(log);
  }
  if (r->bad > 0) {
    const char *name = first + (first[0] == 'n' ? 7 : 13);
    char signature[sizeof r->signature];
    snprintf(signature, sizeof signature, "not ok: %.*s", (int)strcspn(name, ":"), name);
    if (r->verdict == JobPassed || strncmp(r->signature, "exit status ", 12) == 0) {
      fail(r, signature, first);
    }
  } else if (r->verdict == JobPassed && r->good == 0) {
    fail(r, "NO CHECK", "it ended well without having checked anything");
  }
  r->bad += r->verdict != JobPassed && r->bad == 0;
}

// What the harness wrote of the units that it built: a line each, the last word their seconds.
static double built_seconds(const job_t *job) {
  char line[1024];
  double sum = 0;
  FILE *builds = fopen(job->builds, "r");
  while (builds && fgets(line, sizeof line, builds)) {
    const char *last = strrchr(line, ' ');
    double seconds = last ? strtod(last, NULL) : 0;
    sum += seconds > 0 && seconds < 1e6 ? seconds : 0;
  }
  if (builds) {
    fclose(builds);
  }
  return sum;
}

static double cpu_of(const struct rusage *u) {
  return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) +
         1e-6 * (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec);
}

void job_judge(const job_t *job, int status, const struct rusage *usage, double now,
               job_result_t *r) {
  char text[JobTextSize];
  *r = (job_result_t){.status = WIFEXITED(status) && !job->timed_out ? WEXITSTATUS(status) : -1,
                      .seconds = now - job->started,
                      .cpu = cpu_of(usage),
                      .building = built_seconds(job)};
  if (job->timed_out) {
    snprintf(text, sizeof text, "killed after %.0f seconds of an idle machine",
             job->test->seconds);
    fail(r, "TIME-OUT", text);
  } else if (WIFSIGNALED(status)) {
    int number = WTERMSIG(status);
    const char *name = sigabbrev_np(number);
    char signature[64];
    snprintf(signature, sizeof signature, "CRASH SIG%s", name ? name : "?");
    snprintf(text, sizeof text, "ended by SIG%s (%s)", name ? name : "?", strsignal(number));
    judge_report(job, number, r);
    // An allocation that fails often ends in abort.
    if (strcmp(r->signature, "OUT OF MEMORY") != 0) {
      fail(r, number == SIGKILL ? "KILLED" : signature, text);
    }
  } else if (WEXITSTATUS(status) != 0) {
    judge_report(job, WEXITSTATUS(status), r);
  } else if (job->test->result_wanted) {
    judge_result(job, r);
  }
  if (job->test->counts) {
    count_checks(job, r);
  } else {
    r->good = r->verdict == JobPassed;
    r->bad = !r->good;
  }
  make_plain(r->signature);
  make_plain(r->what);
}
