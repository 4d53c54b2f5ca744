// SPDX-License-Identifier: Apache-2.0
#include "isotropic.h"

#include <string.h>

#include "lanes.h"

enum { FractionBits = 8, FractionOne = 1 << FractionBits, Magnified = -1 };

// log2 within 0.0005 by the bits of
// the float, so that every machine gets the same.
static inline float log2_of(float squared) {
  int32_t bits;
  memcpy(&bits, &squared, sizeof bits);
  bits &= 0x7fffffff;
  const int32_t mantissa_bits = (bits & 0x007fffff) | 0x3f800000;
  float m;
  memcpy(&m, &mantissa_bits, sizeof m);
  m -= 1.0f;
  // log2(1 + m) = m + m (1 - m) g(m), g through the exact values at 0, 1/2 and 1.
  const float g = 0.442695f + m * (-0.247337f + m * 0.083294f);
  return (float)((bits >> 23) - 127) + (m + m * (1.0f - m) * g);
}

CLONES
static void find_lod(float width, float height, int32_t bias, int32_t high,
                     const isotropic_request_t *restrict r, int32_t *restrict lod) {
  for (size_t i = 0; i < r->count; i += 8) {
    float squared[8];
    for (size_t k = 0; k < 8; k++) {
      const float ax = r->ux[i + k] * width, bx = r->vx[i + k] * height;
      const float ay = r->uy[i + k] * width, by = r->vy[i + k] * height;
      const float x = ax * ax + bx * bx, y = ay * ay + by * by;
      squared[k] = x > y ? x : y;
    }
    for (size_t k = 0; k < 8; k++) {
      // The offset makes the conversion round down for negative values too.
      int32_t value = (int32_t)(128.0f * log2_of(squared[k]) + 32768.0f) - 32768 + bias;
      const int32_t magnified = -(value <= 0);
      value = value < high ? value : high;
      lod[i + k] = value | magnified;
    }
    for (size_t k = 0; k < 8; k++) {
      lod[i + k] = lod[i + k] < 0 ? Magnified : lod[i + k];
    }
  }
}

// Level of detail of each lane in 1/256 levels; Magnified at or below 0.
static void isotropic_lod(const frame_texture_t *texture, const frame_stage_t *stage,
                          const isotropic_request_t *request, int32_t lod[64]) {
  float bias = stage->lod_bias * FractionOne;
  bias = bias > -16384.0f ? bias : -16384.0f;
  bias = bias < 16384.0f ? bias : 16384.0f;
  const int32_t fixed = (int32_t)(bias + 32768.5f) - 32768;
  find_lod((float)texture->width, (float)texture->height, fixed,
           (int32_t)(texture->levels - 1) * FractionOne, request, lod);
}

// Brings coordinates into [0, 1]; outside of [-2^22, 2^22] they have no fraction left. A loop for
// each step, as compilers take these for vector code; count: a multiple of 8.
static inline void wrap_repeat(size_t count, float *u) {
  const size_t all = count & ~(size_t)7;
  for (size_t i = 0; i < all; i++) {
    u[i] = u[i] > -4194304.0f ? u[i] : -4194304.0f;
  }
  for (size_t i = 0; i < all; i++) {
    u[i] = u[i] < 4194304.0f ? u[i] : 4194304.0f;
  }
  for (size_t i = 0; i < all; i++) {
    u[i] -= (float)(int32_t)u[i];
  }
  for (size_t i = 0; i < all; i++) {
    u[i] += u[i] < 0.0f ? 1.0f : 0.0f;
  }
}

CLONES
static void wrap(uint32_t mode, uint32_t count, const float *restrict in, float *restrict out) {
  const size_t all = count & ~7u;
  if (mode == FrameWrapRepeat) {
    memcpy(out, in, all * sizeof *out);
    wrap_repeat(all, out);
  } else if (mode == FrameWrapMirror) {
    for (size_t i = 0; i < all; i++) {
      out[i] = 0.5f * in[i];
    }
    wrap_repeat(all, out);
    for (size_t i = 0; i < all; i++) {
      const float u = 2.0f * out[i];
      out[i] = u > 1.0f ? 2.0f - u : u;
    }
  } else {
    for (size_t i = 0; i < count; i += 8) {
      for (size_t k = 0; k < 8; k++) {
        const float u = in[i + k] > 0.0f ? in[i + k] : 0.0f;
        out[i + k] = u < 1.0f ? u : 1.0f;
      }
    }
  }
}

