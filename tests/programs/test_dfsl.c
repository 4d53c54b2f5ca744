// SPDX-License-Identifier: Apache-2.0
// Algorithm 1 of Emerald on tables of times.
#include "csim/driver/dfsl.h"
#include "tests/programs/test.h"

static uint32_t frame(dfsl_t *d, uint64_t time) {
  uint32_t wt = dfsl_next(d);
  dfsl_learn(d, time);
  return wt;
}

TEST(two_evaluations) {
  static const uint64_t times[2][10] = {{90, 80, 70, 60, 50, 55, 60, 65, 70, 75},
                                        {10, 20, 30, 40, 50, 60, 70, 80, 9, 9}};
  static const uint32_t best[2] = {5, 9};  // the tie of 9 and 10 goes to the earlier size
  dfsl_t d;
  dfsl_init(&d, 1, 10, 100);
  for (uint32_t e = 0; e < 2; e++) {
    for (uint32_t i = 0; i < 10; i++) {
      assert_true(dfsl_evaluates(&d));
      assert_int_equal(frame(&d, times[e][i]), i + 1);
      assert_int_equal(dfsl_evaluations(&d), e + 1);
    }
    for (uint32_t i = 0; i < 100; i++) {
      assert_false(dfsl_evaluates(&d));
      assert_int_equal(frame(&d, 1), best[e]);  // times of these frames have no part
    }
  }
  assert_int_equal(frame(&d, 5), 1);
  assert_int_equal(dfsl_evaluations(&d), 3);
}

TEST(ties_and_ends) {
  dfsl_t d;
  dfsl_init(&d, 3, 5, 2);
  const uint32_t sizes[] = {3, 4, 5, 3, 3, 3, 4, 5, 5, 5};
  const uint64_t times[] = {7, 7, 7, 1, 1, UINT64_MAX, 8, 7, 1, 1};
  for (uint32_t i = 0; i < 10; i++) {
    assert_int_equal(frame(&d, times[i]), sizes[i]);
  }
  dfsl_init(&d, 64, 64, 1);  // nothing to choose
  for (uint32_t i = 0; i < 4; i++) {
    assert_int_equal(dfsl_evaluates(&d), i % 2 == 0);
    assert_int_equal(frame(&d, i), 64);
  }
}

int main(void) { return run_all_tests(NULL, NULL); }
