// SPDX-License-Identifier: Apache-2.0
// Renders a frame one pixel at a time, from docs/model/rendering.md alone: no blocks, no tiles, no
// owners, nothing of csim/gpu. Pictures are row-major, as wide as the surface. Slow; to the bit.
#ifndef NOCTURNE_TESTS_UNIT_PIXEL_RENDER_H
#define NOCTURNE_TESTS_UNIT_PIXEL_RENDER_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "csim/frame/frame.h"

// With PIXEL_UNCHECKED the sanitizers leave it alone, for those who watch another render;
// test_sizes.c has it checked.
#ifdef PIXEL_UNCHECKED
#define PIXEL_FUNCTION static inline __attribute__((no_sanitize("address", "undefined")))
#else
#define PIXEL_FUNCTION static inline
#endif

typedef struct {
  uint32_t **color;  // of each target
  uint32_t **depth;  // of each depth buffer
  uint8_t **stencil;
} pixel_surfaces_t;

PIXEL_FUNCTION void pixel_surfaces_free(const frame_t *f, pixel_surfaces_t *s) {
  for (uint32_t i = 0; s->color && i < f->target_count; i++) {
    free(s->color[i]);
  }
  for (uint32_t i = 0; s->depth && s->stencil && i < f->depth_count; i++) {
    free(s->depth[i]);
    free(s->stencil[i]);
  }
  free(s->color);
  free(s->depth);
  free(s->stencil);
}

PIXEL_FUNCTION bool pixel_surfaces_make(const frame_t *f, pixel_surfaces_t *s) {
  s->color = calloc(f->target_count + 1, sizeof *s->color);
  s->depth = calloc(f->depth_count + 1, sizeof *s->depth);
  s->stencil = calloc(f->depth_count + 1, sizeof *s->stencil);
  bool ok = s->color && s->depth && s->stencil;
  for (uint32_t i = 0; ok && i < f->target_count; i++) {
    size_t pixels = (size_t)f->targets[i].width * f->targets[i].height;
    s->color[i] = calloc(pixels, sizeof(uint32_t));
    ok = s->color[i] != NULL;
  }
  for (uint32_t i = 0; ok && i < f->depth_count; i++) {
    size_t pixels = (size_t)f->depths[i].width * f->depths[i].height;
    s->depth[i] = malloc(pixels * sizeof(uint32_t));
    s->stencil[i] = calloc(pixels, 1);
    ok = s->depth[i] && s->stencil[i];
    for (size_t k = 0; ok && k < pixels; k++) {
      s->depth[i][k] = FrameMaxDepth;
    }
  }
  return ok;
}

PIXEL_FUNCTION bool pixel_compare(uint8_t func, uint32_t a, uint32_t b) {
  switch (func) {
    case FrameFuncNever: return false;
    case FrameFuncLess: return a < b;
    case FrameFuncEqual: return a == b;
    case FrameFuncLessEqual: return a <= b;
    case FrameFuncGreater: return a > b;
    case FrameFuncNotEqual: return a != b;
    case FrameFuncGreaterEqual: return a >= b;
    default: return true;
  }
}

// ---- Triangles

typedef struct {
  double at, dx, dy;
} pixel_plane_t;

typedef struct {
  const frame_vertex_t *v[3];  // in the order of positive area
  bool back;
  double area;
  pixel_plane_t z;
} pixel_triangle_t;

PIXEL_FUNCTION pixel_plane_t pixel_plane(const pixel_triangle_t *t, double a0, double a1,
                                         double a2) {
  const frame_vertex_t *const *v = t->v;
  double scale = FrameSubpixel / t->area;
  return (pixel_plane_t){
      a0, ((a1 - a0) * (v[2]->y - v[0]->y) - (a2 - a0) * (v[1]->y - v[0]->y)) * scale,
      ((a2 - a0) * (v[1]->x - v[0]->x) - (a1 - a0) * (v[2]->x - v[0]->x)) * scale};
}

