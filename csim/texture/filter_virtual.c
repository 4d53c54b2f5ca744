// SPDX-License-Identifier: Apache-2.0
#include "filter_virtual.h"

#include <math.h>

// Component 0 is x, 1 is y; "along" and "across" the major axis are one or the other.
typedef struct {
  const uint32_t *texel;    // of the children's level
  uint32_t side[2];         // of it
  uint32_t parent_side[2];  // of the level above, isotropic
  uint8_t wrap[2];
  uint32_t along;          // component
  double children, slope;  // N; texels across for each along
  bool isotropic;
} level_t;

// 2^(-weight / 256).
static double shrink(uint32_t weight) {
  double factor = 1, root = 0.5;
  for (uint32_t bit = 128; bit; bit /= 2) {
    root = sqrt(root);
    factor *= weight & bit ? root : 1;
  }
  return factor;
}

static uint32_t texel_at(const level_t *l, int64_t along, int64_t across) {
  uint32_t at[2];
  at[l->along] = footprint_wrap(l->wrap[l->along], along, l->side[l->along]);
  at[1 - l->along] = footprint_wrap(l->wrap[1 - l->along], across, l->side[1 - l->along]);
  return l->texel[(size_t)at[1] * l->side[0] + at[0]];
}

// Parent (a, b): the children lie on a line of the slope through the parent's middle, each in the
// texel that is nearest to the line, halves upwards. Counted in quarters of a texel, which is
// exact: a, b and N are whole, and the slope is a number of halves.
static void parent_at(const level_t *l, double a, double b, double out[4]) {
  const int64_t n = (int64_t)l->children, slope = (int64_t)(2 * l->slope);
  int64_t along = (int64_t)a, row = 4 * (int64_t)b;
  const int halves = __builtin_ctzll((uint64_t)n) + 1;  // N is a power of two
  uint64_t sum = 0;                                     // of the channels, 16 bits each
  if (l->isotropic) {
    along = footprint_wrap(l->wrap[l->along], along, l->parent_side[l->along]);
    row = footprint_wrap(l->wrap[1 - l->along], (int64_t)b, l->parent_side[1 - l->along]);
    row = 4 * row * n + 2 * (n - 1);
  }
  for (int64_t i = 0; i < n; i++) {
    const uint64_t child = texel_at(l, along * n + i, (row + slope * (2 * i - (n - 1)) + 2) >> 2);
    sum += (child & 0xff) | (child & 0xff00) << 8 | (child & 0xff0000) << 16 |
           (child & 0xff000000) << 24;
  }
  for (uint32_t c = 0; c < 4; c++) {
    out[c] = (double)((2 * (uint32_t)(sum >> 16 * c & 0xffff) + (uint32_t)n) >> halves);
  }
}

// Two rows of parents in column a, at the place where the pixel's axis crosses it.
static void column_at(const level_t *l, double a, double along, double across, bool linear,
                      double out[4]) {
  double row = across, low[4], high[4];
  if (!l->isotropic) {
    double middle = a * l->children + (l->children - 1) / 2;
    row += floor(256 * (l->slope * (middle - along))) / 256;
    row -= fabs(l->slope) == 1 ? 0.5 : 0;
  }
  if (!linear) {
    parent_at(l, a, floor(row + 0.5), out);
    return;
  }
  parent_at(l, a, floor(row), low);
  parent_at(l, a, floor(row) + 1, high);
  for (uint32_t c = 0; c < 4; c++) {
    out[c] = low[c] + (row - floor(row)) * (high[c] - low[c]);
  }
}

static void level_sample(const level_t *l, double along, double across, bool linear,
                         double out[4]) {
  // In parents from the middle of the first.
  double t = l->isotropic ? along : (along - (l->children - 1) / 2) / l->children;
  double a = floor(t), f = floor(256 * (t - a)) / 256, left[4], right[4];
  if (!linear) {
    column_at(l, floor(t + 0.5), along, across, false, out);
    return;
  }
  column_at(l, a, along, across, true, left);
  column_at(l, a + 1, along, across, true, right);
  for (uint32_t c = 0; c < 4; c++) {
    out[c] = floor(256 * (left[c] + f * (right[c] - left[c])) + 0.5) / 256;
  }
}

