// SPDX-License-Identifier: Apache-2.0
// A frame of two draws and six triangles, small enough to work out by hand, a machine of two GPUs
// that renders it, and its golden units.
#ifndef NOCTURNE_TESTS_SCENE_H
#define NOCTURNE_TESTS_SCENE_H

#include "csim/base/config.h"
#include "csim/machine/check.h"
#include "csim/machine/machine.h"
#include "csim/machine/machine_config.h"
#include "csim/units/composition_scheduler/golden.h"
#include "csim/units/draw_scheduler/golden.h"
#include "csim/units/pixel_distributor/golden.h"
#include "tests/programs/test.h"

enum { Gpus = 2, Triangles = 6, Draws = 2 };

typedef struct {
  frame_t frame;
  frame_surface_t surface;
  frame_cmd_t commands[Draws];
  frame_vertex_t vertices[3 * Triangles];
  frame_triangle_t triangles[Triangles];
  draw_scheduler_t draws;
  composition_scheduler_t composer;
  uint64_t released;  // GPUs, by a composer that notes it
  pixel_distributor_t distributors[Gpus];
  uint32_t distributor_count;
} scene_t;

static inline bool make_draws(void *self, const draw_scheduler_params_t *p,
                              draw_scheduler_t *engine, err_t *err) {
  (void)err;
  bool ok = draw_scheduler_golden_create(p, engine);
  ((scene_t *)self)->draws = *engine;
  return ok;
}

static inline bool make_composer(void *self, const composition_scheduler_params_t *p,
                                 composition_scheduler_t *engine, err_t *err) {
  (void)err;
  bool ok = composition_scheduler_golden_create(p, engine);
  ((scene_t *)self)->composer = *engine;
  return ok;
}

static inline bool make_distributor(void *self, const pixel_distributor_params_t *p,
                                    uint32_t instance, pixel_distributor_t *engine, err_t *err) {
  (void)err;
  (void)instance;
  scene_t *s = self;
  bool ok = pixel_distributor_golden_create(p, engine);
  s->distributors[s->distributor_count++] = *engine;
  return ok;
}

// Golden models, which the scene keeps.
static inline machine_units_t scene_units(scene_t *s) {
  return (machine_units_t){.context = s,
                           .draw_scheduler = make_draws,
                           .composition_scheduler = make_composer,
                           .pixel_distributor = make_distributor,
                           .merge = pixel_merge_all};
}

// A right triangle with legs of `side` pixels at (x, y).
static inline void triangle(scene_t *s, uint32_t i, uint32_t ordinal, int x, int y, int side) {
  const int corner[3][2] = {{x, y}, {x + side, y}, {x, y + side}};
  for (uint32_t k = 0; k < 3; k++) {
    s->vertices[3 * i + k] = (frame_vertex_t){.x = corner[k][0] * FrameSubpixel,
                                              .y = corner[k][1] * FrameSubpixel,
                                              .z = 1000 + i,
                                              .inv_w = 1,
                                              .rgba = 0xff0000ff + i};
    s->triangles[i].v[k] = 3 * i + k;
  }
  s->triangles[i].ordinal = ordinal;
}

