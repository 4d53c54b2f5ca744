// SPDX-License-Identifier: Apache-2.0
// Keeps merges into a surface apart from a GPU that still draws into it. Blocks of 8x8 pixels share
// places: one that is between its depth test and its colour write keeps merges of its place away,
// and a merge that has read keeps depth tests of its place away until it has written.
#ifndef NOCTURNE_GPU_GPU_GUARD_H
#define NOCTURNE_GPU_GPU_GUARD_H

#include <stdint.h>

enum { GpuGuardPlaces = 1024 };

typedef enum { GpuGuardFinal, GpuGuardEarly, GpuGuardMergers } gpu_guard_merger_e;

typedef struct {
  uint16_t in_flight[GpuGuardPlaces];                      // blocks of composed opaque draws
  uint64_t locked_until[GpuGuardMergers][GpuGuardPlaces];  // cycle before which a merge is on
} gpu_guard_t;

static inline uint32_t gpu_guard_place(uint32_t bx, uint32_t by) {
  return (by & 31) << 5 | (bx & 31);
}

#endif
