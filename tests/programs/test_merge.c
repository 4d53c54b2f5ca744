// SPDX-License-Identifier: Apache-2.0
// Shards of a regression, without a cluster: attempts that overlap, that end in the middle of a
// line, that come too late; what a merge takes of them, and what a shard does not run again.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tb/regress/merge.h"
#include "tb/regress/remove_tree.h"

enum { Count = 4 };

typedef struct {
  char folder[64], prefix[96], logs[96], runs[96];
  test_t tests[Count];
  test_list_t list;
  char keys[Count][JournalKeySize];
  bool left[Count];
  merge_t merge;
  uint32_t ended[Count];
  double seconds[Count];
} fixture_t;

static bool on_end(void *context, size_t test, const job_result_t *result,
                   char error[TestErrorSize]) {
  fixture_t *f = context;
  (void)error;
  f->ended[test]++;
  f->seconds[test] = result->seconds;
  return true;
}

// Each test appends its id to a file, whoever runs it, and leaves a result.
static int begin(void **state) {
  static char ids[Count][8], command[160];
  static char *const words[] = {"sh", "-c", command};
  fixture_t *f = calloc(1, sizeof *f);
  strcpy(f->folder, "/tmp/test_merge-XXXXXX");
  assert_non_null(mkdtemp(f->folder));
  snprintf(f->prefix, sizeof f->prefix, "%s/0", f->folder);
  snprintf(f->logs, sizeof f->logs, "%s/logs", f->folder);
  snprintf(f->runs, sizeof f->runs, "%s/runs", f->folder);
  assert_int_equal(mkdir(f->logs, 0777), 0);
  snprintf(command, sizeof command, "echo $1 >>%s; echo {} >$0", f->runs);
  f->list = (test_list_t){f->tests, Count};
  for (size_t i = 0; i < Count; i++) {
    snprintf(ids[i], sizeof ids[i], "t/%c", (char)('d' - i));  // not in the order of their ids
    f->tests[i] = (test_t){.id = ids[i], .name = "t", .kind = TestCommand, .seconds = 60,
                           .repeat = 1, .result_wanted = true};
    memcpy(f->tests[i].arguments, words, sizeof words);
    f->tests[i].arguments[3] = "{result}";
    f->tests[i].arguments[4] = ids[i];
    memset(f->keys[i], 'a' + (int)i, JournalKeySize - 1);
    f->left[i] = true;
  }
  f->merge = (merge_t){.list = &f->list, .keys = f->keys, .left = f->left, .logs = f->logs,
                       .ended = on_end, .context = f};
  assert_true(merge_open(&f->merge));
  *state = f;
  return 0;
}

static int end(void **state) {
  fixture_t *f = *state;
  merge_close(&f->merge);
  assert_true(remove_tree(f->folder));
  free(f);
  return 0;
}

static void write_jobs(fixture_t *f) {
  static const size_t All[] = {0, 1, 2, 3};
  char error[TestErrorSize];
  assert_true(shard_write(f->prefix, &f->list, f->keys, All, Count, error));
}

// A result in the journal of an attempt, as long as the test and its key say; cut: without its end.
static void write_entry(fixture_t *f, uint32_t attempt, size_t test, const char *key,
                        double seconds, bool cut) {
  char path[256];
  mkdir(f->prefix, 0777);
  snprintf(path, sizeof path, "%s/%u", f->prefix, attempt);
  mkdir(path, 0777);
  snprintf(path, sizeof path, "%s/%u/journal.jsonl", f->prefix, attempt);
  FILE *file = fopen(path, "a");
  assert_non_null(file);
  fprintf(file, "{\"id\":\"%s\",\"key\":\"%s\",\"cached\":false,\"verdict\":\"passed\","
          "\"signature\":\"\",\"what\":\"\",\"digest\":\"\",\"good\":1,\"bad\":0,\"seconds\":%.1f,"
          "\"cpu\":0.5,\"building\":0.0}%s", test < Count ? f->tests[test].id : "other", key,
          seconds, cut ? "" : "\n");
  fclose(file);
}

static void merge_again(fixture_t *f, shard_reader_t *reader) {
  char error[TestErrorSize];
  snprintf(reader->prefix, sizeof reader->prefix, "%s", f->prefix);
  assert_true(merge_shard(&f->merge, reader, error));
}

static size_t count_runs(const fixture_t *f) {
  size_t lines = 0;
  int c;
  FILE *file = fopen(f->runs, "r");
  while (file && (c = getc(file)) != EOF) {
    lines += c == '\n';
  }
  if (file) {
    fclose(file);
  }
  return lines;
}

static void first_counts_once(void **state) {
  fixture_t *f = *state;
  shard_reader_t reader = {0};
  write_entry(f, 1, 0, f->keys[0], 1, false);
  write_entry(f, 1, 1, f->keys[1], 2, false);
  merge_again(f, &reader);
  write_entry(f, 2, 1, f->keys[1], 9, false);  // under way in both attempts
  write_entry(f, 2, 2, f->keys[2], 3, false);
  write_entry(f, 1, 2, f->keys[2], 4, false);  // of both at once the earlier attempt
  write_entry(f, 2, 3, f->keys[0], 5, false);  // of other sources
  write_entry(f, 2, Count, f->keys[0], 5, false);
  merge_again(f, &reader);
  merge_again(f, &reader);
  const uint32_t ended[] = {1, 1, 1, 0};
  const double seconds[] = {1, 2, 4, 0};
  for (size_t i = 0; i < Count; i++) {
    assert_int_equal(f->ended[i], ended[i]);
    assert_true(f->seconds[i] == seconds[i]);
    assert_int_equal(f->left[i], !ended[i]);
  }
}