// 128x64 pixels, a tile for each GPU. Draw 0: four triangles, 0 and 3 on GPU 1's tile, 1 on
// GPU 0's, 2 on both. Draw 1: two triangles, both on GPU 0's.
static inline scene_t *scene_create(void) {
  scene_t *s = calloc(1, sizeof *s);
  assert_non_null(s);
  s->surface = (frame_surface_t){128, 64};
  triangle(s, 0, 0, 70, 4, 20);
  triangle(s, 1, 1, 4, 4, 20);
  triangle(s, 2, 2, 50, 30, 30);
  triangle(s, 3, 3, 90, 30, 20);
  triangle(s, 4, 0, 10, 30, 8);
  triangle(s, 5, 1, 20, 40, 8);
  for (uint32_t i = 0; i < Draws; i++) {
    frame_cmd_t *c = &s->commands[i];
    frame_state_t *t = &c->state;
    t->depth_test = t->depth_write = 1;
    t->depth_func = FrameFuncLess;
    t->color_mask = 15;
    t->color = 0xffffffff;
    t->scissor = t->viewport = (frame_rect_t){0, 0, 128, 64};
    for (uint32_t k = 0; k < FrameMaxTextures; k++) {
      t->stages[k] = (frame_stage_t){.texture = FrameNone, .max_anisotropy = 1};
    }
    c->first_triangle = i ? 4 : 0;
    c->triangles_in = c->triangle_count = i ? 2 : 4;
    c->indices = c->vertices_in = 3 * c->triangles_in;
    c->vertex_length = c->fragment_length = 8;
  }
  s->frame = (frame_t){.width = 128,
                       .height = 64,
                       .target_count = 1,
                       .depth_count = 1,
                       .targets = &s->surface,
                       .depths = &s->surface,
                       .command_count = Draws,
                       .commands = s->commands,
                       .vertex_count = 3 * Triangles,
                       .vertices = s->vertices,
                       .triangle_count = Triangles,
                       .triangles = s->triangles};
  return s;
}

static inline void scene_destroy(scene_t *s) {
  if (s->draws.self) {
    draw_scheduler_golden_destroy(&s->draws);
  }
  if (s->composer.self) {
    composition_scheduler_golden_destroy(&s->composer);
  }
  for (uint32_t i = 0; i < s->distributor_count; i++) {
    pixel_distributor_golden_destroy(&s->distributors[i]);
  }
  free(s);
}

static inline machine_params_t defaults(uint32_t scheme) {
  static machine_params_t params;
  err_auto_t err = {0};
  config_t *config = config_create();
  assert_non_null(config);
  assert_true(machine_config_add(config, &params, &err));
  config_destroy(config);
  params.scheme = scheme;
  params.gpus = Gpus;
  params.threshold = 0;
  return params;
}

typedef struct {
  machine_stats_t stats;
  uint64_t triangles[Gpus], projected[Gpus];
  uint32_t outside, distributors;
  uint32_t picture[128 * 64];
} outcome_t;

// Destroys the scene.
static inline void run_scene(const machine_params_t *p, scene_t *s, outcome_t *o) {
  err_auto_t err = {0};
  machine_units_t units = scene_units(s);
  machine_t *m = machine_create(p, &s->frame, NULL, &units, &err);
  if (!m) {
    fail_msg("%s", err_text(&err));
  }
  machine_status_e status = machine_run(m, NULL, NULL);
  if (status != MachineDone) {
    fail_msg("%s", machine_report(m));
  }
  o->stats = *machine_stats(m);
  for (uint32_t g = 0; g < machine_gpu_count(m); g++) {
    o->triangles[g] = gpu_stats(machine_gpu(m, g))->triangles;
    o->projected[g] = gpu_stats(machine_gpu(m, g))->projected;
  }
  const char *names[4];
  machine_units_outside(m, names);
  for (o->outside = 0; names[o->outside]; o->outside++) {
  }
  o->distributors = s->distributor_count;
  for (uint32_t y = 0; y < 64; y++) {
    for (uint32_t x = 0; x < 128; x++) {
      surface_t *t = gpu_target(machine_gpu(m, machine_owner(m, 0, x, y)), 0);
      const uint32_t at = surface_index(t->tiles_x, x, y);
      surface_touch(t, at / SurfaceTilePixels);
      o->picture[y * 128 + x] = t->color[at];
    }
  }
  uint64_t spent = 0;
  for (uint32_t k = 0; k < MachineStageCount; k++) {
    spent += o->stats.spent[k];
  }
  assert_int_equal(spent, machine_gpu_count(m) * o->stats.cycles);
  machine_destroy(m);
  scene_destroy(s);
}

static inline void run_commands(const machine_params_t *p, uint32_t first, uint32_t count,
                                outcome_t *o) {
  scene_t *s = scene_create();
  s->frame.commands = s->commands + first;
  s->frame.command_count = count;
  run_scene(p, s, o);
}

static inline void run(const machine_params_t *p, outcome_t *o) { run_commands(p, 0, Draws, o); }

#endif
