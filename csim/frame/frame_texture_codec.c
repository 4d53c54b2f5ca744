// SPDX-License-Identifier: Apache-2.0
#include "frame_texture_codec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

// PNG's predictors: 0 none, 1 left, 2 above, 3 their mean, 4 Paeth.
static uint8_t predict(int filter, int left, int above, int corner) {
  switch (filter) {
    case 1: return (uint8_t)left;
    case 2: return (uint8_t)above;
    case 3: return (uint8_t)((left + above) / 2);
    case 4: {
      const int p = left + above - corner;
      const int to_left = abs(p - left), to_above = abs(p - above), to_corner = abs(p - corner);
      const int nearer = to_above <= to_corner ? above : corner;
      const int distance = to_above <= to_corner ? to_above : to_corner;
      return (uint8_t)(to_left <= distance ? left : nearer);
    }
    default: return 0;
  }
}

static uint32_t cost_of(int texel, int predicted) {
  const int rest = (int8_t)(texel - predicted);
  return (uint32_t)abs(rest);
}

// By the filter that leaves the least; of equals the first.
static void encode_row(uint8_t *to, const uint8_t *row, const uint8_t *above, uint32_t width) {
  uint32_t cost[Filters] = {0};
  for (uint32_t x = 0; x < width; x++) {
    const int left = x ? row[x - 1] : 0, corner = x ? above[x - 1] : 0;
    cost[0] += cost_of(row[x], 0);
    cost[1] += cost_of(row[x], left);
    cost[2] += cost_of(row[x], above[x]);
    cost[3] += cost_of(row[x], predict(3, left, above[x], corner));
    cost[4] += cost_of(row[x], predict(4, left, above[x], corner));
  }
  int chosen = 0;
  for (int filter = 1; filter < Filters; filter++) {
    chosen = cost[filter] < cost[chosen] ? filter : chosen;
  }
  *to++ = (uint8_t)chosen;
  for (uint32_t x = 0; x < width; x++) {
    to[x] = (uint8_t)(row[x] - predict(chosen, x ? row[x - 1] : 0, above[x], x ? above[x - 1] : 0));
  }
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
  uint8_t *rows = malloc(2 * (size_t)texture->width);
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
      uint8_t *row = rows, *above = rows + w;
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

// Decodes the planes of one level; a filter that does not exist is damage.
static bool decode_level(uint8_t *planes, uint32_t w, uint32_t h, uint32_t *texels) {
  const size_t stride = (size_t)w + 1;
  for (uint32_t row = 0; row < Planes * h; row++) {
    uint8_t *at = planes + row * stride;
    const uint8_t *above = row % h ? at - stride : NULL;
    const int filter = at[0];
    if (filter >= Filters) {
      return false;
    }
    for (uint32_t x = 1; x <= w; x++) {
      at[x] = (uint8_t)(at[x] + predict(filter, x > 1 ? at[x - 1] : 0, above ? above[x] : 0,
                                        above && x > 1 ? above[x - 1] : 0));
    }
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
