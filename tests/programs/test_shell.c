// SPDX-License-Identifier: Apache-2.0
// Command lines: arguments as a shell reads them back, and what does not fit.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tb/harness/shell.h"

static void read_back(void **state) {
  (void)state;
  static const char *const Arguments[] = {
      "plain", "",  "two words", "it's",   "$HOME `x` \\", "a*b?[c]{d}", "~",    "#no",
      "a\nb",  "'", "--knob",    "n=1..2", "x;y&z|w",      "(a)<b>",     "\"q\""};
  const size_t count = sizeof Arguments / sizeof *Arguments;
  char command[1024] = "", text[256] = "", expected[256] = "";
  size_t used = shell_add(command, sizeof command, 0, "printf"), length = 0;
  used = shell_add(command, sizeof command, used, "%s|");
  for (size_t i = 0; i < count; i++) {
    used = shell_add(command, sizeof command, used, Arguments[i]);
    length += (size_t)snprintf(expected + length, sizeof expected - length, "%s|", Arguments[i]);
  }
  assert_int_equal(used, strlen(command));
  FILE *pipe = popen(command, "r");
  assert_non_null(pipe);
  assert_int_equal(fread(text, 1, sizeof text - 1, pipe), length);
  assert_int_equal(pclose(pipe), 0);
  assert_string_equal(text, expected);
}

static void plain_stays(void **state) {
  (void)state;
  char command[64] = "";
  size_t used = shell_add(command, sizeof command, 0, "build/nocturne");
  used = shell_add(command, sizeof command, used, "gpus=8");
  assert_string_equal(command, "build/nocturne gpus=8");
}

static void cut(void **state) {
  (void)state;
  char command[8];
  memset(command, 'x', sizeof command);
  size_t used = shell_add(command, 7, 0, "abcd");
  used = shell_add(command, 7, used, "e f g h");
  assert_int_equal(used, 6);
  assert_string_equal(command, "abcd '");
  assert_int_equal(shell_add(command, 7, used, "more"), 6);
  assert_int_equal(command[7], 'x');
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(read_back), cmocka_unit_test(plain_stays),
                                     cmocka_unit_test(cut)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