// The two texels along one axis and the weight of the second, 1/256.
typedef struct {
  int32_t first[64], second[64], fraction[64];
} axis_t;

// side: texels of each lane's level. linear: all ones in lanes that filter.
CLONES
static void find_texels(uint32_t mode, uint32_t count, const float *restrict u,
                        const int32_t *restrict side, const int32_t *restrict linear,
                        axis_t *restrict axis) {
  const int32_t repeat = mode == FrameWrapRepeat ? -1 : 0;
  for (size_t i = 0; i < count; i += 8) {
    for (size_t k = 0; k < 8; k++) {
      const int32_t n = side[i + k];
      const int32_t at =
          (int32_t)(u[i + k] * (float)(n << FractionBits)) - (linear[i + k] & FractionOne / 2);
      int32_t a = at >> FractionBits;
      // A neighbour outside is the opposite border, or the border itself.
      const int32_t before = (n - 1) & repeat, after = (n - 1) & ~repeat;
      a = a < 0 ? before : a;
      a = a >= n ? after : a;
      int32_t b = a + 1;
      b = b >= n ? after : b;
      // Left of the first texel of a clamped texture both are the first.
      b = (at < 0) & ~repeat ? 0 : b;
      axis->first[i + k] = a;
      axis->second[i + k] = b;
      axis->fraction[i + k] = at & (FractionOne - 1) & linear[i + k];
    }
  }
}

typedef struct {
  int32_t offset[4][64];
  uint32_t texel[4][64];
} texels_t;

CLONES
static void find_offsets(uint32_t count, const axis_t *restrict x, const axis_t *restrict y,
                         const int32_t *restrict pitch, texels_t *restrict t) {
  for (size_t i = 0; i < count; i += 8) {
    for (size_t k = 0; k < 8; k++) {
      const int32_t row0 = y->first[i + k] * pitch[i + k];
      const int32_t row1 = y->second[i + k] * pitch[i + k];
      t->offset[0][i + k] = row0 + x->first[i + k];
      t->offset[1][i + k] = row0 + x->second[i + k];
      t->offset[2][i + k] = row1 + x->first[i + k];
      t->offset[3][i + k] = row1 + x->second[i + k];
    }
  }
}

// Bilinear results with 8 fraction bits, rounded to nearest.
CLONES
static void filter(uint32_t count, const texels_t *restrict t, const int32_t *restrict fx,
                   const int32_t *restrict fy, int32_t (*restrict out)[64]) {
  for (size_t i = 0; i < count; i += 8) {
    for (uint32_t c = 0; c < 4; c++) {
      const uint32_t shift = c * 8;
      for (size_t k = 0; k < 8; k++) {
        const int32_t a = (int32_t)(t->texel[0][i + k] >> shift & 255);
        const int32_t b = (int32_t)(t->texel[1][i + k] >> shift & 255);
        const int32_t d = (int32_t)(t->texel[2][i + k] >> shift & 255);
        const int32_t e = (int32_t)(t->texel[3][i + k] >> shift & 255);
        const int32_t top = (a << 8) + fx[i + k] * (b - a);
        const int32_t bottom = (d << 8) + fx[i + k] * (e - d);
        out[c][i + k] = ((top << 8) + fy[i + k] * (bottom - top) + 128) >> 8;
      }
    }
  }
}

// Between two levels, and to 0 .. 255 in floating point; exact.
CLONES
static void mix(uint32_t count, int32_t (*restrict fine)[64], int32_t (*restrict coarse)[64],
                const int32_t *restrict weight, float (*restrict out)[64]) {
  for (uint32_t c = 0; c < 4; c++) {
    for (size_t i = 0; i < count; i += 8) {
      for (size_t k = 0; k < 8; k++) {
        const int32_t f = fine[c][i + k];
        const int32_t value = (f << 8) + weight[i + k] * (coarse[c][i + k] - f);
        out[c][i + k] = (float)value * (1.0f / 65536.0f);
      }
    }
  }
}

CLONES
static void scale(uint32_t count, int32_t (*restrict fine)[64], float (*restrict out)[64]) {
  for (uint32_t c = 0; c < 4; c++) {
    for (size_t i = 0; i < count; i += 8) {
      for (size_t k = 0; k < 8; k++) {
        out[c][i + k] = (float)fine[c][i + k] * (1.0f / 256.0f);
      }
    }
  }
}

