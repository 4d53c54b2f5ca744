// SPDX-License-Identifier: Apache-2.0
#include "gpu_dispatch.h"

uint32_t gpu_dispatch_cluster(const gpu_site_t *s, uint32_t bx, uint32_t by) {
  if (s->clusters == 1) {
    return 0;
  }
  if (s->params.dispatch == GpuDispatchG80) {
    // The G80 study, E1: six clusters, tiles of 16x16 pixels, each row moved on against the last.
    static const uint8_t moved[6] = {0, 2, 4, 1, 5, 3};
    return (bx / 2 + moved[by / 2 % 6]) % 6;
  }
  // Emerald, 6.1: work tiles of wt x wt blocks, in turn, row by row.
  uint32_t side = s->params.wt, blocks = (s->frame->width + SurfaceBlock - 1) / SurfaceBlock;
  uint32_t row = (blocks + side - 1) / side;
  return (by / side * row + bx / side) % s->clusters;
}
