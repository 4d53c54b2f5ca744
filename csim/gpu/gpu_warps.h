// SPDX-License-Identifier: Apache-2.0
// Shading by warps: stamps of blocks are assembled into warps, in order, of one draw; the warps of
// a cluster wait in a FIFO for an SM with room. Only csim/gpu includes it.
// Sources: docs/shader.md.
#ifndef NOCTURNE_GPU_GPU_WARPS_H
#define NOCTURNE_GPU_GPU_WARPS_H

#include "gpu_internal.h"
#include "shader.h"

typedef struct gpu_warps gpu_warps_t;

// False: out of memory.
bool gpu_warps_create(gpu_t *g);
void gpu_warps_destroy(gpu_t *g);

// The skeleton of a draw's fragment program.
const program_t *gpu_warps_program(const gpu_t *g, uint32_t command);

// Whether the cluster takes a block.
bool gpu_warps_room(const gpu_t *g, uint32_t cluster);

// A block at its place in to_rop goes to warps; it may leave for the ROP when their last has ended
// and `fetched`, the cycle at which depth and colour are there, has come.
void gpu_warps_take(gpu_t *g, uint64_t now, uint32_t slot);
void gpu_warps_fetched(gpu_t *g, uint32_t slot, uint64_t fetched);

// The cycle from which the cluster's last warps go on.
uint64_t gpu_warps_next(const gpu_t *g, uint64_t now, uint32_t cluster);

// A sample of modelled texture units has come: of the block's so manieth stamp.
void gpu_warps_sample(gpu_t *g, uint64_t now, uint32_t slot, uint32_t stage, uint32_t stamp);

// SMs work, full or overdue warps go on. True if another stage may see it: a warp was closed or
// launched, or a block's last one has ended.
bool gpu_warps_step(gpu_t *g, uint64_t now, uint64_t *next);

// Something will happen at a cycle that is known.
bool gpu_warps_due(const gpu_t *g);

const shader_stats_t *gpu_warps_stats(const gpu_t *g);

#endif
