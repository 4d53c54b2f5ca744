// SPDX-License-Identifier: Apache-2.0
// The golden model of the draw scheduler with choose_gpu() of policy.c in it, as `--unit` takes it.
// For more than another choice, put a copy of the model here in place of the inclusion.
#ifndef OWN_UNIT_H
#define OWN_UNIT_H

#define DRAW_SCHEDULER_CHOICE choose_gpu
#define draw_scheduler_golden_create own_create
#define draw_scheduler_golden_destroy own_destroy
#include "csim/units/draw_scheduler/golden.c"
#undef draw_scheduler_golden_create
#undef draw_scheduler_golden_destroy

// The least loaded GPU.
static inline uint32_t built_in_choice(const golden_t *g) { return least_remaining(g); }

const uint64_t draw_scheduler_golden_page = draw_scheduler_page;  // another page is refused

// A policy may stand in front of the model: it defines OWN_FRONT and these two.
#ifdef OWN_FRONT
static void front_reset(draw_scheduler_t *engine, draw_scheduler_out_t *out);
static unit_status_e front_step(draw_scheduler_t *engine, const draw_scheduler_in_t *in,
                                draw_scheduler_out_t *out);
#else
static void front_reset(draw_scheduler_t *engine, draw_scheduler_out_t *out) {
  engine->reset(engine->self, out);
}

static unit_status_e front_step(draw_scheduler_t *engine, const draw_scheduler_in_t *in,
                                draw_scheduler_out_t *out) {
  return engine->step(engine->self, in, out);
}
#endif

void *draw_scheduler_golden_create(const draw_scheduler_params_t *params) {
  draw_scheduler_t *engine = malloc(sizeof *engine);
  if (engine && !own_create(params, engine)) {
    free(engine);
    engine = NULL;
  }
  return engine;
}

void draw_scheduler_golden_destroy(void *self) {
  own_destroy(self);
  free(self);
}

void draw_scheduler_golden_reset(void *self, draw_scheduler_out_t *out) { front_reset(self, out); }

unit_status_e draw_scheduler_golden_step(void *self, const draw_scheduler_in_t *in,
                                         draw_scheduler_out_t *out) {
  return front_step(self, in, out);
}

void draw_scheduler_golden_observe(void *self, draw_scheduler_state_t *state) {
  draw_scheduler_t *engine = self;
  engine->observe(engine->self, state);
}

#endif