PIXEL_FUNCTION bool pixel_triangle(const frame_t *f, const frame_triangle_t *from,
                                   pixel_triangle_t *t) {
  for (uint32_t i = 0; i < 3; i++) {
    t->v[i] = &f->vertices[from->v[i]];
  }
  int64_t area = (int64_t)(t->v[1]->x - t->v[0]->x) * (t->v[2]->y - t->v[0]->y) -
                 (int64_t)(t->v[2]->x - t->v[0]->x) * (t->v[1]->y - t->v[0]->y);
  t->back = area < 0;
  if (t->back) {
    const frame_vertex_t *other = t->v[1];
    t->v[1] = t->v[2];
    t->v[2] = other;
  }
  t->area = (double)(t->back ? -area : area);
  if (area != 0) {
    t->z = pixel_plane(t, t->v[0]->z, t->v[1]->z, t->v[2]->z);
  }
  return area != 0;
}

PIXEL_FUNCTION bool pixel_covered(const pixel_triangle_t *t, int32_t x, int32_t y) {
  for (uint32_t i = 0; i < 3; i++) {
    const frame_vertex_t *a = t->v[i], *b = t->v[(i + 1) % 3];
    int64_t dx = b->x - a->x, dy = b->y - a->y;
    int64_t e = dx * (y * FrameSubpixel + FrameSubpixel / 2 - a->y) -
                dy * (x * FrameSubpixel + FrameSubpixel / 2 - a->x);
    bool top_left = dy < 0 || (dy == 0 && dx > 0);
    if (e < 0 || (e == 0 && !top_left)) {
      return false;
    }
  }
  return true;
}

// Evaluated for the first pixel centre of the block of 8x8, from there for that of the 4x2 pixels
// in it, from there for the pixel.
PIXEL_FUNCTION uint32_t pixel_depth(const pixel_triangle_t *t, int32_t x, int32_t y) {
  const frame_vertex_t *const *v = t->v;
  double x0 = (double)v[0]->x / FrameSubpixel, y0 = (double)v[0]->y / FrameSubpixel;
  double block = t->z.at + (t->z.dx * ((x & ~7) + 0.5 - x0) + t->z.dy * ((y & ~7) + 0.5 - y0));
  double group = block + ((x & 4) * t->z.dx + (y & 6) * t->z.dy);
  double z = group + ((x & 3) * t->z.dx + (y & 1) * t->z.dy);
  double low = fmin(v[0]->z, fmin(v[1]->z, v[2]->z)), high = fmax(v[0]->z, fmax(v[1]->z, v[2]->z));
  z = z < low ? low : z > high ? high : z;
  return (uint32_t)(z + 0.5);
}

// ---- Textures

typedef struct {
  float value, dx, dy;  // and its growth a pixel
} pixel_coordinate_t;

// A plane from the block's first pixel centre on, in single precision.
PIXEL_FUNCTION float pixel_linear(const pixel_triangle_t *t, const pixel_plane_t *p, int32_t x,
                                  int32_t y) {
  double x0 = (double)t->v[0]->x / FrameSubpixel, y0 = (double)t->v[0]->y / FrameSubpixel;
  float at = (float)(p->at + (p->dx * ((x & ~7) + 0.5 - x0) + p->dy * ((y & ~7) + 0.5 - y0)));
  return at + ((float)p->dx * (float)(x & 7) + (float)p->dy * (float)(y & 7));
}

PIXEL_FUNCTION float pixel_log2(float v) {
  uint32_t bits;
  memcpy(&bits, &v, sizeof bits);
  uint32_t mantissa = (bits & 0x7fffff) | 0x3f800000;
  float m;
  memcpy(&m, &mantissa, sizeof m);
  m -= 1.0f;
  float g = 0.442695f + m * (-0.247337f + m * 0.083294f);
  return (float)((int32_t)(bits >> 23 & 255) - 127) + (m + m * (1.0f - m) * g);
}

