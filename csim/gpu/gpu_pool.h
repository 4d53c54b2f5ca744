// SPDX-License-Identifier: Apache-2.0
// The blocks between shading and ROP: a place for each, with its colours. Shading puts a block
// in; the SMs and the texture units say when it is ready; the ROP takes the blocks of a cluster in
// the order in which they came.
#ifndef NOCTURNE_GPU_GPU_POOL_H
#define NOCTURNE_GPU_GPU_POOL_H

#include "gpu_part.h"

// Blocks of a cluster. late counts from early depth on.
typedef struct {
  uint16_t slots[GpuBlocks];  // places, oldest first
  gpu_ring_t ring;
  uint32_t stamps;  // that the SMs work or worked on
  uint32_t late;    // blocks whose depth the ROP tests
} gpu_cluster_t;

typedef struct {
  gpu_block_t block[GpuBlocks];
  uint64_t fetched[GpuBlocks];  // cycle at which depth and colour are there
  uint16_t samples[GpuBlocks];  // quads that the texture units have not answered
  uint32_t colors[GpuBlocks][SurfaceBlockPixels];
  uint16_t free_place[GpuBlocks];
  uint32_t places, free_places;
  uint32_t share;             // of a cluster
  uint32_t order;             // of the next block
  const gpu_block_t *oldest;  // of the oldest triangle, of all clusters; NULL: empty
  uint32_t clusters;
  gpu_cluster_t cluster[];
} gpu_pool_t;

// NULL: out of memory. Freed by free.
gpu_pool_t *gpu_pool_create(const gpu_site_t *site);

// One place stays free.
static inline bool gpu_pool_full(const gpu_pool_t *p, uint32_t cluster) {
  return p->free_places <= 1 || p->cluster[cluster].ring.count >= p->share;
}
static inline bool gpu_pool_empty(const gpu_pool_t *p) { return !p->oldest; }

// Puts a block behind those of its cluster; returns its place.
static inline uint32_t gpu_pool_push(gpu_pool_t *p, const gpu_block_t *b) {
  uint32_t slot = p->free_place[--p->free_places];
  gpu_cluster_t *c = &p->cluster[b->cluster];
  c->slots[gpu_ring_push(&c->ring, GpuBlocks)] = (uint16_t)slot;
  p->block[slot] = *b;
  p->block[slot].order = p->order++;
  p->oldest = gpu_block_older(p->oldest, &p->block[slot]);
  return slot;
}

// Returns the place of the cluster's first block. The cluster has one.
static inline uint32_t gpu_pool_first(const gpu_cluster_t *c) { return c->slots[c->ring.head]; }

// Removes the cluster's first block.
void gpu_pool_pop(gpu_pool_t *pool, gpu_cluster_t *cluster);

#endif
