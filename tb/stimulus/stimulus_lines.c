// SPDX-License-Identifier: Apache-2.0
#include "stimulus_lines.h"

static uint16_t side(rng_t *r) {
  switch (rng_below(r, 4)) {
    case 0: return (uint16_t)(1u << rng_below(r, 14));
    case 1: return (uint16_t)(1 + rng_below(r, 70));
    default: return (uint16_t)(1 + rng_below(r, 8192));
  }
}

texel_generator_descriptor_t stimulus_line_texture(rng_t *r, uint16_t index) {
  return (texel_generator_descriptor_t){.index = index,
                                        .base = rng_below(r, 1 << 22),
                                        .width = side(r),
                                        .height = side(r),
                                        .wrap_x = (uint8_t)rng_below(r, 3),
                                        .wrap_y = (uint8_t)rng_below(r, 3)};
}

static uint32_t level_side(uint32_t full, uint32_t level) {
  return full >> level ? full >> level : 1;
}

// A tile along one axis: `parents` of them, `before` the first of which tiles begin.
static uint16_t tile(rng_t *r, uint32_t seam_rate, uint32_t parents, uint32_t before) {
  uint32_t first = (before + 3) / 4, last = (parents + before) / 4;
  if (rng_chance(r, seam_rate)) {
    return (uint16_t)(rng_below(r, 2) ? last + rng_below(r, 2) - rng_below(r, last ? 2 : 1)
                                      : (first ? first - 1 : 0) + rng_below(r, 2));
  }
  return (uint16_t)(first + rng_below(r, last > first ? last - first + 1 : 1));
}

texel_generator_package_t stimulus_atfim_package(rng_t *r, const texel_generator_descriptor_t *d,
                                                 uint32_t seam_rate) {
  texel_generator_package_t p = {.id = (uint16_t)rng_below(r, 2048),
                                 .descriptor = d->index,
                                 .offset = rng_below(r, 1u << (rng_chance(r, 500) ? 28 : 12)),
                                 .reading = (uint8_t)rng_chance(r, 300),
                                 .extent = (uint8_t)(1 + rng_below(r, 4)),
                                 .along_y = (uint8_t)rng_below(r, 2),
                                 .slope = (uint8_t)((rng_below(r, 5) + 6) & 7)};
  uint32_t most = d->width > d->height ? d->width : d->height;
  uint32_t last = 31 - (uint32_t)__builtin_clz(most | 1);
  p.level = (uint8_t)rng_below(r, rng_chance(r, 700) && last >= 4 ? last - 3 : last + 1);
  uint32_t along = level_side(p.along_y ? d->height : d->width, p.level);
  uint32_t across = level_side(p.along_y ? d->width : d->height, p.level);
  while (!p.reading && p.extent > 1 && along >> p.extent == 0) {
    p.extent--;
  }
  uint32_t a = tile(r, seam_rate, along >> p.extent, 4);
  uint32_t b = tile(r, seam_rate, p.reading ? across >> p.extent : across, 20);
  if (!p.reading && rng_chance(r, 100)) {
    b = rng_below(r, 6);  // above the texture
  }
  p.tile_x = (uint16_t)((p.along_y ? b : a) & 4095);
  p.tile_y = (uint16_t)((p.along_y ? a : b) & 4095);
  return p;
}

void stimulus_line_spoil(rng_t *r, texel_generator_package_t *p) {
  switch (rng_below(r, 7)) {
    case 0: p->epoch = (uint8_t)rng_u64(r); break;
    case 1: p->descriptor = (uint16_t)rng_u64(r); break;
    case 2: p->extent = (uint8_t)rng_below(r, 8); break;
    case 3: p->slope = (uint8_t)rng_below(r, 8); break;
    case 4: p->level = (uint8_t)rng_below(r, 16); break;
    case 5: p->tile_x = (uint16_t)rng_below(r, 4096); break;
    default: p->tile_y = (uint16_t)rng_below(r, 4096); break;
  }
}
