// Arrays of a unit's struct, as packed vectors of the simulator: element 0 lowest, `bits` of each.
// Widths are constants where this is used, so the loops unroll. Little-endian hosts only, as is
// Verilator's layout of wide values.
#ifndef NOCTURNE_DPI_BITS_H
#define NOCTURNE_DPI_BITS_H

#include <stdint.h>
#include <string.h>

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
  for (uint32_t i = 0; i < count; i++) {
    uint64_t value = 0;
    memcpy(&value, (const uint8_t *)elements + (size_t)i * bytes, bytes);
    for (uint32_t left = bits; left > 0;) {
      const uint32_t part = left < 32 ? left : 32;
      pending |= (value & ((1ull << part) - 1)) << have;
      value >>= part;
      have += part;
      left -= part;
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
  uint64_t pending = 0;
  uint32_t have = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint64_t value = 0;
    for (uint32_t done = 0; done < bits;) {
      const uint32_t part = bits - done < 32 ? bits - done : 32;
      if (have < part) {
        pending |= (uint64_t)*words++ << have;
        have += 32;
      }
      value |= (pending & ((1ull << part) - 1)) << done;
      pending >>= part;
      have -= part;
      done += part;
    }
    memcpy((uint8_t *)elements + (size_t)i * bytes, &value, bytes);
  }
}

// The same for arrays of 64 bits at most, which cross as a number.
DPI_INLINE uint64_t dpi_pack64(const void *elements, uint32_t bytes, uint32_t bits,
                               uint32_t count) {
  uint32_t words[2] = {0, 0};
  dpi_pack(words, elements, bytes, bits, count);
  return words[0] | (uint64_t)words[1] << 32;
}

DPI_INLINE void dpi_unpack64(uint64_t value, void *elements, uint32_t bytes, uint32_t bits,
                             uint32_t count) {
  const uint32_t words[3] = {(uint32_t)value, (uint32_t)(value >> 32), 0};
  dpi_unpack(words, elements, bytes, bits, count);
}

#endif