static void half_a_line_waits(void **state) {
  fixture_t *f = *state;
  shard_reader_t reader = {0};
  write_entry(f, 1, 0, f->keys[0], 1, true);
  merge_again(f, &reader);
  assert_int_equal(f->ended[0], 0);
  char path[256];
  snprintf(path, sizeof path, "%s/1/journal.jsonl", f->prefix);
  FILE *file = fopen(path, "a");
  assert_int_equal(fputs("\n", file), 1);
  fclose(file);
  write_entry(f, 1, 1, f->keys[1], 1, false);
  merge_again(f, &reader);
  assert_int_equal(f->ended[0], 1);
  assert_int_equal(f->ended[1], 1);
}

static void run_and_merge(void **state) {
  fixture_t *f = *state;
  shard_reader_t reader = {0};
  char error[TestErrorSize], path[512];
  write_jobs(f);
  assert_int_equal(shard_run(f->prefix, error), ShardDone);
  assert_int_equal(count_runs(f), Count);
  merge_again(f, &reader);
  for (size_t i = 0; i < Count; i++) {
    assert_int_equal(f->ended[i], 1);
    job_file(f->tests[i].id, f->logs, ".json", path, sizeof path);
    assert_int_equal(access(path, F_OK), 0);
    job_file(f->tests[i].id, f->logs, ".log", path, sizeof path);
    assert_int_equal(access(path, F_OK), 0);
    f->left[i] = i == 1;
  }
  // A merge that was killed between a test's files and its line in the journal does it again.
  reader = (shard_reader_t){0};
  merge_again(f, &reader);
  assert_int_equal(f->ended[0], 1);
  assert_int_equal(f->ended[1], 2);
  job_file(f->tests[1].id, f->logs, ".json", path, sizeof path);
  assert_int_equal(access(path, F_OK), 0);
}

static void finished_is_not_run(void **state) {
  fixture_t *f = *state;
  char error[TestErrorSize], path[256];
  write_jobs(f);
  write_entry(f, 1, 1, f->keys[1], 1, false);  // a lost node's
  write_entry(f, 2, 3, f->keys[3], 1, false);
  assert_int_equal(shard_run(f->prefix, error), ShardDone);
  assert_int_equal(count_runs(f), 2);
  snprintf(path, sizeof path, "%s/3/journal.jsonl", f->prefix);
  assert_int_equal(access(path, F_OK), 0);
}

// The first test of an attempt makes the folder of the next one, or the mark of the round's end.
static void later_attempt_ends_earlier(void **state) {
  fixture_t *f = *state;
  for (int kind = 0; kind < 2; kind++) {
    char error[TestErrorSize], command[256];
    char *const kept = f->tests[0].arguments[2];
    snprintf(command, sizeof command, kind ? "echo x >>%s; touch %s/over; echo {} >$0"
                                           : "echo x >>%s; mkdir %s/0/2; echo {} >$0", f->runs,
             f->folder);
    f->tests[0].arguments[2] = command;
    write_jobs(f);
    f->tests[0].arguments[2] = kept;
    unlink(f->runs);
    assert_int_equal(shard_run(f->prefix, error), ShardDone);
    assert_int_equal(count_runs(f), 1);
    assert_true(remove_tree(f->prefix));
  }
}

static void bad_files(void **state) {
  fixture_t *f = *state;
  static const char *const Texts[] = {"", "{\"program\": 1}\n", "x\n", "{\"program\":\"0\"}\n"};
  char error[TestErrorSize], path[256];
  snprintf(path, sizeof path, "%s.jobs", f->prefix);
  assert_int_equal(shard_run(f->prefix, error), ShardBadFile);
  assert_non_null(strstr(error, "No such file"));
  for (size_t i = 0; i < sizeof Texts / sizeof *Texts; i++) {
    FILE *file = fopen(path, "w");
    fputs(Texts[i], file);
    fclose(file);
    assert_int_equal(shard_run(f->prefix, error), ShardBadFile);
    assert_non_null(strstr(error, i == 3 ? "another program" : "expected a test"));
  }
  write_jobs(f);
  FILE *file = fopen(path, "a");
  fputs("{\"id\": \"t\"}\n", file);
  fclose(file);
  assert_int_equal(shard_run(f->prefix, error), ShardBadFile);
  assert_non_null(strstr(error, "0.jobs:6:1: expected a test"));
  assert_int_equal(count_runs(f), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(first_counts_once, begin, end),
      cmocka_unit_test_setup_teardown(half_a_line_waits, begin, end),
      cmocka_unit_test_setup_teardown(run_and_merge, begin, end),
      cmocka_unit_test_setup_teardown(finished_is_not_run, begin, end),
      cmocka_unit_test_setup_teardown(later_attempt_ends_earlier, begin, end),
      cmocka_unit_test_setup_teardown(bad_files, begin, end)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
