// SPDX-License-Identifier: Apache-2.0
// The engine behind the directed tests of the units: golden, or what NOCTURNE_ENGINE names
// (golden, rtl, lockstep, gates). A test makes a harness, its units come from there, and
// engine_end fails the test with the report if the engines differed.
#ifndef NOCTURNE_TESTS_UNIT_ENGINE_H
#define NOCTURNE_TESTS_UNIT_ENGINE_H

#include "tb/harness/harness.h"
#include "tests/programs/test.h"

static harness_t *engine;

// The engine that NOCTURNE_ENGINE names; a number beyond the last one if it names none.
static inline engine_e engine_chosen(void) {
  const char *name = getenv("NOCTURNE_ENGINE");
  engine_e e = EngineGolden;
  setenv("NOCTURNE_QUICK", "1", 0);
  while (name && e <= EngineGates && strcmp(name, engine_name(e)) != 0) {
    e++;
  }
  return e;
}

static inline int engine_begin(void **state) {
  (void)state;
  const harness_options_t options = {.engine = engine_chosen(), .seed = 1};
  if (options.engine > EngineGates) {
    print_error("NOCTURNE_ENGINE: expected golden, rtl, lockstep or gates\n");
    return -1;
  }
  engine = harness_create(&options);
  return engine ? 0 : -1;
}

static inline int engine_end(void **state) {
  (void)state;
  if (harness_failure(engine)) {
    print_error("%s", harness_failure(engine));
  }
  bool failed = harness_failure(engine) != NULL;
  harness_destroy(engine);
  return failed ? -1 : 0;
}

#define ENGINE_TEST(name) TEST_WITH(name, engine_begin, engine_end)

// A function of this name steps the unit so many times, by the file's step().
#define ENGINE_STEPS(name)           \
  static void name(uint32_t count) { \
    while (count-- > 0) {            \
      step();                        \
    }                                \
  }

#endif