// In 1/256 levels, rounded down; bias included, not yet cut to the levels there are.
PIXEL_FUNCTION int32_t pixel_lod(const frame_texture_t *t, const frame_stage_t *s,
                                 const pixel_coordinate_t *u, const pixel_coordinate_t *v) {
  float w = (float)t->width, h = (float)t->height;
  float ax = u->dx * w, bx = v->dx * h, ay = u->dy * w, by = v->dy * h;
  float x = ax * ax + bx * bx, y = ay * ay + by * by;
  float bias = s->lod_bias * 256;
  bias = bias > -16384.0f ? bias : -16384.0f;
  bias = bias < 16384.0f ? bias : 16384.0f;
  return (int32_t)(128.0f * pixel_log2(x > y ? x : y) + 32768.0f) - 32768 +
         (int32_t)(bias + 32768.5f) - 32768;
}

PIXEL_FUNCTION float pixel_repeat(float u) {
  const float most = 4194304.0f;  // from there on a float has no fraction
  if (!(u > -most)) {
    u = -most;
  }
  if (!(u < most)) {
    u = most;
  }
  u -= truncf(u);
  return u < 0 ? u + 1.0f : u;
}

PIXEL_FUNCTION float pixel_wrap(uint8_t mode, float u) {
  if (mode == FrameWrapRepeat) {
    return pixel_repeat(u);
  }
  if (mode == FrameWrapMirror) {
    float twice = 2.0f * pixel_repeat(0.5f * u);
    return twice > 1.0f ? 2.0f - twice : twice;
  }
  return !(u > 0) ? 0.0f : u < 1 ? u : 1.0f;
}

// The two texels beside a coordinate, and the weight of the second in 1/256.
PIXEL_FUNCTION int32_t pixel_texels(uint8_t mode, float u, int32_t side, bool linear,
                                    int32_t texels[2]) {
  int32_t at = (int32_t)(u * (float)(side * 256)) - (linear ? 128 : 0);
  int32_t first = at >= 0 ? at / 256 : -1;
  for (int32_t k = 0; k < 2; k++) {
    int32_t n = first + k;
    if (n < 0 || n >= side) {
      bool low = n < 0;
      n = mode == FrameWrapRepeat ? (low ? side - 1 : 0) : (low ? 0 : side - 1);
    }
    texels[k] = n;
  }
  // Beyond the last texel of a repeated texture the next one follows the first.
  if (first >= side) {
    texels[1] = mode == FrameWrapRepeat ? (side > 1 ? 1 : 0) : side - 1;
  }
  return linear ? (at & 255) : 0;
}

// One level, 0 to 255 * 256 a channel, rounded to nearest.
PIXEL_FUNCTION void pixel_level(const frame_texture_t *t, const frame_stage_t *s, uint32_t level,
                                bool linear, float u, float v, int32_t out[4]) {
  int32_t w = (int32_t)(t->width >> level), h = (int32_t)(t->height >> level), x[2], y[2];
  w = w ? w : 1;
  h = h ? h : 1;
  int32_t fx = pixel_texels(s->wrap_s, pixel_wrap(s->wrap_s, u), w, linear, x);
  int32_t fy = pixel_texels(s->wrap_t, pixel_wrap(s->wrap_t, v), h, linear, y);
  for (uint32_t c = 0; c < 4; c++) {
    int32_t sum = 0;
    for (uint32_t k = 0; k < 4; k++) {
      uint32_t texel = t->level[level][(size_t)y[k / 2] * (size_t)w + (size_t)x[k % 2]];
      sum += (int32_t)(texel >> (8 * c) & 255) * (k % 2 ? fx : 256 - fx) * (k / 2 ? fy : 256 - fy);
    }
    out[c] = (sum + 128) / 256;
  }
}

PIXEL_FUNCTION void pixel_sample(const frame_texture_t *t, const frame_stage_t *s,
                                 const pixel_coordinate_t *u, const pixel_coordinate_t *v,
                                 float out[4]) {
  int32_t lod = pixel_lod(t, s, u, v), last = (int32_t)t->levels - 1;
  bool minified = lod > 0;
  lod = !minified ? 0 : lod < last * 256 ? lod : last * 256;
  lod = s->mip == FrameMipNone ? 0 : s->mip == FrameMipNearest ? (lod + 128) / 256 * 256 : lod;
  bool linear = (minified ? s->min_filter : s->mag_filter) == FrameFilterLinear;
  int32_t fine[4], coarse[4], level = lod / 256, next = level < last ? level + 1 : last;
  pixel_level(t, s, (uint32_t)level, linear, u->value, v->value, fine);
  pixel_level(t, s, (uint32_t)next, linear, u->value, v->value, coarse);
  for (uint32_t c = 0; c < 4; c++) {
    int32_t sum = fine[c] * (256 - lod % 256) + coarse[c] * (lod % 256);
    out[c] = (float)sum / 65536.0f;
  }
}

