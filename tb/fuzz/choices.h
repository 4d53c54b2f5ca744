// SPDX-License-Identifier: Apache-2.0
// In place of csim/base/rng.h where the units' stimulus (tb/stimulus) is compiled for fuzzing: the
// generator seeded with ChoicesSeed takes its draws from the fuzzer's input, so that the same code
// that makes random traffic decodes bytes into traffic as legal. All others stay generators, each
// seeded by the input's salt besides.
//
// A draw takes a byte or two: 0 is the least value, and for a share "yes" unless the share is 0;
// 255 the greatest, and "no" unless the share is nearly 1,000. When the input is at its end, the
// draws go on from a generator seeded by the salt.
#ifndef NOCTURNE_BASE_RNG_H
#define NOCTURNE_BASE_RNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ChoicesSeed UINT64_C(0x66757a7a2d756e69)

typedef struct {
  const uint8_t *data;
  size_t size, at;
  uint64_t salt, tail;  // tail: of the generator after the end
} choices_t;

extern choices_t choices;

typedef struct {
  uint64_t state;
} rng_t;

static inline uint64_t choices_mix(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static inline void rng_seed(rng_t *rng, uint64_t seed) {
  rng->state = seed == ChoicesSeed ? seed : seed ^ choices.salt;
}

static inline bool choices_has(const rng_t *rng) {
  return rng->state == ChoicesSeed && choices.at < choices.size;
}

static inline uint64_t *choices_state(rng_t *rng) {
  return rng->state == ChoicesSeed ? &choices.tail : &rng->state;
}

// Mostly payload: a bit, all bits, none, or any value that the byte and its place stand for.
static inline uint64_t rng_u64(rng_t *rng) {
  if (!choices_has(rng)) {
    return choices_mix(choices_state(rng));
  }
  uint8_t b = choices.data[choices.at++];
  uint64_t seed = choices.salt ^ b ^ choices.at << 8;
  return b == 0 ? 0 : b == 255 ? UINT64_MAX : b <= 64 ? UINT64_C(1) << (b - 1) : choices_mix(&seed);
}

static inline uint32_t rng_below(rng_t *rng, uint32_t n) {
  if (!choices_has(rng)) {
    return (uint32_t)(((choices_mix(choices_state(rng)) >> 32) * n) >> 32);
  }
  uint64_t value = choices.data[choices.at++];
  if (n <= 256) {
    return (uint32_t)(value * n >> 8);
  }
  value = value << 8 | (choices.at < choices.size ? choices.data[choices.at++] : 0);
  return (uint32_t)(value * n >> 16);
}

static inline bool rng_chance(rng_t *rng, uint32_t permille) {
  if (!choices_has(rng)) {
    return (uint32_t)(((choices_mix(choices_state(rng)) >> 32) * 1000) >> 32) < permille;
  }
  return choices.data[choices.at++] * UINT32_C(1000) < permille * UINT32_C(256);
}

static inline uint64_t rng_name(const char *name) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (; *name; name++) {
    hash = (hash ^ (uint8_t)*name) * 0x100000001b3u;
  }
  return hash;
}

#endif
