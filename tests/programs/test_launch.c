// SPDX-License-Identifier: Apache-2.0
// Launched tests, without a cluster: what the launched process writes and refuses, which results
// count, when an attempt is lost, and what goes on after the front end was killed.
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tb/regress/folders.h"
#include "tb/regress/launch.h"
#include "tests/programs/test.h"

static const char Key[] = "key";

typedef struct {
  char folder[64], logs[80];
  test_t test;
  launcher_t launcher;
  launch_t launch;
} fixture_t;

// The test leaves a result and a line for each time that it runs.
static int begin(void **state) {
  fixture_t *f = calloc(1, sizeof *f);
  launch_options_t options = LaunchDefaults;
  strcpy(f->folder, "/tmp/test_launch-XXXXXX");
  assert_non_null(mkdtemp(f->folder));
  snprintf(f->logs, sizeof f->logs, "%s/logs", f->folder);
  assert_int_equal(mkdir(f->logs, 0777), 0);
  f->test = (test_t){.id = strdup("t/1"),
                     .name = strdup("t"),
                     .kind = TestCommand,
                     .seconds = 60,
                     .repeat = 1,
                     .result_wanted = true};
  assert_true(test_add_word(&f->test.arguments, "sh") && test_add_word(&f->test.arguments, "-c") &&
              test_add_word(&f->test.arguments, "echo x >>%s/runs; echo {} >$0", f->folder) &&
              test_add_word(&f->test.arguments, "{result}"));
  options.prefix = "true";  // starts nothing
  options.lost_after = 1;
  assert_true(launcher_open(&f->launcher, &options, f->folder, false, NULL));
  *state = f;
  return 0;
}

static int end(void **state) {
  fixture_t *f = *state;
  launch_free(&f->launch);
  launcher_close(&f->launcher);
  test_clear(&f->test);
  assert_true(folder_remove(f->folder));
  free(f);
  return 0;
}

static void start(fixture_t *f) {
  launch_free(&f->launch);
  assert_true(launch_start(&f->launcher, &f->test, Key, &f->launch, NULL));
  assert_int_equal(waitpid(f->launch.pid, NULL, 0), f->launch.pid);
  f->launch.pid = 0;
}

static void put(const char *folder, const char *name, const char *words) {
  text_t path = {0};
  FILE *file = fopen(text_set(&path, "%s/%s", folder, name), "w");
  assert_non_null(file);
  fputs(words, file);
  fclose(file);
  text_free(&path);
}

static bool is_there(const char *folder, const char *name) {
  text_t path = {0};
  bool there = access(text_set(&path, "%s/%s", folder, name), F_OK) == 0;
  text_free(&path);
  return there;
}

static size_t count_runs(const fixture_t *f) {
  text_t path = {0};
  struct stat info = {0};
  stat(text_set(&path, "%s/runs", f->folder), &info);
  text_free(&path);
  return (size_t)info.st_size / 2;
}

static void put_result(const char *attempt, const char *key, double seconds) {
  text_t text = {0};
  put(attempt, "result.json",
      text_set(&text,
               "{\"verdict\":\"passed\",\"signature\":\"\",\"what\":\"\",\"digest\":\"\","
               "\"good\":1,\"bad\":0,\"seconds\":%.1f,\"cpu\":0.5,\"building\":0.0,\"key\":\"%s\"}",
               seconds, key));
  text_free(&text);
}

TEST_WITH(run_and_collect, begin, end) {
  fixture_t *f = *state;
  job_result_t result;
  start(f);
  assert_true(launched_run(f->launch.folder, NULL));
  assert_int_equal(count_runs(f), 1);
  assert_int_equal(launch_look(&f->launcher, Key, &f->launch, &result), LaunchEnded);
  assert_int_equal(result.verdict, JobPassed);
  job_result_free(&result);
  // A front end that was killed between a test's files and its line in the journal does it again.
  for (int i = 0; i < 2; i++) {
    char *attempt = launch_find(&f->launcher, &f->test, Key, &result);
    assert_string_equal(attempt, f->launch.folder);
    assert_true(launch_collect(attempt, f->logs, NULL));
    assert_true(is_there(f->logs, "t+1.json") && is_there(f->logs, "t+1.log"));
    job_result_free(&result);
    free(attempt);
  }
  launch_forget(&f->launcher, &f->test);
  assert_null(launch_find(&f->launcher, &f->test, Key, &result));
}

