// SPDX-License-Identifier: Apache-2.0
#include "decisions.h"

#include <stdlib.h>

static plan_t *make_plan(const decisions_t *d, const machine_params_t *p, const frame_t *frame,
                         const driver_policy_t *policy) {
  plan_params_t plan = {.gpus = p->gpus,
                        .compose = machine_composes(p),
                        .threshold = p->threshold,
                        .require_draws = p->require_draws,
                        .function_while_writing = p->function_while_writing,
                        .depth_broadcast = p->depth_broadcast,
                        .order_tag = p->order_tag,
                        .barrier_share = p->barrier_share,
                        .sync_needed = p->sync_needed,
                        .policy = policy,
                        .draws = d->draws};
  return plan_create(frame, &plan);
}

// Makes hints of what the driver remembers of the frame before.
static bool make_hints(decisions_t *d, const machine_params_t *p, const frame_t *frame,
                       const driver_memory_t *memory) {
  if (!memory || !driver_memory_has_frame(memory) || !(p->by_all || p->weights) ||
      !machine_composes(p)) {
    return true;
  }
  d->hints = calloc((size_t)frame->command_count + 1, sizeof *d->hints);
  if (!d->hints || !driver_memory_hints(memory, frame, &p->hints, d->hints)) {
    return false;
  }
  for (uint32_t i = 0; i < frame->command_count; i++) {
    d->hints[i].by_all = d->hints[i].by_all && p->by_all;
  }
  return true;
}

static pieces_t *make_pieces(const decisions_t *d, const machine_params_t *p, const frame_t *frame,
                             const driver_policy_t *policy) {
  const gpu_params_t *g = &p->gpu;
  pieces_params_t params = {.gpus = p->gpus,
                            .split = p->split,
                            .split_min = p->split_min,
                            .by_all = p->by_all,
                            .weighs = p->weights && d->hints,
                            .may_weigh = p->weights,
                            .policy = policy,
                            .draws = d->draws};
  params.scouts = (scout_params_t){.triangles = p->scout_triangles,
                                   .share = p->scout_share,
                                   .cycles = p->scout_cycles,
                                   .area = p->hints,
                                   .gpus = p->gpus,
                                   .lanes = g->sms * g->lanes,
                                   .texture_units = g->sms * g->texture_units,
                                   .texture_cycles = g->texture_cycles,
                                   .draw_cycles = g->draw_cycles,
                                   .triangle_rate = g->triangle_rate,
                                   .geometry_latency = g->geometry_latency,
                                   .message_latency = p->message_latency};
  return pieces_create(frame, d->plan, &params, d->hints);
}

bool decisions_make(decisions_t *d, const machine_params_t *p, const frame_t *frame,
                    const driver_memory_t *memory, const driver_policy_t *policy) {
  policy = machine_composes(p) ? policy : NULL;
  d->draws = policy ? policy_draws(frame, memory) : NULL;
  if (policy && !d->draws) {
    return false;
  }
  d->plan = make_plan(d, p, frame, policy);
  if (!d->plan || !make_hints(d, p, frame, memory)) {
    return false;
  }
  d->pieces = make_pieces(d, p, frame, policy);
  return d->pieces != NULL;
}

void decisions_free(decisions_t *d) {
  plan_destroy(d->plan);
  pieces_destroy(d->pieces);
  free(d->hints);
  free(d->draws);
}
