// SPDX-License-Identifier: Apache-2.0
// A unit's golden model and its RTL as one transition system over an and-inverter graph: variables
// for the inputs and for both states, and as functions of them what one clock or one reset makes of
// them.
//
// The golden model's state are the bits that can change at all: found by running step and reset
// with what has changed so far as variables until nothing more does. Bits beyond a field's hardware
// width are 0 in the inputs.
#ifndef NOCTURNE_PROVE_TRANSITION_H
#define NOCTURNE_PROVE_TRANSITION_H

#include "aiger.h"
#include "bitcode.h"
#include "csim/unit/table.h"

enum { TransitionMostCases = 6 };

typedef struct {
  uint32_t object, bit;
  lit_t variable;
} state_bit_t;

// The golden model at a point: its memory, its outputs and observed state packed as the top packs
// them, what it owes.
typedef struct {
  memory_t memory;  // narrowed
  memory_t raw;     // before that
  lit_t *out;
  obligation_t *obligations;
  uint32_t obligation_count;
  lit_t legal;                       // what the wrapper assumes of the inputs
  lit_t cases[TransitionMostCases];  // what is proved in two cases: it holds, or not
  uint32_t case_count;
  ring_t ring;  // of the memory before; count 0: none
} moment_t;

typedef struct {
  const unit_info_t *info;
  uint32_t dims[UnitMaxDims];
  aig_t *aig;
  products_t *products;
  bitcode_t *program;
  aiger_t rtl;
  uint32_t in_bits, out_bits, state_count, state_room;
  lit_t *in;  // variables, in the order of in_i
  state_bit_t *state;
  lit_t *latches;    // variables
  memory_t before;   // golden: the state as variables, narrowed
  moment_t created;  // after create and reset
  moment_t stepped, reset;
} transition_t;

typedef struct {
  const unit_info_t *info;
  const void *params;
  const char *golden, *rtl;  // files: bitcode, AIGER; rtl NULL: the golden model alone
  uint32_t bound;            // of loops
} transition_options_t;

// Ends the program with one line where something is not right (fault.h).
void transition_create(transition_t *t, const transition_options_t *options);
void transition_destroy(transition_t *t);

// Packs outputs and observed state of a memory.
void transition_outputs(const transition_t *t, const memory_t *memory, lit_t *out);

// Runs a function of the wrapper, if it has it, on a copy of a memory, which stays the program's
// until the next run; what it notes is in the program's obligations.
bool transition_run(transition_t *t, const memory_t *memory, const char *function);

#endif
