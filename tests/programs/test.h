// SPDX-License-Identifier: Apache-2.0
// The frame of a C test program. TEST(name) { ... } defines a test and enters it in the list of its
// program, whose main returns run_all_tests(NULL, NULL); so no test can be left out of the list.
// The parts of a program in several files share the list. Brings cmocka and the headers that most
// tests need.
#ifndef NOCTURNE_TESTS_TEST_H
#define NOCTURNE_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MaxTests = 128 };

// Weak: one list, however many files of the program include this header. cmocka passes over entries
// without a name.
__attribute__((weak)) struct CMUnitTest entered_tests[MaxTests];
__attribute__((weak)) size_t entered_test_count;

static inline void enter_test(struct CMUnitTest test) {
  if (entered_test_count == MaxTests) {
    abort();
  }
  entered_tests[entered_test_count++] = test;
}

// A test between two fixtures of cmocka, each may be NULL. The priorities keep the order of the
// lines.
#define TEST_WITH(test, begin, end)                                              \
  static void test(void **state);                                                \
  __attribute__((constructor(1000 + __LINE__))) static void enter_##test(void) { \
    enter_test((struct CMUnitTest){#test, test, begin, end, NULL});              \
  }                                                                              \
  static void test(__attribute__((unused)) void **state)

#define TEST(test) TEST_WITH(test, NULL, NULL)

// Runs the tests between two fixtures of the whole program. Returns the exit status.
static inline int run_all_tests(CMFixtureFunction begin, CMFixtureFunction end) {
  return cmocka_run_group_tests_name("tests", entered_tests, begin, end);
}

#endif
