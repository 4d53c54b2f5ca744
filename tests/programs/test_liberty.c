// SPDX-License-Identifier: Apache-2.0
// The reader of liberty files on a library made by hand: units, functions, flip-flops, corners,
// what it refuses and where; and macros of memories.
#include <inttypes.h>
#include <stdio.h>

#include "tb/area/liberty.h"
#include "tb/area/liberty_function.h"
#include "tb/area/macros.h"
#include "tests/programs/test.h"

static const char Path[] = "build/test_liberty.tmp";

static void save(const char *text) {
  FILE *f = fopen(Path, "w");
  assert_non_null(f);
  fputs(text, f);
  assert_int_equal(fclose(f), 0);
}

#define TIMING "timing () { related_pin : \"A\"; cell_rise (scalar) { values (\"1\"); } }"
#define GATE(name, function)                                        \
  "cell (" name                                                     \
  ") { area : 2; pin (A) { direction : input; capacitance : 3; }\n" \
  "  pin (B) { direction : input; capacitance : 3; }\n"             \
  "  pin (Y) { direction : output; function : \"" function "\"; " TIMING " } }\n"
#define ONE(name, function, area)                    \
  "cell (" name ") { area : " area                   \
  "; pin (A) { direction : input; capacitance : 3 }" \
  "  pin (Y) { direction : output; function : \"" function "\"; " TIMING " } }\n"
#define HEAD                                                                         \
  "/* a foundry's */ library (\"made\") {\n  time_unit : \"10ps\";\n"                \
  "  leakage_power_unit : 1uW;\n  capacitive_load_unit (2, ff);\n"                   \
  "  delay_model : table_lookup; nom_voltage : 0.9; nom_temperature : 25;\n"         \
  "  default_operating_conditions : slow;\n"                                         \
  "  operating_conditions (fast) { process : 1; voltage : 1.0; temperature : 0; }\n" \
  "  operating_conditions (slow) { process : 1.2; voltage : 0.81; temperature : 125; }\n"
#define FLIP(name, state, extra, output)                                   \
  "cell (" name ") { area : 9; " extra " ff (IQ, IQN) { " state            \
  " }\n"                                                                   \
  "  pin (\"CK\") { direction : input; capacitance : 1; clock : true; }\n" \
  "  pin (D) { direction : input; capacitance : 1; }\n"                    \
  "  pin (Q) { direction : output; function : \"" output "\"; " TIMING " } }\n"
#define PLAIN FLIP("DFF", "next_state : \"D\"; clocked_on : \"CK\";", "", "IQ")

static const char Whole[] =
    HEAD GATE("AND_2", "(A & B)") GATE("NR2", "(A+B)'") ONE("INV", "A'", "1")
    ONE("BUF", "A", "2") PLAIN
    FLIP("DFFQN", "next_state : \"!D\"; clocked_on : \"(CK)\";", "", "IQN")
    FLIP("DFFN", "next_state : \"D\"; clocked_on : \"CK'\";", "", "IQ")
    FLIP("DFFR", "next_state : \"D\"; clocked_on : \"CK\"; clear : \"D'\";", "", "IQ")
    FLIP("DFFX", "next_state : \"D\"; clocked_on : \"CK\";", "dont_use : true;", "IQ")
    "cell (LAT) { area : 1; latch (IQ, IQN) { enable : \"A\"; data_in : \"B\"; }\n"
    "  pin (A, B) { direction : input; capacitance : 5; }\n"
    "  pin (Q) { direction : output; function : \"IQ\"; } }\n"
    "cell (MX) { area : 4; leakage_power () { value : 2; when : \"A\"; } leakage_power () "
    "{ value : 4; }\n"
    "  pin (A, B, S) { direction : input; capacitance : 5; }\n"
    "  pin (Z) { direction : output; function : \"(!S*A) | S B ^ !A * 0\"; // comment }\n"
    "    internal_power () { related_pin : \"A\"; rise_power (t) { index_1 (\"1, 2\");\n"
    "      values ( \"1.0, 2.0\", \\\n        \"3.0, 4.0\"); }\n"
    "      fall_power (t) { values (\"6\"); } } } }\n"
    "}\n";

