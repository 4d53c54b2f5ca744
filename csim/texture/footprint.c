// SPDX-License-Identifier: Apache-2.0
#include "footprint.h"

#include "texture_layout.h"

#include <math.h>

enum { LevelOne = 256, LogBits = 7, StepMax = INT16_MAX };

footprint_gradient_t footprint_gradient(const frame_texture_t *t, const float u[4],
                                        const float v[4]) {
  double w = t->width, h = t->height;
  return (footprint_gradient_t){
      .ux = ((double)u[1] - (double)u[0]) * w,
      .vx = ((double)v[1] - (double)v[0]) * h,
      .uy = ((double)u[2] - (double)u[0]) * w,
      .vy = ((double)v[2] - (double)v[0]) * h,
  };
}

// floor(128 log2(value)), by squaring, so that every machine gets the same.
static int32_t log2_128(double value) {
  int exponent;
  double m = 2 * frexp(value, &exponent);
  int32_t bits = exponent - 1;
  for (int n = 0; n < LogBits; n++) {
    m *= m;
    bits = bits * 2 + (m >= 2);
    m = m >= 2 ? m / 2 : m;
  }
  return bits;
}

// Coordinates in single precision never give equal axes: lengths count to 1/256.
static const double Slack2 = 1 + 1.0 / 128;

// The smallest R with minor * R >= major, squares given.
static uint8_t ratio_of(double major2, double minor2, uint32_t most) {
  uint32_t r = 1;
  while (r < most && minor2 * (r * r) * Slack2 < major2) {
    r++;
  }
  return (uint8_t)r;
}

static int16_t step_of(double texels) {
  double fixed = floor(texels * 256 + 0.5);
  return (int16_t)(fixed > StepMax ? StepMax : fixed < -StepMax ? -StepMax : fixed);
}

static int32_t bias_of(float bias) {
  double limited = fmin(fmax((double)bias, -64), 64);
  return (int32_t)floor(limited * LevelOne + 0.5);
}

void footprint_make(footprint_t *f, const frame_texture_t *t, const frame_stage_t *s,
                    const footprint_gradient_t *g) {
  double x2 = g->ux * g->ux + g->vx * g->vx, y2 = g->uy * g->uy + g->vy * g->vy;
  bool along_x = x2 > y2;
  double major2 = along_x ? x2 : y2, minor2 = along_x ? y2 : x2;
  int32_t last = (int32_t)(t->levels - 1) * LevelOne;
  *f = (footprint_t){.ratio = 1};
  int32_t lod = last;
  if (isfinite(major2 + minor2)) {
    uint32_t most = s->max_anisotropy < 1                   ? 1
                    : s->max_anisotropy > FootprintMaxRatio ? FootprintMaxRatio
                                                            : s->max_anisotropy;
    f->major = sqrt(major2);
    f->minor = sqrt(minor2);
    // A pixel no longer than a texel has nothing to average.
    if (major2 > Slack2) {
      f->ratio = ratio_of(major2, minor2, most);
    }
    f->major_x = along_x ? g->ux : g->uy;
    f->major_y = along_x ? g->vx : g->vy;
    f->axis_x = f->major_x / f->ratio;
    f->axis_y = f->major_y / f->ratio;
    f->axis_u = f->axis_x / t->width;
    f->axis_v = f->axis_y / t->height;
    // Squared, so half of log2 is the level.
    double between = major2 / (f->ratio * f->ratio);
    lod = (between > 0 ? log2_128(between) : -1024 * LevelOne) + bias_of(s->lod_bias);
  }
  bool minified = lod > 0;
  f->linear = (minified ? s->min_filter : s->mag_filter) == FrameFilterLinear;
  lod = minified && s->mip != FrameMipNone ? lod : 0;
  lod = lod < last ? lod : last;
  if (s->mip == FrameMipNearest) {
    lod = (lod + LevelOne / 2) & ~(LevelOne - 1);
  }
  f->level = (uint8_t)(lod / LevelOne);
  f->weight = (uint8_t)(lod % LevelOne);
  f->step_x = step_of(ldexp(f->axis_x, -f->level));
  f->step_y = step_of(ldexp(f->axis_y, -f->level));
}

