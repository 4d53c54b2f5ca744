// SPDX-License-Identifier: Apache-2.0
// Flaws: one bit of the RTL's graph that is stuck at 0, stuck at 1 or inverted. A place is what a
// node, an input or a register gives to all that reads it, or one of these readers: an operand, the
// next state of a register, an output.
//
// The list has one of the flaws that are equal by the structure alone:
// - a reader that is the only one of its node has the flaws of the node;
// - an operand stuck at 0 (after its inversion) is its node stuck at 0;
// - what nothing reads has none, nor have the clock and the choice of a mutant.
#ifndef NOCTURNE_PROVE_FLAW_H
#define NOCTURNE_PROVE_FLAW_H

#include "aiger.h"

typedef struct {
  flaw_t *list;
  uint32_t count, all;  // all: before equal ones were left out
} flaws_t;

void flaws_create(flaws_t *flaws, const aiger_t *aiger);
void flaws_destroy(flaws_t *flaws);

// By node: whether an output or a next state depends on it.
uint8_t *flaw_reached(const aiger_t *aiger);

// "stuck at 1: operand 0 of and 17".
void flaw_name(const aiger_t *aiger, const flaw_t *flaw, char *text, size_t size);

#endif
