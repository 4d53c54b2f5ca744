// SPDX-License-Identifier: Apache-2.0
#include "atfim_reference.h"

#include <string.h>

#include "csim/texture/virtual_texture.h"

static uint32_t side(uint32_t full, uint32_t level) {
  uint32_t size = full >> level;
  return size > 0 ? size : 1;
}

// False: bad but for its tile.
static bool describe(const atfim_package_t *p, const texel_generator_descriptor_t *d,
                     virtual_texture_t *v) {
  if (!d || (d->width >> p->level == 0 && d->height >> p->level == 0) || p->extent == 0 ||
      p->extent > VirtualMaxExtent || p->slope < -VirtualMaxSlope || p->slope > VirtualMaxSlope) {
    return false;
  }
  *v = (virtual_texture_t){.reading = p->reading,
                           .k = p->extent,
                           .along_y = p->along_y,
                           .q = p->slope,
                           .wrap_x = d->wrap_x,
                           .wrap_y = d->wrap_y,
                           .width = side(d->width, p->level),
                           .height = side(d->height, p->level)};
  return p->reading != VirtualLattice || (p->along_y ? v->height : v->width) >> p->extent > 0;
}

// A parent's value; 0 if a read fails.
static uint32_t parent(const atfim_package_t *p, const texel_generator_descriptor_t *d,
                       const virtual_texture_t *v, int32_t a, int32_t b, line_memory_f read,
                       const void *memory, bool *failed) {
  uint32_t sum[4] = {0}, n = 1u << p->extent, texel = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t x, y;
    virtual_texture_child(v, a, b, i, &x, &y);
    uint64_t line = d->base * 64ull + p->offset + (uint64_t)(y / 4) * ((v->width + 3) / 4) + x / 4;
    uint32_t child = read(memory, line % (1u << 28) * 64 + y % 4 * 16 + x % 4 * 4, failed);
    for (uint32_t c = 0; c < 4; c++) {
      sum[c] += child >> 8 * c & 255;
    }
  }
  for (uint32_t c = 0; c < 4; c++) {
    texel |= (sum[c] / n + (2 * (sum[c] % n) >= n)) << 8 * c;
  }
  return *failed ? 0 : texel;
}

void atfim_reference(const atfim_package_t *p, const texel_generator_descriptor_t *d,
                     line_memory_f read, const void *memory, atfim_response_t *r, uint16_t *mask) {
  virtual_texture_t v;
  memset(r, 0, sizeof *r);
  r->id = p->id;
  r->epoch = p->epoch;
  *mask = 0;
  bool is_good = describe(p, d, &v);
  for (uint32_t n = 0; n < AtfimParents && is_good; n++) {
    int32_t a, b;
    bool failed = false;
    if (virtual_texture_parent(&v, p->tile_x, p->tile_y, n, &a, &b)) {
      *mask |= (uint16_t)(1 << n);
      r->texel[n] = parent(p, d, &v, a, b, read, memory, &failed);
      r->failed |= (uint16_t)(failed << n);
    }
  }
  r->refused = *mask == 0;
}
