// SPDX-License-Identifier: Apache-2.0
// The part of a composed group that a GPU has drawn, in its surfaces: how composition reads it, and
// writes what was merged.
#ifndef NOCTURNE_MACHINE_SUBIMAGE_H
#define NOCTURNE_MACHINE_SUBIMAGE_H

#include "part.h"

typedef struct {
  const frame_state_t *state;  // the group's
  surface_t *color, *depth;    // NULL: none
  bool transparent;
  bool order_tag;
  bool early;  // tags are the numbers of GPUs, and a pixel may come again
  uint32_t mark;
} subimage_t;

// Where a pixel stands in the surfaces, which may be of different sizes.
typedef struct {
  size_t color, depth;
} subimage_place_t;

// composed: index among the composed groups.
const plan_group_t *subimage_group(const site_t *site, uint32_t composed);
subimage_t subimage_of(const site_t *site, gpu_t *gpu, uint32_t composed);

// pixel: of the tile, in surface order.
static inline subimage_place_t subimage_at(const subimage_t *image, uint32_t tile_x,
                                           uint32_t tile_y, uint32_t pixel) {
  subimage_place_t at = {0};
  if (image->color) {
    at.color = ((size_t)tile_y * image->color->tiles_x + tile_x) * SurfaceTilePixels + pixel;
  }
  if (image->depth) {
    at.depth = ((size_t)tile_y * image->depth->tiles_x + tile_x) * SurfaceTilePixels + pixel;
  }
  return at;
}

// At most 32 pixels of a block; returns a mask of those that the group has written.
uint32_t subimage_read(const subimage_t *image, subimage_place_t at, uint32_t count,
                       uint64_t *data);

// mask: bit i, pixel i from `at` on, all of one block.
void subimage_write(const subimage_t *image, subimage_place_t at, uint32_t mask,
                    const uint64_t *pixels);

// Notes that pixels came from another GPU, which may have spoilt its own copy of the block, and
// which of them two GPUs brought with equal depth. written: the local ones that are the group's.
void subimage_note_arrivals(const subimage_t *image, subimage_place_t at, uint32_t mask,
                            const uint64_t *incoming, const uint64_t *local, uint32_t written);

// Sets the begin's fields: the rule by which a group merges. front: what comes lies in front.
void subimage_rule(const site_t *site, uint32_t composed, bool front, pixel_distributor_in_t *in);

#endif
