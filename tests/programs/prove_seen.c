// SPDX-License-Identifier: Apache-2.0
// Conditions under which a flaw's registers are looked at (tb/prove/seen.h), in a graph by hand:
// registers a, which a reset clears, b and c; inputs rst_ni and d.
#include "tb/prove/seen.h"
#include "tests/programs/test.h"

// Nodes.
enum { Reset = 1, D, A, B, C, Both, Late, KeptA, Nodes };
enum { Inputs = 2, Latches = 3, Ands = 3 };
static const uint32_t Registers[Latches] = {A, B, C};

static uint32_t operands[Ands][2] = {
    {2 * A, 2 * B + 1},     // a and not b: of registers only
    {2 * Both, 2 * D},      // reads an input
    {2 * Reset, 2 * Late},  // the next a: 0 in a reset
};
static uint32_t next[Latches] = {2 * KeptA, 2 * Both, 2 * B}, output[1] = {2 * Both};
static uint32_t input_bit[Inputs] = {AigerReset, 0};
static const aiger_t Rtl = {.inputs = Inputs,
                            .latches = Latches,
                            .outputs = 1,
                            .ands = Ands,
                            .next = next,
                            .output = output,
                            .operands = operands,
                            .input_bit = input_bit};

// Returns the condition's number, or how many there are.
static uint32_t find(const seen_t *seen, uint32_t a, uint32_t b) {
  uint32_t i = 0;
  while (i < seen->count && (seen->whiles[i].a != a || seen->whiles[i].b != b)) {
    i++;
  }
  return i;
}

TEST(conditions_are_nodes_of_registers) {
  seen_t seen;
  seen_create(&seen, &Rtl, 1);
  for (uint32_t inverted = 0; inverted < 2; inverted++) {
    assert_true(find(&seen, 2 * Both + inverted, 1) < seen.count);
    assert_true(find(&seen, 2 * C + inverted, 1) < seen.count);
    assert_int_equal(find(&seen, 2 * Late + inverted, 1), seen.count);
  }
  // Each of a, b and the first conjunction is read twice or less; c by nothing, so it is last.
  assert_true(find(&seen, 2 * C, 1) > find(&seen, 2 * A, 1));
  seen_destroy(&seen);
}

TEST(what_a_reset_clears_goes_with_others) {
  seen_t seen;
  seen_create(&seen, &Rtl, 1);
  assert_true(find(&seen, 2 * A, 2 * B) < seen.count);
  assert_true(find(&seen, 2 * A, 2 * C + 1) < seen.count);
  assert_int_equal(find(&seen, 2 * B, 2 * C), seen.count);
  seen_destroy(&seen);
}

TEST(values_under_a_condition) {
  enum { IsA = 1, IsB = 2, IsC = 4 };
  seen_t seen;
  seen_create(&seen, &Rtl, 1);
  seen_change(&seen, 0, 2);  // c
  const uint32_t both = find(&seen, 2 * Both, 1), neither = find(&seen, 2 * Both + 1, 1);
  const uint64_t unit[] = {IsA, IsA, IsA | IsB | IsC}, flawed[] = {IsA | IsC, IsA, IsA | IsB};
  for (uint32_t i = 0; i < 3; i++) {
    seen_state(&seen, 0, &unit[i], &flawed[i]);
  }
  const changes_t *c = &seen.flaws[0];
  assert_true(seen_was(c, 0, false, true, both));
  assert_true(seen_was(c, 0, false, false, both));
  assert_false(seen_was(c, 0, true, false, both));
  assert_true(seen_was(c, 0, true, false, neither));
  assert_false(seen_was(c, 0, false, true, neither));
  seen_destroy(&seen);
}

TEST(conditions_in_a_graph) {
  seen_t seen;
  aig_t *aig = aig_create();
  lit_t registers[Latches];
  for (uint32_t i = 0; i < Latches; i++) {
    registers[i] = aig_variable(aig);
  }
  seen_create(&seen, &Rtl, 1);
  lit_t *whiles = seen_whiles(&seen, aig, registers);
  const lit_t both = aig_and(aig, registers[0], aig_not(registers[1]));
  assert_int_equal(whiles[find(&seen, 2 * Both, 1)], both);
  assert_int_equal(whiles[find(&seen, 2 * A, 2 * Both + 1)],
                   aig_and(aig, registers[0], aig_not(both)));
  free(whiles);
  for (uint32_t i = 0; i < Latches; i++) {
    bool marked[Latches] = {false};
    marked[i] = true;
    bool *depends = seen_depends(&seen, marked);
    assert_int_equal(depends[find(&seen, 2 * Both, 1)], i < 2);
    assert_int_equal(depends[find(&seen, 2 * Registers[i] + 1, 1)], true);
    free(depends);
  }
  seen_destroy(&seen);
  aig_destroy(aig);
}

int main(void) { return run_all_tests(NULL, NULL); }
