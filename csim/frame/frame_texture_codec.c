// SPDX-License-Identifier: Apache-2.0
#include "frame_texture_codec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/clones.h"

enum { HeadBytes = 16, Planes = 4, Filters = 5 };

// Green stands as it is, red and blue as differences to it: they vary together.
static uint8_t plane_of(uint32_t texel, int plane) {
  const uint32_t green = texel >> 8 & 255;
  switch (plane) {
    case 0: return (uint8_t)green;
    case 1: return (uint8_t)((texel & 255) - green);
    case 2: return (uint8_t)((texel >> 16 & 255) - green);
    default: return (uint8_t)(texel >> 24);
  }
}

// PNG's filters predict a byte: 0 by none, 1 by the left one, 2 by the one above, 3 by their mean,
// 4 by Paeth's choice. The loops have no branches, so that they become vector code.

// Size of a difference of bytes, taken as a signed byte.
static inline int16_t size_of(int difference) {
  const int16_t d = (int8_t)difference;
  return d < 0 ? (int16_t)-d : d;
}

static inline uint8_t paeth(int16_t left, int16_t above, int16_t corner) {
  const int16_t a = (int16_t)(above - corner), b = (int16_t)(left - corner);
  const int16_t to_left = a < 0 ? (int16_t)-a : a, to_above = b < 0 ? (int16_t)-b : b;
  const int16_t both = (int16_t)(a + b), to_corner = both < 0 ? (int16_t)-both : both;
  const int16_t nearer = to_above <= to_corner ? above : corner;
  const int16_t distance = to_above <= to_corner ? to_above : to_corner;
  return (uint8_t)(to_left <= distance ? left : nearer);
}

// row and above have a byte before them, which is 0. Costs of up to 128 pixels fit 16 bits.
CLONES
static void find_costs(const uint8_t *restrict row, const uint8_t *restrict above, uint32_t width,
                       uint32_t cost[Filters]) {
  for (uint32_t from = 0; from < width; from += 128) {
    const uint32_t n = width - from < 128 ? width - from : 128;
    const uint8_t *r = row + from, *l = r - 1, *a = above + from, *c = a - 1;
    uint16_t sum[Filters] = {0};
    for (uint32_t x = 0; x < n; x++) {
      sum[0] = (uint16_t)(sum[0] + size_of(r[x]));
      sum[1] = (uint16_t)(sum[1] + size_of(r[x] - l[x]));
      sum[2] = (uint16_t)(sum[2] + size_of(r[x] - a[x]));
      sum[3] = (uint16_t)(sum[3] + size_of(r[x] - (l[x] + a[x]) / 2));
      sum[4] = (uint16_t)(sum[4] + size_of(r[x] - paeth(l[x], a[x], c[x])));
    }
    for (uint32_t k = 0; k < Filters; k++) {
      cost[k] += sum[k];
    }
  }
}

CLONES
static void filter_row(int chosen, uint8_t *restrict to, const uint8_t *restrict row,
                       const uint8_t *restrict above, uint32_t width) {
  const uint8_t *left = row - 1, *corner = above - 1;
  switch (chosen) {
    case 1:
      for (uint32_t x = 0; x < width; x++) to[x] = (uint8_t)(row[x] - left[x]);
      break;
    case 2:
      for (uint32_t x = 0; x < width; x++) to[x] = (uint8_t)(row[x] - above[x]);
      break;
    case 3:
      for (uint32_t x = 0; x < width; x++) to[x] = (uint8_t)(row[x] - (left[x] + above[x]) / 2);
      break;
    case 4:
      for (uint32_t x = 0; x < width; x++)
        to[x] = (uint8_t)(row[x] - paeth(left[x], above[x], corner[x]));
      break;
    default: memcpy(to, row, width); break;
  }
}

// By the filter that leaves the least; of equals the first.
static void encode_row(uint8_t *to, const uint8_t *row, const uint8_t *above, uint32_t width) {
  uint32_t cost[Filters] = {0};
  find_costs(row, above, width, cost);
  int chosen = 0;
  for (int filter = 1; filter < Filters; filter++) {
    chosen = cost[filter] < cost[chosen] ? filter : chosen;
  }
  *to++ = (uint8_t)chosen;
  filter_row(chosen, to, row, above, width);
}

static bool box_filtered(const frame_texture_t *texture) {
  frame_texture_t made = {.width = texture->width, .height = texture->height, .levels = 1};
  made.level[0] = texture->level[0];
  frame_texture_make_levels(&made);
  bool same = made.levels >= texture->levels;
  for (uint32_t n = 1; same && n < texture->levels; n++) {
    const size_t texels = (size_t)frame_side(texture->width, n) * frame_side(texture->height, n);
    same = memcmp(made.level[n], texture->level[n], texels * sizeof(uint32_t)) == 0;
  }
  for (uint32_t n = 1; n < made.levels; n++) {
    free(made.level[n]);
  }
  return same;
}

static size_t level_bytes(uint32_t width, uint32_t height) {
  return (size_t)Planes * height * ((size_t)width + 1);
}

