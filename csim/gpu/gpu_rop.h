// SPDX-License-Identifier: Apache-2.0
// The ROP takes shaded blocks from the pool, in order within a cluster: late depth, blend, colour
// write. Blocks written for a composed group leave as touches.
#ifndef NOCTURNE_GPU_GPU_ROP_H
#define NOCTURNE_GPU_GPU_ROP_H

#include "gpu_memory.h"
#include "gpu_pool.h"

typedef struct gpu_touches gpu_touches_t;  // of all ROPs
typedef struct gpu_rop gpu_rop_t;

// NULL: out of memory. Touches are freed by free.
gpu_touches_t *gpu_touches_create(void);
gpu_rop_t *gpu_rop_create(gpu_part_t *part, gpu_site_t *site, uint32_t front, gpu_pool_t *pool,
                          gpu_memory_t *memory, gpu_touches_t *touches);

// Returns the cycle at which the work on blocks that have left the pool is done.
uint64_t gpu_rop_done(const gpu_rop_t *rop);

// Moves all gathered touches to the queue. False while it has no room for them.
bool gpu_touches_flush(gpu_touches_t *touches);

// Composes the sub-image of the draw's target into the target, over the tiles that this GPU owns;
// UINT32_MAX: nothing. All ROPs share the work, which ends at the cycle returned.
uint64_t gpu_rop_compose(gpu_rop_t *rop, uint64_t now, uint32_t command);

// Returns the oldest touched block not yet taken, or NULL.
const gpu_touch_t *gpu_touches_first(const gpu_touches_t *touches);
void gpu_touches_pop(gpu_touches_t *touches);

#endif
