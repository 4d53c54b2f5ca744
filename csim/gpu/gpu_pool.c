// SPDX-License-Identifier: Apache-2.0
#include "gpu_pool.h"

#include <stdlib.h>

gpu_pool_t *gpu_pool_create(const gpu_site_t *site) {
  gpu_pool_t *p = calloc(1, sizeof *p + site->clusters * sizeof *p->cluster);
  if (p) {
    p->clusters = site->clusters;
    p->places = site->params.shader == GpuShaderWarp ? GpuBlocks : GpuRateBlocks;
    p->share = p->places / site->fronts - (site->fronts > 1);
    for (uint32_t i = p->places; i > 0; i--) {
      p->free_place[p->free_places++] = (uint16_t)(i - 1);
    }
  }
  return p;
}

void gpu_pool_pop(gpu_pool_t *p, gpu_cluster_t *c) {
  p->free_place[p->free_places++] = (uint16_t)gpu_pool_first(c);
  gpu_ring_pop(&c->ring, GpuBlocks);
  p->oldest = NULL;
  for (uint32_t i = 0; i < p->clusters; i++) {
    const gpu_cluster_t *other = &p->cluster[i];
    const gpu_block_t *b = other->ring.count ? &p->block[gpu_pool_first(other)] : NULL;
    p->oldest = gpu_block_older(p->oldest, b);
  }
}
