// SPDX-License-Identifier: Apache-2.0
// Costs by module (tb/area/modules.h) of a hierarchy made by hand.
#include <stdio.h>
#include <sys/stat.h>

#include "tb/area/modules.h"
#include "tb/area/scaling.h"
#include "tests/programs/test.h"

static const char Library[] = "/usr/share/qflow/tech/osu018/osu018_stdcells.lib";

// top: an inverter, two fifos under one name, one under another, in each a register and a memory of
// 32 bits.
static const char Modules[] =
    "{\"modules\": {\"top\": {\"cells\": {\"i\": {\"type\": \"INVX1\"},"
    "\"gen_a[0].u_fifo\": {\"type\": \"$paramod\\\\fifo\\\\Width=8\"},"
    "\"gen_a[1].u_fifo\": {\"type\": \"$paramod\\\\fifo\\\\Width=8\"},"
    "\"u_other\": {\"type\": \"$paramod$0123\\\\fifo\"}}},"
    "\"$paramod\\\\fifo\\\\Width=8\": {\"cells\": {\"q\": {\"type\": \"DFFPOSX1\"},"
    "\"u_words\": {\"type\": \"memory\"}}},"
    "\"$paramod$0123\\\\fifo\": {\"cells\": {\"q\": {\"type\": \"DFFPOSX1\"},"
    "\"u_words\": {\"type\": \"memory\"}}},"
    "\"memory\": {\"cells\": {\"m\": {\"type\": \"$mem_v2\", \"parameters\": {\"WIDTH\": \"10\","
    "\"SIZE\": \"10000\", \"RD_PORTS\": \"1\", \"WR_PORTS\": \"1\"}}}}}}";

static void about(double value, double expected) {
  assert_true(value > expected * 0.999999 && value < expected * 1.000001);
}

TEST(test_tree) {
  static liberty_t liberty;
  modules_t modules;
  char folder[] = "/tmp/test_area_modules.XXXXXX", path[64];
  err_t err = {0};
  (void)state;
  assert_true(liberty_load(&liberty, Library, &err));
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/modules.json", folder);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(Modules, f);
  fclose(f);
  bool ok = modules_load(&modules, &liberty, "top", folder, &err);
  remove(path);
  remove(folder);
  assert_true(ok);
  assert_int_equal(modules.count, 5);
  const module_cost_t *rows = modules.rows;
  double memory = memory_area(32, 2).osu018;
  assert_string_equal(rows[0].instance, "top");
  assert_int_equal(rows[0].cells, 4);
  assert_int_equal(rows[0].flip_flops, 3);
  assert_int_equal(rows[0].memory_bits, 3 * 32);
  about(rows[0].area_osu018, 16 + 3 * 96 + 3 * memory);
  about(rows[0].area_28nm, (16 + 3 * 96) / scaling_area() + 3 * memory_area(32, 2).nm28);
  assert_string_equal(rows[1].instance, "gen_a[*].u_fifo");
  assert_string_equal(rows[1].module, "fifo");
  assert_int_equal(rows[1].instances, 2);
  assert_int_equal(rows[1].depth, 1);
  about(rows[1].area_osu018, 2 * 96 + 2 * memory);
  assert_string_equal(rows[2].module, "memory");
  assert_int_equal(rows[2].instances, 2);
  assert_int_equal(rows[2].memory_bits, 64);
  assert_string_equal(rows[3].instance, "u_other");
  about(rows[3].area_osu018, 96 + memory);
  assert_int_equal(rows[4].depth, 2);
  modules_free(&modules);
  liberty_free(&liberty);
}

int main(void) { return run_all_tests(NULL, NULL); }
