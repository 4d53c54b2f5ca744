// SPDX-License-Identifier: Apache-2.0
// YAML into structs by tables: each kind of row, and what is refused, at which line and column.
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "csim/base/yaml_table.h"
#include "tests/programs/test.h"

static const char Path[] = "build/test_yaml_table.yaml";

typedef enum { Red, Green } color_e;

typedef struct {
  const char *name;
  const yaml_node_t *at;
  color_e color;
  uint32_t low, high;
} part_t;

typedef struct {
  const char *name;
  char *copy;
  const char *words[YamlMaxWords];
  bool flag;
  color_e color;
  uint32_t number;
  uint64_t wide;
  double real;
  const yaml_node_t *node;
  part_t one, fixed[2], *grown;
  uint32_t fixed_count, grown_count;
  uint64_t bits;    // of a list without places for items
  char others[64];  // keys that no row names
  char order[8];    // in which rows were read
} entry_t;

static const char *const Colors[] = {"red", "green", NULL};

static bool check_part(const yaml_at_t *at, void *entry, uint64_t given) {
  const part_t *part = entry;
  return !(given >> 2 & 1) || part->low <= part->high ||
         yaml_at_fail(at, "%s: low is above high", at->what);
}

static const yaml_row_t PartRows[] = {
    YamlRow("name", YamlWord, part_t, name, .required = true),
    YamlRow("color", YamlChoice, part_t, color, .words = Colors),
    YamlRow("low", YamlNumber, part_t, low, .required = true, .most = 9),
    YamlRow("high", YamlNumber, part_t, high, .most = 9),
    {0}};
static const yaml_table_t Part = {.shape = "a part: {name: ..., low: ...}",
                                  .rows = PartRows,
                                  .check = check_part,
                                  .keeps_at = true,
                                  .at_offset = offsetof(part_t, at)};

static const part_t Start = {.color = Green, .high = 9};
static const yaml_list_t Fixed = {.table = &Part,
                                  .size = sizeof(part_t),
                                  .most = 2,
                                  .count_offset = offsetof(entry_t, fixed_count)};
static const yaml_list_t Grown = {.table = &Part,
                                  .size = sizeof(part_t),
                                  .grows = true,
                                  .count_offset = offsetof(entry_t, grown_count),
                                  .least = 1,
                                  .or_one = true,
                                  .start = &Start};

static bool read_bit(const yaml_at_t *at, void *field) {
  uint64_t bit = 0;
  const bool ok = yaml_file_number(at->file, at->node, at->what, 0, 63, &bit);
  *(uint64_t *)field |= UINT64_C(1) << (bit & 63);
  return ok;
}
static const yaml_list_t Bits = {.read = read_bit, .or_one = true};

static bool read_other(const yaml_at_t *at, void *field) {
  const char *value = NULL;
  char *others = field;
  if (!yaml_at_word(at, &value)) {
    return false;
  }
  snprintf(others + strlen(others), 64 - strlen(others), "%s=%s;", at->what, value);
  return true;
}

static bool read_order(const yaml_at_t *at, void *field) {
  char *order = field;
  order[strlen(order)] = at->what[0];
  assert_ptr_equal(at->context, Path);
  return true;
}

static const yaml_row_t Rows[] = {
    YamlRow("b_second", YamlCall, entry_t, order, .read = read_order),
    YamlRow("a_first", YamlCall, entry_t, order, .read = read_order),
    YamlRow("name", YamlWord, entry_t, name, .required = true),
    YamlRow("copy", YamlCopy, entry_t, copy),
    YamlRow("words", YamlWords, entry_t, words),
    YamlRow("flag", YamlFlag, entry_t, flag),
    YamlRow("color", YamlChoice, entry_t, color, .words = Colors),
    YamlRow("number", YamlNumber, entry_t, number, .least = 1, .most = 100),
    YamlRow("wide", YamlNumber64, entry_t, wide, .most = UINT64_MAX - 1),
    YamlRow("real", YamlReal, entry_t, real, .from = DBL_MIN, .to = INFINITY),
    YamlRow("node", YamlNode, entry_t, node),
    YamlRow("one", YamlMap, entry_t, one, .table = &Part),
    YamlRow("fixed", YamlList, entry_t, fixed, .list = &Fixed),
    YamlRow("grown", YamlList, entry_t, grown, .list = &Grown),
    YamlRow("bits", YamlList, entry_t, bits, .list = &Bits),
    {0}};
static const yaml_table_t Table = {.shape = "name and more", .rows = Rows};

static const yaml_row_t AnyRows[] = {YamlRow("name", YamlWord, entry_t, name),
                                     YamlRow("*", YamlCall, entry_t, others, .read = read_other),
                                     {0}};
static const yaml_table_t Any = {.rows = AnyRows};

