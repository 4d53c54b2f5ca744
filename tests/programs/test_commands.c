// SPDX-License-Identifier: Apache-2.0
// Sets of commands: exit status, limits, environment, logs, order of the ends; the cache by key;
// going on with a set that was cut off.
#include <stdio.h>
#include <unistd.h>

#include "tb/regress/commands.h"
#include "tb/regress/folders.h"
#include "tests/programs/test.h"

typedef struct {
  char folder[64];
  uint32_t ended;
} fixture_t;

static int begin(void **state) {
  fixture_t *f = calloc(1, sizeof *f);
  strcpy(f->folder, "/tmp/test_commands-XXXXXX");
  assert_non_null(mkdtemp(f->folder));
  *state = f;
  return 0;
}

static int end(void **state) {
  fixture_t *f = *state;
  assert_true(folder_remove(f->folder));
  free(f);
  return 0;
}

static void on_end(void *context, size_t command, const command_end_t *e) {
  fixture_t *f = context;
  (void)command;
  assert_non_null(e->what);
  f->ended++;
}

static commands_options_t options_of(fixture_t *f) {
  f->ended = 0;
  return (commands_options_t){.folder = f->folder,
                              .jobs = 2,
                              .quiet = true,
                              .use_cache = true,
                              .ended = on_end,
                              .context = f};
}

static void log_is(const command_end_t *e, const char *expected) {
  char text[200] = "";
  FILE *log = fopen(e->log, "r");
  assert_non_null(log);
  text[fread(text, 1, sizeof text - 1, log)] = '\0';
  fclose(log);
  assert_string_equal(text, expected);
}

#define SHELL(...) \
  (const char *const[]) { "sh", "-c", __VA_ARGS__, NULL }

TEST_WITH(ends_are_told, begin, end) {
  fixture_t *f = *state;
  // A process of its shell holds the memory of "large".
  const command_t commands[] = {
      {.name = "good",
       .arguments = SHELL("echo $WORD $0", "x y"),
       .environment = (const char *const[]){"WORD=a b", NULL}},
      {.name = "refuted/2", .arguments = SHELL("echo nocturne: no; exit 2")},
      {.name = "crash", .arguments = SHELL("kill -SEGV $$")},
      {.name = "long", .arguments = (const char *const[]){"sleep", "50", NULL}, .seconds = 0.5},
      {.name = "missing", .arguments = (const char *const[]){"./no/such", NULL}},
      {.name = "large",
       .arguments =
           SHELL("dd if=/dev/zero of=/dev/null bs=100000000 count=1 2>/dev/null; exit 1")}};
  enum { Count = sizeof commands / sizeof *commands };
  command_end_t ends[Count];
  const commands_options_t options = options_of(f);
  err_t err = {0};
  assert_true(commands_run(commands, Count, &options, ends, &err));
  assert_int_equal(f->ended, Count);
  const int status[] = {0, 2, -1, -1, 127, 1};
  for (size_t i = 0; i < Count; i++) {
    assert_int_equal(ends[i].status, status[i]);
    assert_int_equal(ends[i].passed, i == 0);
    assert_false(ends[i].cached);
  }
  log_is(&ends[0], "a b x y\n");
  assert_string_equal(ends[1].what, "no");
  assert_in_range(ends[0].peak_memory, 100000, 99999999);
  assert_in_range(ends[Count - 1].peak_memory, 100000000, 199999999);
  commands_free(ends, Count);
}

// A command with a key that passed is not run again, and its log is there all the same.
TEST_WITH(passed_are_kept, begin, end) {
  fixture_t *f = *state;
  char text[200];
  snprintf(text, sizeof text, "echo x >>%s/runs; wc -l <%s/runs", f->folder, f->folder);
  command_t commands[] = {{.name = "kept", .arguments = SHELL(text), .key = "1"},
                          {.name = "free", .arguments = SHELL("echo free")},
                          {.name = "bad", .arguments = SHELL("exit 1"), .key = "1b"}};
  const commands_options_t options = options_of(f);
  static const char *const Logs[] = {"1\n", "1\n", "2\n"};
  for (uint32_t run = 0; run < 3; run++) {
    command_end_t ends[3];
    if (run == 2) commands[0].key = "2";
    assert_true(commands_run(commands, 3, &options, ends, NULL));
    assert_int_equal(ends[0].cached, run == 1);
    assert_true(ends[0].peak_memory > 0);
    assert_false(ends[1].cached);
    assert_false(ends[2].cached);
    log_is(&ends[0], Logs[run]);
    commands_free(ends, 3);
  }
}

TEST_WITH(resumed, begin, end) {
  fixture_t *f = *state;
  const command_t commands[] = {{.name = "a", .arguments = SHELL("exit 3")},
                                {.name = "b", .arguments = SHELL("exit 4")}};
  commands_options_t options = options_of(f);
  command_end_t ends[2];
  assert_true(commands_run(commands, 1, &options, ends, NULL));
  commands_free(ends, 1);
  options.resume = true;
  f->ended = 0;
  assert_true(commands_run(commands, 2, &options, ends, NULL));
  assert_int_equal(f->ended, 2);
  assert_true(ends[0].cached);
  assert_int_equal(ends[0].status, 3);
  assert_false(ends[1].cached);
  assert_int_equal(ends[1].status, 4);
  commands_free(ends, 2);
}

TEST_WITH(refused, begin, end) {
  fixture_t *f = *state;
  const command_t command = {.name = "a", .arguments = SHELL("exit 0")};
  command_end_t end;
  err_t err = {0};
  commands_options_t options = options_of(f);
  options.folder = "/dev/null/x";
  assert_false(commands_run(&command, 1, &options, &end, &err));
  assert_int_equal(err.status, ErrCheck);
  assert_non_null(strstr(err_text(&err), "/dev/null"));
  commands_free(&end, 1);
  err_free(&err);
}

int main(void) { return run_all_tests(NULL, NULL); }
