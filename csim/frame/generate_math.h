// SPDX-License-Identifier: Apache-2.0
// Functions that the C library may round differently from version to version, in
// additions, multiplications and divisions only: the same bits everywhere.
#ifndef NOCTURNE_FRAME_GENERATE_MATH_H
#define NOCTURNE_FRAME_GENERATE_MATH_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "../base/rng.h"

#define GENERATE_PI 3.14159265358979323846

// Uniform in [0, 1).
static inline double generate_uniform(rng_t *rng) {
  return (double)(rng_u64(rng) >> 11) * (1.0 / 9007199254740992.0);
}

static inline double generate_between(rng_t *rng, double low, double high) {
  return low + (high - low) * generate_uniform(rng);
}

// Nearly normal: twelve uniform numbers.
static inline double generate_normal(rng_t *rng) {
  double sum = -6;
  for (int i = 0; i < 12; i++) {
    sum += generate_uniform(rng);
  }
  return sum;
}

static inline double generate_clamp(double x, double low, double high) {
  return x < low ? low : x > high ? high : x;
}

// The sine of an angle in turns.
static inline double generate_sin(double turns) {
  double t = turns - floor(turns);  // [0, 1)
  double sign = 1;
  if (t >= 0.5) {
    t -= 0.5;
    sign = -1;
  }
  if (t > 0.25) {
    t = 0.5 - t;
  }
  double x = 2 * GENERATE_PI * t, s = x * x;
  return sign * x * (1 + s * (-1.0 / 6 + s * (1.0 / 120 + s * (-1.0 / 5040 + s * (1.0 / 362880)))));
}

static inline double generate_cos(double turns) { return generate_sin(turns + 0.25); }

static inline double generate_exp2(double x) {
  double whole = floor(x + 0.5);
  double f = (x - whole) * 0.69314718055994530942;
  double p =
      1 +
      f * (1 + f * (1.0 / 2 + f * (1.0 / 6 + f * (1.0 / 24 + f * (1.0 / 120 + f * (1.0 / 720))))));
  return ldexp(p, (int)whole);
}

// Lognormal with median 1; sigma of the natural logarithm.
static inline double generate_lognormal(rng_t *rng, double sigma) {
  return generate_exp2(generate_normal(rng) * sigma * 1.44269504088896340736);
}

static inline uint32_t generate_hash(uint32_t x, uint32_t y, uint32_t seed) {
  uint32_t h = seed ^ x * 0x9e3779b1u ^ y * 0x85ebca77u;
  h = (h ^ h >> 16) * 0x7feb352du;
  h = (h ^ h >> 15) * 0x846ca68bu;
  return h ^ h >> 16;
}

// A lattice's cell and the values at its corners; zeroed: none.
typedef struct {
  uint32_t x, y, period, seed;
  bool known;
  double corners[4];
} generate_cell_t;

// Smooth noise in [0, 1] with a lattice of 1. period: lattice points after which it
// repeats, 0 = never. Neighbouring points of a call are mostly in the same cell.
static inline double generate_noise_in(generate_cell_t *cell, double x, double y, uint32_t period,
                                       uint32_t seed) {
  int32_t ix = (int32_t)x, iy = (int32_t)y;
  ix -= ix > x;
  iy -= iy > y;
  double tx = x - ix, ty = y - iy;
  tx = tx * tx * (3 - 2 * tx);
  ty = ty * ty * (3 - 2 * ty);
  uint32_t x0 = (uint32_t)ix, y0 = (uint32_t)iy;
  if (!cell->known || cell->x != x0 || cell->y != y0 || cell->period != period ||
      cell->seed != seed) {
    *cell = (generate_cell_t){.x = x0, .y = y0, .period = period, .seed = seed, .known = true};
    x0 = period ? x0 % period : x0;
    y0 = period ? y0 % period : y0;
    uint32_t x1 = x0 + 1 == period ? 0 : x0 + 1, y1 = y0 + 1 == period ? 0 : y0 + 1;
    cell->corners[0] = generate_hash(x0, y0, seed);
    cell->corners[1] = generate_hash(x1, y0, seed);
    cell->corners[2] = generate_hash(x0, y1, seed);
    cell->corners[3] = generate_hash(x1, y1, seed);
  }
  const double *c = cell->corners;
  double top = c[0] + (c[1] - c[0]) * tx, bottom = c[2] + (c[3] - c[2]) * tx;
  return (top + (bottom - top) * ty) * (1.0 / 4294967295.0);
}

static inline double generate_noise(double x, double y, uint32_t period, uint32_t seed) {
  generate_cell_t cell = {.known = false};
  return generate_noise_in(&cell, x, y, period, seed);
}

#endif
