// SPDX-License-Identifier: Apache-2.0
#include "golden.h"

static uint32_t depth_of(uint64_t pixel) { return (uint32_t)(pixel >> 32) & 0xffffff; }
static uint32_t tag_of(uint64_t pixel) { return (uint32_t)(pixel >> 57); }

static bool holds(uint8_t func, uint32_t in, uint32_t local) {
  bool less = in < local, equal = in == local;
  // Bit 0: less, bit 1: equal, bit 2: greater; the functions count in this code.
  return (func & 1 && less) || (func & 2 && equal) || (func & 4 && !less && !equal);
}

static bool wins(const pixel_merge_t *m, uint64_t in, uint64_t local, bool written) {
  if (!written && !m->test_base) {
    return true;
  }
  uint32_t d_in = depth_of(in), d_local = depth_of(local);
  if (written && m->tag_enable && d_in == d_local) {
    if (m->depth_func == 1 || m->depth_func == 4) {
      return tag_of(in) < tag_of(local);
    }
    if (m->depth_func == 3 || m->depth_func == 6) {
      return tag_of(in) >= tag_of(local);
    }
  }
  return holds(m->depth_func, d_in, d_local);
}

static uint32_t mul(uint32_t x, uint32_t y) {
  uint32_t t = x * y + 32768;
  return (t + (t >> 16)) >> 16;
}

static uint32_t sat(uint32_t x) { return x > 65535 ? 65535 : x; }

static uint64_t blend(const pixel_merge_t *m, uint64_t in, uint64_t local) {
  uint32_t a_in = (uint32_t)(in >> 48), a_local = (uint32_t)(local >> 48);
  uint64_t out = 0;
  for (int k = 0; k < 4; k++) {
    uint32_t i = (uint32_t)(in >> (16 * k)) & 65535, l = (uint32_t)(local >> (16 * k)) & 65535;
    uint32_t v;
    switch (m->op) {
      case PixelDistributorOperatorOver:
        v = m->front ? i + mul(65535 - a_in, l) : l + mul(65535 - a_local, i);
        break;
      case PixelDistributorOperatorAdd: v = i + l; break;
      default: v = mul(i, l);
    }
    out |= (uint64_t)sat(v) << (16 * k);
  }
  return out;
}

bool pixel_merge(const pixel_merge_t *m, uint64_t in, uint64_t local, bool written,
                 uint64_t *result, bool *tie) {
  *tie = false;
  if (m->transparent) {
    *result = written ? blend(m, in, local) : in;
    return true;
  }
  *tie =
      written && depth_of(in) == depth_of(local) && (!m->tag_enable || tag_of(in) == tag_of(local));
  if (!wins(m, in, local, written)) {
    *result = 0;
    return false;
  }
  uint64_t channels = 0;
  for (int k = 0; k < 4; k++) {
    channels |= (m->color_mask >> k & 1 ? 0xffull : 0) << (8 * k);
  }
  uint64_t deep = 0xfeffffffull << 32;  // depth and tag
  uint64_t depth = (m->depth_write ? in : local) & deep;
  *result = (in & channels) | (local & ~channels & 0xffffffff) | depth | 1ull << 56;
  return true;
}

pixel_merge_t pixel_merge_rule(const pixel_distributor_in_t *begin) {
  return (pixel_merge_t){.front = begin->begin_front,
                         .transparent = begin->begin_transparent,
                         .depth_write = begin->begin_depth_write,
                         .tag_enable = begin->begin_tag_enable,
                         .test_base = begin->begin_test_base,
                         .op = begin->begin_operator,
                         .depth_func = begin->begin_depth_func,
                         .color_mask = begin->begin_color_mask};
}

uint32_t pixel_merge_all(const pixel_distributor_in_t *begin, uint32_t sent, const uint64_t *in,
                         const uint64_t *local, uint32_t written, uint64_t *result) {
  pixel_merge_t m = pixel_merge_rule(begin);
  uint32_t won = 0;
  for (uint32_t rest = sent; rest; rest &= rest - 1) {
    uint32_t p = (uint32_t)__builtin_ctz(rest);
    bool tie;
    won |= (uint32_t)pixel_merge(&m, in[p], local[p], written >> p & 1, &result[p], &tie) << p;
  }
  return won;
}
