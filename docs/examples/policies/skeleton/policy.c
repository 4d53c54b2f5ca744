// SPDX-License-Identifier: Apache-2.0
// @NAME@: a draw scheduler and driver decisions of one's own, which begin as the built-in ones
// (docs/how-to/your-own-policy.md).
#include "csim/driver/nocturne_driver.h"
#include "own_unit.h"

// ---- The draw scheduler: which GPU an opaque draw is for

// g->queue[0]    the draw: id, first, count (triangles), weight
// g->remaining   of each GPU: triangles, or weight, that it has been given and not reported
// g->has_credit  a bit for each GPU whose queue has a free entry
// g->near        a bit for each GPU that may be given an opaque draw (draw_scheduler.opaque_ahead)
// g->all, g->gpus  a bit for each GPU, and their number
// g->last        the GPU of the draw before; next_gpu(g, g->last) is round robin
// built_in_choice(g)  the built-in choice
//
// It is asked again in every cycle in which the draw waits, and the draw waits while its GPU has no
// credit or is not near. So the answer depends on g alone; a static variable may change only when
// id or first of queue[0] do. front_reset of own_unit.h is told of resets.
static uint32_t choose_gpu(const golden_t *g) { return built_in_choice(g); }

// ---- The driver (csim/driver/nocturne_driver.h). A function that is left out is the built-in one.

NOCTURNE_DRIVER_LIBRARY;

bool nocturne_compose(const nocturne_group_t *group, bool built_in) {
  (void)group;
  return built_in;
}

bool nocturne_by_all(const nocturne_group_t *group, uint32_t draw, bool built_in) {
  (void)group;
  (void)draw;
  return built_in;
}

uint32_t nocturne_weight(const nocturne_group_t *group, uint32_t draw, uint32_t built_in) {
  (void)group;
  (void)draw;
  return built_in;
}

uint32_t nocturne_split(const nocturne_group_t *group, uint32_t draw, uint64_t left,
                        uint32_t built_in) {
  (void)group;
  (void)draw;
  (void)left;
  return built_in;
}
