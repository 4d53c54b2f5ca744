// SPDX-License-Identifier: Apache-2.0
#include "virtual_texture.h"

#include <math.h>

static const double LongestAxis = 16;  // texels of the level sampled

static uint32_t side_along(const virtual_texture_t *v) { return v->along_y ? v->height : v->width; }
static uint32_t side_across(const virtual_texture_t *v) {
  return v->along_y ? v->width : v->height;
}
static uint8_t wrap_along(const virtual_texture_t *v) { return v->along_y ? v->wrap_y : v->wrap_x; }
static uint8_t wrap_across(const virtual_texture_t *v) {
  return v->along_y ? v->wrap_x : v->wrap_y;
}

// ---- Parents

// Returns true if parents are numbered like texels: on the level itself and on the level above.
static bool is_grid(const virtual_texture_t *v) {
  return v->reading == VirtualIsotropic || v->k == 0;
}

virtual_range_t virtual_texture_range(const virtual_texture_t *v) {
  int32_t along = (int32_t)side_along(v), across = (int32_t)side_across(v), n = 1 << v->k;
  if (is_grid(v)) {
    return (virtual_range_t){0, (int32_t)frame_side((uint32_t)along, v->k) - 1, 0,
                             (int32_t)frame_side((uint32_t)across, v->k) - 1};
  }
  bool whole = wrap_along(v) == FrameWrapRepeat && along % n == 0;
  virtual_range_t r = whole ? (virtual_range_t){.a0 = 0, .a1 = along / n - 1}
                            : (virtual_range_t){.a0 = -1, .a1 = (along + n - 1) / n};
  switch (wrap_across(v)) {
    case FrameWrapRepeat:
      r.b0 = 0;
      r.b1 = across - 1;
      break;
    case FrameWrapClamp:
      r.b0 = -8;
      r.b1 = across + 7;
      break;
    default:
      r.b0 = -17;
      r.b1 = across + 16;
      break;
  }
  return r;
}

static int32_t limited(int32_t n, int32_t low, int32_t high) {
  return n < low ? low : n > high ? high : n;
}

void virtual_texture_reduce(const virtual_texture_t *v, int32_t *a, int32_t *b) {
  virtual_range_t r = virtual_texture_range(v);
  if (is_grid(v)) {
    *a = (int32_t)footprint_wrap(wrap_along(v), *a, (uint32_t)r.a1 + 1);
    *b = (int32_t)footprint_wrap(wrap_across(v), *b, (uint32_t)r.b1 + 1);
    return;
  }
  if (wrap_along(v) == FrameWrapClamp) {
    *a = limited(*a, r.a0, r.a1);
  } else if (r.a0 == 0) {
    *a = (int32_t)footprint_wrap(FrameWrapRepeat, *a, (uint32_t)r.a1 + 1);
  }
  if (wrap_across(v) == FrameWrapClamp) {
    *b = limited(*b, r.b0, r.b1);
  } else if (wrap_across(v) == FrameWrapRepeat) {
    *b = (int32_t)footprint_wrap(FrameWrapRepeat, *b, (uint32_t)r.b1 + 1);
  }
}

void virtual_texture_child(const virtual_texture_t *v, int32_t a, int32_t b, uint32_t i,
                           uint32_t *x, uint32_t *y) {
  int32_t n = 1 << v->k, shear = v->q * (2 * (int32_t)i - n + 1) + 2;
  int32_t along = a * n + (int32_t)i;
  int32_t across =
      v->reading == VirtualLattice ? b + (shear >> 2) : b * n + ((2 * (n - 1) + shear) >> 2);
  uint32_t at = footprint_wrap(wrap_along(v), along, side_along(v));
  uint32_t row = footprint_wrap(wrap_across(v), across, side_across(v));
  *x = v->along_y ? row : at;
  *y = v->along_y ? at : row;
}

uint32_t virtual_texture_texel(const virtual_texture_t *v, const uint32_t *texels, int32_t a,
                               int32_t b) {
  uint32_t n = 1u << v->k, sum[4] = {0}, texel = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t x, y;
    virtual_texture_child(v, a, b, i, &x, &y);
    uint32_t child = texels[(size_t)y * v->width + x];
    for (uint32_t c = 0; c < 4; c++) {
      sum[c] += child >> 8 * c & 255;
    }
  }
  for (uint32_t c = 0; c < 4; c++) {
    texel |= (sum[c] + n / 2) >> v->k << 8 * c;
  }
  return texel;
}

