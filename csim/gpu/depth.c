// SPDX-License-Identifier: Apache-2.0
#include "depth.h"

#include <string.h>

#include "lanes.h"
#include "surface.h"

// The depth function as masks: pass if the new depth is less, equal, greater.
typedef struct {
  int32_t less, equal, greater;
  uint32_t extra;
} test_t;

// The pixels of the mask that pass; where `write` is all ones their words change.
CLONES
static uint64_t test_depth(const test_t *test, uint32_t write, const raster_t *r, double x,
                           double y, uint64_t mask, uint32_t *restrict words) {
  const double zx = r->z.dx, zy = r->z.dy, low = r->z_low, high = r->z_high;
  const double pattern[LanesGroup] = {0, zx, zy, zx + zy, 2 * zx, 3 * zx, 2 * zx + zy, 3 * zx + zy};
  // From vertex 0, so that the sum keeps the digits that matter.
  const double corner = r->z.at + (zx * (x + 0.5 - r->vx) + zy * (y + 0.5 - r->vy));
  const int32_t less = test->less, equal = test->equal, greater = test->greater;
  const uint32_t extra = test->extra;
  static const int32_t bit[LanesGroup] = {1, 2, 4, 8, 16, 32, 64, 128};
  int32_t pass[64];
  for (uint32_t g = 0; g < LanesGroups; g++) {
    const int32_t bits = (int32_t)(mask >> (g * 8) & 255);
    int32_t *restrict ok = pass + g * 8;
    if (!bits) {
      for (uint32_t k = 0; k < LanesGroup; k++) {
        ok[k] = 0;
      }
      continue;
    }
    const double start = corner + (LANES_GROUP_X(g) * zx + LANES_GROUP_Y(g) * zy);
    uint32_t *restrict word = words + g * 8;
    int32_t z[LanesGroup];
    for (uint32_t k = 0; k < LanesGroup; k++) {
      double value = start + pattern[k];
      value = value > low ? value : low;
      value = value < high ? value : high;
      z[k] = (int32_t)(value + 0.5);
    }
    for (uint32_t k = 0; k < LanesGroup; k++) {
      const int32_t old = (int32_t)(word[k] & SurfaceDepthMask);
      const int32_t active = (bits & bit[k]) ? -1 : 0;
      const int32_t accept = z[k] < old ? less : z[k] == old ? equal : greater;
      ok[k] = active & accept;
    }
    for (uint32_t k = 0; k < LanesGroup; k++) {
      const uint32_t change = (uint32_t)ok[k] & write;
      word[k] = (((uint32_t)z[k] | extra) & change) | (word[k] & ~change);
    }
  }
  return lanes_signs(pass);
}

static bool compare(uint32_t func, uint32_t a, uint32_t b) {
  // Bit 0 of a function accepts less, bit 1 equal, bit 2 greater.
  return func >> (a < b ? 0 : a == b ? 1 : 2) & 1;
}

static uint8_t stencil_op(uint8_t op, uint8_t old, const frame_stencil_t *s) {
  uint8_t v = old;
  switch (op) {
    case FrameStencilZero: v = 0; break;
    case FrameStencilReplace: v = s->ref; break;
    case FrameStencilIncr: v = old < 255 ? (uint8_t)(old + 1) : old; break;
    case FrameStencilDecr: v = old > 0 ? (uint8_t)(old - 1) : old; break;
    case FrameStencilInvert: v = (uint8_t)~old; break;
    case FrameStencilIncrWrap: v = (uint8_t)(old + 1); break;
    case FrameStencilDecrWrap: v = (uint8_t)(old - 1); break;
    default: break;
  }
  return (uint8_t)((old & ~s->write_mask) | (v & s->write_mask));
}

static void update_stencil(const frame_stencil_t *s, uint8_t op, uint64_t mask, uint8_t *stencil) {
  if (op == FrameStencilKeep) {
    return;
  }
  for (; mask; mask &= mask - 1) {
    uint8_t *value = &stencil[__builtin_ctzll(mask)];
    *value = stencil_op(op, *value, s);
  }
}

static uint64_t test_stencil(const frame_stencil_t *s, uint64_t mask, const uint8_t *stencil) {
  if (s->func == FrameFuncAlways) {
    return mask;
  }
  uint64_t kept = 0;
  for (uint64_t rest = mask; rest; rest &= rest - 1) {
    int i = __builtin_ctzll(rest);
    kept |= (uint64_t)compare(s->func, s->ref & s->read_mask, stencil[i] & s->read_mask) << i;
  }
  return kept;
}

uint64_t depth_within(const raster_t *r, uint32_t bx, uint32_t by, uint64_t mask, uint32_t limit) {
  static const test_t LessEqual = {-1, -1, 0, 0};
  uint32_t words[64];
  for (uint32_t i = 0; i < 64; i++) {
    words[i] = limit;
  }
  return mask ? test_depth(&LessEqual, 0, r, bx * 8.0, by * 8.0, mask, words) : 0;
}

uint64_t depth_equal(const raster_t *r, uint32_t bx, uint32_t by, uint64_t mask,
                     const uint32_t *words) {
  static const test_t Equal = {0, -1, 0, 0};
  uint32_t copy[SurfaceBlockPixels];
  memcpy(copy, words, sizeof copy);
  return mask ? test_depth(&Equal, 0, r, bx * 8.0, by * 8.0, mask, copy) : 0;
}

uint64_t depth_block(const frame_state_t *state, const raster_t *r, uint32_t bx, uint32_t by,
                     uint64_t mask, uint32_t extra, uint32_t *words, uint8_t *stencil) {
  const frame_stencil_t *s = state->stencil_test ? &state->stencil[r->back] : NULL;
  uint64_t kept = s ? test_stencil(s, mask, stencil) : mask;
  uint64_t passed = kept;
  if (state->depth_test && kept) {
    const uint8_t func = state->depth_func;
    const test_t test = {func & 1 ? -1 : 0, func & 2 ? -1 : 0, func & 4 ? -1 : 0, extra};
    passed =
        test_depth(&test, state->depth_write ? UINT32_MAX : 0, r, bx * 8.0, by * 8.0, kept, words);
  }
  if (s) {
    update_stencil(s, s->fail, mask & ~kept, stencil);
    update_stencil(s, s->depth_fail, kept & ~passed, stencil);
    update_stencil(s, s->pass, passed, stencil);
  }
  return passed;
}
