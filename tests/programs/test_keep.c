// SPDX-License-Identifier: Apache-2.0
// Results kept by hash: csim/base/keep.h.
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "csim/base/keep.h"
#include "tests/programs/test.h"

static const char Folder[] = "build/test_keep";

static int start(void **state) {
  (void)state;
  return system("rm -rf build/test_keep && mkdir -p build/test_keep");
}

static void write_file(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static const char *hash_of(const char *text) {
  static char hash[BaseSha256Text];
  base_sha256_hex(text, strlen(text), hash);
  return hash;
}

TEST_WITH(test_entries, start, NULL) {
  err_t err = {0};
  size_t size = 0;
  const char *hash = hash_of("a");
  assert_false(keep_has("build/test_keep/k", hash, ".json"));
  assert_null(keep_take("build/test_keep/k", hash, ".json", NULL));
  assert_true(keep_put("build/test_keep/k", hash, ".json", "a\0b", 3, &err));
  assert_true(keep_has("build/test_keep/k", hash, ".json"));
  char *bytes = keep_take("build/test_keep/k", hash, ".json", &size);
  assert_int_equal(size, 3);
  assert_memory_equal(bytes, "a\0b", 4);
  free(bytes);
  assert_true(keep_take_file("build/test_keep/k", hash, ".json", "build/test_keep/out"));
  assert_true(keep_put_file("build/test_keep/k", hash, ".log", "build/test_keep/out", &err));
  assert_true(keep_put("build/test_keep/k", hash, ".json", "", 0, &err));
  bytes = keep_take("build/test_keep/k", hash, ".json", &size);
  assert_int_equal(size, 0);
  assert_string_equal(bytes, "");
  free(bytes);
  assert_int_equal(system("test $(find build/test_keep/k -type f | wc -l) = 2"), 0);
}

// Nothing is left behind, and what was there stays.
TEST_WITH(test_fails, start, NULL) {
  err_t err = {0};
  const char *hash = hash_of("b");
  assert_true(keep_put(Folder, hash, "", "old", 3, &err));
  assert_false(keep_put_file(Folder, hash, "", "build/test_keep/none", &err));
  assert_int_equal(err.status, ErrCheck);
  char *text = keep_take(Folder, hash, "", NULL);
  assert_string_equal(text, "old");
  free(text);
  write_file("build/test_keep/file", "");
  assert_false(keep_put("build/test_keep/file", hash, "", "x", 1, &err));
  assert_string_equal(err_text(&err) + strlen(err_text(&err)) - strlen("Not a directory"),
                      "Not a directory");
  assert_false(keep_take_file(Folder, hash, "", "build/test_keep/none/x"));
  assert_int_equal(system("test $(find build/test_keep -type f | wc -l) = 2"), 0);
  err_free(&err);
}

static void age(const char *hash, time_t seconds) {
  char *path = keep_path(Folder, hash, "");
  const struct timespec then[2] = {{time(NULL) - seconds, 0}, {time(NULL) - seconds, 0}};
  assert_int_equal(utimensat(AT_FDCWD, path, then, 0), 0);
  free(path);
}

TEST_WITH(test_limit, start, NULL) {
  err_t err = {0};
  char names[4][2] = {"0", "1", "2", "3"};
  for (time_t i = 0; i < 4; i++) {
    assert_true(keep_put(Folder, hash_of(names[i]), "", "ten bytes.", 10, &err));
    age(hash_of(names[i]), 1000 * (4 - i));
  }
  assert_int_equal(keep_limit(Folder, 0, 0), 0);
  assert_int_equal(keep_limit(Folder, 3500, 0), 1);
  free(keep_take(Folder, hash_of("1"), "", NULL));  // now the one used last
  assert_int_equal(keep_limit(Folder, 0, 20), 1);
  assert_true(keep_has(Folder, hash_of("1"), ""));
  assert_false(keep_has(Folder, hash_of("2"), ""));
  assert_true(keep_has(Folder, hash_of("3"), ""));
  assert_int_equal(keep_limit("build/test_keep/none", 1, 1), 0);
}

static const char *key_of(void (*add)(base_sha256_t *sha)) {
  static char keys[2][BaseSha256Text];
  static int which;
  base_sha256_t sha;
  base_sha256_begin(&sha);
  add(&sha);
  base_sha256_end(&sha, keys[which ^= 1]);
  return keys[which];
}

static void add_ab(base_sha256_t *sha) {
  keep_add_text(sha, "a");
  keep_add_text(sha, "b");
}

static void add_a_b(base_sha256_t *sha) {
  keep_add_text(sha, "ab");
  keep_add_text(sha, "");
}

static void add_tree(base_sha256_t *sha) {
  const char *const paths[] = {"build/test_keep/t", NULL};
  keep_add_trees(sha, paths, NULL);
}

static void add_sources(base_sha256_t *sha) {
  const char *const paths[] = {"build/test_keep/t", NULL}, *const ends[] = {".sv", ".svh", NULL};
  keep_add_trees(sha, paths, ends);
}

static void add_echo(base_sha256_t *sha) { keep_add_output(sha, "cat build/test_keep/version"); }

TEST_WITH(test_keys, start, NULL) {
  char before[BaseSha256Text];
  assert_string_not_equal(key_of(add_ab), key_of(add_a_b));
  write_file("build/test_keep/version", "1");
  strcpy(before, key_of(add_echo));
  assert_string_equal(before, key_of(add_echo));
  write_file("build/test_keep/version", "2");
  assert_string_not_equal(before, key_of(add_echo));
  mkdir("build/test_keep/t", 0777);
  mkdir("build/test_keep/t/in", 0777);
  write_file("build/test_keep/t/a.sv", "1");
  write_file("build/test_keep/t/in/b.sv", "1");
  const char *all = strcpy(before, key_of(add_tree));
  write_file("build/test_keep/t/in/b.sv", "2");
  assert_string_not_equal(all, key_of(add_tree));
  strcpy(before, key_of(add_sources));
  write_file("build/test_keep/t/in/b.sv", "3");  // not directly in the folder
  write_file("build/test_keep/t/notes", "3");
  assert_string_equal(before, key_of(add_sources));
  write_file("build/test_keep/t/a.sv", "4");
  assert_string_not_equal(before, key_of(add_sources));
}

int main(void) { return run_all_tests(NULL, NULL); }