TEST(test_read) {
  liberty_t l;
  err_t err = {0};
  (void)state;
  save(Whole);
  if (!liberty_load(&l, Path, &err)) {
    fail_msg("%s", err_text(&err));
  }
  assert_string_equal(l.name, "made");
  assert_string_equal(l.corner, "slow");
  assert_true(l.process == 1.2 && l.voltage == 0.81 && l.temperature == 125);
  assert_true(l.time_unit > 0.00999 && l.time_unit < 0.01001);
  assert_int_equal(l.cell_count, 11);
  const liberty_cell_t *mux = liberty_cell(&l, "MX");
  assert_true(mux->leakage > 2999 && mux->leakage < 3001);  // 3 uW in nW
  assert_true(mux->pins[2].capacitance > 0.00999 && mux->pins[2].capacitance < 0.01001);
  assert_true(mux->energy > 0.00999 && mux->energy < 0.01001);  // (4 + 6) / 2 times 2 fF V^2
  // S ? B : A; of inputs A B S; ^ binds first, then the product, in which 0 takes the last away.
  assert_true(liberty_pin(mux, "Z")->has_table);
  uint64_t expected = 0;
  for (unsigned i = 0; i < 8; i++) {
    unsigned a = i & 1, b = i >> 1 & 1, s = i >> 2 & 1;
    expected |= (uint64_t)((!s && a) || (s && (b ^ !a) && 0)) << i;
  }
  assert_true(liberty_pin(mux, "Z")->table == expected);
  assert_true(liberty_pin(liberty_cell(&l, "NR2"), "Y")->table == 1);
  const liberty_cell_t *q = liberty_cell(&l, "DFF"), *qn = liberty_cell(&l, "DFFQN");
  assert_true(q->is_register && !q->data_inverts && !liberty_pin(q, "Q")->inverts);
  assert_true(qn->is_register && qn->data_inverts && liberty_pin(qn, "Q")->inverts);
  static const char *const Others[] = {"DFFN", "DFFR", "LAT"};
  for (size_t i = 0; i < sizeof Others / sizeof *Others; i++) {
    assert_true(liberty_cell(&l, Others[i])->is_other);
    assert_false(liberty_cell(&l, Others[i])->is_register);
  }
  assert_true(liberty_cell(&l, "DFFX")->is_avoided);
  assert_null(liberty_cell(&l, "NOSUCH"));
  assert_string_equal(liberty_for(&l, LibertyInverter)->name, "INV");
  assert_string_equal(liberty_for(&l, LibertyBuffer)->name, "BUF");
  assert_string_equal(liberty_for(&l, LibertyGate)->name, "AND_2");
  assert_string_equal(liberty_for(&l, LibertyRegister)->name, "DFF");
  assert_true(liberty_check(&l, Path, &err));
  liberty_free(&l);
}

TEST(test_verilog) {
  static const struct {
    const char *text, *verilog;
  } Functions[] = {{"A", "A"},
                   {"(A B)'", "(~(A & B))"},
                   {"A+B C", "(A | (B & C))"},
                   {"A^B&C", "((A ^ B) & C)"},
                   {"!A''", "(~(~(~A)))"},
                   {"0 | A*1", "(1'b0 | (A & 1'b1))"}};
  static const char *const Wrong[] = {"", "A +", "(A", "A)", "D", "A ! ", "'", "AB"};
  liberty_pin_t pins[] = {
      {.name = "A"}, {.name = "B"}, {.name = "C"}, {.name = "Y", .is_output = true}};
  liberty_cell_t cell = {.pin_count = 4, .pins = pins};
  text_t out = {0};
  uint64_t table;
  (void)state;
  for (size_t i = 0; i < sizeof Functions / sizeof *Functions; i++) {
    assert_true(liberty_function_verilog(Functions[i].text, &cell, &out));
    assert_string_equal(text_string(&out), Functions[i].verilog);
    text_cut(&out, 0);
  }
  text_free(&out);
  for (size_t i = 0; i < sizeof Wrong / sizeof *Wrong; i++) {
    if (liberty_function_table(Wrong[i], &cell, &table)) {
      fail_msg("'%s' was taken", Wrong[i]);
    }
  }
}

