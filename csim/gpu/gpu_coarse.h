// SPDX-License-Identifier: Apache-2.0
// The exchange between a GPU's early depth and its unit of shared coarse depth
// (docs/units/coarse_depth.md): the look for the next block, its answer, and what the GPU tells.
// The machine serves it after the GPU's cycle.
#ifndef NOCTURNE_GPU_GPU_COARSE_H
#define NOCTURNE_GPU_GPU_COARSE_H

#include <stdbool.h>
#include <stdint.h>

enum { GpuCoarseTells = 8 };

typedef struct {
  uint32_t base;   // gpu_command_t.coarse_base of the draw
  uint16_t block;  // of the depth buffer, in the order of surface.h
  uint32_t depth;  // 24 bits
} gpu_coarse_tell_t;

typedef struct {
  uint32_t most_blocks;  // a depth buffer with more has no coarse depth; 0: the GPU has no unit
  const void *asker;     // whose look it is, of the fronts; NULL: nobody's
  // The look: wanted until it is taken, then waited for until seen.
  bool wanted, seen;
  uint32_t base, blocks;
  uint16_t block;
  uint32_t depth;  // the answer: what lies strictly behind is hidden
  gpu_coarse_tell_t tells[GpuCoarseTells];
  uint32_t head, count;
  uint64_t hidden, waits, told, untold;  // pixels; cycles with a block that waits for its look;
                                         // tells, and those for which there was no room
} gpu_coarse_t;

#endif