// A coordinate in [0, 1] (clamped: with the slack on both sides), by the rules of
// docs/model/rendering.md; true: it lies where the texture is mirrored.
static bool wrap_coordinate(uint8_t mode, float in, float slack, float *out) {
  if (mode == FrameWrapClamp) {
    float u = in > -slack ? in : -slack;
    *out = u < 1.0f + slack ? u : 1.0f + slack;
    return false;
  }
  float u = mode == FrameWrapMirror ? 0.5f * in : in;
  // Beyond 2^22 a coordinate has no fraction left.
  u = u > -4194304.0f ? u : -4194304.0f;
  u = u < 4194304.0f ? u : 4194304.0f;
  u -= (float)(int32_t)u;
  u = u < 0.0f ? u + 1.0f : u;
  if (mode != FrameWrapMirror) {
    *out = u;
    return false;
  }
  u *= 2.0f;
  *out = u > 1.0f ? 2.0f - u : u;
  return u > 1.0f;
}

int32_t footprint_at(uint8_t mode, float u, uint32_t side, bool *turned) {
  float wrapped;
  *turned = wrap_coordinate(mode, u, (float)FootprintSlack / (float)side, &wrapped);
  return (int32_t)floorf(wrapped * (float)(side << 8));
}

// First texel and fraction along one axis.
static bool place(uint8_t mode, float u, uint32_t side, bool linear, int16_t *first,
                  uint8_t *fraction) {
  bool mirrored;
  int32_t at = footprint_at(mode, u, side, &mirrored) - (linear ? 128 : 0);
  *fraction = linear ? (uint8_t)(at & 255) : 0;
  at >>= 8;
  int32_t low = -FootprintSlack, high = (int32_t)side + FootprintSlack - 1;
  *first = (int16_t)(at < low ? low : at > high ? high : at);
  return mirrored;
}

void footprint_pixel(footprint_pixel_t *p, const footprint_t *f, const frame_texture_t *t,
                     const frame_stage_t *s, float u, float v) {
  uint32_t levels = f->weight ? 2 : 1;
  bool turn_x = false, turn_y = false;
  *p = (footprint_pixel_t){0};
  for (uint32_t l = 0; l < levels; l++) {
    uint32_t level = f->level + l;
    turn_x = place(s->wrap_s, u, frame_side(t->width, level), f->linear, &p->x[l], &p->fx[l]);
    turn_y = place(s->wrap_t, v, frame_side(t->height, level), f->linear, &p->y[l], &p->fy[l]);
  }
  p->step_x = turn_x ? (int16_t)-f->step_x : f->step_x;
  p->step_y = turn_y ? (int16_t)-f->step_y : f->step_y;
  p->mask = f->linear ? 0x0f : 0x01;
  p->mask |= f->weight ? (uint8_t)(p->mask << 4) : 0;
}

int32_t footprint_offset(int32_t step, uint32_t ratio, uint32_t i, bool coarser) {
  int32_t twice = 2 * (int32_t)i - (int32_t)ratio + 1, shift = coarser ? 10 : 9;
  return (twice * step + (1 << (shift - 1))) >> shift;
}

uint32_t footprint_wrap_outside(uint8_t mode, int64_t texel, uint32_t side) {
  int64_t n = side;
  if (mode == FrameWrapClamp) {
    return texel < 0 ? 0 : side - 1;
  }
  int64_t period = mode == FrameWrapMirror ? 2 * n : n;
  int64_t at = texel % period;
  at = at < 0 ? at + period : at;
  return (uint32_t)(at < n ? at : 2 * n - 1 - at);
}

// Beyond this a coordinate has no fraction; not a number becomes the border.
static double limited(double x) {
  double low = x > -0x1p40 ? x : -0x1p40;
  return low < 0x1p40 ? low : 0x1p40;
}

void footprint_fractional(const footprint_t *f, const frame_texture_t *t, uint32_t level, float u,
                          float v, uint32_t i, double *x, double *y) {
  double along = (2.0 * i - f->ratio + 1) / 2, half = f->linear ? 0.5 : 0;
  // A level's side is rounded down, so the axis is scaled by the true sides.
  *x = limited(((double)u + along * f->axis_u) * frame_side(t->width, level) - half);
  *y = limited(((double)v + along * f->axis_v) * frame_side(t->height, level) - half);
}
