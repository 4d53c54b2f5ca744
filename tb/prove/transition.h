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
#include "reel.h"

enum { TransitionMostCases = 6 };

typedef struct {
  uint32_t object, bit;
  lit_t variable;
} state_bit_t;

// A word of the golden state, of bits that lie behind each other, that was no more than `most` in
// runs; or, if it has a sign, -1: bits above the word, as many as `sign`, were like its last one.
typedef struct {
  uint32_t object, bit, bits, most, sign;
} range_t;

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
  uint32_t in_bits, out_bits, any_bits, state_count, state_room;
  lit_t *in;   // variables, in the order of in_i
  lit_t *any;  // variables: Any, free values that stay for a clock and a reset
  state_bit_t *state;
  uint8_t **is_state;  // of each object that has some: of each bit
  bool needs_widths;   // the state is not known yet: widths_make
  bool has_widths;  // bits that no state is hold what they were made with, and words their ranges
  range_t *ranges;
  reel_t *reels;  // recorded runs, for what is found in runs
  uint32_t range_count, reel_count;
  lit_t *latches;    // variables
  bool is_after;     // open memories of the RTL are read as the last clock left them
  memory_t base;     // golden: the state as variables
  memory_t before;   // golden: the state as variables, narrowed
  moment_t created;  // after create and reset
  moment_t stepped, reset;
} transition_t;

typedef struct {
  const unit_info_t *info;
  const void *params;
  const char *golden, *rtl;  // files: bitcode, AIGER; rtl NULL: the golden model alone
  const char *all;           // parameters, as the first line of vectors has them
  const char *const *runs;   // vectors
  uint32_t run_count;
  bool is_again;    // what was found of widths before is taken (widths.h)
  bool is_checker;  // the RTL is the golden model read back, which tells no widths
  uint32_t bound;   // of loops
} transition_options_t;

// Ends the program with one line where something is not right (fault.h).
void transition_create(transition_t *t, const transition_options_t *options);
void transition_destroy(transition_t *t);

// The first line of vectors.
enum { TransitionHeadSize = UnitParamsText + 128 };
void transition_head(const transition_t *t, const char *params, char head[TransitionHeadSize]);

// For what finds the state: makes the moments anew, with the state as it is; adds a bit to it; says
// if an object is one that lasts from one clock to the next.
void transition_moments(transition_t *t);
void transition_add(transition_t *t, uint32_t object, uint32_t bit);
void transition_sort(transition_t *t);  // by place
bool transition_begins_in(const transition_t *t, const range_t *range);
void transition_reel(transition_t *t, const char *run, const char *params);
bool transition_lasts(const transition_t *t, uint32_t object);

// Packs outputs and observed state of a memory.
void transition_outputs(const transition_t *t, const memory_t *memory, lit_t *out);

// Runs a function of the wrapper, if it has it, on a copy of a memory, which stays the program's
// until the next run; what it notes is in the program's obligations.
bool transition_run(transition_t *t, const memory_t *memory, const char *function);

#endif
