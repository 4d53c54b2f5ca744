// SPDX-License-Identifier: Apache-2.0
#include "blend.h"

#include <stdbool.h>
#include "lanes.h"

// x y / 65535, rounded to nearest.
static inline uint32_t mul16(uint32_t x, uint32_t y) {
  const uint32_t t = x * y + 32768;
  return (t + (t >> 16)) >> 16;
}

typedef struct {
  int32_t channel[4][64];
} pixels_t;

CLONES
static void unpack(uint32_t lanes, const uint32_t *restrict in, pixels_t *restrict out) {
  for (uint32_t c = 0; c < 4; c++) {
    for (size_t i = 0; i < lanes; i += 8) {
      for (size_t k = 0; k < 8; k++) {
        out->channel[c][i + k] = (int32_t)(in[i + k] >> (8 * c) & 255);
      }
    }
  }
}

CLONES
static void pack(uint32_t lanes, int32_t (*restrict in)[64], uint32_t *restrict out) {
  for (size_t i = 0; i < lanes; i += 8) {
    for (size_t k = 0; k < 8; k++) {
      out[i + k] = (uint32_t)in[0][i + k] | (uint32_t)in[1][i + k] << 8 |
                   (uint32_t)in[2][i + k] << 16 | (uint32_t)in[3][i + k] << 24;
    }
  }
}

// The factor of one channel in all lanes, 0 to 255.
CLONES
static void find_factor(uint32_t factor, uint32_t channel, uint32_t lanes,
                        int32_t (*restrict s)[64], int32_t (*restrict d)[64],
                        int32_t *restrict out) {
  const int32_t(*from)[64] = (const int32_t(*)[64])s;
  uint32_t of = channel;
  int32_t add = 0, sign = 1;
  switch (factor) {
    case FrameFactorSrcAlpha: of = 3; break;
    case FrameFactorDstColor: from = (const int32_t(*)[64])d; break;
    case FrameFactorDstAlpha:
      from = (const int32_t(*)[64])d;
      of = 3;
      break;
    case FrameFactorOneMinusSrcColor:
      add = 255;
      sign = -1;
      break;
    case FrameFactorOneMinusSrcAlpha:
      of = 3;
      add = 255;
      sign = -1;
      break;
    case FrameFactorOneMinusDstColor:
      from = (const int32_t(*)[64])d;
      add = 255;
      sign = -1;
      break;
    case FrameFactorOneMinusDstAlpha:
      from = (const int32_t(*)[64])d;
      of = 3;
      add = 255;
      sign = -1;
      break;
    case FrameFactorOne:
      add = 255;
      sign = 0;
      break;
    case FrameFactorZero: sign = 0; break;
    case FrameFactorSrcAlphaSaturate:
      for (size_t i = 0; i < lanes; i += 8) {
        for (size_t k = 0; k < 8; k++) {
          const int32_t a = s[3][i + k], room = 255 - d[3][i + k];
          out[i + k] = channel == 3 ? 255 : a < room ? a : room;
        }
      }
      return;
    default: break;  // SrcColor
  }
  const int32_t *restrict in = from[of];
  for (size_t i = 0; i < lanes; i += 8) {
    for (size_t k = 0; k < 8; k++) {
      out[i + k] = add + sign * in[i + k];
    }
  }
}

// One rounding, of the sum: (s * fs +- d * fd) / 255 to nearest, within 0 and 255.
CLONES
static void find_sum(int32_t source_sign, int32_t target_sign, uint32_t lanes,
                     const int32_t *restrict s, const int32_t *restrict fs,
                     const int32_t *restrict d, const int32_t *restrict fd, int32_t *restrict out) {
  for (size_t i = 0; i < lanes; i += 8) {
    for (size_t k = 0; k < 8; k++) {
      int32_t t = source_sign * (s[i + k] * fs[i + k]) + target_sign * (d[i + k] * fd[i + k]);
      t = t > 0 ? t : 0;
      t = (t < 255 * 255 ? t : 255 * 255) + 127;
      out[i + k] = (t + 1 + (t >> 8)) >> 8;
    }
  }
}

CLONES
static void find_extreme(int32_t most, uint32_t lanes, const int32_t *restrict s,
                         const int32_t *restrict d, int32_t *restrict out) {
  for (size_t i = 0; i < lanes; i += 8) {
    for (size_t k = 0; k < 8; k++) {
      const int32_t low = s[i + k] < d[i + k] ? s[i + k] : d[i + k];
      out[i + k] = most ? s[i + k] + d[i + k] - low : low;
    }
  }
}

static void equation(uint32_t kind, uint32_t source, uint32_t destination, uint32_t channel,
                     uint32_t lanes, int32_t (*s)[64], int32_t (*d)[64], int32_t *out) {
  int32_t fs[64], fd[64];
  if (kind == FrameEquationMin || kind == FrameEquationMax) {
    find_extreme(kind == FrameEquationMax, lanes, s[channel], d[channel], out);
    return;
  }
  find_factor(source, channel, lanes, s, d, fs);
  find_factor(destination, channel, lanes, s, d, fd);
  find_sum(kind == FrameEquationReverseSubtract ? -1 : 1, kind == FrameEquationSubtract ? -1 : 1,
           lanes, s[channel], fs, d[channel], fd, out);
}

