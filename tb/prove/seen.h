// SPDX-License-Identifier: Apache-2.0
// Values in recorded runs of registers that a flaw changes, beside the unit's own, while another
// register of the unit, or two together, had some value. Facts of a flaw are guessed from them
// (stray.h, holds.h).
#ifndef NOCTURNE_PROVE_SEEN_H
#define NOCTURNE_PROVE_SEEN_H

#include "aiger.h"

enum { SeenRegisters = 64 };  // that a flaw changes, at most

// Two bits of registers together, AIGER's literals; `b` may be 1.
typedef struct {
  uint32_t a, b;
} while_t;

// The changes of one flaw. was: by register, its value in the unit and in the flawed unit: a bit of
// each of `whiles` under which the two had these values.
typedef struct {
  uint32_t latches[SeenRegisters], count;
  uint64_t *was[SeenRegisters][2][2];
} changes_t;

typedef struct {
  const aiger_t *rtl;
  while_t *whiles;
  uint32_t count, words;
  changes_t *flaws;
  uint32_t flaw_count;
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

// Under literals for the registers.
lit_t seen_while(const seen_t *seen, aig_t *aig, while_t at, const lit_t *registers);
bool seen_is(const seen_t *seen, const uint8_t *value, while_t at, const lit_t *registers);

#endif