// ---- Lines

void virtual_texture_tile(const virtual_texture_t *v, int32_t a, int32_t b, uint32_t *tile_x,
                          uint32_t *tile_y, uint32_t *place) {
  uint32_t along = (uint32_t)(a + VirtualTileAlong), across = (uint32_t)(b + VirtualTileAcross);
  uint32_t x = v->along_y ? across : along, y = v->along_y ? along : across;
  *tile_x = x >> 2;
  *tile_y = y >> 2;
  *place = (y & 3) << 2 | (x & 3);
}

bool virtual_texture_parent(const virtual_texture_t *v, uint32_t tile_x, uint32_t tile_y,
                            uint32_t n, int32_t *a, int32_t *b) {
  int32_t x = (int32_t)(tile_x << 2 | (n & 3)), y = (int32_t)(tile_y << 2 | n >> 2);
  virtual_range_t r = virtual_texture_range(v);
  *a = (v->along_y ? y : x) - VirtualTileAlong;
  *b = (v->along_y ? x : y) - VirtualTileAcross;
  return *a >= r.a0 && *a <= r.a1 && *b >= r.b0 && *b <= r.b1;
}

uint16_t virtual_texture_line(const virtual_texture_t *v, const uint32_t *texels, uint32_t tile_x,
                              uint32_t tile_y, uint32_t line[VirtualLineTexels]) {
  uint16_t inside = 0;
  for (uint32_t n = 0; n < VirtualLineTexels; n++) {
    int32_t a, b;
    bool is_inside = virtual_texture_parent(v, tile_x, tile_y, n, &a, &b);
    line[n] = is_inside ? virtual_texture_texel(v, texels, a, b) : 0;
    inside |= (uint16_t)(is_inside << n);
  }
  return inside;
}

// ---- What the GPU asks for

// 2^(-weight / 256), the same on every machine: products of 2^(-1/2) to 2^(-1/256).
static double shrink(uint32_t weight) {
  static const double Root[8] = {0x1.fe9d96b2a23d9p-1, 0x1.fd3c22b8f71f1p-1, 0x1.fa7c1819e90d8p-1,
                                 0x1.f50765b6e4540p-1, 0x1.ea4afa2a490dap-1, 0x1.d5818dcfba487p-1,
                                 0x1.ae89f995ad3adp-1, 0x1.6a09e667f3bcdp-1};
  double factor = 1;
  for (uint32_t bit = 0; bit < 8; bit++) {
    factor *= weight >> bit & 1 ? Root[bit] : 1;
  }
  return factor;
}

// Steps of T, 2T, 4T, 8T that the larger component of the axis reaches at the level sampled.
static uint8_t lattice_extent(const footprint_t *f, double threshold) {
  double length = ldexp(f->major * shrink(f->weight), -(int)f->level);
  double larger = fmax(fabs(f->major_x), fabs(f->major_y)) / f->major;
  double m = fmin(length, LongestAxis) * larger;
  uint8_t k = 0;
  while (k < VirtualMaxExtent && m >= ldexp(threshold, k)) {
    k++;
  }
  return k;
}

// floor(log2 R + 1/2): 2^(k - 1/2) <= R.
static uint8_t isotropic_extent(uint32_t ratio) {
  uint8_t k = 0;
  while (k < VirtualMaxExtent && ratio * ratio >= 2u << 2 * k) {
    k++;
  }
  return k;
}

void virtual_footprint_make(virtual_footprint_t *vf, const footprint_t *f, const frame_texture_t *t,
                            const frame_stage_t *stage, const footprint_gradient_t *gradient,
                            virtual_reading_e reading, double threshold) {
  *vf = (virtual_footprint_t){
      .reading = (uint8_t)reading, .level = f->level, .weight = f->weight, .linear = f->linear};
  if (f->ratio == 1) {
    return;
  }
  vf->along_y = fabs(f->major_y) > fabs(f->major_x);
  double slope = vf->along_y ? f->major_x / f->major_y : f->major_y / f->major_x;
  vf->q = (int8_t)floor(2 * slope + 0.5);
  uint8_t most =
      reading == VirtualLattice ? lattice_extent(f, threshold) : isotropic_extent(f->ratio);
  if (reading == VirtualIsotropic) {
    footprint_t single;
    frame_stage_t off = *stage;
    off.max_anisotropy = 1;
    footprint_make(&single, t, &off, gradient);
    vf->level = single.level;
    vf->weight = single.weight;
    vf->linear = single.linear;
  }
  for (uint32_t l = 0; l < 2; l++) {
    uint32_t level = vf->level + l, side = frame_side(vf->along_y ? t->height : t->width, level);
    vf->k[l] = most;
    while (vf->k[l] > 0 && (reading == VirtualLattice ? side >> vf->k[l] == 0 : vf->k[l] > level)) {
      vf->k[l]--;
    }
  }
}