// ---- Colour

PIXEL_FUNCTION float pixel_saturate(float c) { return c < 255.0f ? c : 255.0f; }

PIXEL_FUNCTION void pixel_combine(uint8_t mode, float c[4], const float t[4]) {
  const float one = 1.0f / 255.0f;
  const float factor = mode == FrameCombineModulate2x   ? 2.0f * one
                       : mode == FrameCombineModulate4x ? 4.0f * one
                                                        : one;
  for (uint32_t k = 0; k < 4; k++) {
    if (mode == FrameCombineReplace) {
      c[k] = t[k];
    } else if (mode == FrameCombineDecal) {
      c[k] = k < 3 ? c[k] + (t[k] - c[k]) * (t[3] * one) : c[k];
    } else if (mode == FrameCombineAdd && k < 3) {
      c[k] = pixel_saturate(c[k] + t[k]);
    } else {
      c[k] = pixel_saturate(c[k] * t[k] * factor);
    }
  }
}

PIXEL_FUNCTION uint32_t pixel_shade(const frame_t *f, const frame_state_t *s,
                                    const pixel_triangle_t *t, int32_t x, int32_t y) {
  const frame_vertex_t *const *v = t->v;
  const double w[3] = {(double)v[0]->inv_w, (double)v[1]->inv_w, (double)v[2]->inv_w};
  const pixel_plane_t inverse = pixel_plane(t, w[0], w[1], w[2]);
  const float clip_w = 1.0f / pixel_linear(t, &inverse, x, y);
  float color[4];
  for (uint32_t k = 0; k < 4; k++) {
    uint32_t byte[3];
    for (uint32_t i = 0; i < 3; i++) {
      byte[i] = v[i]->rgba >> (8 * k) & 255;
    }
    float c = (float)byte[0];
    if (v[0]->rgba != v[1]->rgba || v[0]->rgba != v[2]->rgba) {
      pixel_plane_t p = pixel_plane(t, byte[0] * w[0], byte[1] * w[1], byte[2] * w[2]);
      c = pixel_linear(t, &p, x, y) * clip_w;
      c = !(c > 0) ? 0.0f : pixel_saturate(c);
    }
    color[k] = c * ((float)(s->color >> (8 * k) & 255) / 255.0f);
  }
  for (uint32_t n = 0; n < FrameMaxTextures; n++) {
    const frame_stage_t *stage = &s->stages[n];
    if (stage->texture == FrameNone) {
      continue;
    }
    pixel_coordinate_t uv[2];
    for (uint32_t i = 0; i < 2; i++) {
      float a[3];
      for (uint32_t k = 0; k < 3; k++) {
        a[k] = v[k]->uv[stage->coord][i];
      }
      pixel_plane_t p =
          pixel_plane(t, (double)a[0] * w[0], (double)a[1] * w[1], (double)a[2] * w[2]);
      uv[i].value = pixel_linear(t, &p, x, y) * clip_w;
      uv[i].dx = ((float)p.dx - uv[i].value * (float)inverse.dx) * clip_w;
      uv[i].dy = ((float)p.dy - uv[i].value * (float)inverse.dy) * clip_w;
    }
    float sample[4];
    pixel_sample(&f->textures[stage->texture], stage, &uv[0], &uv[1], sample);
    pixel_combine(stage->combine, color, sample);
  }
  uint32_t rgba = 0;
  for (uint32_t k = 0; k < 4; k++) {
    rgba |= (uint32_t)(color[k] + 0.5f) << (8 * k);
  }
  return rgba;
}