static void note_lines(isotropic_trace_t *trace, const int32_t *level, const axis_t *x,
                       const axis_t *y, const int32_t *width) {
  for (uint32_t n = 0; n < trace->lane_count; n++) {
    const uint32_t i = trace->lane[n];
    const uint32_t line = (uint32_t)(y->first[i] >> 2) * (uint32_t)((width[i] + 3) >> 2) +
                          (uint32_t)(x->first[i] >> 2);
    const uint64_t all = (uint64_t)level[i] << 32 | line;
    if (trace->line_count && trace->line[trace->line_count - 1] == all) {
      continue;
    }
    if (trace->line_count < IsotropicMaxLines) {
      trace->of[trace->line_count] = (uint8_t)n;
      trace->line[trace->line_count++] = all;
    }
  }
}

// Bilinear (or nearest) samples of one level for each lane.
static void sample_level(const frame_texture_t *texture, const frame_stage_t *stage, uint32_t count,
                         const float *u, const float *v, const int32_t *level,
                         const int32_t *linear, int32_t (*out)[64], isotropic_trace_t *trace) {
  int32_t width[64] = {0}, height[64] = {0};
  axis_t x, y;
  texels_t t;
  int32_t varies = 0;
  for (size_t i = 0; i < count; i++) {
    varies |= level[i] ^ level[0];
  }
  const int32_t w = (int32_t)frame_side(texture->width, (uint32_t)level[0]);
  const int32_t h = (int32_t)frame_side(texture->height, (uint32_t)level[0]);
  for (size_t i = 0; i < count; i += 8) {
    for (size_t k = 0; k < 8; k++) {
      width[i + k] = w;
      height[i + k] = h;
    }
  }
  for (uint32_t i = 0; varies && i < count; i++) {
    width[i] = (int32_t)frame_side(texture->width, (uint32_t)level[i]);
    height[i] = (int32_t)frame_side(texture->height, (uint32_t)level[i]);
  }
  find_texels(stage->wrap_s, count, u, width, linear, &x);
  find_texels(stage->wrap_t, count, v, height, linear, &y);
  find_offsets(count, &x, &y, width, &t);
  if (trace) {
    note_lines(trace, level, &x, &y, width);
  }
  if (!varies) {
    const uint32_t *texels = texture->level[level[0]];
    for (size_t i = 0; i < count; i += 8) {
      for (size_t n = 0; n < 4; n++) {
        for (size_t k = 0; k < 8; k++) {
          t.texel[n][i + k] = texels[t.offset[n][i + k]];
        }
      }
    }
  } else {
    for (size_t i = 0; i < count; i++) {
      const uint32_t *texels = texture->level[level[i]];
      for (uint32_t n = 0; n < 4; n++) {
        t.texel[n][i] = texels[t.offset[n][i]];
      }
    }
  }
  filter(count, &t, x.fraction, y.fraction, out);
}

void isotropic_sample(const frame_texture_t *texture, const frame_stage_t *stage,
                      const isotropic_request_t *request, float sample[4][64],
                      isotropic_trace_t *trace) {
  int32_t lod[64], level[64] = {0}, next[64], weight[64], linear[64];
  int32_t fine[4][64], coarse[4][64];
  float u[64], v[64];
  const uint32_t count = request->count;
  const int32_t last = (int32_t)texture->levels - 1;
  const int32_t mag = stage->mag_filter == FrameFilterLinear ? -1 : 0;
  const int32_t min = stage->min_filter == FrameFilterLinear ? -1 : 0;
  if (trace) {
    trace->line_count = 0;
  }
  isotropic_lod(texture, stage, request, lod);
  int32_t mixed = 0;
  for (uint32_t i = 0; i < count; i++) {
    const int32_t minified = lod[i] != Magnified ? -1 : 0;
    int32_t at = lod[i] & minified;
    if (stage->mip == FrameMipNone) {
      at = 0;
    }
    if (stage->mip == FrameMipNearest) {
      at = (at + 128) & ~255;
    }
    level[i] = at >> 8 < last ? at >> 8 : last;
    next[i] = level[i] < last ? level[i] + 1 : last;
    weight[i] = at & 255;
    mixed |= weight[i];
    linear[i] = (min & minified) | (mag & ~minified);
  }
  wrap(stage->wrap_s, count, request->u, u);
  wrap(stage->wrap_t, count, request->v, v);
  sample_level(texture, stage, count, u, v, level, linear, fine, trace);
  if (mixed) {
    sample_level(texture, stage, count, u, v, next, linear, coarse, trace);
    mix(count, fine, coarse, weight, sample);
  } else {
    scale(count, fine, sample);
  }
}
