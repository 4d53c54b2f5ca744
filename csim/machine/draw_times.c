// SPDX-License-Identifier: Apache-2.0
#include "draw_times.h"

void draw_times_visit(const gpu_t *gpu, uint32_t g, const pieces_t *pieces, const frame_t *frame,
                      draw_visit_t visit, void *self) {
  const gpu_draw_cost_t *costs = gpu_draw_costs(gpu);
  uint64_t before = 0;
  for (uint32_t i = 0; i < frame->command_count; i++) {
    for (uint32_t k = pieces->starts[i]; k < pieces->starts[i + 1]; k++) {
      const gpu_draw_cost_t *c = &costs[k];
      if (c->triangles) {
        uint64_t begin = c->begin > before ? c->begin : before;
        visit(self, g, i, c, c->end > begin ? c->end - begin : 0);
        before = c->end > before ? c->end : before;
      }
    }
  }
}
