// SPDX-License-Identifier: Apache-2.0
// Values in recorded runs of registers that a flaw changes, beside the unit's own, while a
// condition held: one of the unit's nodes that depend on registers only, or two registers together,
// had some value. Facts of a flaw are guessed from them (stray.h, holds.h).
#ifndef NOCTURNE_PROVE_SEEN_H
#define NOCTURNE_PROVE_SEEN_H

#include "aiger.h"

enum { SeenRegisters = 64 };  // that a flaw changes, at most

// AIGER's literals, both true; `b` may be 1.
typedef struct {
  uint32_t a, b;
} while_t;

// The changes of one flaw. was: by register, its value in the unit and in the flawed unit: a bit of
// each of `whiles` under which the two had these values.
typedef struct {
  uint32_t latches[SeenRegisters], count;
  uint64_t *was[SeenRegisters][2][2];
} changes_t;

// whiles: those of one node first, and of these those that most of the unit reads; then some of
// these together with a register that a reset clears.
// order: conjunctions that conditions depend on, operands first. state, holds: the unit's
// registers last seen, and a bit of each of `whiles` that they make true.
typedef struct {
  const aiger_t *rtl;
  while_t *whiles;
  uint32_t count, words;
  uint32_t *order, order_count;
  changes_t *flaws;
  uint32_t flaw_count;
  uint64_t *state, *holds;
  bool *value;  // by node
} seen_t;

void seen_create(seen_t *seen, const aiger_t *rtl, uint32_t flaws);
void seen_destroy(seen_t *seen);

// A register that a flaw changes; what is more than SeenRegisters is left out.
void seen_change(seen_t *seen, uint32_t flaw, uint32_t latch);
// Registers in a state of a recorded run, a bit each: the unit's and the flawed unit's.
void seen_state(seen_t *seen, uint32_t flaw, const uint64_t *unit, const uint64_t *flawed);

// True if the register at this place of `latches` had these values under the whiles of this number.
static inline bool seen_was(const changes_t *changes, uint32_t place, bool unit, bool flawed,
                            uint32_t number) {
  return changes->was[place][unit][flawed][number / 64] >> number % 64 & 1;
}

// Each of `whiles` under literals for the registers; the caller frees them.
lit_t *seen_whiles(const seen_t *seen, aig_t *aig, const lit_t *registers);
// Tells of each of `whiles` whether it depends on a marked register; to be freed.
bool *seen_depends(const seen_t *seen, const bool *registers);

#endif