PIXEL_FUNCTION int32_t pixel_factor(uint8_t factor, uint32_t k, const int32_t s[4],
                                    const int32_t d[4]) {
  switch (factor) {
    case FrameFactorZero: return 0;
    case FrameFactorOne: return 255;
    case FrameFactorSrcColor: return s[k];
    case FrameFactorOneMinusSrcColor: return 255 - s[k];
    case FrameFactorSrcAlpha: return s[3];
    case FrameFactorOneMinusSrcAlpha: return 255 - s[3];
    case FrameFactorDstColor: return d[k];
    case FrameFactorOneMinusDstColor: return 255 - d[k];
    case FrameFactorDstAlpha: return d[3];
    case FrameFactorOneMinusDstAlpha: return 255 - d[3];
    default: return k == 3 ? 255 : s[3] < 255 - d[3] ? s[3] : 255 - d[3];
  }
}

PIXEL_FUNCTION uint32_t pixel_blend(const frame_state_t *state, uint32_t fresh, uint32_t old) {
  uint32_t result = 0;
  int32_t s[4], d[4];
  for (uint32_t k = 0; k < 4; k++) {
    s[k] = (int32_t)(fresh >> (8 * k) & 255);
    d[k] = (int32_t)(old >> (8 * k) & 255);
  }
  for (uint32_t k = 0; k < 4; k++) {
    uint8_t equation = k < 3 ? state->equation_rgb : state->equation_alpha;
    int32_t a = s[k] * pixel_factor(k < 3 ? state->src_rgb : state->src_alpha, k, s, d);
    int32_t b = d[k] * pixel_factor(k < 3 ? state->dst_rgb : state->dst_alpha, k, s, d);
    int32_t sum = equation == FrameEquationSubtract          ? a - b
                  : equation == FrameEquationReverseSubtract ? b - a
                                                             : a + b;
    sum = sum < 0 ? 0 : sum > 255 * 255 ? 255 * 255 : sum;
    int32_t c = (sum + 127) / 255;
    c = equation == FrameEquationMin   ? (s[k] < d[k] ? s[k] : d[k])
        : equation == FrameEquationMax ? (s[k] > d[k] ? s[k] : d[k])
                                       : c;
    result |= (uint32_t)(state->blend ? c : s[k]) << (8 * k);
  }
  return result;
}

// ---- A fragment

PIXEL_FUNCTION uint8_t pixel_stencil(const frame_stencil_t *s, uint8_t op, uint8_t old) {
  int32_t v = old;
  switch (op) {
    case FrameStencilZero: v = 0; break;
    case FrameStencilReplace: v = s->ref; break;
    case FrameStencilIncr: v = old == 255 ? 255 : old + 1; break;
    case FrameStencilDecr: v = old == 0 ? 0 : old - 1; break;
    case FrameStencilInvert: v = 255 - old; break;
    case FrameStencilIncrWrap: v = old + 1; break;
    case FrameStencilDecrWrap: v = old - 1; break;
    default: break;
  }
  return (uint8_t)((old & ~s->write_mask) | (v & s->write_mask));
}

PIXEL_FUNCTION bool pixel_test(const frame_state_t *s, const pixel_triangle_t *t, int32_t x,
                               int32_t y, uint32_t *depth, uint8_t *stencil) {
  const frame_stencil_t *face = &s->stencil[t->back];
  if (s->stencil_test &&
      !pixel_compare(face->func, face->ref & face->read_mask, *stencil & face->read_mask)) {
    *stencil = pixel_stencil(face, face->fail, *stencil);
    return false;
  }
  uint32_t z = pixel_depth(t, x, y);
  bool passes = !s->depth_test || pixel_compare(s->depth_func, z, *depth);
  if (passes && s->depth_test && s->depth_write) {
    *depth = z;
  }
  if (s->stencil_test) {
    *stencil = pixel_stencil(face, passes ? face->pass : face->depth_fail, *stencil);
  }
  return passes;
}

PIXEL_FUNCTION uint32_t pixel_mask(uint8_t color_mask) {
  uint32_t mask = 0;
  for (uint32_t k = 0; k < 4; k++) {
    mask |= color_mask >> k & 1 ? 255u << (8 * k) : 0;
  }
  return mask;
}