// ---- Sampling

static int32_t slope_of(const virtual_footprint_t *vf, bool turned_x, bool turned_y) {
  return turned_x != turned_y ? -vf->q : vf->q;
}

// The row, in 1/256, at which column a crosses the pixel's axis; at8, across8: half a texel off.
static int32_t row_at(const virtual_texture_t *v, int32_t a, int32_t at8, int32_t across8) {
  int32_t n = 1 << v->k, center8 = 128 * (n - 1);
  int32_t half = v->q == 2 || v->q == -2 ? 128 : 0;
  return across8 + ((v->q * (256 * a * n + center8 - at8)) >> 1) - half;
}

static void place_parents(virtual_sample_t *s, int32_t at8, int32_t across8) {
  const virtual_texture_t *v = &s->texture;
  bool lattice = !is_grid(v);
  int32_t shift = lattice ? 8 + v->k : 8, t8 = lattice ? at8 - 128 * ((1 << v->k) - 1) : at8;
  if (s->parents == 1) {
    s->a[0] = (t8 + (1 << (shift - 1))) >> shift;
    s->b[0] = ((lattice ? row_at(v, s->a[0], at8, across8) : across8) + 128) >> 8;
    virtual_texture_reduce(v, &s->a[0], &s->b[0]);
    return;
  }
  int32_t first = t8 >> shift;
  s->fa = (uint8_t)(t8 >> (shift - 8));
  for (uint32_t n = 0; n < 4; n++) {
    int32_t a = first + (int32_t)(n >> 1);
    int32_t row8 = lattice ? row_at(v, a, at8, across8) : across8;
    s->fb[n >> 1] = (uint8_t)row8;
    s->a[n] = a;
    s->b[n] = (row8 >> 8) + (int32_t)(n & 1);
    virtual_texture_reduce(v, &s->a[n], &s->b[n]);
  }
}

void virtual_sample_make(virtual_sample_t *s, const virtual_footprint_t *vf,
                         const frame_texture_t *t, const frame_stage_t *stage, uint32_t l, float u,
                         float v) {
  uint32_t parents = vf->level + l, k = vf->k[l];
  uint32_t level = vf->reading == VirtualIsotropic ? parents - k : parents;
  bool turned_x, turned_y;
  int32_t x8 = footprint_at(stage->wrap_s, u, frame_side(t->width, parents), &turned_x) - 128;
  int32_t y8 = footprint_at(stage->wrap_t, v, frame_side(t->height, parents), &turned_y) - 128;
  *s = (virtual_sample_t){
      .texture = {.reading = vf->reading,
                  .k = (uint8_t)k,
                  .along_y = k && vf->along_y,
                  .q = (int8_t)(k ? slope_of(vf, turned_x, turned_y) : 0),
                  .wrap_x = stage->wrap_s,
                  .wrap_y = stage->wrap_t,
                  .width = frame_side(t->width, level),
                  .height = frame_side(t->height, level)},
      .level = (uint8_t)level,
      .parents = vf->linear ? 4 : 1,
  };
  place_parents(s, s->texture.along_y ? y8 : x8, s->texture.along_y ? x8 : y8);
}

void virtual_sample_filter(const virtual_sample_t *s, const uint32_t parent[4], int32_t out[4]) {
  for (uint32_t c = 0; c < 4; c++) {
    int32_t t[4], column[2];
    if (s->parents == 1) {
      out[c] = (int32_t)(parent[0] >> 8 * c & 255) << 8;
      continue;
    }
    for (uint32_t n = 0; n < 4; n++) {
      t[n] = (int32_t)(parent[n] >> 8 * c & 255);
    }
    for (uint32_t n = 0; n < 2; n++) {
      column[n] = 256 * t[2 * n] + s->fb[n] * (t[2 * n + 1] - t[2 * n]);
    }
    out[c] = ((256 - s->fa) * column[0] + s->fa * column[1] + 128) >> 8;
  }
}
