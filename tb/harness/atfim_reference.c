// SPDX-License-Identifier: Apache-2.0
#include "atfim_reference.h"

#include <string.h>

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }
static int64_t floor_mod(int64_t a, int64_t b) { return a - b * floor_div(a, b); }

static int64_t wrap(int64_t c, int64_t size, uint8_t mode) {
  if (mode == TexelGeneratorWrapClamp) {
    return c < 0 ? 0 : c < size ? c : size - 1;
  }
  if (mode == TexelGeneratorWrapRepeat) {
    return floor_mod(c, size);
  }
  int64_t m = floor_mod(c, 2 * size);
  return m < size ? m : 2 * size - 1 - m;
}

static int64_t side(uint32_t full, uint32_t level) {
  uint32_t size = full >> level;
  return size > 0 ? size : 1;
}

// Of child i to its parent, along one axis.
static int64_t offset(const atfim_package_t *p, int16_t step, uint32_t level, uint32_t i) {
  int64_t halves = 2 * (int64_t)i - p->ratio + 1, one = 256ll << level;
  return floor_div(halves * step + one, 2 * one);
}

uint64_t atfim_reference_address(const atfim_package_t *p, const texel_generator_descriptor_t *d,
                                 uint32_t k, uint32_t i) {
  uint32_t l = k / 4;
  int64_t w = side(d->width, p->level + l), h = side(d->height, p->level + l);
  int64_t x = wrap(p->x[l] + p->dx[k] + offset(p, p->step_x, l, i), w, d->wrap_x);
  int64_t y = wrap(p->y[l] + p->dy[k] + offset(p, p->step_y, l, i), h, d->wrap_y);
  int64_t tile = y / 4 * ((w + 3) / 4) + x / 4;
  uint64_t address = d->base * 4096ull + (p->offset[l] + (uint64_t)tile) * 64 +
                     (uint64_t)(y % 4 * 16 + x % 4 * 4);
  return address % (1ull << 34);
}

static bool is_bad(const atfim_package_t *p, const texel_generator_descriptor_t *d) {
  bool bad = p->mask == 0 || !d;
  for (uint32_t l = 0; l < 2 && !bad; l++) {
    int64_t w = side(d->width, p->level + l), h = side(d->height, p->level + l);
    bool is_used = p->mask & (l ? 0xf0 : 0x0f);
    bad |= is_used && (p->x[l] < -16 || p->x[l] >= w + 16 || p->y[l] < -16 || p->y[l] >= h + 16);
  }
  return bad;
}

// One channel of a parent: nearest whole number, halves up; or the sum of the children's shares.
static uint32_t channel(const uint32_t texel[AtfimMaxRatio], uint32_t ratio, uint32_t c,
                        bool exact) {
  uint32_t sum = 0, shares = 0;
  for (uint32_t i = 0; i < ratio; i++) {
    uint32_t t = texel[i] >> (8 * c) & 255;
    sum += t;
    shares += (t + i) / ratio;
  }
  return exact ? sum / ratio + (sum % ratio * 2 >= ratio) : shares;
}

void atfim_reference(const atfim_package_t *p, const texel_generator_descriptor_t *d, bool exact,
                     atfim_memory_f read, const void *memory, atfim_response_t *r) {
  memset(r, 0, sizeof *r);
  r->id = p->id;
  r->epoch = p->epoch;
  r->mask = p->mask;
  r->refused = is_bad(p, d);
  for (uint32_t k = 0; k < AtfimParents && !r->refused; k++) {
    uint32_t texel[AtfimMaxRatio];
    bool failed = false;
    for (uint32_t i = 0; i < p->ratio && (p->mask >> k & 1); i++) {
      texel[i] = read(memory, atfim_reference_address(p, d, k, i), &failed);
    }
    r->failed |= (uint8_t)(failed << k);
    for (uint32_t c = 0; c < 4 && (p->mask >> k & 1) && !failed; c++) {
      r->texel[k] |= channel(texel, p->ratio, c, exact) << (8 * c);
    }
  }
}
