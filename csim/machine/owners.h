// SPDX-License-Identifier: Apache-2.0
// Which GPU owns each tile of each of the frame's surfaces. Surfaces of one size share one map; the
// maps are read from a distribution unit before the frame starts.
#ifndef NOCTURNE_MACHINE_OWNERS_H
#define NOCTURNE_MACHINE_OWNERS_H

#include "distribution_unit.h"

typedef struct {
  uint32_t width, height;  // pixels
  uint32_t tiles_x, tiles_y;
  uint8_t *tiles;  // GPU, row-major
} owner_map_t;

typedef struct owners owners_t;

// GPU 0 owns all until the maps have been read. The frame outlives it. NULL: out of memory.
owners_t *owners_create(const frame_t *frame);
void owners_destroy(owners_t *owners);

// unit: reset; its map is that of the last size read, and it is quiescent. False: it failed.
bool owners_read(owners_t *owners, const machine_params_t *machine,
                 const pixel_distributor_params_t *params, distribution_unit_t *unit, halt_t *halt);

const owner_map_t *owners_target(const owners_t *owners, uint16_t target);
const owner_map_t *owners_depth(const owners_t *owners, uint16_t depth_buffer);
// Returns the owners of what is drawn to these surfaces: by the colour target, without one
// (FrameNone) by the depth buffer.
const owner_map_t *owners_drawn(const owners_t *owners, uint16_t target, uint16_t depth_buffer);

// The distinct maps.
uint32_t owners_count(const owners_t *owners);
const owner_map_t *owners_map(const owners_t *owners, uint32_t index);

#endif
