// SPDX-License-Identifier: Apache-2.0
// Shading hands blocks to the SMs of their cluster and puts them into the pool. The old depth and
// colour that the ROP needs are fetched while the program runs.
#ifndef NOCTURNE_GPU_GPU_SHADING_H
#define NOCTURNE_GPU_GPU_SHADING_H

#include "gpu_memory.h"
#include "gpu_pool.h"

// The SMs: gpu_rate.h or gpu_warps.h.
typedef struct {
  void *self;
  // Tells if a cluster takes a block.
  bool (*room)(const void *self, uint32_t cluster);
  // Runs the program of a block of the pool: says in it how many stamps the SMs work on, and when
  // it is ready, or that it never is: then the SMs say so later. *next: the earliest cycle at
  // which the SMs go on.
  void (*run)(void *self, uint64_t now, uint32_t slot, uint64_t *next);
} gpu_sms_t;

typedef struct gpu_shading gpu_shading_t;

// NULL: out of memory.
gpu_shading_t *gpu_shading_create(gpu_part_t *part, gpu_site_t *site, uint32_t front,
                                  gpu_pool_t *pool, gpu_memory_t *memory, gpu_sms_t sms);

// Tells if the queue has room for a block, and gives the place of the next one, for
// gpu_memory_depth.
bool gpu_shading_room(const gpu_shading_t *shading);
uint32_t gpu_shading_place(const gpu_shading_t *shading);

// Appends a block to the queue; lowers *next to the cycle at which it is there, if nothing is
// before it.
void gpu_shading_push(gpu_shading_t *shading, const gpu_block_t *block, uint64_t *next);

// Tells if some cluster of the front takes no more.
bool gpu_shading_full(const gpu_shading_t *shading);

// Tells if no block is queued or in the pool, and returns one of these of the oldest triangle, or
// NULL.
bool gpu_shading_drained(const gpu_shading_t *shading);
const gpu_block_t *gpu_shading_oldest(const gpu_shading_t *shading);

#endif