// Where no flip-flop is plain, those with set or reset serve, with these pins tied.
TEST(test_tied) {
  static const char *const Resets[] = {"clear : \"R'\";",
                                       "preset : R;",
                                       "clear : !R; preset : \"!R\";",
                                       "clear : \"R\"; preset : \"!R\";",
                                       "clear : \"R D\";",
                                       "clear : \"CK\";"};
  static const int Ties[] = {1, 0, 1, -1, -1, -1};  // -1: none of the flow's
  (void)state;
  for (size_t i = 0; i < sizeof Resets / sizeof *Resets; i++) {
    liberty_t l;
    err_t err = {0};
    text_t text = {0};
    text_format(&text,
                HEAD GATE("AND", "A B") ONE("INV", "!A", "1") ONE("BUF", "A", "1")
                "cell (FFR) { area : 9; ff (IQ, IQN) { next_state : D; clocked_on : CK; %s }\n"
                "  pin (CK) { direction : input; }\n  pin (D) { direction : input; }\n"
                "  pin (R) { direction : input; }\n"
                "  pin (Q) { direction : output; function : IQ; " TIMING " } }\n}\n",
                Resets[i]);
    save(text_string(&text));
    text_free(&text);
    assert_true(liberty_load(&l, Path, &err));
    const liberty_cell_t *cell = liberty_cell(&l, "FFR");
    const liberty_pin_t *reset = liberty_pin(cell, "R");
    assert_int_equal(cell->is_register, Ties[i] >= 0);
    assert_int_equal(liberty_check(&l, Path, &err), Ties[i] >= 0);
    if (Ties[i] >= 0) {
      assert_true(reset->is_tied);
      assert_int_equal(reset->tie, Ties[i]);
    }
    err_free(&err);
    liberty_free(&l);
  }
}

// The first line of what is wrong, behind the path.
static void refused(const char *text, const char *expected) {
  liberty_t l;
  err_t err = {0};
  save(text);
  bool ok = liberty_load(&l, Path, &err);
  ok = ok && liberty_check(&l, Path, &err);
  const char *error = err_text(&err);
  assert_false(ok);
  assert_memory_equal(error, Path, strlen(Path));
  if (strcmp(error + strlen(Path), expected) != 0) {
    fail_msg("%s\nexpected\n%s%s", error, Path, expected);
  }
  assert_null(strchr(error, '\n'));
  err_free(&err);
  liberty_free(&l);
}

TEST(test_refused) {
  refused("", ":1:1: an empty file, expected library (NAME) { ... }");
  refused("library (x) { }", ":1:1: expected library (NAME) { ... } with cells in it");
  refused("cell (x) { area : 1; }", ":1:1: expected library (NAME) { ... } with cells in it");
  refused("library (x) {\n  cell (y) {\n    area : 1;\n",
          ":2:3: cell (y): a { without an end, expected }");
  refused("library (x) {\n} }", ":2:3: '}', expected a name");
  refused("library (x) {\n  area 1;\n}", ":2:8: area: expected : or ( behind it");
  refused("library (x) {\n  cell () { }\n}", ":2:3: cell: expected one name in ()");
  refused("library (x) {\n  cell (a { }\n}", ":2:8: cell: a ( without an end, expected )");
  refused("library (x) { /* no end", ":1:15: a comment without an end, expected */");
  refused("library (x) { a : \"no end; }\n", ":1:19: a text without an end, expected \"");
  refused("library (x) { delay_model : polynomial; cell (y) { } }",
          ": delay_model polynomial; expected table_lookup (NLDM)");
  refused("library (x) { cell (y) { } }",
          ": no voltage; expected nom_voltage or operating_conditions");
  refused(HEAD GATE("AND", "A B") ONE("INV", "!A", "1") ONE("BUF", "A", "1") "}",
          ": library made has no flip-flop (ff) with one data pin, a rising clock, and besides "
          "these at most set and reset that may be used and has tables of delays; add one");
  refused(HEAD GATE("AND", "A B") ONE("INV", "!A", "1") ONE("BUF", "A", "1")
              FLIP("DFF", "next_state : \"D\"; clocked_on : \"CK\";", "dont_use : true;", "IQ") "}",
          ": library made has no flip-flop (ff) with one data pin, a rising clock, and besides "
          "these at most set and reset that may be used and has tables of delays; add one");
  refused(HEAD GATE("AND", "A B") ONE("BUF", "A", "1") PLAIN "}",
          ": library made has no inverter (function !A) that may be used and has tables of delays; "
          "add one");
  refused(HEAD GATE("AND", "A B") ONE("INV", "!A", "1") PLAIN "}",
          ": library made has no buffer (function A) that may be used and has tables of delays; "
          "add one");
  refused(HEAD GATE("XOR", "A ^ B") ONE("INV", "!A", "1") ONE("BUF", "A", "1") PLAIN "}",
          ": library made has no gate of two inputs (and, or, nand or nor) that may be used and "
          "has tables of delays; add one");
}

