// SPDX-License-Identifier: Apache-2.0
// SMs as a rate (gpu.shader rate): a block keeps the first free SM of its cluster busy for a time,
// and is ready a latency later.
#ifndef NOCTURNE_GPU_GPU_RATE_H
#define NOCTURNE_GPU_GPU_RATE_H

#include "gpu_sampler.h"
#include "gpu_shading.h"

// sampler: of modelled texture units, or NULL. False: out of memory.
bool gpu_rate_create(gpu_part_t *part, gpu_site_t *site, gpu_pool_t *pool, gpu_memory_t *memory,
                     gpu_sampler_t *sampler, gpu_sms_t *sms);

#endif
