// SPDX-License-Identifier: Apache-2.0
#include "test_key.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "csim/base/keep.h"
#include "csim/base/place.h"
#include "csim/machine/machine_config.h"

// The program as it was when it was hashed; zeros before.
static struct stat program;

bool test_key_program_changed(void) {
  struct stat now = {0};
  return program.st_ino && (stat(place_program(), &now) != 0 || now.st_ino != program.st_ino ||
                            now.st_mtim.tv_sec != program.st_mtim.tv_sec ||
                            now.st_mtim.tv_nsec != program.st_mtim.tv_nsec);
}

const char *test_key_program(void) {
  static char key[TestKeySize];
  if (!key[0]) {
    stat(place_program(), &program);
    base_sha256_t sha;
    base_sha256_begin(&sha);
    keep_add_file(&sha, place_program());
    base_sha256_end(&sha, key);
  }
  return key;
}

const char *test_key_units(void) {
  static char key[TestKeySize];
  if (!key[0]) {
    static const char *const Trees[] = {"rtl", "dpi", "csim/unit", "csim/units", "tb/units"};
    static const char *const Files[] = {"tb/unit.mk", "tb/harness/verilated.cpp"};
    base_sha256_t sha;
    base_sha256_begin(&sha);
    for (size_t i = 0; i < sizeof Files / sizeof *Files; i++) {
      char *path = place_find(Files[i]);
      keep_add_file(&sha, path ? path : Files[i]);
      free(path);
    }
    for (size_t i = 0; i < sizeof Trees / sizeof *Trees; i++) {
      char *path = place_find(Trees[i]);
      keep_add_trees(&sha, (const char *const[]){path ? path : Trees[i], NULL}, NULL);
      free(path);
    }
    base_sha256_end(&sha, key);
  }
  return key;
}

// Program and units, the same for every test.
static const char *common_key(void) {
  static char key[TestKeySize];
  if (!key[0]) {
    base_sha256_t sha;
    base_sha256_begin(&sha);
    base_sha256_add(&sha, test_key_program(), TestKeySize);
    base_sha256_add(&sha, test_key_units(), TestKeySize);
    base_sha256_end(&sha, key);
  }
  return key;
}

// Adds the values of a machine's file too, so that the sets which it names take part.
static void add_machine(base_sha256_t *sha, const char *path) {
  size_t length = strlen(path);
  err_auto_t err = {0};
  char text[BaseSha256Text];
  if (length < 5 || strcmp(path + length - 5, ".yaml") != 0) return;
  machine_params_t *params = calloc(1, sizeof *params);
  config_t *config = params ? config_create() : NULL;
  if (config && machine_config_add(config, params, &err) && config_load_file(config, path, &err)) {
    config_sha256(config, text);
    base_sha256_add(sha, text, sizeof text);
  }
  config_destroy(config);
  free(params);
}

// Adds the hash of a file, or of a folder and all in it. Frames are large and named by many tests,
// so the last hashes are kept.
static void add_path(base_sha256_t *sha, const char *path) {
  enum { Known = 64 };
  static struct { char *path, key[TestKeySize]; } known[Known];
  static uint32_t next;
  for (uint32_t i = 0; i < Known && known[i].path; i++) {
    if (strcmp(known[i].path, path) == 0) {
      base_sha256_add(sha, known[i].key, TestKeySize);
      return;
    }
  }
  base_sha256_t own;
  char key[TestKeySize];
  base_sha256_begin(&own);
  keep_add_trees(&own, (const char *const[]){path, NULL}, NULL);
  add_machine(&own, path);
  base_sha256_end(&own, key);
  base_sha256_add(sha, key, TestKeySize);
  free(known[next].path);
  known[next].path = strdup(path);
  memcpy(known[next].key, key, TestKeySize);
  next = (next + 1) % Known;
}

void test_key(const test_t *test, char key[TestKeySize]) {
  base_sha256_t sha;
  base_sha256_begin(&sha);
  if (!test->only_inputs) {
    base_sha256_add(&sha, test->without_rtl ? test_key_program() : common_key(), TestKeySize);
  }
  if (test->inputs) keep_add_text(&sha, test->inputs);
  for (char **a = test->arguments; !test->inputs && *a; a++) {
    struct stat s;
    keep_add_text(&sha, *a);
    const char *path = strchr(*a, '=') ? strchr(*a, '=') + 1 : *a;  // or a set: KEY=FILE.yaml
    if (stat(path, &s) == 0 && S_ISREG(s.st_mode)) add_path(&sha, path);
  }
  if (test->rtl) {
    // Modules and what they include are looked for in this folder, and in none below it.
    static const char *const Ends[] = {".sv", ".svh", ".v", ".vh", NULL};
    keep_add_trees(&sha, (const char *const[]){test->rtl, NULL}, Ends);
  }
  for (char **path = test->needs; path && *path; path++) add_path(&sha, *path);
  // The same command again is another test.
  base_sha256_add(&sha, &test->repeat, sizeof test->repeat);
  base_sha256_end(&sha, key);
}