TEST(test_macros) {
  static macros_t macros;
  err_t err = {0};
  uint32_t count;
  (void)state;
  save(
      "macros:\n"
      "  - {name: small, words: 16, width: 8, reads: 1, writes: 1, area_um2: 10, access_ns: 1}\n"
      "  - {name: large, words: 64, width: 32, reads: 2, writes: 1, area_um2: 100, access_ns: 2}\n"
      "  - {name: through, words: 64, width: 32, reads: 1, writes: 2, clocked: no, area_um2: 200, "
      "access_ns: 3}\n");
  if (!macros_load(&macros, Path, &err)) {
    fail_msg("%s", err_text(&err));
  }
  netlist_memory_t m = {.words = 17, .width = 9, .reads = 1, .writes = 1, .is_clocked = true};
  assert_string_equal(macros_for(&macros, &m, &count)->name, "small");  // 4 x 10 before 100
  assert_int_equal(count, 4);
  m.reads = 3;
  assert_string_equal(macros_for(&macros, &m, &count)->name, "small");  // 12 x 10 before 2 x 100
  m.width = 32;
  assert_string_equal(macros_for(&macros, &m, &count)->name, "large");
  assert_int_equal(count, 2);
  m.writes = 2;
  assert_null(macros_for(&macros, &m, &count));
  m.is_clocked = false;
  assert_string_equal(macros_for(&macros, &m, &count)->name, "through");
  assert_int_equal(count, 3);
  macros_free(&macros);
  static const struct {
    const char *text, *error;
  } Wrong[] = {
      {"cells: []\n", ":1:1: unknown key cells, expected macros"},
      {"macros: 3\n", ":1:9: macros: expected a list"},
      {"macros: []\n", ":1:9: macros: expected at least 1"},
      {"macros:\n  - {name: a, words: 0}\n", ":2:22: words: expected a number from 1 to 16777216"},
      {"macros:\n  - {name: a, area_um2: -1}\n", ":2:25: area_um2: -1: expected a number above 0"},
      {"macros:\n  - {name: a, clocked: maybe}\n", ":2:24: clocked: expected yes or no"},
      {"macros:\n  - {size: 3}\n",
       ":2:6: macros: unknown key size, expected name, words, width, reads, writes, clocked, "
       "area_um2 "
       "or access_ns"},
      {"macros:\n  - {name: a, words: 4}\n",
       ":2:5: macros: expected width, reads, writes, area_um2 and access_ns"}};
  for (size_t i = 0; i < sizeof Wrong / sizeof *Wrong; i++) {
    save(Wrong[i].text);
    assert_false(macros_load(&macros, Path, &err));
    macros_free(&macros);
    assert_string_equal(err_text(&err) + strlen(Path), Wrong[i].error);
  }
  err_free(&err);
}

int main(void) { return run_all_tests(NULL, NULL); }
