// SPDX-License-Identifier: Apache-2.0
// Shading by warps (gpu.shader warp; docs/model/shader.md): stamps of blocks are assembled into
// warps, in order, of one draw; the warps of a cluster wait in a FIFO for an SM (shader.h) with
// room.
#ifndef NOCTURNE_GPU_GPU_WARPS_H
#define NOCTURNE_GPU_GPU_WARPS_H

#include "gpu_sampler.h"
#include "gpu_shading.h"

typedef struct gpu_warps gpu_warps_t;

// sampler: of modelled texture units, or NULL. The SMs work, and full or overdue warps go on, in
// gpu_warps_step. units: with gpu.tc_engines. NULL: out of memory, or with one line in error.
gpu_warps_t *gpu_warps_create(gpu_part_t *part, gpu_site_t *site, gpu_pool_t *pool,
                              gpu_memory_t *memory, gpu_sampler_t *sampler, gpu_sms_t *sms,
                              const gpu_units_t *units, err_t *err);

// Steps as a part does. Returns true if another stage may see it: a warp was closed or launched, or
// a block's last one has ended.
bool gpu_warps_step(gpu_warps_t *warps, uint64_t now, uint64_t *next);

const shader_stats_t *gpu_warps_stats(const gpu_warps_t *warps);
const gpu_dispatch_stats_t *gpu_warps_dispatch(const gpu_warps_t *warps);

#endif
