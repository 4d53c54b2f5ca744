// SPDX-License-Identifier: Apache-2.0
// The project's only source of random numbers: splitmix64, seeded, the same on every
// machine.
#ifndef NOCTURNE_BASE_RNG_H
#define NOCTURNE_BASE_RNG_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  uint64_t state;
} rng_t;

static inline void rng_seed(rng_t *rng, uint64_t seed) { rng->state = seed; }

static inline uint64_t rng_u64(rng_t *rng) {
  uint64_t z = rng->state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// 0 to n - 1; n at least 1.
static inline uint32_t rng_below(rng_t *rng, uint32_t n) {
  return (uint32_t)(((rng_u64(rng) >> 32) * n) >> 32);
}

static inline bool rng_chance(rng_t *rng, uint32_t permille) {
  return rng_below(rng, 1000) < permille;
}

// A seed from a name (FNV-1a).
static inline uint64_t rng_name(const char *name) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (; *name; name++) {
    hash = (hash ^ (uint8_t)*name) * 0x100000001b3u;
  }
  return hash;
}

#endif
