// SPDX-License-Identifier: Apache-2.0
// When each of up to 64 is due, so that a cycle costs what is due in it, not what there is: a ring
// of the next 64 cycles, and those beyond.
#ifndef NOCTURNE_BASE_AGENDA_H
#define NOCTURNE_BASE_AGENDA_H

#include "cycle.h"

enum { AgendaCycles = 64 };

// One of zeros is at cycle 0, with nothing due.
typedef struct {
  uint64_t now;
  uint64_t ring[AgendaCycles];  // bit i at c % AgendaCycles: i is due at cycle c
  uint64_t held;                // places of the ring that are not 0
  uint64_t near, far;           // bit i: i is in the ring; is due later than the ring reaches
  uint64_t far_first;           // with far: no later than the first of them
  uint64_t at[64];              // while in either: when
} agenda_t;

static inline void agenda_take(agenda_t *a, uint32_t i) {
  const uint64_t bit = 1ull << i;
  if (a->near & bit) {
    const uint64_t place = a->at[i] % AgendaCycles;
    a->near &= ~bit;
    a->ring[place] &= ~bit;
    a->held &= ~((uint64_t)!a->ring[place] << place);
  }
  a->far &= ~bit;
}

// Makes i due at a cycle and at no other; before now is now, UINT64_MAX is never.
static inline void agenda_set(agenda_t *a, uint32_t i, uint64_t cycle) {
  agenda_take(a, i);
  if (cycle == UINT64_MAX) {
    return;
  }
  const uint64_t bit = 1ull << i;
  a->at[i] = cycle_later(cycle, a->now);
  if (a->at[i] - a->now < AgendaCycles) {
    const uint64_t place = a->at[i] % AgendaCycles;
    a->near |= bit;
    a->ring[place] |= bit;
    a->held |= 1ull << place;
  } else {
    a->far_first = a->far ? cycle_sooner(a->far_first, a->at[i]) : a->at[i];
    a->far |= bit;
  }
}

// Makes i due at a cycle, if it is not due before.
static inline void agenda_lower(agenda_t *a, uint32_t i, uint64_t cycle) {
  if (!((a->near | a->far) >> i & 1) || cycle < a->at[i]) {
    agenda_set(a, i, cycle);
  }
}

// Returns the mask of those that are due now.
static inline uint64_t agenda_due(const agenda_t *a) { return a->ring[a->now % AgendaCycles]; }

// Goes on to a cycle; what was due before is due in it.
void agenda_go(agenda_t *agenda, uint64_t now);

// Returns the next cycle after now in which something is due, or UINT64_MAX.
uint64_t agenda_next(const agenda_t *agenda);

#endif
