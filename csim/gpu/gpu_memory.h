// SPDX-License-Identifier: Apache-2.0
// Depth, colour and texture caches, L2, and below them the GPU's own DRAM or a memory shared with
// the texture units: traffic and the cycle of arrival. The values themselves are in the surfaces;
// the caches hold tags only.
//
// Each access returns the cycle at which its data are there. With a shared memory that is not
// known: the access names a waiter, which waits until gpu_memory_waits says no.
#ifndef NOCTURNE_GPU_GPU_MEMORY_H
#define NOCTURNE_GPU_GPU_MEMORY_H

#include "gpu_part.h"

// Waiters: a place in the shading queue of a front, GpuQueue of each; from GpuWaitsRop on a place
// in the pool; nobody.
enum { GpuWaitsRop = GpuMaxFronts * GpuQueue, GpuWaitsNone = GpuWaitsRop + GpuBlocks };

typedef struct gpu_memory gpu_memory_t;

// With a shared memory a step sends requests and takes answers. NULL: out of memory.
gpu_memory_t *gpu_memory_create(gpu_part_t *part, gpu_site_t *site);

// Reads the next bytes of the stream of vertices; nobody waits for them.
void gpu_memory_vertices(gpu_memory_t *memory, uint64_t now, uint64_t bytes);

// Takes the bandwidth of a transfer of pixels, half of it depth; nobody waits for them.
void gpu_memory_pixels(gpu_memory_t *memory, uint64_t now, uint32_t bytes, bool write);

// Accesses the depth, or the colour, of these pixels of a block.
uint64_t gpu_memory_depth(gpu_memory_t *memory, uint64_t now, const gpu_block_t *block,
                          uint64_t pixels, uint32_t waiter);
uint64_t gpu_memory_color(gpu_memory_t *memory, uint64_t now, const gpu_block_t *block,
                          uint64_t pixels, uint32_t waiter);

// Reads texture lines for an SM.
uint64_t gpu_memory_textures(gpu_memory_t *memory, uint64_t now, uint32_t sm,
                             const render_shaded_t *shaded);

// Tells if more requests wait to be sent than stages may add to.
bool gpu_memory_full(const gpu_memory_t *memory);

// Tells if responses of the waiter's reads are not here yet.
bool gpu_memory_waits(const gpu_memory_t *memory, uint32_t waiter);

// Tells if a shared memory took requests, answered or was given new ones since the last step began.
bool gpu_memory_moves(const gpu_memory_t *memory);

#endif
