// SPDX-License-Identifier: Apache-2.0
// The verdict of a test, from its exit status, its result file and what it printed.
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "csim/base/sha256.h"
#include "job.h"

typedef struct {
  const test_job_t *job;
  job_result_t *result;
  text_t signature, what;
  FILE *log;   // of the test; NULL: there is none
  char *line;  // of the log
  size_t room;
} judge_t;

static void fail(judge_t *j, const char *signature, const char *what) {
  j->result->verdict = JobFailed;
  text_set(&j->signature, "%s", signature);
  text_set(&j->what, "%s", what);
}

// Reads the next line of the log into j->line, without its end.
static bool next_line(judge_t *j) {
  if (!j->log || getline(&j->line, &j->room, j->log) < 0) return false;
  j->line[strcspn(j->line, "\r\n")] = '\0';
  return true;
}

// Finds the first line with one of these beginnings.
static bool find_line(judge_t *j, const char *const *starts) {
  if (j->log) rewind(j->log);
  while (next_line(j)) {
    for (const char *const *s = starts; *s; s++) {
      if (strncmp(j->line, *s, strlen(*s)) == 0) return true;
    }
  }
  return false;
}

// Makes the signature of a report: "MISMATCH: unit 0, cycle ...", then "  signal NAME[1]: ..." give
// "MISMATCH unit NAME"; a line "  assertion LABEL FILE:LINE INSTANCE" adds all that it says.
static void sign(judge_t *j) {
  static const char *const Signals[] = {"  signal ", NULL};
  static const char *const Assertions[] = {"  assertion ", NULL};
  const char *first = text_string(&j->what);
  size_t kind = strspn(first, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
  const char *unit = first[kind] == ':' ? first + kind + 1 + strspn(first + kind + 1, " ") : "";
  bool hangs = strncmp(first, "HANG:", 5) == 0;
  size_t unit_length = hangs ? 0 : strspn(unit, "abcdefghijklmnopqrstuvwxyz_");
  text_set(&j->signature, "%.*s", (int)kind, first);
  if (unit_length > 0) text_format(&j->signature, " %.*s", (int)unit_length, unit);
  if (find_line(j, Signals)) {
    const char *name = j->line + strlen(Signals[0]);
    int length = (int)strcspn(name, ":[");
    if (length > 0) text_format(&j->signature, " %.*s", length, name);
  }
  if (find_line(j, Assertions)) text_format(&j->signature, " %s", j->line + 2);
}

// Programs that are not ours have no exit status for this.
static bool ran_out_of_memory(judge_t *j) {
  if (j->log) rewind(j->log);
  while (next_line(j)) {
    if (strstr(j->line, "bad_alloc") || strstr(j->line, "out of memory") ||
        strstr(j->line, "Cannot allocate memory")) {
      return true;
    }
  }
  return false;
}

static void judge_report(judge_t *j, const char *otherwise) {
  static const char *const Reports[] = {
      "MISMATCH: ", "ASSERT: ", "LOOP: ", "PROTOCOL: ", "HANG: ", "FAILED: ", "SHRUNK: ", NULL};
  static const char *const Complaints[] = {"nocturne: ", "[  FAILED  ] ", NULL};
  fail(j, otherwise, otherwise);
  if (find_line(j, Reports)) {
    text_set(&j->what, "%s", j->line);
    sign(j);
  } else if (find_line(j, Complaints)) {
    text_set(&j->what, "%s", strchr(j->line, ' ') + 1);
  } else if (ran_out_of_memory(j)) {
    fail(j, "OUT OF MEMORY", "out of memory");
  }
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

// Refuses a test that ends well without a result that passes.
static void judge_result(judge_t *j) {
  text_t path = {0};
  job_file(&path, j->job->folder, j->job->test->id, ".json");
  json_t *result = json_load_file(text_string(&path), JSON_REJECT_DUPLICATES, NULL);
  const json_t *passed = json_object_get(result, "passed");
  if (json_is_object(result)) {
    if (passed && !json_is_true(passed)) fail(j, "FAILED", "its result says that it failed");
    digest_of(result, j->result->digest);
  } else if (access(text_string(&path), F_OK) != 0) {
    fail(j, "NO RESULT", "it ended well without writing its result");
  } else {
    fail(j, "GARBAGE", "its result is not a JSON object");
  }
  json_decref(result);
  text_free(&path);
}

// ---- Checks that count ----

static const char CmockaBad[] = "[  FAILED  ] ", ScriptBad[] = "not ok ";

// A script of tests/ or a cmocka program prints such a line for each check.
static bool is_good(const char *line) {
  return strncmp(line, "ok ", 3) == 0 || strncmp(line, "[       OK ] ", 13) == 0;
}

// Returns the name of the check that failed, or NULL.
static const char *bad_name(const char *line) {
  if (strncmp(line, ScriptBad, strlen(ScriptBad)) == 0) return line + strlen(ScriptBad);
  const char *name = line + strlen(CmockaBad);
  // The summary of cmocka begins with the same mark, and goes on with a number and words.
  return strncmp(line, CmockaBad, strlen(CmockaBad)) == 0 && *name &&
                 !name[strspn(name,
                              "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")]
             ? name
             : NULL;
}

// Counts the checks in the log. A test that failed in another way, or checked nothing, has one bad
// check.
static void count_checks(judge_t *j) {
  job_result_t *r = j->result;
  text_t first = {0}, signature = {0};
  if (j->log) rewind(j->log);
  while (next_line(j)) {
    const char *name = bad_name(j->line);
    r->good += is_good(j->line);
    r->bad += name != NULL;
    if (name && !first.length) {
      text_set(&first, "%s", j->line);
      text_set(&signature, "not ok: %.*s", (int)strcspn(name, ":"), name);
    }
  }
  bool unnamed = strncmp(text_string(&j->signature), "exit status ", 12) == 0;
  if (r->bad > 0 && (r->verdict == JobPassed || unnamed)) {
    fail(j, text_string(&signature), text_string(&first));
  } else if (r->bad == 0 && r->verdict == JobPassed && r->good == 0) {
    fail(j, "NO CHECK", "it ended well without having checked anything");
  }
  r->bad += r->verdict != JobPassed && r->bad == 0;
  text_free(&first);
  text_free(&signature);
}

// ---- All ----

// Sums the last words of the lines that the harness wrote, one for each unit that it built.
static double built_seconds(const test_job_t *job) {
  text_t path = {0};
  char *line = NULL;
  size_t room = 0;
  double sum = 0;
  FILE *builds = fopen(job_file(&path, job->folder, job->test->id, ".builds"), "r");
  while (builds && getline(&line, &room, builds) > 0) {
    const char *last = strrchr(line, ' ');
    double seconds = last ? strtod(last, NULL) : 0;
    sum += seconds > 0 && seconds < 1e6 ? seconds : 0;
  }
  if (builds) fclose(builds);
  free(line);
  text_free(&path);
  return sum;
}

static double cpu_of(const struct rusage *u) {
  return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) +
         1e-6 * (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec);
}

static void judge_signal(judge_t *j, int number) {
  const char *name = sigabbrev_np(number);
  text_t text = {0}, signature = {0};
  text_set(&text, "exit status %d", number);
  judge_report(j, text_string(&text));
  // An allocation that fails often ends in abort.
  if (strcmp(text_string(&j->signature), "OUT OF MEMORY") != 0) {
    text_set(&signature, "CRASH SIG%s", name ? name : "?");
    text_set(&text, "ended by SIG%s (%s)", name ? name : "?", strsignal(number));
    fail(j, number == SIGKILL ? "KILLED" : text_string(&signature), text_string(&text));
  }
  text_free(&text);
  text_free(&signature);
}

static void judge_status(judge_t *j, int status) {
  text_t text = {0};
  if (j->job->timed_out) {
    text_set(&text, "killed after %.0f seconds of an idle machine", j->job->test->seconds);
    fail(j, "TIME-OUT", text_string(&text));
  } else if (WIFSIGNALED(status)) {
    judge_signal(j, WTERMSIG(status));
  } else if (WEXITSTATUS(status) != 0) {
    text_set(&text, "exit status %d", WEXITSTATUS(status));
    judge_report(j, text_string(&text));
  } else if (j->job->test->result_wanted) {
    judge_result(j);
  }
  text_free(&text);
}

// Adds a full disk to what a test says, because it is the cause of whatever else failed.
static void add_full_disk(judge_t *j) {
  static const char Reason[] = "No space left on device";
  if (j->result->verdict == JobPassed || strstr(text_string(&j->what), Reason)) return;
  if (j->log) rewind(j->log);
  while (next_line(j)) {
    if (strstr(j->line, Reason)) {
      text_format(&j->what, " (its log has: %s)", Reason);
      return;
    }
  }
}

// A log may hold anything; JSON and XML take text only.
static char *plain(text_t *text) {
  for (size_t i = 0; i < text->length; i++) {
    if (text->bytes[i] < ' ' || text->bytes[i] > '~') text->bytes[i] = '?';
  }
  return text_take(text);
}

bool job_judge(const test_job_t *job, int status, const struct rusage *usage, double now,
               job_result_t *r) {
  judge_t j = {.job = job, .result = r};
  text_t path = {0};
  *r = (job_result_t){.status = WIFEXITED(status) && !job->timed_out ? WEXITSTATUS(status) : -1,
                      .seconds = now - job->started,
                      .cpu = cpu_of(usage),
                      .building = built_seconds(job),
                      .peak_memory = (uint64_t)usage->ru_maxrss * 1024};
  j.log = fopen(job_file(&path, job->folder, job->test->id, ".log"), "r");
  judge_status(&j, status);
  if (job->test->counts) {
    count_checks(&j);
  } else {
    r->good = r->verdict == JobPassed;
    r->bad = !r->good;
  }
  add_full_disk(&j);
  if (j.log) fclose(j.log);
  free(j.line);
  text_free(&path);
  r->signature = plain(&j.signature);
  r->what = plain(&j.what);
  if (r->signature && r->what) return true;
  job_result_free(r);
  return false;
}
