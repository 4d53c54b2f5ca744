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
#include <time.h>
#include <unistd.h>

#include "csim/base/sha256.h"
#include "tb/harness/shell.h"

double job_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

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

bool job_start(job_t *job, const test_t *test, const char *folder) {
  char drawing[512];
  *job = (job_t){.test = test, .started = job_now()};
  job_file(test->id, folder, ".log", job->log, sizeof job->log);
  job_file(test->id, folder, ".json", job->result, sizeof job->result);
  job_file(test->id, folder, "", job->report, sizeof job->report);
  job_file(test->id, folder, ".png", job->picture, sizeof job->picture);
  job_file(test->id, folder, ".svg", drawing, sizeof drawing);
  unlink(job->result);
  unlink(job->picture);
  unlink(drawing);
  fflush(NULL);
  job->pid = fork();
  if (job->pid == 0) {
    become(job);
  }
  return job->pid > 0;
}

void job_check_time(job_t *job, double now) {
  if (!job->timed_out && now - job->started > job->test->seconds) {
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

// "MISMATCH: unit 0, cycle ...", then "  signal NAME[1]: ..." give "MISMATCH unit NAME".
static void sign(FILE *log, const char *first, job_result_t *r) {
  static const char *const signals[] = {"  signal ", NULL};
  char kind[32] = "", unit[64] = "", line[1024], name[64] = "";
  sscanf(first, "%31[A-Z]: %63[a-z_]", kind, unit);
  if (find_line(log, signals, line, sizeof line)) {
    sscanf(line, "  signal %63[^:[]", name);
  }
  if (strcmp(kind, "HANG") == 0) {
    unit[0] = '\0';
  }
  snprintf(r->signature, sizeof r->signature, "%s%s%s%s%s", kind, unit[0] ? " " : "", unit,
           name[0] ? " " : "", name);
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

void job_judge(const job_t *job, int status, double now, job_result_t *r) {
  char text[JobTextSize];
  *r = (job_result_t){.seconds = now - job->started};
  if (job->timed_out) {
    snprintf(text, sizeof text, "killed after %.0f seconds", job->test->seconds);
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
  make_plain(r->signature);
  make_plain(r->what);
}
