// SPDX-License-Identifier: Apache-2.0
// Arrays of a unit's struct, as packed vectors of the simulator: element 0 lowest, `bits` of each.
// Widths are constants where this is used, so the loops unroll. Little-endian hosts only, as is
// Verilator's layout of wide values.
#ifndef NOCTURNE_DPI_BITS_H
#define NOCTURNE_DPI_BITS_H

#include <stdint.h>
#include <string.h>

#ifdef __clang__
#define DPI_UNROLL _Pragma("clang loop unroll_count(64)")
#else
#define DPI_UNROLL _Pragma("GCC unroll 64")
#endif
#define DPI_INLINE static inline __attribute__((always_inline, unused))

// elements: `count` of `bytes` bytes each. words: (bits * count + 31) / 32.
DPI_INLINE void dpi_pack(uint32_t *words, const void *elements, uint32_t bytes, uint32_t bits,
                         uint32_t count) {
  if (bits == 8 * bytes) {
    words[(bits * count - 1) / 32] = 0;
    memcpy(words, elements, (size_t)bytes * count);
    return;
  }
  uint64_t pending = 0;
  uint32_t have = 0;
  DPI_UNROLL
  for (uint32_t i = 0; i < count; i++) {
    uint64_t value = 0;
    memcpy(&value, (const uint8_t *)elements + (size_t)i * bytes, bytes);
    const uint32_t low = bits < 32 ? bits : 32;
    pending |= (value & ((1ull << low) - 1)) << have;
    have += low;
    if (have >= 32) {
      *words++ = (uint32_t)pending;
      pending >>= 32;
      have -= 32;
    }
    if (bits > 32) {
      pending |= (value >> 32 & ((1ull << (bits - 32)) - 1)) << have;
      have += bits - 32;
      if (have >= 32) {
        *words++ = (uint32_t)pending;
        pending >>= 32;
        have -= 32;
      }
    }
  }
  if (have > 0) {
    *words = (uint32_t)pending;
  }
}

DPI_INLINE void dpi_unpack(const uint32_t *words, void *elements, uint32_t bytes, uint32_t bits,
                           uint32_t count) {
  if (bits == 8 * bytes) {
    memcpy(elements, words, (size_t)bytes * count);
    return;
  }
  const uint64_t mask = bits < 64 ? (1ull << bits) - 1 : UINT64_MAX;
  DPI_UNROLL
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t at = i * bits % 32;
    const uint32_t *from = words + i * bits / 32;
    uint64_t value = from[0] >> at;
    if (at + bits > 32) {
      value |= (uint64_t)from[1] << (32 - at);
    }
    if (at + bits > 64) {
      value |= (uint64_t)from[2] << (64 - at);
    }
    value &= mask;
    memcpy((uint8_t *)elements + (size_t)i * bytes, &value, bytes);
  }
}

#endif
