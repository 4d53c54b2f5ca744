// SPDX-License-Identifier: Apache-2.0
// Rules of pairing that the composition scheduler and the lookahead scheduler share
// (docs/units/composition_scheduler.md): sets of GPUs are masks of one bit per GPU.
#ifndef NOCTURNE_UNITS_PAIRS_H
#define NOCTURNE_UNITS_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

static inline bool pairs_bit(uint64_t set, uint32_t i) { return set >> i & 1; }

// Keeps the code of the lowest number of all that are raised in a cycle; 0 is none.
static inline void pairs_raise(uint8_t *error, uint8_t code) {
  if (*error == 0 || code < *error) {
    *error = code;
  }
}

// Returns true if two GPUs that are ready for the same group name different kinds.
static inline bool pairs_kinds_differ(uint64_t ready, uint64_t transparent, const uint8_t *cgid) {
  uint64_t a = ready & transparent, b = ready & ~transparent;
  for (uint64_t rest = a; b && rest; rest &= rest - 1) {
    uint32_t i = (uint32_t)__builtin_ctzll(rest);
    for (uint64_t other = b; other; other &= other - 1) {
      if (cgid[i] == cgid[__builtin_ctzll(other)]) {
        return true;
      }
    }
  }
  return false;
}

// Returns true if s lies next to the interval that d has merged, or been granted: the only senders
// that a transparent group allows.
static inline bool pairs_adjacent(uint64_t received_of_d, uint32_t s, uint32_t d) {
  uint32_t towards = s > d ? s - 1 : s + 1;
  return towards == d || pairs_bit(received_of_d, towards);
}

// Returns the GPUs of `ready` that have sent to and received from all others of `all`.
static inline uint64_t pairs_complete(uint64_t ready, uint64_t all, const uint64_t *sent,
                                      const uint64_t *received) {
  uint64_t done = 0;
  for (uint64_t rest = ready; rest; rest &= rest - 1) {
    uint32_t i = (uint32_t)__builtin_ctzll(rest);
    uint64_t others = all & ~(1ull << i);
    if (sent[i] == others && received[i] == others) {
      done |= 1ull << i;
    }
  }
  return done;
}

#endif
