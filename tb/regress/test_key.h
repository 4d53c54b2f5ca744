// SPDX-License-Identifier: Apache-2.0
// Hashes of what a test's result depends on: the names under which results are kept.
#ifndef NOCTURNE_REGRESS_TEST_KEY_H
#define NOCTURNE_REGRESS_TEST_KEY_H

#include "test_list.h"

enum { TestKeySize = 65 };  // SHA-256 in hexadecimal, and a 0

// Hashes the program, the RTL and its surroundings, and the test's inputs, or else its command and
// the files that the command names. Of a test with `only_inputs`, the inputs alone.
void test_key(const test_t *test, char key[TestKeySize]);

// Hashes this program. test_key_program_changed tells whether its file is another one since.
const char *test_key_program(void);
bool test_key_program_changed(void);

// Hashes all that is compiled into the units' objects.
const char *test_key_units(void);

#endif