// Attempts overlap; one is of other sources, one is cut off in its result.
TEST_WITH(first_counts, begin, end) {
  fixture_t *f = *state;
  job_result_t result;
  start(f);
  put_result(f->launch.folder, "other", 1);
  start(f);
  put(f->launch.folder, "result.json", "{\"verdict\":\"pas");
  assert_null(launch_find(&f->launcher, &f->test, Key, &result));
  for (int i = 3; i <= 4; i++) {
    start(f);
    put_result(f->launch.folder, Key, i);
  }
  char *attempt = launch_find(&f->launcher, &f->test, Key, &result);
  assert_non_null(attempt);
  assert_true(result.seconds == 3);
  job_result_free(&result);
  free(attempt);
}

TEST_WITH(nobody_wants_it, begin, end) {
  fixture_t *f = *state;
  start(f);
  launch_give_up(&f->launch);
  assert_false(launched_run(f->launch.folder, NULL));
  assert_int_equal(count_runs(f), 0);
}

// A test that runs is ended by the mark, or if the folder goes.
TEST_WITH(ended_in_the_middle, begin, end) {
  fixture_t *f = *state;
  for (int kind = 0; kind < 2; kind++) {
    free(f->test.arguments[2]);
    f->test.arguments[2] = text_make("d=$(dirname \"$(dirname \"$0\")\"); %s; sleep 20",
                                     kind ? "rm -r $d" : "touch $d/over");
    err_t err = {0};
    start(f);
    assert_false(launched_run(f->launch.folder, &err));
    assert_non_null(strstr(err_text(&err), "the attempt is over"));
    err_free(&err);
  }
}

TEST_WITH(bad_files, begin, end) {
  fixture_t *f = *state;
  static const char *const Texts[][2] = {
      {"", "not a job"}, {"x", "not a job"}, {"{\"test\": 1}", "not a job"}};
  err_t err = {0};
  assert_false(launched_run(f->folder, &err));
  assert_non_null(strstr(err_text(&err), "No such file"));
  for (size_t i = 0; i < sizeof Texts / sizeof *Texts; i++) {
    put(f->folder, "job.json", Texts[i][0]);
    assert_false(launched_run(f->folder, &err));
    assert_non_null(strstr(err_text(&err), Texts[i][1]));
  }
  start(f);
  text_t path = {0};
  text_set(&path, "%s/job.json", f->launch.folder);
  json_t *job = json_load_file(text_string(&path), 0, NULL);
  json_object_set_new(job, "program", json_string("0"));
  json_object_set_new(job, "program_time", json_integer(1));
  assert_int_equal(json_dump_file(job, text_string(&path), 0), 0);
  json_decref(job);
  text_free(&path);
  assert_false(launched_run(f->launch.folder, &err));
  assert_int_equal(err.status, ErrInput);
  assert_non_null(strstr(err_text(&err), "another program"));
  assert_int_equal(count_runs(f), 0);
  err_free(&err);
}

static launch_state_e look_until(fixture_t *f, double seconds) {
  job_result_t result;
  launch_state_e state = LaunchRuns;
  for (double from = job_now(); state == LaunchRuns && job_now() - from < seconds;) {
    state = launch_look(&f->launcher, Key, &f->launch, &result);
    nanosleep(&(struct timespec){0, 20000000}, NULL);
  }
  return state;
}

TEST_WITH(lost, begin, end) {
  fixture_t *f = *state;
  start(f);
  assert_int_equal(look_until(f, 1.5), LaunchRuns);  // it may still wait for a machine
  f->launch.gone = job_now();
  assert_int_equal(look_until(f, 3), LaunchLost);
  start(f);
  put(f->launch.folder, "alive", "");
  assert_int_equal(look_until(f, 0.5), LaunchRuns);
  assert_true(f->launch.begun > 0);
  assert_int_equal(look_until(f, 3), LaunchLost);  // silent
}

TEST_WITH(adopted, begin, end) {
  fixture_t *f = *state;
  launch_t launch;
  start(f);  // it has not begun
  assert_false(launch_adopt(&f->launcher, &f->test, Key, &launch));
  assert_true(is_there(f->launch.folder, "over"));
  start(f);
  put(f->launch.folder, "alive", "");
  assert_false(launch_adopt(&f->launcher, &f->test, "other", &launch));
  start(f);
  put(f->launch.folder, "alive", "");
  assert_true(launch_adopt(&f->launcher, &f->test, Key, &launch));
  assert_string_equal(launch.folder, f->launch.folder);
  assert_false(is_there(launch.folder, "over"));
  launch_free(&launch);
  nanosleep(&(struct timespec){0, 700000000}, NULL);
  assert_false(launch_adopt(&f->launcher, &f->test, Key, &launch));
  assert_true(is_there(f->launch.folder, "over"));
}

int main(void) { return run_all_tests(NULL, NULL); }
