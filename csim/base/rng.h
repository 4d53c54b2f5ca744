// SPDX-License-Identifier: Apache-2.0
// The project's only random numbers: splitmix64, seeded, the same on every machine. A fuzzer puts
// a source of its own behind a generator (tb/fuzz/choices.h).
#ifndef NOCTURNE_BASE_RNG_H
#define NOCTURNE_BASE_RNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Decides draws in place of a generator; `self` is the source itself.
typedef struct rng_source rng_source_t;
struct rng_source {
  uint64_t (*word)(rng_source_t *self);
  uint32_t (*below)(rng_source_t *self, uint32_t n);
  bool (*chance)(rng_source_t *self, uint32_t permille);
  uint64_t salt;  // mixed into the seeds of the generators that are forked off
};

typedef struct {
  uint64_t state;
  rng_source_t *source;  // NULL: splitmix64
} rng_t;

static inline void rng_seed(rng_t *rng, uint64_t seed) { *rng = (rng_t){.state = seed}; }

// Seeds a generator that works beside a source, or NULL.
static inline void rng_fork(rng_t *rng, const rng_source_t *source, uint64_t seed) {
  rng_seed(rng, seed ^ (source ? source->salt : 0));
}

static inline uint64_t rng_generate(rng_t *rng) {
  uint64_t z = rng->state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static inline uint64_t rng_u64(rng_t *rng) {
  return __builtin_expect(!rng->source, 1) ? rng_generate(rng) : rng->source->word(rng->source);
}

// 0 to n - 1; n at least 1.
static inline uint32_t rng_below(rng_t *rng, uint32_t n) {
  return __builtin_expect(!rng->source, 1) ? (uint32_t)(((rng_generate(rng) >> 32) * n) >> 32)
                                           : rng->source->below(rng->source, n);
}

static inline bool rng_chance(rng_t *rng, uint32_t permille) {
  return __builtin_expect(!rng->source, 1) ? ((rng_generate(rng) >> 32) * 1000) >> 32 < permille
                                           : rng->source->chance(rng->source, permille);
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
