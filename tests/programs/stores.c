// SPDX-License-Identifier: Apache-2.0
// Loads behind stores at places that numbers say, as the translator has them where there is an Any
// (tb/prove/stored.h). Functions of three words, for prove_instructions.
#include <stdbool.h>
#include <stdint.h>

uint32_t Any;

enum { Places = 16, Mask = Places - 1 };

typedef struct {
  uint16_t wide;
  uint8_t low, high;
} entry_t;

static void fill(entry_t m[Places], uint64_t a) {
  for (uint32_t i = 0; i < Places; i++) {
    m[i] = (entry_t){(uint16_t)(a >> i), (uint8_t)(a >> 2 * i), (uint8_t)i};
  }
}

static uint64_t read(const entry_t *e) {
  return e->wide | (uint64_t)e->low << 16 | (uint64_t)e->high << 24;
}

uint64_t one(uint64_t a, uint64_t b, uint64_t c) {
  entry_t m[Places];
  fill(m, a);
  m[b & Mask].wide = (uint16_t)c;
  return read(&m[c >> 4 & Mask]) | read(&m[a & Mask]) << 32;
}

uint64_t under_conditions(uint64_t a, uint64_t b, uint64_t c) {
  entry_t m[Places];
  fill(m, b);
  if (a & 1) {
    m[b & Mask] = (entry_t){(uint16_t)c, (uint8_t)a, 7};
  }
  if (b & 2) {
    m[a >> 3 & Mask].low = 0;
  } else {
    m[c & Mask].high = 255;
  }
  return read(&m[b & Mask]) ^ read(&m[c & Mask]) << 32 ^ read(&m[a >> 3 & Mask]) << 17;
}

uint64_t one_behind_another(uint64_t a, uint64_t b, uint64_t c) {
  entry_t m[Places];
  fill(m, c);
  m[a & Mask].wide = (uint16_t)b;
  m[b & Mask].wide = m[a & Mask].wide + 1;
  m[c & Mask].wide = m[a >> 4 & Mask].wide;
  m[a >> 8 & Mask].low ^= 3;
  return read(&m[a & Mask]) ^ read(&m[c >> 9 & Mask]) << 32;
}

// Some places only: those with low bits of 1.
uint64_t at_some(uint64_t a, uint64_t b, uint64_t c) {
  entry_t m[Places];
  fill(m, a);
  m[(b & 3) * 4 + 1].wide = (uint16_t)c;
  m[(c & 3) * 4 + 2].wide = (uint16_t)b;
  return read(&m[(a & 3) * 4 + 1]) | read(&m[b >> 5 & Mask]) << 32;
}

// Bytes of what was stored as words.
uint64_t bytes(uint64_t a, uint64_t b, uint64_t c) {
  uint32_t m[Places];
  for (uint32_t i = 0; i < Places; i++) {
    m[i] = (uint32_t)(a >> i);
  }
  m[b & Mask] = (uint32_t)c;
  const uint8_t *byte = (const uint8_t *)m;
  return byte[c & 63] | (uint64_t)byte[b & 63] << 8 | (uint64_t)byte[(a & Mask) * 4 + 2] << 16;
}

// Volatile, so that clang does not find out what is loaded.
static uint8_t behind(uint64_t a, uint64_t b, uint64_t c, uint64_t at) {
  volatile uint8_t m[Places];
  for (uint32_t i = 0; i < Places; i++) {
    m[i] = (uint8_t)(a >> i);
  }
  m[b & Mask] = (uint8_t)(c & 3);
  return m[at & Mask];
}

static const uint8_t Few[4] = {1, 2, 3, 4};

// Owes no access outside: what is loaded is the word stored, wherever.
uint64_t told(uint64_t a, uint64_t b, uint64_t c) { return Few[behind(a, b, c, b)]; }

uint64_t told_not(uint64_t a, uint64_t b, uint64_t c) { return Few[behind(a, b, c, c) & 7]; }
