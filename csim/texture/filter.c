// SPDX-License-Identifier: Apache-2.0
#include "filter.h"

#include <string.h>

#include "texture_layout.h"

static uint32_t fetch(const frame_texture_t *t, const frame_stage_t *s, uint32_t level, int64_t x,
                      int64_t y) {
  uint32_t w = frame_side(t->width, level), h = frame_side(t->height, level);
  uint32_t row = footprint_wrap(s->wrap_t, y, h);
  return t->level[level][(size_t)row * w + footprint_wrap(s->wrap_s, x, w)];
}

void filter_add(const uint32_t texel[4], double fx, double fy, double weight, double sum[4]) {
  double part[4] = {weight * (1 - fx) * (1 - fy), weight * fx * (1 - fy), weight * (1 - fx) * fy,
                    weight * fx * fy};
  for (uint32_t k = 0; k < 4; k++) {
    for (uint32_t c = 0; c < 4; c++) {
      sum[c] += part[k] * (texel[k] >> 8 * c & 255);
    }
  }
}

static void add_bilinear(const frame_texture_t *t, const frame_stage_t *s, uint32_t level,
                         int64_t x, int64_t y, double fx, double fy, double weight, double sum[4]) {
  uint32_t texel[4];
  for (uint32_t k = 0; k < 4; k++) {
    texel[k] = fetch(t, s, level, x + (k & 1), y + (k >> 1));
  }
  filter_add(texel, fx, fy, weight, sum);
}

void filter_fractional(const frame_texture_t *t, const frame_stage_t *s, const footprint_t *f,
                       float u, float v, double out[4]) {
  memset(out, 0, 4 * sizeof out[0]);
  for (uint32_t i = 0; i < f->ratio; i++) {
    for (uint32_t l = 0; l < (f->weight ? 2u : 1u); l++) {
      double x, y;
      footprint_fractional(f, t, f->level + l, u, v, i, &x, &y);
      int64_t x0 = footprint_floor(x), y0 = footprint_floor(y);
      add_bilinear(t, s, f->level + l, x0, y0, f->linear ? x - (double)x0 : 0,
                   f->linear ? y - (double)y0 : 0, filter_weight(f, l), out);
    }
  }
}

void filter_whole(const frame_texture_t *t, const frame_stage_t *s, const footprint_t *f,
                  const footprint_pixel_t *p, double out[4]) {
  memset(out, 0, 4 * sizeof out[0]);
  for (uint32_t i = 0; i < f->ratio; i++) {
    for (uint32_t l = 0; l < (f->weight ? 2u : 1u); l++) {
      double weight = filter_weight(f, l);
      int32_t x = p->x[l] + footprint_offset(p->step_x, f->ratio, i, l);
      int32_t y = p->y[l] + footprint_offset(p->step_y, f->ratio, i, l);
      add_bilinear(t, s, f->level + l, x, y, p->fx[l] / 256.0, p->fy[l] / 256.0, weight, out);
    }
  }
}

uint32_t filter_parent(const frame_texture_t *t, const frame_stage_t *s, const footprint_t *f,
                       const footprint_pixel_t *p, uint32_t k) {
  uint32_t l = k >> 2, r = f->ratio;
  uint32_t sum[4] = {0}, texel = 0;
  for (uint32_t i = 0; i < r; i++) {
    int32_t x = p->x[l] + (int32_t)(k & 1) + footprint_offset(p->step_x, r, i, l);
    int32_t y = p->y[l] + (int32_t)(k >> 1 & 1) + footprint_offset(p->step_y, r, i, l);
    uint32_t child = fetch(t, s, f->level + l, x, y);
    for (uint32_t c = 0; c < 4; c++) {
      sum[c] += child >> 8 * c & 255;
    }
  }
  for (uint32_t c = 0; c < 4; c++) {
    texel |= (2 * sum[c] + r) / (2 * r) << 8 * c;
  }
  return texel;
}

void filter_parent_place(const frame_texture_t *t, const frame_stage_t *s, const footprint_t *f,
                         const footprint_pixel_t *p, uint32_t k, uint32_t *level, uint32_t *x,
                         uint32_t *y) {
  uint32_t l = k >> 2;
  *level = f->level + l;
  *x = footprint_wrap(s->wrap_s, p->x[l] + (int32_t)(k & 1), frame_side(t->width, *level));
  *y = footprint_wrap(s->wrap_t, p->y[l] + (int32_t)(k >> 1 & 1), frame_side(t->height, *level));
}

// 0 to 255 in 1/256, rounded to nearest.
static int32_t bilinear(const uint32_t texel[4], uint32_t shift, int32_t fx, int32_t fy) {
  int32_t t[4];
  for (uint32_t k = 0; k < 4; k++) {
    t[k] = (int32_t)(texel[k] >> shift & 255);
  }
  int32_t top = t[0] * 256 + fx * (t[1] - t[0]), bottom = t[2] * 256 + fx * (t[3] - t[2]);
  return (top * 256 + fy * (bottom - top) + 128) >> 8;
}

void filter_parents(const footprint_t *f, const footprint_pixel_t *p, const uint32_t parent[8],
                    int32_t out[4]) {
  for (uint32_t c = 0; c < 4; c++) {
    int32_t fine = bilinear(parent, 8 * c, p->fx[0], p->fy[0]);
    out[c] = fine * 256;
    if (f->weight) {
      out[c] += f->weight * (bilinear(parent + 4, 8 * c, p->fx[1], p->fy[1]) - fine);
    }
  }
}