// N of a quad, before any level limits it.
static uint32_t children_of(const footprint_t *f, virtual_reading_e reading, double threshold) {
  if (reading == VirtualIsotropic) {
    static const uint8_t Nearest[FootprintMaxRatio + 1] = {1, 1, 2, 4,  4,  4,  8,  8, 8,
                                                           8, 8, 8, 16, 16, 16, 16, 16};
    return Nearest[f->ratio];
  }
  double x = fabs(f->major_x) / f->major, y = fabs(f->major_y) / f->major;
  double length = ldexp(f->major * shrink(f->weight), -(int)f->level);
  double m = (length < 16 ? length : 16) * (x >= y ? x : y);
  return m >= 8 * threshold   ? 16
         : m >= 4 * threshold ? 8
         : m >= 2 * threshold ? 4
         : m >= threshold     ? 2
                              : 1;
}

static void make_level(level_t *l, const frame_texture_t *t, const frame_stage_t *s,
                       const footprint_t *f, virtual_reading_e reading, uint32_t children,
                       uint32_t parents, bool turned) {
  bool along_x = fabs(f->major_x) >= fabs(f->major_y);
  uint32_t level = parents;
  *l = (level_t){.along = !along_x, .children = 1, .wrap = {s->wrap_s, s->wrap_t}};
  uint32_t room = frame_side(along_x ? t->width : t->height, parents);
  while (l->children < children &&
         (reading == VirtualIsotropic ? level > 0 : room >= 2 * l->children)) {
    l->children *= 2;
    level -= reading == VirtualIsotropic;
  }
  l->isotropic = reading == VirtualIsotropic;
  l->texel = t->level[level];
  for (uint32_t n = 0; n < 2; n++) {
    l->side[n] = frame_side(n ? t->height : t->width, level);
    l->parent_side[n] = frame_side(n ? t->height : t->width, parents);
  }
  if (l->children > 1) {
    double slope = along_x ? f->major_y / f->major_x : f->major_x / f->major_y;
    l->slope = floor(2 * slope + 0.5) / 2;
    l->slope = turned ? -l->slope : l->slope;
  }
}

void filter_virtual(const frame_texture_t *t, const frame_stage_t *s, const footprint_t *f,
                    const footprint_gradient_t *gradient, virtual_reading_e reading,
                    double threshold, float u, float v, double out[4]) {
  footprint_t levels = *f;
  uint32_t children = 1;
  if (f->ratio > 1) {
    children = children_of(f, reading, threshold);
    if (reading == VirtualIsotropic) {
      frame_stage_t off = *s;
      off.max_anisotropy = 1;
      footprint_make(&levels, t, &off, gradient);
    }
  }
  double sample[2][4];
  for (uint32_t n = 0; n < (levels.weight ? 2u : 1u); n++) {
    uint32_t parents = levels.level + n;
    bool turned[2];
    double place[2];
    place[0] = footprint_at(s->wrap_s, u, frame_side(t->width, parents), &turned[0]) / 256.0 - 0.5;
    place[1] = footprint_at(s->wrap_t, v, frame_side(t->height, parents), &turned[1]) / 256.0 - 0.5;
    level_t l;
    make_level(&l, t, s, f, reading, children, parents, turned[0] != turned[1]);
    level_sample(&l, place[l.along], place[1 - l.along], levels.linear, sample[n]);
  }
  for (uint32_t c = 0; c < 4; c++) {
    out[c] = sample[0][c];
    if (levels.weight) {
      out[c] += levels.weight / 256.0 * (sample[1][c] - sample[0][c]);
    }
  }
}