PIXEL_FUNCTION void pixel_fragment(const frame_t *f, const frame_state_t *s,
                                   const pixel_triangle_t *t, int32_t x, int32_t y,
                                   pixel_surfaces_t *to) {
  bool target = s->color_target != FrameNone && s->color_mask;
  bool discards = s->alpha_test && s->alpha_func != FrameFuncAlways;
  uint32_t color = 0;
  if (target || discards) {
    color = pixel_shade(f, s, t, x, y);
  }
  if (discards && !pixel_compare(s->alpha_func, color >> 24, s->alpha_ref)) {
    return;
  }
  if (s->depth_buffer != FrameNone) {
    size_t at = (size_t)y * f->depths[s->depth_buffer].width + (size_t)x;
    if (!pixel_test(s, t, x, y, &to->depth[s->depth_buffer][at],
                    &to->stencil[s->depth_buffer][at])) {
      return;
    }
  }
  if (target) {
    uint32_t *old =
        &to->color[s->color_target][(size_t)y * f->targets[s->color_target].width + (size_t)x];
    uint32_t mask = pixel_mask(s->color_mask);
    *old = (*old & ~mask) | (pixel_blend(s, color, *old) & mask);
  }
}

// ---- Commands

PIXEL_FUNCTION void pixel_clear(const frame_t *f, const frame_cmd_t *c, pixel_surfaces_t *to) {
  const frame_state_t *s = &c->state;
  uint32_t mask = pixel_mask(s->color_mask);
  for (int32_t y = s->scissor.y0; y < s->scissor.y1; y++) {
    for (int32_t x = s->scissor.x0; x < s->scissor.x1; x++) {
      if (s->color_target != FrameNone && c->clear_color) {
        size_t at = (size_t)y * f->targets[s->color_target].width + (size_t)x;
        uint32_t *old = &to->color[s->color_target][at];
        *old = (*old & ~mask) | (c->clear_rgba & mask);
      }
      if (s->depth_buffer != FrameNone) {
        size_t at = (size_t)y * f->depths[s->depth_buffer].width + (size_t)x;
        if (c->clear_depth) {
          to->depth[s->depth_buffer][at] = c->clear_z;
        }
        if (c->clear_stencil) {
          to->stencil[s->depth_buffer][at] = c->clear_stencil_value;
        }
      }
    }
  }
}

PIXEL_FUNCTION int32_t pixel_floor(double v, int32_t low, int32_t high) {
  v = floor(v);
  return v < low ? low : v > high ? high : (int32_t)v;
}

PIXEL_FUNCTION void pixel_draw(const frame_t *f, const frame_cmd_t *c, pixel_surfaces_t *to) {
  const frame_rect_t *r = &c->state.scissor;
  for (uint32_t i = 0; i < c->triangle_count; i++) {
    pixel_triangle_t t;
    if (!pixel_triangle(f, &f->triangles[c->first_triangle + i], &t)) {
      continue;
    }
    double x[3], y[3];
    for (uint32_t k = 0; k < 3; k++) {
      x[k] = (double)t.v[k]->x / FrameSubpixel;
      y[k] = (double)t.v[k]->y / FrameSubpixel;
    }
    int32_t x0 = pixel_floor(fmin(x[0], fmin(x[1], x[2])), r->x0, r->x1);
    int32_t x1 = pixel_floor(fmax(x[0], fmax(x[1], x[2])) + 1, r->x0, r->x1);
    int32_t y0 = pixel_floor(fmin(y[0], fmin(y[1], y[2])), r->y0, r->y1);
    int32_t y1 = pixel_floor(fmax(y[0], fmax(y[1], y[2])) + 1, r->y0, r->y1);
    for (int32_t py = y0; py < y1; py++) {
      for (int32_t px = x0; px < x1; px++) {
        if (pixel_covered(&t, px, py)) {
          pixel_fragment(f, &c->state, &t, px, py, to);
        }
      }
    }
  }
}

PIXEL_FUNCTION void pixel_render(const frame_t *f, pixel_surfaces_t *to) {
  for (uint32_t i = 0; i < f->command_count; i++) {
    if (f->commands[i].kind == FrameCmdClear) {
      pixel_clear(f, &f->commands[i], to);
    } else {
      pixel_draw(f, &f->commands[i], to);
    }
  }
}

#endif
