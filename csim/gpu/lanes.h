// SPDX-License-Identifier: Apache-2.0
// Helpers for loops over the 64 pixels of a block, written so that compilers turn
// them into vector code. A group of 8 pixels is two stamps side by side.
#ifndef NOCTURNE_GPU_LANES_H
#define NOCTURNE_GPU_LANES_H

#include <stdint.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "../base/clones.h"

enum { LanesGroup = 8, LanesGroups = 8 };

// Position of a group's first pixel in the block.
#define LANES_GROUP_X(group) (((int32_t)(group)&1) * 4)
#define LANES_GROUP_Y(group) (((int32_t)(group) >> 1) * 2)

// Bit i set: value[i] is negative.
static inline uint64_t lanes_signs(const int32_t value[64]) {
  uint64_t bits = 0;
#ifdef __SSE2__
  for (uint32_t i = 0; i < 64; i += 16) {
    const __m128i *v = (const __m128i *)(const void *)(value + i);
    __m128i low = _mm_packs_epi32(_mm_loadu_si128(v), _mm_loadu_si128(v + 1));
    __m128i high = _mm_packs_epi32(_mm_loadu_si128(v + 2), _mm_loadu_si128(v + 3));
    bits |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_packs_epi16(low, high)) << i;
  }
#else
  for (uint32_t i = 0; i < 64; i++) {
    bits |= (uint64_t)((uint32_t)value[i] >> 31) << i;
  }
#endif
  return bits;
}

// Returns the stamps with a pixel in the mask, one bit in four.
static inline uint64_t lanes_stamp_bits(uint64_t mask) {
  mask |= mask >> 2;
  mask |= mask >> 1;
  return mask & 0x1111111111111111u;
}

static inline uint32_t lanes_stamp_count(uint64_t mask) {
  mask = lanes_stamp_bits(mask);
  mask = (mask & 0x0101010101010101u) + (mask >> 4 & 0x0101010101010101u);
  return (uint32_t)(mask * 0x0101010101010101u >> 56);
}

// Returns the same bits side by side: bit (y / 2) * 4 + x / 2 of the block.
static inline uint16_t lanes_stamps(uint64_t mask) {
  mask = lanes_stamp_bits(mask);
  mask = (mask | mask >> 3) & 0x0303030303030303u;
  mask = (mask | mask >> 6) & 0x000f000f000f000fu;
  mask = (mask | mask >> 12) & 0x000000ff000000ffu;
  return (uint16_t)(mask | mask >> 24);
}

// Pixel i of a block: its coordinates in it.
static inline uint32_t lanes_x(uint32_t i) { return (i >> 1 & 6) | (i & 1); }
static inline uint32_t lanes_y(uint32_t i) { return (i >> 3 & 6) | (i >> 1 & 1); }

#endif
