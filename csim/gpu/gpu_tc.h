// SPDX-License-Identifier: Apache-2.0
// The blocks of a cluster on their way through its tile coalescer (docs/units/tile_coalescer.md):
// quarters of blocks go in, stamps of several triangles at one place come out together. Which warps
// they make is gpu_warps.h's.
#ifndef NOCTURNE_GPU_GPU_TC_H
#define NOCTURNE_GPU_GPU_TC_H

#include "gpu_memory.h"
#include "gpu_pool.h"

typedef struct gpu_tc gpu_tc_t;

// Half of a TC tile: a warp's stamps, by their blocks' places in the pool and then by number.
typedef struct {
  uint16_t slot[8];
  uint8_t stamp[8];
  uint8_t count;
} gpu_half_t;

// A TC tile that was taken.
typedef struct {
  uint8_t id;
  gpu_half_t half[2];
} gpu_tile_t;

// NULL: out of memory, or with one line in error.
gpu_tc_t *gpu_tc_create(gpu_site_t *site, gpu_pool_t *pool, gpu_memory_t *memory,
                        const gpu_units_t *units, err_t *err);
void gpu_tc_destroy(gpu_tc_t *tc);

// Tells if a cluster takes a block, and gives one of the pool to its own, with these pixels.
bool gpu_tc_room(const gpu_tc_t *tc, uint32_t cluster);
void gpu_tc_push(gpu_tc_t *tc, uint32_t slot, uint64_t fragments);

// Steps a cluster's unit if it does something. ready: a tile is taken. Returns true if one was;
// each half with stamps is a warp, which must end by gpu_tc_end_warp. Sets *seen if a block has
// made room.
bool gpu_tc_step(gpu_tc_t *tc, uint64_t now, uint64_t *next, uint32_t cluster, bool ready,
                 gpu_tile_t *tile, bool *seen);

void gpu_tc_end_warp(gpu_tc_t *tc, uint32_t cluster, uint32_t id);

// Returns the stamps of a block that have not left the unit.
uint32_t gpu_tc_left(const gpu_tc_t *tc, uint32_t slot);

bool gpu_tc_busy(const gpu_tc_t *tc);
void gpu_tc_describe(const gpu_tc_t *tc, text_t *text);

#endif
