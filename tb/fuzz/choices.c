// SPDX-License-Identifier: Apache-2.0
#include "choices.h"

static bool is_over(const choices_t *c) { return c->at >= c->size; }

uint8_t choices_byte(choices_t *c) { return is_over(c) ? 0 : c->data[c->at++]; }

// Mostly payload: a bit, all bits, none, or any value that the byte and its place stand for.
static uint64_t word(rng_source_t *self) {
  choices_t *c = (choices_t *)self;
  if (is_over(c)) {
    return rng_u64(&c->tail);
  }
  const uint8_t b = choices_byte(c);
  rng_t any;
  rng_seed(&any, self->salt ^ b ^ c->at << 8);
  return b == 0 ? 0 : b == 255 ? UINT64_MAX : b <= 64 ? UINT64_C(1) << (b - 1) : rng_u64(&any);
}

static uint32_t below(rng_source_t *self, uint32_t n) {
  choices_t *c = (choices_t *)self;
  if (is_over(c)) {
    return rng_below(&c->tail, n);
  }
  uint64_t value = choices_byte(c);
  if (n <= 256) {
    return (uint32_t)(value * n >> 8);
  }
  value = value << 8 | choices_byte(c);
  return (uint32_t)(value * n >> 16);
}

static bool chance(rng_source_t *self, uint32_t permille) {
  choices_t *c = (choices_t *)self;
  return is_over(c) ? rng_chance(&c->tail, permille)
                    : choices_byte(c) * UINT32_C(1000) < permille * UINT32_C(256);
}

uint64_t choices_begin(choices_t *c, const uint8_t *data, size_t size) {
  *c = (choices_t){.source = {word, below, chance, 0}, .data = data, .size = size};
  uint64_t salt = choices_byte(c);
  const uint64_t last = choices_byte(c);
  salt |= (uint64_t)choices_byte(c) << 8;
  c->source.salt = salt * 0x9e3779b97f4a7c15u;
  rng_seed(&c->tail, ~c->source.salt);
  return last * last / 128;
}
