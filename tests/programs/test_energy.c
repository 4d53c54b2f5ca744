// SPDX-License-Identifier: Apache-2.0
// Energy of netlists made by hand (tb/area), against sums made by hand of the library's figures.
#include <inttypes.h>
#include <stdio.h>

#include "tb/area/scaling.h"
#include "tb/area/unit_energy.h"
#include "tests/programs/test.h"

static const char Library[] = "/usr/share/qflow/tech/osu018/osu018_stdcells.lib";
static liberty_t liberty;

static int load(void **state) {
  err_t error = {0};
  (void)state;
  if (!liberty_load(&liberty, Library, &error)) {
    puts(err_text(&error));
    return -1;
  }
  return 0;
}

// Cells' functions, by the inputs in the order of the pins, the first lowest.
TEST(test_functions) {
  static const struct {
    const char *cell;
    uint64_t table;
  } Cells[] = {{"INVX1", 0x1},   {"NAND2X1", 0x7},  {"NOR3X1", 0x01},    {"XOR2X1", 0x6},
               {"XNOR2X1", 0x9}, {"AOI21X1", 0x07}, {"OAI22X1", 0x111f}, {"MUX2X1", 0x53}};
  (void)state;
  for (size_t i = 0; i < sizeof Cells / sizeof *Cells; i++) {
    const liberty_pin_t *y = liberty_pin(liberty_cell(&liberty, Cells[i].cell), "Y");
    assert_true(y->has_table);
    if (y->table != Cells[i].table) {
      fail_msg("%s: 0x%" PRIx64 ", expected 0x%" PRIx64, Cells[i].cell, y->table, Cells[i].table);
    }
  }
  assert_false(liberty_pin(liberty_cell(&liberty, "DFFPOSX1"), "Q")->has_table);
}

// d_i into a register, an inverter behind it; nets 2 clk_i, 3 d_i, 4 Q, 5 Y.
static const char Register[] =
    "{'netnames': {'d_i': {'bits': [3]}, 'y_o': {'bits': [5]}}, 'cells': {"
    "'q': {'type': 'DFFPOSX1', 'connections': {'CLK': [2], 'D': [3], 'Q': [4]}},"
    "'y': {'type': 'INVX1', 'connections': {'A': [4], 'Y': [5]}}}}";

static json_t *parse(const char *text) {
  char quoted[4096];
  json_error_t fault;
  snprintf(quoted, sizeof quoted, "%s", text);
  for (char *c = quoted; *c; c++) {
    *c = *c == '\'' ? '"' : *c;
  }
  json_t *module = json_loads(quoted, 0, &fault);
  assert_non_null(module);
  return module;
}

// 1,000 cycles in which d_i changes in each `every`th; 0: never.
static unit_energy_t run(unsigned every) {
  gate_sim_t sim;
  unit_energy_t e;
  err_t error = {0};
  json_t *module = parse(Register);
  assert_true(gate_sim_create(&sim, &liberty, module, &error));
  gate_sim_settle(&sim);
  gate_sim_clock(&sim, false);
  bool value = false;
  for (unsigned cycle = 0; cycle < 1000; cycle++) {
    if (every && cycle % every == 0) {
      value = !value;
      gate_sim_set(&sim, 3, value);
    }
    gate_sim_settle(&sim);
    assert_int_equal(sim.value[5], !sim.value[4]);
    gate_sim_clock(&sim, true);
    gate_sim_settle(&sim);
    assert_int_equal(sim.value[4], value);
  }
  unit_energy_weigh(&e, &liberty, &sim);
  gate_sim_destroy(&sim);
  json_decref(module);
  return e;
}

static void about(double value, double expected) {
  if (!(value > expected - 1e-4 * expected - 1e-9 && value < expected + 1e-4 * expected + 1e-9)) {
    fail_msg("%g, expected %g", value, expected);
  }
}

// Both edges: C V^2 of the clock pin, and inside the register 0.006943 and 0.129769 pJ.
static const double Clock = 0.0279235 * 1.8 * 1.8 + 0.006943 + 0.129769;

TEST(test_no_activity) {
  unit_energy_t e = run(0);
  (void)state;
  assert_int_equal(e.cycles, 1000);
  assert_int_equal(e.toggles, 0);
  assert_true(e.switching == 0 && e.internal == 0 && e.memory == 0);
  about(e.clock, Clock);
  about(e.leakage, 0.160725 + 0.0221741);
}

