// SPDX-License-Identifier: Apache-2.0
// Reads a failed assertion of the hardware from a Verilated model's message.
#ifndef NOCTURNE_HARNESS_ASSERTION_H
#define NOCTURNE_HARNESS_ASSERTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  char file[128];  // as the simulator was given it; empty: no assertion failed
  uint32_t line;
  char instance[192];  // within the top: "u_dut.gen_entry[3]"
  char label[64];      // empty: the assertion has none
} assertion_t;

// Reads the first failed assertion of a message (rtl/common/assert.svh shows one). A message
// without one gives an empty file.
void assertion_read(const char *message, assertion_t *assertion);

// Returns true if both have the same label, file, line and instance.
bool assertion_same(const assertion_t *a, const assertion_t *b);

// Writes "LABEL FILE:LINE INSTANCE", without the empty parts.
void assertion_text(const assertion_t *assertion, char *text, size_t size);

#endif
