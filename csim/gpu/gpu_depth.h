// SPDX-License-Identifier: Apache-2.0
// Early depth: tests the blocks of draws that do not discard, and says which cluster shades them.
#ifndef NOCTURNE_GPU_GPU_DEPTH_H
#define NOCTURNE_GPU_GPU_DEPTH_H

#include "gpu_shading.h"

typedef struct gpu_depth gpu_depth_t;

// NULL: out of memory.
gpu_depth_t *gpu_depth_create(gpu_part_t *part, gpu_site_t *site, uint32_t front, gpu_pool_t *pool,
                              gpu_memory_t *memory, gpu_shading_t *shading);

// Tells if the queue takes no block.
bool gpu_depth_full(const gpu_depth_t *depth);

// Returns the place for a block at the end of the queue, to be filled in.
gpu_block_t *gpu_depth_push(gpu_depth_t *depth);

// Tells if no block is queued here, before shading, or in the pool; returns one of these of the
// oldest triangle, or NULL.
bool gpu_depth_drained(const gpu_depth_t *depth);
const gpu_block_t *gpu_depth_oldest(const gpu_depth_t *depth);

// Returns the cycle at which the work on blocks that have left the queue is done.
uint64_t gpu_depth_done(const gpu_depth_t *depth);

#endif
