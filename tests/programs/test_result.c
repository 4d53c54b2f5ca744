// SPDX-License-Identifier: Apache-2.0
// The rows of a run's JSON: what they add over GPUs and over frames, and that each is well formed.
#include "tb/result/table.h"
#include "tests/programs/test.h"

static bool is_counted(const row_t *row) { return row->gpus != GpusOne; }

TEST(rows_are_well_formed) {
  for (const row_t *row = Rows; row->what; row++) {
    // A value that several GPUs have lies among those, as a list of numbers or one of either kind.
    if (is_counted(row)) {
      assert_true(row->at + row->size <= sizeof(gpu_facts_t));
      assert_true(row->kind == RowNumber || row->kind == RowReal || row->kind == RowList ||
                  row->kind == RowClusters);
      assert_int_equal(row->size % sizeof(uint64_t), 0);
    }
    assert_true(row->key || is_counted(row));
    assert_int_equal(row->kind == RowMade, row->make != NULL);
    assert_true(row->what[0]);
    for (const row_t *other = Rows; row->key && other < row; other++) {
      assert_true(!other->key || strcmp(other->key, row->key) != 0);
    }
  }
}

// Two GPUs with the numbers 3 and 5 everywhere: each row gives its sum or the larger one.
TEST(gpus_are_joined) {
  static gpu_facts_t sum, one;
  (void)state;
  for (uint64_t number = 3; number <= 5; number += 2) {
    uint64_t *numbers = (uint64_t *)&one;
    for (size_t i = 0; i < sizeof one / sizeof *numbers; i++) {
      numbers[i] = number;
    }
    one.texturing.units.max_sample_error = (double)number;
    rows_join(&sum, &one);
  }
  for (const row_t *row = Rows; row->what; row++) {
    const char *at = (const char *)&sum + row->at;
    const uint64_t expected = row->gpus == GpusSum ? 8 : 5;
    if (!is_counted(row)) {
      continue;
    }
    if (row->kind == RowReal) {
      assert_float_equal(*(const double *)at, expected, 0);
      continue;
    }
    for (size_t i = 0; i < row->size / sizeof expected; i++) {
      assert_int_equal(((const uint64_t *)at)[i], expected);
    }
  }
  assert_int_equal(sum.gpu.busy_rop, 8);
  assert_int_equal(sum.shader.peak, 5);
  assert_int_equal(sum.gpu.blocks, 0);  // has no row
}

static json_t *frame(int cycles, double joules, int memory) {
  return json_pack(
      "{s:s, s:s, s:i, s:{s:i, s:i, s:b}, s:{s:f}, s:{s:i}, s:{s:s, s:{s:{s:i}}}, "
      "s:{s:i}}",
      "version", "0", "frame", "f", "cycles", cycles, "image", "violations", 1, "max_abs_error",
      cycles, "bounded", 1, "energy", "total_j", joules, "traffic", "sync_bytes", cycles, "engine",
      "name", "golden", "units", "u", "steps", cycles, "timing", "peak_memory_bytes", memory);
}

TEST(frames_are_added) {
  json_t *a = frame(10, 0.5, 7), *b = frame(4, 0.25, 6);
  (void)state;
  json_t *whole = rows_whole(a);
  rows_add(whole, b);
  json_t *expected =
      json_pack("{s:s, s:i, s:{s:i}, s:{s:i}, s:{s:f}, s:[], s:{s:s, s:{s:{s:i}}}, s:{s:i}}",
                "version", "0", "cycles", 14, "image", "violations", 2, "traffic", "sync_bytes", 14,
                "energy", "total_j", 0.75, "frames", "engine", "name", "golden", "units", "u",
                "steps", 14, "timing", "peak_memory_bytes", 7);
  char *got = json_dumps(whole, 0), *want = json_dumps(expected, 0);
  assert_string_equal(got, want);
  // A frame keeps what is its own.
  rows_strip(a);
  assert_null(json_object_get(a, "version"));
  assert_null(json_object_get(a, "engine"));
  assert_null(json_object_get(a, "timing"));
  assert_int_equal(json_integer_value(json_object_get(a, "cycles")), 10);
  assert_string_equal(json_string_value(json_object_get(a, "frame")), "f");
  free(got);
  free(want);
  json_decref(expected);
  json_decref(whole);
  json_decref(a);
  json_decref(b);
}

int main(void) { return run_all_tests(NULL, NULL); }
