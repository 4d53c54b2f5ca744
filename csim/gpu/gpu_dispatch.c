// SPDX-License-Identifier: Apache-2.0
// Which SMs shade what: clusters and static maps from places to clusters. With one that is fixed
// for a frame, whatever surface is drawn to, all fragments of a pixel pass one cluster in order, so
// that clusters need not wait for each other.
#include "gpu_internal.h"

uint32_t gpu_cluster_of(const gpu_t *g, uint32_t bx, uint32_t by) {
  if (g->clusters == 1) {
    return 0;
  }
  if (g->params.dispatch == GpuDispatchG80) {
    // The G80 study, E1: six clusters, tiles of 16x16 pixels, each row moved on against the last.
    static const uint8_t moved[6] = {0, 2, 4, 1, 5, 3};
    return (bx / 2 + moved[by / 2 % 6]) % 6;
  }
  // Emerald, 6.1: work tiles of wt x wt blocks, in turn, row by row.
  uint32_t side = g->params.wt, blocks = (g->frame->width + SurfaceBlock - 1) / SurfaceBlock;
  uint32_t row = (blocks + side - 1) / side;
  return (by / side * row + bx / side) % g->clusters;
}
