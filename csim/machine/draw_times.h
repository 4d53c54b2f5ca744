// SPDX-License-Identifier: Apache-2.0
// The cycles of each draw of a GPU, once the run is over.
#ifndef NOCTURNE_MACHINE_DRAW_TIMES_H
#define NOCTURNE_MACHINE_DRAW_TIMES_H

#include "../driver/pieces.h"
#include "../gpu/gpu.h"

// A piece of a draw of GPU g; transparent draws are whole. cycles: that it added to those before
// it.
typedef void (*draw_visit_t)(void *self, uint32_t g, uint32_t command, const gpu_draw_cost_t *cost,
                             uint64_t cycles);

// Calls back for each piece that GPU g has had triangles of, in the order of the frame.
void draw_times_visit(const gpu_t *gpu, uint32_t g, const pieces_t *pieces, const frame_t *frame,
                      draw_visit_t visit, void *self);

#endif
