// SPDX-License-Identifier: Apache-2.0
// Texts that grow and errors with a status: csim/base/text.h and err.h.
#include "csim/base/err.h"
#include "csim/base/text.h"
#include "tests/programs/test.h"

TEST(test_grows) {
  text_t text = {0};
  assert_string_equal(text_string(&text), "");
  for (int i = 0; i < 10000; i++) {
    text_char(&text, (char)('a' + i % 26));
  }
  text_put(&text, " words");
  text_bytes(&text, "and\0bytes", 3);
  text_format(&text, " %d of %s", 7, "nine");
  assert_int_equal(text.length, 10000 + strlen(" wordsand 7 of nine"));
  assert_int_equal(strlen(text_string(&text)), text.length);
  assert_string_equal(text_string(&text) + 10000, " wordsand 7 of nine");
  assert_true(text.room > text.length);
  text_cut(&text, 20000);  // longer than it is: nothing happens
  text_cut(&text, 3);
  assert_string_equal(text_string(&text), "abc");
  text_format(&text, "%*s", 5000, "x");
  assert_int_equal(text.length, 5003);
  text_free(&text);
  assert_null(text.bytes);
}

TEST(test_takes) {
  text_t text = {0};
  char *empty = text_take(&text);
  assert_string_equal(empty, "");
  text_put(&text, "taken");
  char *taken = text_take(&text);
  assert_string_equal(taken, "taken");
  assert_null(text.bytes);
  char *made = text_make("%s/%03d", taken, 5);
  assert_string_equal(made, "taken/005");
  free(empty);
  free(taken);
  free(made);
}

// An addition that does not fit into memory is left out whole, and the text says so until it is
// freed.
TEST(test_fails) {
  text_t text = {0};
  text_put(&text, "kept");
  text_bytes(&text, "", SIZE_MAX / 2 - 64);
  assert_true(text.failed);
  assert_string_equal(text_string(&text), "kept");
  text_put(&text, " more");
  assert_null(text_take(&text));
  assert_false(text.failed);
}

TEST(test_error) {
  err_t err = {0}, other = {0};
  assert_false(err_is_set(&err));
  assert_string_equal(err_text(&err), "");
  assert_false(err_set(&err, ErrInput, "%s:%d: bad", "file", 3));
  assert_true(err_is_set(&err));
  assert_int_equal(err.status, ErrInput);
  assert_false(err_set(&err, ErrCheck, "again %s", err_text(&err)));  // the old text as argument
  assert_string_equal(err_text(&err), "again file:3: bad");
  assert_false(err_before(&err, "%s: ", "place"));
  assert_string_equal(err_text(&err), "place: again file:3: bad");
  assert_int_equal(err.status, ErrCheck);
  assert_false(err_move(&other, &err));
  assert_false(err_is_set(&err));
  assert_string_equal(err_text(&other), "place: again file:3: bad");
  assert_false(err_memory(&other, "list"));
  assert_int_equal(other.status, ErrMachine);
  assert_string_equal(err_text(&other), "list: out of memory");
  err_free(&other);
  assert_false(err_is_set(&other));
}

// A caller who does not want to know passes NULL.
TEST(test_nobody) {
  err_t err = {0};
  assert_false(err_set(NULL, ErrInput, "x"));
  assert_false(err_before(NULL, "x"));
  assert_false(err_memory(NULL, "x"));
  err_set(&err, ErrInput, "x");
  assert_false(err_move(NULL, &err));
  assert_false(err_is_set(&err));
  assert_false(err_is_set(NULL));
  assert_string_equal(err_text(NULL), "");
  err_free(NULL);
}

// Texts of any length reach the reader.
TEST(test_long) {
  err_t err = {0};
  char path[5000];
  memset(path, 'p', sizeof path - 1);
  path[sizeof path - 1] = '\0';
  err_set(&err, ErrInput, "%s: no such file", path);
  assert_int_equal(strlen(err_text(&err)), sizeof path - 1 + strlen(": no such file"));
  err_free(&err);
}

int main(void) { return run_all_tests(NULL, NULL); }
