// SPDX-License-Identifier: Apache-2.0
// The GPU's side of modelled texture units: quads of blocks go to the units of the SM that reads
// them, and a block's colours are made when its last sample has come.
#ifndef NOCTURNE_GPU_GPU_SAMPLER_H
#define NOCTURNE_GPU_GPU_SAMPLER_H

#include "gpu_pool.h"

typedef struct gpu_sampler gpu_sampler_t;

// A quad that has been answered.
typedef struct {
  uint16_t slot;  // the block's place in the pool
  uint8_t stage, stamp;
} gpu_sample_t;

// A step takes samples from the units and hands quads to them. answers: each answered quad is kept
// for gpu_sampler_answer. NULL: out of memory.
gpu_sampler_t *gpu_sampler_create(gpu_part_t *part, gpu_site_t *site, gpu_pool_t *pool,
                                  bool answers);

// Prepares the sampling of a block: its quads have to be read. Without any it is shaded at once.
void gpu_sampler_begin(gpu_sampler_t *sampler, uint64_t now, uint32_t slot);

// Reads a stage of these stamps of a block, by an SM; bit n is the n-th stamp with a pixel in the
// mask.
void gpu_sampler_read(gpu_sampler_t *sampler, uint32_t sm, uint32_t slot, uint32_t stage,
                      uint32_t stamps);

// Reads all stages of all stamps.
void gpu_sampler_read_all(gpu_sampler_t *sampler, uint32_t sm, uint32_t slot);

// Takes the next answered quad. False: none is left.
bool gpu_sampler_answer(gpu_sampler_t *sampler, gpu_sample_t *sample);

// Returns the pixels of a block whose sample of a stage has an alpha of at least `ref`.
uint64_t gpu_sampler_bright(const gpu_sampler_t *sampler, uint32_t slot, uint32_t stage,
                            uint32_t ref);

// Tells if the texture units took quads, answered or were given new reads since the last step
// began. NULL: no.
bool gpu_sampler_moves(const gpu_sampler_t *sampler);

#endif
