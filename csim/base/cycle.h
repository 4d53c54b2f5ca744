// SPDX-License-Identifier: Apache-2.0
// Arithmetic of cycles: when something is due, and when a model has to be looked at again.
#ifndef NOCTURNE_BASE_CYCLE_H
#define NOCTURNE_BASE_CYCLE_H

#include <stdint.h>

static inline uint64_t cycle_later(uint64_t a, uint64_t b) { return a > b ? a : b; }
static inline uint64_t cycle_sooner(uint64_t a, uint64_t b) { return a < b ? a : b; }

// Remembers the earliest cycle.
static inline void cycle_earliest(uint64_t *next, uint64_t cycle) {
  if (cycle < *next) {
    *next = cycle;
  }
}

// The next cycle for what is due at `due`, once cycle now is over.
static inline uint64_t cycle_after(uint64_t now, uint64_t due) {
  return due <= now ? now + 1 : due;
}

#endif