static uint32_t byte_mask(uint32_t color_mask) {
  return (color_mask & 1 ? 0xffu : 0) | (color_mask & 2 ? 0xff00u : 0) |
         (color_mask & 4 ? 0xff0000u : 0) | (color_mask & 8 ? 0xff000000u : 0);
}

// The pixels of a mask side by side, the last one repeated up to a multiple of 8.
typedef struct {
  uint32_t count, lanes;
  uint8_t index[64];
} list_t;

static void list_pixels(list_t *l, uint64_t mask) {
  l->count = 0;
  for (; mask; mask &= mask - 1) {
    l->index[l->count++] = (uint8_t)__builtin_ctzll(mask);
  }
  l->lanes = (l->count + 7) & ~7u;
  for (uint32_t i = l->count; i < l->lanes; i++) {
    l->index[i] = l->index[l->count - 1];
  }
}

void blend_block(const frame_state_t *state, uint64_t mask, const uint32_t *colors,
                 uint32_t *target) {
  const uint32_t write = byte_mask(state->color_mask);
  list_t l;
  if (!mask) {
    return;
  }
  if (!state->blend) {
    for (; mask; mask &= mask - 1) {
      const int p = __builtin_ctzll(mask);
      target[p] = (target[p] & ~write) | (colors[p] & write);
    }
    return;
  }
  list_pixels(&l, mask);
  uint32_t fresh[64], old[64];
  pixels_t s, d, r;
  for (uint32_t i = 0; i < l.lanes; i++) {
    fresh[i] = colors[l.index[i]];
    old[i] = target[l.index[i]];
  }
  unpack(l.lanes, fresh, &s);
  unpack(l.lanes, old, &d);
  for (uint32_t c = 0; c < 3; c++) {
    equation(state->equation_rgb, state->src_rgb, state->dst_rgb, c, l.lanes, s.channel, d.channel,
             r.channel[c]);
  }
  equation(state->equation_alpha, state->src_alpha, state->dst_alpha, 3, l.lanes, s.channel,
           d.channel, r.channel[3]);
  pack(l.lanes, r.channel, fresh);
  for (uint32_t i = 0; i < l.count; i++) {
    target[l.index[i]] = (old[i] & ~write) | (fresh[i] & write);
  }
}

typedef enum { OperatorOver, OperatorAdd, OperatorMultiply } operator_e;

static operator_e operator_of(const frame_state_t *s) {
  if (s->src_rgb == FrameFactorZero || s->dst_rgb == FrameFactorZero) {
    return OperatorMultiply;
  }
  return s->dst_rgb == FrameFactorOne ? OperatorAdd : OperatorOver;
}

static uint64_t pack16(const uint32_t c[4]) {
  return c[0] | (uint64_t)c[1] << 16 | (uint64_t)c[2] << 32 | (uint64_t)c[3] << 48;
}

static void unpack16(uint64_t pixel, uint32_t c[4]) {
  for (uint32_t n = 0; n < 4; n++) {
    c[n] = (uint32_t)(pixel >> (16 * n) & 0xffff);
  }
}

void blend_subimage(const frame_state_t *state, uint64_t mask, const uint32_t *colors,
                    uint64_t *subimage, uint64_t written) {
  const operator_e op = operator_of(state);
  for (; mask; mask &= mask - 1) {
    const int p = __builtin_ctzll(mask);
    uint32_t s[4], d[4];
    for (uint32_t n = 0; n < 4; n++) {
      s[n] = (colors[p] >> (8 * n) & 255) * 257;
    }
    const uint32_t alpha = s[3];
    if (state->src_rgb == FrameFactorSrcAlpha) {
      for (uint32_t n = 0; n < 3; n++) {
        s[n] = mul16(s[n], alpha);
      }
    }
    if (state->src_alpha == FrameFactorSrcAlpha) {
      s[3] = mul16(alpha, alpha);
    }
    if (written >> p & 1) {
      unpack16(subimage[p], d);
      for (uint32_t n = 0; n < 4; n++) {
        if (op == OperatorMultiply) {
          s[n] = mul16(s[n], d[n]);
        } else {
          s[n] += op == OperatorOver ? mul16(65535 - alpha, d[n]) : d[n];
        }
        s[n] = s[n] < 65535 ? s[n] : 65535;
      }
    }
    subimage[p] = pack16(s);
  }
}

void blend_background(const frame_state_t *state, const uint64_t *subimage, uint64_t written,
                      uint32_t *target) {
  const operator_e op = operator_of(state);
  const uint32_t write = byte_mask(state->color_mask);
  for (; written; written &= written - 1) {
    const int p = __builtin_ctzll(written);
    uint32_t s[4], result = 0;
    unpack16(subimage[p], s);
    for (uint32_t n = 0; n < 4; n++) {
      const uint32_t d = target[p] >> (8 * n) & 255;
      uint32_t r;
      if (op == OperatorMultiply) {
        r = (s[n] * d + 32767) / 65535;
      } else if (op == OperatorAdd) {
        r = (s[n] + d * 257 + 128) / 257;
      } else {
        r = (s[n] * 255 + (65535 - s[3]) * d + 32767) / 65535;
      }
      result |= (r < 255 ? r : 255) << (8 * n);
    }
    target[p] = (target[p] & ~write) | (result & write);
  }
}