bool frame_texture_encode(const frame_texture_t *texture, frame_bytes_t *raw) {
  const bool made = box_filtered(texture);
  const uint32_t stored = made ? 1 : texture->levels;
  raw->size = HeadBytes;
  for (uint32_t n = 0; n < stored; n++) {
    raw->size += level_bytes(frame_side(texture->width, n), frame_side(texture->height, n));
  }
  raw->data = malloc(raw->size);
  uint8_t *rows = calloc(2, (size_t)texture->width + 1);
  if (!raw->data || !rows) {
    free(rows);
    return false;
  }
  frame_put32(raw->data, texture->width);
  frame_put32(raw->data + 4, texture->height);
  frame_put32(raw->data + 8, texture->levels);
  frame_put32(raw->data + 12, made);
  uint8_t *to = raw->data + HeadBytes;
  for (uint32_t n = 0; n < stored; n++) {
    const uint32_t w = frame_side(texture->width, n), h = frame_side(texture->height, n);
    for (int plane = 0; plane < Planes; plane++) {
      uint8_t *row = rows + 1, *above = rows + 2 + w;
      row[-1] = above[-1] = 0;
      memset(above, 0, w);
      for (uint32_t y = 0; y < h; y++, to += w + 1) {
        for (uint32_t x = 0; x < w; x++) {
          row[x] = plane_of(texture->level[n][(size_t)y * w + x], plane);
        }
        encode_row(to, row, above, w);
        uint8_t *swap = row;
        row = above;
        above = swap;
      }
    }
  }
  free(rows);
  return true;
}

static void decode_row(int filter, uint8_t *at, const uint8_t *above, uint32_t w) {
  uint8_t left = 0, corner = 0;
  switch (filter) {
    case 1:
      for (uint32_t x = 0; x < w; x++) {
        at[x] = left = (uint8_t)(at[x] + left);
      }
      break;
    case 2:
      for (uint32_t x = 0; x < w; x++) {
        at[x] = (uint8_t)(at[x] + above[x]);
      }
      break;
    case 3:
      for (uint32_t x = 0; x < w; x++) {
        at[x] = left = (uint8_t)(at[x] + (left + above[x]) / 2);
      }
      break;
    case 4:
      for (uint32_t x = 0; x < w; x++) {
        at[x] = left = (uint8_t)(at[x] + paeth(left, above[x], corner));
        corner = above[x];
      }
      break;
    default: break;
  }
}

// Decodes the planes of one level; a filter that does not exist is damage.
static bool decode_level(uint8_t *planes, uint32_t w, uint32_t h, uint32_t *texels) {
  const size_t stride = (size_t)w + 1;
  static const uint8_t zeros[FrameMaxSize];
  for (uint32_t row = 0; row < Planes * h; row++) {
    uint8_t *at = planes + row * stride;
    const uint8_t *above = row % h ? at - stride : NULL;
    const int filter = at[0];
    if (filter >= Filters) {
      return false;
    }
    decode_row(filter, at + 1, above ? above + 1 : zeros, w);
  }
  const size_t plane = stride * h;
  for (uint32_t y = 0; y < h; y++) {
    const uint8_t *at = planes + y * stride + 1;
    for (uint32_t x = 0; x < w; x++, at++) {
      const uint32_t green = at[0];
      texels[(size_t)y * w + x] = ((at[plane] + green) & 255) | green << 8 |
                                  ((at[2 * plane] + green) & 255) << 16 |
                                  (uint32_t)at[3 * plane] << 24;
    }
  }
  return true;
}

bool frame_texture_decode(frame_texture_t *texture, const frame_bytes_t *raw, err_t *err) {
  if (raw->size < HeadBytes) {
    err_set(err, ErrInput, "%zu bytes unpacked, expected at least %d", raw->size, HeadBytes);
    return false;
  }
  const uint32_t width = frame_get32(raw->data), height = frame_get32(raw->data + 4);
  const uint32_t levels = frame_get32(raw->data + 8), made = frame_get32(raw->data + 12);
  if (width < 1 || width > FrameMaxSize || height < 1 || height > FrameMaxSize || levels < 1 ||
      levels > FrameMaxLevels || made > 1) {
    err_set(err, ErrInput,
            "%ux%u with %u levels, made %u, expected sides of 1 to %d, 1 to %d levels, 0 or 1",
            width, height, levels, made, FrameMaxSize, FrameMaxLevels);
    return false;
  }
  const uint32_t stored = made ? 1 : levels;
  size_t size = HeadBytes;
  for (uint32_t n = 0; n < stored; n++) {
    size += level_bytes(frame_side(width, n), frame_side(height, n));
  }
  if (raw->size != size) {
    err_set(err, ErrInput, "%zu bytes unpacked, expected %zu", raw->size, size);
    return false;
  }
  texture->width = width;
  texture->height = height;
  texture->levels = 1;
  uint8_t *from = raw->data + HeadBytes;
  for (uint32_t n = 0; n < stored; n++) {
    const uint32_t w = frame_side(width, n), h = frame_side(height, n);
    texture->level[n] = malloc((size_t)w * h * sizeof(uint32_t));
    if (!texture->level[n]) {
      err_set(err, ErrMachine, "no memory for level %u, expected a machine with more", n);
      return false;
    }
    if (!decode_level(from, w, h, texture->level[n])) {
      err_set(err, ErrInput, "a row of level %u has no such filter, expected 0 to %d", n,
              Filters - 1);
      return false;
    }
    from += level_bytes(w, h);
  }
  if (made && levels > 1) {
    frame_texture_make_levels(texture);
    for (uint32_t n = levels; n < texture->levels; n++) {
      free(texture->level[n]);
      texture->level[n] = NULL;
    }
    if (texture->levels < levels) {
      err_set(err, ErrInput, "%u levels, expected at most %u", levels, texture->levels);
      return false;
    }
  }
  texture->levels = levels;
  return true;
}
