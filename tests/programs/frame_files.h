// SPDX-License-Identifier: Apache-2.0
// Two files for a program that tests readers and writers, with its main.
#ifndef NOCTURNE_TESTS_FRAME_FILES_H
#define NOCTURNE_TESTS_FRAME_FILES_H

#include <stdio.h>
#include <unistd.h>

#include "tests/programs/test.h"

static char path[] = "/tmp/test_frame_XXXXXX";
static char copy_path[sizeof path + 8];

static uint8_t *load(const char *from, size_t *size) {
  FILE *file = fopen(from, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  uint8_t *data = malloc(*size + 1);
  assert_int_equal(fread(data, 1, *size, file), *size);
  fclose(file);
  return data;
}

static void store(const char *to, const uint8_t *data, size_t size) {
  FILE *file = fopen(to, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, size, file), size);
  fclose(file);
}

static int remove_files(void **unused) {
  (void)unused;
  unlink(path);
  unlink(copy_path);
  return 0;
}

int main(void) {
  const int file = mkstemp(path);
  if (file < 0) {
    return 1;
  }
  close(file);
  snprintf(copy_path, sizeof copy_path, "%s.copy", path);
  return run_all_tests(NULL, remove_files);
}

#endif
