// SPDX-License-Identifier: Apache-2.0
// Dispatch: clusters of SMs, and static maps from places to clusters. With a map that
// is fixed for a frame, whatever surface is drawn to, all fragments of a pixel pass one cluster in
// order, so that clusters need not wait for each other.
#ifndef NOCTURNE_GPU_GPU_DISPATCH_H
#define NOCTURNE_GPU_GPU_DISPATCH_H

#include "gpu_part.h"

// Returns the cluster that shades a block.
uint32_t gpu_dispatch_cluster(const gpu_site_t *site, uint32_t bx, uint32_t by);

#endif