TEST(test_each_cycle) {
  // A transition of d_i, of Q and of Y in each cycle: the pins D and A; inside D, Q and the
  // inverter.
  double switching = 0.5 * 1.8 * 1.8 * (0.00882947 + 0.00932456);
  double internal =
      (0.045977 + 0.087952) / 2 + (0.062027 + 0.075613) / 2 + (0.005677 + 0.028621) / 2;
  unit_energy_t e = run(1);
  (void)state;
  // The last value of d_i is not seen at Q, the first change of Y not at the first cycle.
  assert_int_equal(e.toggles, 1000 + 999 + 999);
  about(e.switching, switching - 0.5 * 1.8 * 1.8 * 0.00932456 / 1000);
  about(e.internal, internal - ((0.062027 + 0.075613) / 2 + (0.005677 + 0.028621) / 2) / 1000);
  about(e.clock, Clock);
}

TEST(test_twice_the_activity) {
  unit_energy_t half = run(4), whole = run(2);
  (void)state;
  assert_true(half.switching > 0 && half.internal > 0);
  about(whole.switching, 2 * half.switching);
  about(whole.internal, 2 * half.internal);
  assert_true(whole.clock == half.clock && whole.leakage == half.leakage);
}

// A memory of four words of two bits, written and read clocked; a word is seen a cycle later.
static const char Memory[] =
    "{'netnames': {'a': {'bits': [3,4,5,6,7,8,9,10]}}, 'cells': {'m': {'type': '$mem_v2',"
    "'parameters': {'WIDTH': '10', 'SIZE': '100', 'ABITS': '10', 'OFFSET': '0', 'RD_PORTS': '1',"
    "'WR_PORTS': '1', 'RD_CLK_ENABLE': '1', 'RD_CLK_POLARITY': '1', 'WR_CLK_ENABLE': '1',"
    "'WR_CLK_POLARITY': '1', 'RD_TRANSPARENCY_MASK': '0'}, 'connections': {"
    "'RD_CLK': [2], 'RD_ADDR': [3, 4], 'RD_EN': [5], 'RD_DATA': [9, 10], 'RD_ARST': ['0'],"
    "'RD_SRST': ['0'], 'WR_CLK': [2], 'WR_ADDR': [3, 4], 'WR_DATA': [6, 7], 'WR_EN': [8, 8]}}}}";

TEST(test_memory) {
  gate_sim_t sim;
  unit_energy_t e;
  err_t error = {0};
  json_t *module = parse(Memory);
  (void)state;
  assert_true(gate_sim_create(&sim, &liberty, module, &error));
  // Writes 3 into word 1; reads it in the same cycle (old: 0) and in the next (3).
  gate_sim_set(&sim, 3, true);
  gate_sim_set(&sim, 6, true);
  gate_sim_set(&sim, 7, true);
  gate_sim_set(&sim, 8, true);
  gate_sim_set(&sim, 5, true);
  gate_sim_settle(&sim);
  gate_sim_clock(&sim, true);
  assert_int_equal(sim.value[9] + sim.value[10], 0);
  gate_sim_set(&sim, 8, false);
  gate_sim_settle(&sim);
  gate_sim_clock(&sim, true);
  assert_int_equal(sim.value[9] + sim.value[10], 2);
  // Not read: the port keeps its word.
  gate_sim_set(&sim, 5, false);
  gate_sim_set(&sim, 3, false);
  gate_sim_settle(&sim);
  gate_sim_clock(&sim, true);
  assert_int_equal(sim.value[9] + sim.value[10], 2);
  assert_int_equal(sim.read_bits, 4);
  assert_int_equal(sim.written_bits, 2);
  unit_energy_weigh(&e, &liberty, &sim);
  about(e.memory, 6.0 / 3 * memory_energy().osu018);
  about(e.memory_28nm, 6.0 / 3 * memory_energy().nm28);
  gate_sim_destroy(&sim);
  json_decref(module);
}

// Two read ports of the same words: both are reset (net 8) to 2, the second only while enabled (5);
// they start with 1 and 0, word 1 (address in net 3) with 3, the other words with 0.
static const char Resets[] =
    "{'netnames': {'a': {'bits': [3,4,5,6,7,8,9,10,11,12]}}, 'cells': {'m': {'type': '$mem_v2',"
    "'parameters': {'WIDTH': '10', 'SIZE': '100', 'ABITS': '10', 'OFFSET': '0', 'RD_PORTS': '10',"
    "'WR_PORTS': '1', 'RD_CLK_ENABLE': '11', 'RD_CLK_POLARITY': '11', 'WR_CLK_ENABLE': '1',"
    "'WR_CLK_POLARITY': '1', 'RD_TRANSPARENCY_MASK': '11', 'RD_CE_OVER_SRST': '10',"
    "'RD_SRST_VALUE': '1010', 'RD_INIT_VALUE': 'xx01', 'INIT': 'xxxx11xx'}, 'connections': {"
    "'RD_CLK': [2, 2], 'RD_ADDR': [3, '0', 3, '0'], 'RD_EN': [5, 5], 'RD_DATA': [9, 10, 11, 12],"
    "'RD_ARST': ['0', '0'], 'RD_SRST': [8, 8], 'WR_CLK': [2], 'WR_ADDR': [3, '0'],"
    "'WR_DATA': [6, 6], 'WR_EN': [7, 7]}}}}";

