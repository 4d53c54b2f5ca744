#include "texture.h"

#include <math.h>
#include <string.h>

enum { LodBits = 8, WeightBits = 8 };

// log2 of a positive float in 1/256, from its exponent and a quadratic in its mantissa
// (error under 1/128): the same on every machine.
static int32_t log2_fixed(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  int32_t exponent = (int32_t)(bits >> 23) - 127;
  int32_t m = (int32_t)(bits >> 15 & 255);  // mantissa, 1/256
  int32_t curve = m * (256 - m) * 88 >> 16;  // 0.34375 m (1 - m)
  return exponent * 256 + m + curve;
}

static int32_t wrap(int32_t i, int32_t size, uint8_t mode) {
  if ((uint32_t)i < (uint32_t)size) {
    return i;
  }
  if (mode == FrameWrapClamp) {
    return i < 0 ? 0 : size - 1;
  }
  int32_t period = mode == FrameWrapMirror ? 2 * size : size;
  int32_t k = i % period;
  k = k < 0 ? k + period : k;
  return k < size ? k : 2 * size - 1 - k;
}

// a + (b - a) w / 256 of four channels, rounded.
static uint32_t mix(uint32_t a, uint32_t b, uint32_t w) {
  uint32_t even = (a & 0xff00ff) * (256 - w) + (b & 0xff00ff) * w + 0x800080;
  uint32_t odd = (a >> 8 & 0xff00ff) * (256 - w) + (b >> 8 & 0xff00ff) * w + 0x800080;
  return (even >> 8 & 0xff00ff) | (odd & 0xff00ff00);
}

// A coordinate in 1/256 texels; absurd ones are brought into range.
static int32_t fixed(double t) {
  if (!(t > -4.0e6 && t < 4.0e6)) {
    return 0;
  }
  return (int32_t)floor(t * (1 << WeightBits));
}

static void note(texture_read_t *read, uint32_t texels, uint32_t level, uint32_t width,
                 uint32_t x, uint32_t y) {
  read->texels += texels;
  read->lines[read->line_count++] =
      (uint64_t)level << 32 | ((y >> 2) * ((width + 3) >> 2) + (x >> 2));
}

static uint32_t sample_level(const frame_texture_t *t, const frame_stage_t *s, uint32_t level,
                             double u, double v, uint8_t filter, texture_read_t *read) {
  int32_t w = (int32_t)(t->width >> level), h = (int32_t)(t->height >> level);
  w = w ? w : 1;
  h = h ? h : 1;
  const uint32_t *data = t->level[level];
  if (filter == FrameFilterNearest) {
    int32_t x = wrap(fixed(u * w) >> WeightBits, w, s->wrap_s);
    int32_t y = wrap(fixed(v * h) >> WeightBits, h, s->wrap_t);
    note(read, 1, level, (uint32_t)w, (uint32_t)x, (uint32_t)y);
    return data[(size_t)y * (size_t)w + (size_t)x];
  }
  int32_t fx = fixed(u * w - 0.5), fy = fixed(v * h - 0.5);
  int32_t x0 = fx >> WeightBits, y0 = fy >> WeightBits;
  uint32_t wx = (uint32_t)fx & 255, wy = (uint32_t)fy & 255;
  size_t xa = (size_t)wrap(x0, w, s->wrap_s), xb = (size_t)wrap(x0 + 1, w, s->wrap_s);
  const uint32_t *ra = data + (size_t)wrap(y0, h, s->wrap_t) * (size_t)w;
  const uint32_t *rb = data + (size_t)wrap(y0 + 1, h, s->wrap_t) * (size_t)w;
  note(read, 4, level, (uint32_t)w, (uint32_t)xa, (uint32_t)wrap(y0, h, s->wrap_t));
  return mix(mix(ra[xa], ra[xb], wx), mix(rb[xa], rb[xb], wx), wy);
}

uint32_t texture_sample(const frame_texture_t *t, const frame_stage_t *s, double u, double v,
                        double rho2, texture_read_t *read) {
  float r = (float)rho2;
  read->texels = read->line_count = 0;
  int32_t lod = r > 1e-30f && r < 1e30f ? log2_fixed(r) / 2 : r >= 1e30f ? 14 << LodBits : -1;
  lod += (int32_t)(s->lod_bias * 256.0f);
  if (lod <= 0) {
    return sample_level(t, s, 0, u, v, s->mag_filter, read);
  }
  int32_t top = (int32_t)(t->levels - 1) << LodBits;
  if (s->mip == FrameMipNone) {
    return sample_level(t, s, 0, u, v, s->min_filter, read);
  }
  lod = lod > top ? top : lod;
  if (s->mip == FrameMipNearest) {
    return sample_level(t, s, (uint32_t)(lod + 128) >> LodBits, u, v, s->min_filter, read);
  }
  uint32_t level = (uint32_t)lod >> LodBits, weight = (uint32_t)lod & 255;
  uint32_t near = sample_level(t, s, level, u, v, s->min_filter, read);
  if (weight == 0) {
    return near;
  }
  return mix(near, sample_level(t, s, level + 1, u, v, s->min_filter, read), weight);
}
