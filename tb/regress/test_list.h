// SPDX-License-Identifier: Apache-2.0
// Test lists: YAML files that say what a regression runs. docs/how-to/regress.md has the format.
//
//   include: [units.yaml]
//   defaults: {timeout: {seconds: 60}, tags: [nightly]}
//   tests:
//     - {name: draw-8, unit: draw_scheduler, gpus: 8, seeds: 1..20, knobs: {errors: 0}}
//     - {name: nexuiz, run: vectors/config/chopin.yaml, set: [gpus=6]}
//
// A list is expanded: one entry for each test, seed and repeat, in the order of the files.
#ifndef NOCTURNE_REGRESS_TEST_LIST_H
#define NOCTURNE_REGRESS_TEST_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "csim/base/err.h"

typedef enum {
  TestUnit,     // nocturne unit: constrained-random stimulus
  TestVectors,  // nocturne unit --vectors: a recorded or shrunk stimulus
  TestPlay,     // nocturne unit --play: a directed sequence
  TestRun,      // nocturne run
  TestCommand,  // any program; its exit status judges
} test_kind_e;

// A list of words (char **) ends with NULL; one that is empty may be NULL itself.
typedef struct {
  char *id;    // NAME, NAME/seed-N or NAME/seed-N/repeat-K; unique
  char *name;  // without seed and repeat
  char *tags;  // " tag tag "
  char *unit;  // of a unit test, or NULL
  test_kind_e kind;
  uint64_t seed;
  uint32_t repeat;
  double seconds;      // limit of wall time on an idle machine; 0: none
  double takes;        // expected seconds of processor time; 0: unknown
  bool counts;         // it prints a line for each of its checks, at least one
  uint64_t memory;     // limit of address space in bytes; 0: none
  bool result_wanted;  // {result} names a JSON file that it must write
  char *inputs;        // what its result depends on beside program and RTL; NULL: its command and
                       // the files that the command names
  char **needs;        // files and folders whose change also makes it run again
  char *rtl;           // of a unit from outside the tree: the folder of its RTL; or NULL
  bool without_rtl;    // its result does not depend on the RTL
  bool only_inputs;    // its result depends on `inputs` alone, not on program and RTL
  char **environment;  // "NAME=VALUE", added to that of the runner
  char **arguments;    // {result} and {picture} stand for files
} test_t;

// Adds a word to a list of words. Returns false when out of memory.
bool test_add_word(char ***words, const char *format, ...) __attribute__((format(printf, 2, 3)));
void test_clear(test_t *test);

bool test_has_tag(const test_t *test, const char *tag);

typedef struct {
  test_t *tests;
  size_t count;
} test_list_t;

typedef struct {
  bool has_seed, has_seeds;
  uint64_t seed;   // every seeded test with this seed only
  uint64_t seeds;  // every seeded test with seeds 1 to this one
} test_seeds_t;

// Adds a file's tests to a list that starts as {0}. The error is `file:line:column: what, expected
// ...`; the list is to be freed in any case.
bool test_list_load(test_list_t *list, const char *path, const test_seeds_t *seeds, err_t *err);
void test_list_free(test_list_t *list);

// Keeps the tests whose id or name matches the shell pattern and that have the tag; NULL: any.
void test_list_filter(test_list_t *list, const char *pattern, const char *tag);

// Keeps the tests for whose ids is_wanted returns true.
void test_list_keep(test_list_t *list, bool (*is_wanted)(void *context, const char *id),
                    void *context);

#endif