TEST(test_memory_reset) {
  static const struct {
    bool enable, reset, write;  // of a 0 into word 1
    unsigned first, second;     // after the clock
  } Steps[] = {
      {false, false, false, 1, 0},                             // what they start with
      {true, false, false, 3, 3},                              // a word
      {false, true, false, 2, 3},                              // a reset without an enable
      {true, false, false, 3, 3},  {true, true, false, 2, 2},  // the reset before the word
      {false, false, false, 2, 2}, {true, true, true, 2, 2},   // and before what is written
      {true, false, false, 0, 0},
  };
  enum { Count = sizeof Steps / sizeof *Steps };
  gate_sim_t sim;
  err_t error = {0};
  json_t *module = parse(Resets);
  (void)state;
  assert_true(gate_sim_create(&sim, &liberty, module, &error));
  gate_sim_set(&sim, 3, true);
  for (unsigned i = 0; i < Count; i++) {
    gate_sim_set(&sim, 5, Steps[i].enable);
    gate_sim_set(&sim, 7, Steps[i].write);
    gate_sim_set(&sim, 8, Steps[i].reset);
    gate_sim_settle(&sim);
    gate_sim_clock(&sim, true);
    unsigned first = sim.value[9] + 2u * sim.value[10], second = sim.value[11] + 2u * sim.value[12];
    if (first != Steps[i].first || second != Steps[i].second) {
      fail_msg("step %u: %u and %u, expected %u and %u", i, first, second, Steps[i].first,
               Steps[i].second);
    }
  }
  // Five enabled steps of two ports of two bits; one write.
  assert_int_equal(sim.read_bits, 5 * 4);
  assert_int_equal(sim.written_bits, 2);
  gate_sim_destroy(&sim);
  json_decref(module);
}

TEST(test_refused) {
  static const struct {
    const char *netlist, *error;
  } Netlists[] = {
      {"{'netnames': {'a': {'bits': [2, 3]}}, 'cells': {"
       "'u': {'type': 'NOSUCH', 'connections': {}}}}",
       "a cell that the library has not: NOSUCH"},
      {"{'netnames': {'a': {'bits': [2, 3]}}, 'cells': {"
       "'u': {'type': 'INVX1', 'connections': {'A': [2], 'Y': [3]}},"
       "'v': {'type': 'INVX1', 'connections': {'A': [3], 'Y': [2]}}}}",
       "the netlist: a combinational loop"},
      {"{'netnames': {'a': {'bits': [2, 3]}}, 'cells': {"
       "'u': {'type': 'DFFSR', 'connections': {'CLK': [2], 'D': [3], 'Q': [2]}}}}",
       "a cell with a state that is not a plain flip-flop's: u"},
      {"{'netnames': {'a': {'bits': [2, 3]}}, 'cells': {'m': {'type': '$mem_v2', 'parameters': {"
       "'WIDTH': '1', 'SIZE': '10', 'ABITS': '1', 'RD_PORTS': '1', 'WR_PORTS': '0',"
       "'RD_CLK_ENABLE': '1', 'RD_CLK_POLARITY': '1'}, 'connections': {'RD_CLK': [2],"
       "'RD_ADDR': [2], 'RD_EN': ['1'], 'RD_DATA': [3], 'RD_ARST': [2], 'RD_SRST': ['0']}}}}",
       "a memory with an asynchronous reset, or not clocked at the rising edge: m"}};
  (void)state;
  for (size_t i = 0; i < sizeof Netlists / sizeof *Netlists; i++) {
    gate_sim_t sim;
    err_t error = {0};
    json_t *module = parse(Netlists[i].netlist);
    assert_false(gate_sim_create(&sim, &liberty, module, &error));
    assert_string_equal(err_text(&error), Netlists[i].error);
    err_free(&error);
    json_decref(module);
  }
}

int main(void) { return run_all_tests(load, NULL); }
