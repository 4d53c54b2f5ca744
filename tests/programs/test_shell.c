// SPDX-License-Identifier: Apache-2.0
// Command lines: arguments as a shell reads them back.
#include <stdio.h>

#include "tb/harness/shell.h"
#include "tests/programs/test.h"

TEST(read_back) {
  char longest[5000] = "";
  memset(longest, 'l', sizeof longest - 1);
  const char *const Arguments[] = {
      "plain", "",  "two words", "it's",   "$HOME `x` \\", "a*b?[c]{d}", "~",     "#no",
      "a\nb",  "'", "--knob",    "n=1..2", "x;y&z|w",      "(a)<b>",     "\"q\"", longest};
  const size_t count = sizeof Arguments / sizeof *Arguments;
  char text[6000] = "";
  text_t command = {0}, expected = {0};
  shell_add(&command, "printf");
  shell_add(&command, "%s|");
  for (size_t i = 0; i < count; i++) {
    shell_add(&command, Arguments[i]);
    text_format(&expected, "%s|", Arguments[i]);
  }
  FILE *pipe = popen(text_string(&command), "r");
  assert_non_null(pipe);
  assert_int_equal(fread(text, 1, sizeof text - 1, pipe), expected.length);
  assert_int_equal(pclose(pipe), 0);
  assert_string_equal(text, text_string(&expected));
  text_free(&command);
  text_free(&expected);
}

TEST(plain_stays) {
  text_t command = {0};
  shell_add(&command, "build/nocturne");
  shell_add(&command, "gpus=8");
  assert_string_equal(text_string(&command), "build/nocturne gpus=8");
  text_free(&command);
}

int main(void) { return run_all_tests(NULL, NULL); }
