// SPDX-License-Identifier: Apache-2.0
// Questions about several flaws: the code of each, and parts where there is no answer.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tb/prove/crowd.h"

enum { Flaws = 200, Hard = 7 };  // Hard: no answer but alone

static uint32_t asked, alone;

// Odd places are equivalent, others are not; no answer beside a hard one, nor about many.
static void answer(void *context, const flaw_t *flaws, uint32_t count, cnf_result_e *said) {
  bool knows = count <= *(const uint32_t *)context;
  asked++;
  alone += count == 1;
  for (uint32_t i = 0; i < count; i++) {
    knows = knows && (count == 1 || flaws[i].place % (Hard * Hard) != Hard);
  }
  for (uint32_t i = 0; i < count; i++) {
    // A difference is known as soon as it is found.
    const bool is_odd = flaws[i].place % 2;
    said[i] = is_odd                             ? (knows ? CnfUnsatisfiable : CnfUnknown)
              : knows || flaws[i].place % 3 == 0 ? CnfSatisfiable
                                                 : CnfUnknown;
  }
}

static void check_parts(uint32_t most) {
  flaw_t flaws[Flaws];
  cnf_result_e said[Flaws];
  memset(flaws, 0, sizeof flaws);
  for (uint32_t i = 0; i < Flaws; i++) {
    flaws[i].place = 3 * i + 1;
  }
  asked = alone = 0;
  crowd_ask(answer, &most, flaws, Flaws, said);
  for (uint32_t i = 0; i < Flaws; i++) {
    assert_int_equal(said[i], flaws[i].place % 2 ? CnfUnsatisfiable : CnfSatisfiable);
  }
}

static void parts(void **state) {
  (void)state;
  check_parts(20);
  assert_in_range(asked, 20, Flaws);
  assert_in_range(alone, 1, Flaws / 4);
  check_parts(1);
  assert_int_equal(alone, Flaws);
}

// Gives up on each flaw, even alone.
static void never(void *context, const flaw_t *flaws, uint32_t count, cnf_result_e *said) {
  (void)context;
  (void)flaws;
  alone += count == 1;
  for (uint32_t i = 0; i < count; i++) {
    said[i] = CnfUnknown;
  }
}

static void no_answer(void **state) {
  flaw_t flaws[Flaws];
  cnf_result_e said[Flaws];
  (void)state;
  memset(flaws, 0, sizeof flaws);
  alone = 0;
  crowd_ask(never, NULL, flaws, Flaws, said);
  assert_int_equal(alone, Flaws);
  for (uint32_t i = 0; i < Flaws; i++) {
    assert_int_equal(said[i], CnfUnknown);
  }
}

// One flaw is there under each code: the last one under those that are no flaw's number.
static void codes(void **state) {
  aig_t *aig = aig_create();
  const aiger_t aiger = {.ands = Flaws};
  flaw_t flaws[Flaws];
  crowd_t crowd;
  (void)state;
  memset(flaws, 0, sizeof flaws);
  for (uint32_t i = 0; i < Flaws; i++) {
    flaws[i].place = 1 + i / 2;
  }
  crowd_create(&crowd, &aiger, aig, flaws, Flaws);
  uint8_t *value = test_calloc(aig_count(aig), 1);
  for (uint32_t code = 0; code < 256; code++) {
    uint32_t there = 0;
    for (uint32_t b = 0; b < 8; b++) {
      value[1 + b] = code >> b & 1;
    }
    aig_evaluate(aig, value);
    for (uint32_t i = 0; i < Flaws; i++) {
      there += aig_value(value, crowd.under[i]);
    }
    assert_int_equal(there, 1);
    assert_int_equal(crowd_chosen(&crowd, value), code < Flaws ? code : Flaws - 1);
  }
  assert_int_equal(crowd.at[1], 1);
  assert_int_equal(crowd.at[2], 3);
  test_free(value);
  crowd_destroy(&crowd);
  crowd_create(&crowd, &aiger, aig, flaws, 1);
  assert_int_equal(crowd.under[0], AigTrue);
  crowd_destroy(&crowd);
  aig_destroy(aig);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(parts), cmocka_unit_test(no_answer),
                                     cmocka_unit_test(codes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
