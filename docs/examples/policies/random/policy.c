// SPDX-License-Identifier: Apache-2.0
// @NAME@: an opaque draw goes to any GPU that can take it, by chance. What another policy gains
// over this one is what its choice is worth.
#include "csim/base/rng.h"
#include "csim/driver/nocturne_driver.h"
#include "own_unit.h"

NOCTURNE_DRIVER_LIBRARY;  // of which every decision is the built-in one

// The same draw falls to the same number in every run.
static uint32_t choose_gpu(const golden_t *g) {
  const uint64_t able = g->has_credit & g->near;
  uint64_t among = able ? able : g->all;
  rng_t rng;
  rng_seed(&rng, (uint64_t)g->queue[0].id << 32 | g->queue[0].first);
  for (uint32_t k = rng_below(&rng, (uint32_t)__builtin_popcountll(among)); k > 0; k--) {
    among &= among - 1;
  }
  return (uint32_t)__builtin_ctzll(among);
}