static bool load(yaml_file_t *file, const yaml_table_t *table, entry_t *entry, const char *text,
                 err_t *err) {
  FILE *f = fopen(Path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
  *entry = (entry_t){.number = 42};
  return yaml_table_load(file, Path, table, (void *)(uintptr_t)Path, entry, err);
}

TEST(test_kinds) {
  yaml_file_t file;
  entry_t e;
  err_t err = {0};
  if (!load(&file, &Table, &e,
            "a_first: 1\nb_second: 2\nname: n\ncopy: c\nwords: [u, v]\nflag: true\ncolor: green\n"
            "wide: 18446744073709551614\nreal: 0.5\nnode: {x: y}\n"
            "one: {low: 3, name: p, high: 4}\nfixed: [{name: q, low: 1, high: 1}]\n"
            "grown: {name: r, low: 2}\nbits: [0, 63]\n",
            &err)) {
    fail_msg("%s", err_text(&err));
  }
  assert_string_equal(e.order, "ba");  // the order of the rows
  assert_string_equal(e.name, "n");
  assert_string_equal(e.copy, "c");
  assert_string_equal(e.words[1], "v");
  assert_null(e.words[2]);
  assert_true(e.flag);
  assert_int_equal(e.color, Green);
  assert_int_equal(e.number, 42);  // not in the file
  assert_true(e.wide == UINT64_MAX - 1);
  assert_true(e.real == 0.5);
  assert_int_equal(e.node->type, YAML_MAPPING_NODE);
  assert_int_equal(e.one.low, 3);
  assert_int_equal(e.one.at->start_mark.line, 10);
  assert_int_equal(e.fixed_count, 1);
  assert_string_equal(e.fixed[0].name, "q");
  assert_int_equal(e.grown_count, 1);
  assert_int_equal(e.grown[0].color, Green);  // as it starts
  assert_int_equal(e.grown[0].high, 9);
  assert_true(e.bits == ((UINT64_C(1) << 63) | 1));
  yaml_file_free(&file);
  free(e.copy);
  free(e.grown);
}

TEST(test_any_key) {
  yaml_file_t file;
  entry_t e;
  err_t err = {0};
  assert_true(load(&file, &Any, &e, "x: 1\nname: n\ny: 2\n", &err));
  assert_string_equal(e.others, "x=1;y=2;");
  assert_string_equal(e.name, "n");
  yaml_file_free(&file);
}

static const struct {
  const char *text, *complaint;
} Refused[] = {
    {"", ":1:1: empty, expected name and more"},
    {"[]\n", ":1:1: expected name and more"},
    {"flag: true\n", ":1:1: expected name"},
    {"name: n\nnumbr: 3\n", ":2:1: unknown key numbr, expected perhaps number"},
    {"name: n\nunheard_of_key: 3\n",
     ":2:1: unknown key unheard_of_key, expected b_second, a_first, name, copy, words, flag, "
     "color, number, wide, real, node, one, fixed, grown or bits"},
    {"name: n\nname: m\n", ":2:1: name stands twice, expected once"},
    {"name: [n]\n", ":1:7: name: expected a word"},
    {"name: n\nflag: yes\n", ":2:7: flag: expected true or false"},
    {"name: n\ncolor: blue\n", ":2:8: color: blue: expected red or green"},
    {"name: n\nnumber: 0\n", ":2:9: number: expected a number from 1 to 100"},
    {"name: n\nnumber: 101\n", ":2:9: number: expected a number from 1 to 100"},
    {"name: n\nreal: 0\n", ":2:7: real: 0: expected a number above 0"},
    {"name: n\nreal: 1x\n", ":2:7: real: 1x: expected a number above 0"},
    {"name: n\none: 3\n", ":2:6: one: expected a part: {name: ..., low: ...}"},
    {"name: n\none: {color: red}\n", ":2:6: one: expected name and low"},
    {"name: n\none: {name: a, low: 4, high: 3}\n", ":2:6: one: low is above high"},
    {"name: n\none: {name: a, low: 4, hihg: 3}\n",
     ":2:24: one: unknown key hihg, expected perhaps high"},
    {"name: n\nfixed: {name: a, low: 4}\n", ":2:8: fixed: expected a list"},
    {"name: n\nfixed:\n- {name: a, low: 0}\n- {name: a, low: 0}\n- {name: a, low: 0}\n",
     ":5:3: fixed: expected at most 2"},
    {"name: n\ngrown: []\n", ":2:8: grown: expected at least 1"},
    {"name: n\nbits: [3, 64]\n", ":2:11: bits: expected a number from 0 to 63"},
};

TEST(test_refused) {
  for (size_t i = 0; i < sizeof Refused / sizeof *Refused; i++) {
    yaml_file_t file;
    entry_t e;
    err_t err = {0};
    assert_false(load(&file, &Table, &e, Refused[i].text, &err));
    assert_int_equal(err.status, ErrInput);
    assert_memory_equal(err_text(&err), Path, strlen(Path));
    assert_string_equal(err_text(&err) + strlen(Path), Refused[i].complaint);
    yaml_file_free(&file);
    free(e.copy);
    free(e.grown);
    err_free(&err);
  }
}

TEST(test_no_file) {
  yaml_file_t file;
  entry_t e = {0};
  err_t err = {0};
  assert_false(yaml_table_load(&file, "build/none.yaml", &Table, NULL, &e, &err));
  assert_string_equal(err_text(&err), "build/none.yaml: No such file or directory");
  yaml_file_free(&file);
  err_free(&err);
}

int main(void) { return run_all_tests(NULL, NULL); }
