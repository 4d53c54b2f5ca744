// SPDX-License-Identifier: Apache-2.0
// Schemes, draws in flight, and when the units are told what, on frames small enough to work out by
// hand.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "csim/base/config.h"
#include "csim/golden/composition_scheduler_golden.h"
#include "csim/golden/draw_scheduler_golden.h"
#include "csim/golden/pixel_distributor_golden.h"
#include "csim/machine/check.h"
#include "csim/machine/machine.h"
#include "csim/machine/machine_config.h"

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

static bool make_draws(void *self, const draw_scheduler_params_t *p, draw_scheduler_t *engine,
                       char error[FrameErrorSize]) {
  (void)error;
  bool ok = draw_scheduler_golden_create(p, engine);
  ((scene_t *)self)->draws = *engine;
  return ok;
}

static bool make_composer(void *self, const composition_scheduler_params_t *p,
                          composition_scheduler_t *engine, char error[FrameErrorSize]) {
  (void)error;
  bool ok = composition_scheduler_golden_create(p, engine);
  ((scene_t *)self)->composer = *engine;
  return ok;
}

static bool make_distributor(void *self, const pixel_distributor_params_t *p, uint32_t instance,
                             pixel_distributor_t *engine, char error[FrameErrorSize]) {
  (void)error;
  (void)instance;
  scene_t *s = self;
  bool ok = pixel_distributor_golden_create(p, engine);
  s->distributors[s->distributor_count++] = *engine;
  return ok;
}

// A right triangle with legs of `side` pixels at (x, y).
static void triangle(scene_t *s, uint32_t i, uint32_t ordinal, int x, int y, int side) {
  const int corner[3][2] = {{x, y}, {x + side, y}, {x, y + side}};
  for (uint32_t k = 0; k < 3; k++) {
    s->vertices[3 * i + k] = (frame_vertex_t){.x = corner[k][0] * FrameSubpixel,
                                              .y = corner[k][1] * FrameSubpixel,
                                              .z = 1000 + i, .inv_w = 1, .rgba = 0xff0000ff + i};
    s->triangles[i].v[k] = 3 * i + k;
  }
  s->triangles[i].ordinal = ordinal;
}

// 128x64 pixels, a tile for each GPU. Draw 0: four triangles, 0 and 3 on GPU 1's tile, 1 on
// GPU 0's, 2 on both. Draw 1: two triangles, both on GPU 0's.
static scene_t *scene_create(void) {
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
  s->frame = (frame_t){.width = 128, .height = 64, .target_count = 1, .depth_count = 1,
                       .targets = &s->surface, .depths = &s->surface, .command_count = Draws,
                       .commands = s->commands, .vertex_count = 3 * Triangles,
                       .vertices = s->vertices, .triangle_count = Triangles,
                       .triangles = s->triangles};
  return s;
}

static void scene_destroy(scene_t *s) {
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

static machine_params_t defaults(uint32_t scheme) {
  static machine_params_t params;
  char error[ConfigErrorSize];
  config_t *config = config_create();
  assert_non_null(config);
  assert_true(machine_config_add(config, &params, error));
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
static void run_scene(const machine_params_t *p, scene_t *s, outcome_t *o) {
  char error[FrameErrorSize];
  machine_units_t units = {.context = s, .draw_scheduler = make_draws,
                           .composition_scheduler = make_composer,
                           .pixel_distributor = make_distributor, .merge = pixel_merge_all};
  machine_t *m = machine_create(p, &s->frame, NULL, &units, error);
  if (!m) {
    fail_msg("%s", error);
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
      o->picture[y * 128 + x] = t->color[surface_index(t->tiles_x, x, y)];
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

static void run_commands(const machine_params_t *p, uint32_t first, uint32_t count,
                         outcome_t *o) {
  scene_t *s = scene_create();
  s->frame.commands = s->commands + first;
  s->frame.command_count = count;
  run_scene(p, s, o);
}

static void run(const machine_params_t *p, outcome_t *o) { run_commands(p, 0, Draws, o); }

// Each projects a half of each draw and draws what touches its tile.
static void test_gpupd_shares(void **state) {
  (void)state;
  machine_params_t p = defaults(MachineGpupd);
  outcome_t o;
  run(&p, &o);
  assert_int_equal(o.projected[0], 3);
  assert_int_equal(o.projected[1], 3);
  assert_int_equal(o.triangles[0], 4);  // 1, 2, 4, 5
  assert_int_equal(o.triangles[1], 3);  // 0, 2, 3
  assert_int_equal(o.stats.batches, 1);
  assert_int_equal(o.outside, 3);
  // From GPU 0: triangle 0 of draw 0 (ordinals 0 and 1 are its share); from GPU 1: triangle 2
  // of draw 0 and triangle 5. Three indices each, and two marks each way.
  assert_int_equal(o.stats.distribution_bytes, 3 * 12 + 4 * 4);
}

// The exchange: all that a sender has fits into a cycle of its link (GPU 0: 12 + 4 + 4 bytes,
// GPU 1: 12 + 4 + 12 + 4), then the last mark travels.
static void test_gpupd_exchange(void **state) {
  (void)state;
  machine_params_t p = defaults(MachineGpupd);
  outcome_t o;
  run(&p, &o);
  assert_int_equal(o.stats.distribution_cycles, Gpus * (1 + 200));
  p.link.latency = 1000;
  run(&p, &o);
  assert_int_equal(o.stats.distribution_cycles, Gpus * (1 + 1000));
  // Every GPU waits for it.
  assert_true(o.stats.spent[MachineInDistribution] >= Gpus * Gpus * (1 + 1000));
  assert_int_equal(o.stats.spent[MachineInComposition] + o.stats.spent[MachineInSync], 0);
  p.link.latency = 200;
  // One triangle is looked up a cycle: each GPU has two of draw 0 and one of draw 1.
  p.gpupd.send_rate = 1;
  run(&p, &o);
  assert_int_equal(o.stats.distribution_cycles, Gpus * (1 + 2 + 200));
  p.gpupd.send_rate = 4;
  // 4 bytes a cycle: the third cycle after a triangle takes the mark, the one after the next.
  p.link.bytes_per_cycle = 4;
  p.link.buffer_bytes = 32768;
  run(&p, &o);
  assert_int_equal(o.stats.distribution_cycles, (1 + 3 + 1 + 200) + (1 + 3 + 1 + 3 + 200));
  p.link.bytes_per_cycle = 64;
  // A buffer of three indices: every message after a triangle waits for its arrival.
  p.gpupd.buffer = 3;
  run(&p, &o);
  assert_int_equal(o.stats.distribution_cycles, (1 + 201 + 200) + (1 + 201 + 201 + 201 + 200));
  p.gpupd.buffer = 96;
  // Batches of a draw: the exchanges follow each other.
  p.gpupd.batch_draws = 1;
  run(&p, &o);
  assert_int_equal(o.stats.batches, 2);
  assert_int_equal(o.stats.distribution_cycles, 2 * Gpus * (1 + 200));
}

// Ideal: no latency, no limit of links and buffers, but one sender after the other and its lookups.
static void test_gpupd_ideal(void **state) {
  (void)state;
  machine_params_t p = defaults(MachineGpupdIdeal);
  outcome_t o;
  run(&p, &o);
  assert_int_equal(o.stats.distribution_cycles, Gpus);
  p.link.latency = 1000;
  p.link.bytes_per_cycle = 1;
  p.gpupd.buffer = 3;
  run(&p, &o);
  assert_int_equal(o.stats.distribution_cycles, Gpus);
  p.gpupd.send_rate = 1;
  run(&p, &o);
  assert_int_equal(o.stats.distribution_cycles, Gpus * (1 + 2));
}

// Draw 0 with eight primitives, of which 0, 3, 4 and 7 are culled: 0 goes along with triangle 0, 3
// and 4 with 1, 7 with 3.
static void test_gpupd_culled(void **state) {
  (void)state;
  static const uint32_t ordinals[] = {1, 2, 5, 6};
  for (uint32_t culled = 0; culled < 2; culled++) {
    machine_params_t p = defaults(MachineGpupd);
    p.gpupd.culled = culled;
    p.gpupd.send_rate = 1;
    scene_t *s = scene_create();
    s->commands[0].triangles_in = 8;
    for (uint32_t i = 0; i < 4; i++) {
      s->triangles[i].ordinal = ordinals[i];
    }
    outcome_t o;
    run_scene(&p, s, &o);
    assert_int_equal(o.projected[0], 5);
    assert_int_equal(o.projected[1], 5);
    assert_int_equal(o.triangles[0], culled ? 4 + 2 : 4);
    assert_int_equal(o.triangles[1], culled ? 3 + 2 : 3);
    // GPU 0 sends triangle 0 and what goes along, GPU 1 triangles 2 and 5; marks.
    assert_int_equal(o.stats.distribution_bytes, (culled ? 4 : 3) * 12 + 4 * 4);
    // GPU 0 looks up 0, 1 and 4, GPU 1 2, 3 and 5.
    assert_int_equal(o.stats.distribution_cycles,
                     culled ? (5 + 1 + 200) + (3 + 1 + 200) : Gpus * (2 + 1 + 200));
  }
}

// A batch ends with the draw that reaches a limit: draw 0 has four primitives, draw 1 two.
static void test_gpupd_batches(void **state) {
  (void)state;
  static const uint32_t batches[] = {0, 2, 2, 2, 2, 1, 1, 1};
  for (uint32_t limit = 1; limit < sizeof batches / sizeof *batches; limit++) {
    machine_params_t p = defaults(MachineGpupd);
    outcome_t o;
    p.gpupd.batch_primitives = limit;
    run(&p, &o);
    assert_int_equal(o.stats.batches, batches[limit]);
  }
}

// What a longer latency adds to a run: everything that must wait for it, one after the other.
static void test_latencies(void **state) {
  (void)state;
  enum { More = 500 };
  outcome_t before, after;
  // CHOPIN: a transfer reads at the sender, then at the receiver.
  machine_params_t p = defaults(MachineChopin);
  run(&p, &before);
  p.memory_latency += More;
  run(&p, &after);
  assert_true(after.stats.cycles >= before.stats.cycles + 2 * More);
  // GPUpd: positions come out of the geometry stage before the exchange, then the draws go
  // through it.
  p = defaults(MachineGpupd);
  run(&p, &before);
  p.gpu.geometry_latency += More;
  run(&p, &after);
  assert_true(after.stats.cycles >= before.stats.cycles + 2 * More);
}

// The broadcast at a target switch takes as long as the slower of the links and the memories that
// take what the others drew: a tile for each GPU, of 4 bytes a pixel.
static void test_sync(void **state) {
  (void)state;
  frame_surface_t targets[2] = {{128, 64}, {128, 64}};
  machine_params_t p = defaults(MachineDuplication);
  uint64_t cycles[3];
  for (uint32_t slow = 0; slow < 3; slow++) {
    p.link.bytes_per_cycle = slow == 1 ? 1 : 64;
    p.memory_bytes_per_cycle = slow == 2 ? 1 : 64;
    scene_t *s = scene_create();
    s->frame.targets = targets;
    s->frame.target_count = 2;
    s->commands[0].state.color_target = 1;
    s->commands[0].state.depth_buffer = FrameNone;
    s->commands[0].state.depth_test = s->commands[0].state.depth_write = 0;
    char error[FrameErrorSize];
    machine_units_t units = {.context = s, .draw_scheduler = make_draws,
                             .composition_scheduler = make_composer,
                             .pixel_distributor = make_distributor, .merge = pixel_merge_all};
    machine_t *m = machine_create(&p, &s->frame, NULL, &units, error);
    assert_non_null(m);
    assert_int_equal(machine_run(m, NULL, NULL), MachineDone);
    assert_int_equal(machine_stats(m)->syncs, 1);
    cycles[slow] = machine_stats(m)->sync_cycles;
    machine_destroy(m);
    scene_destroy(s);
  }
  uint64_t tile = 4 * 64 * 64;
  assert_int_equal(cycles[0], 2 * p.message_latency + p.link.latency + tile / 64);
  assert_int_equal(cycles[1], 2 * p.message_latency + p.link.latency + tile);
  assert_int_equal(cycles[2], 2 * p.message_latency + p.link.latency + tile);
}

// Work that is done is no hang, however short the watchdog.
static void test_watchdog(void **state) {
  (void)state;
  machine_params_t p = defaults(MachineChopin);
  outcome_t patient, impatient;
  run(&p, &patient);
  p.watchdog = 1000;
  run(&p, &impatient);
  assert_true(patient.stats.cycles > p.watchdog);
  assert_int_equal(impatient.stats.cycles, patient.stats.cycles);
}

// Geometry that computes, shaders that run and exchanges that travel are no hang, however long.
static void test_long_work(void **state) {
  (void)state;
  static const uint8_t schemes[] = {MachineSingle, MachineDuplication, MachineChopin, MachineGpupd};
  enum { Vertices = 8000000, Length = 100 };
  for (uint32_t i = 0; i < 2 * sizeof schemes; i++) {
    machine_params_t p = defaults(schemes[i / 2]);
    scene_t *s = scene_create();
    outcome_t o;
    p.watchdog = 1000;
    p.message_latency = 50000;
    p.gpu.projection_length = Length;
    s->commands[0].vertices_in = i % 2 ? Vertices : 12;
    s->commands[0].vertex_length = i % 2 ? Length : 8;
    s->commands[1].fragment_length = i % 2 ? 8 : 4000000000u;
    run_scene(&p, s, &o);
    uint64_t lanes = p.gpu.sms * p.gpu.lanes, share = p.scheme == MachineSingle ? 1 : Gpus;
    // A stamp occupies 4 lanes of an SM.
    assert_true(o.stats.cycles >= (i % 2 ? (uint64_t)Vertices * Length / lanes / share
                                         : 4ull * 4000000000u / p.gpu.lanes));
  }
}

static unit_status_e wait_forever(void *self, const composition_scheduler_in_t *in,
                                  composition_scheduler_out_t *out) {
  (void)self;
  (void)in;
  *out = (composition_scheduler_out_t){.quiescent = false};
  return UnitOk;
}

static bool make_waiting(void *self, const composition_scheduler_params_t *p,
                         composition_scheduler_t *engine, char error[FrameErrorSize]) {
  bool ok = make_composer(self, p, engine, error);
  engine->step = wait_forever;
  return ok;
}

// Until it has released all.
static unit_status_e never_quiet(void *self, const composition_scheduler_in_t *in,
                                 composition_scheduler_out_t *out) {
  unit_status_e status =
      ((scene_t *)self)->composer.step(((scene_t *)self)->composer.self, in, out);
  ((scene_t *)self)->released |= out->release_valid;
  out->quiescent = out->quiescent && ((scene_t *)self)->released == (1 << Gpus) - 1;
  return status;
}

static void reset_nothing(void *self, composition_scheduler_out_t *out) {
  (void)self;
  *out = (composition_scheduler_out_t){.quiescent = false};
}

static bool make_noisy(void *self, const composition_scheduler_params_t *p,
                       composition_scheduler_t *engine, char error[FrameErrorSize]) {
  bool ok = make_composer(self, p, engine, error);
  engine->step = never_quiet;
  engine->reset = reset_nothing;
  engine->self = self;
  return ok;
}

// Nor when something else is looked at in every cycle meanwhile.
static void test_long_work_beside_noise(void **state) {
  (void)state;
  machine_params_t p = defaults(MachineChopin);
  char error[FrameErrorSize];
  scene_t *s = scene_create();
  machine_units_t units = {.context = s, .draw_scheduler = make_draws,
                           .composition_scheduler = make_noisy,
                           .pixel_distributor = make_distributor};
  p.watchdog = 1000;
  s->commands[0].fragment_length = 100000;
  machine_t *m = machine_create(&p, &s->frame, NULL, &units, error);
  assert_non_null(m);
  machine_status_e status = machine_run(m, NULL, NULL);
  if (status != MachineDone) {
    fail_msg("%s", machine_report(m));
  }
  assert_true(machine_stats(m)->cycles_evaluated > 10 * p.watchdog);
  machine_destroy(m);
  scene_destroy(s);
}

// A scheduler that is busy and never starts a transfer.
static void test_hang(void **state) {
  (void)state;
  machine_params_t p = defaults(MachineChopin);
  char error[FrameErrorSize];
  scene_t *s = scene_create();
  machine_units_t units = {.context = s, .draw_scheduler = make_draws,
                           .composition_scheduler = make_waiting,
                           .pixel_distributor = make_distributor};
  p.watchdog = 5000;
  machine_t *m = machine_create(&p, &s->frame, NULL, &units, error);
  assert_non_null(m);
  assert_int_equal(machine_run(m, NULL, NULL), MachineHang);
  assert_non_null(strstr(machine_report(m), "no progress in 5000 cycles"));
  assert_non_null(strstr(machine_report(m), "(watchdog)"));
  assert_true(machine_stats(m)->cycles_evaluated < 2 * p.watchdog);
  machine_destroy(m);
  scene_destroy(s);
}

#ifndef __SANITIZE_ADDRESS__
static uint64_t address_space(void) {
  unsigned long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  assert_non_null(file);
  assert_int_equal(fscanf(file, "%lu", &pages), 1);
  fclose(file);
  return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

// A machine for the scene, on large surfaces; within `room` bytes, if not 0. What it took.
static uint64_t large_machine(scene_t *s, uint64_t room, char error[FrameErrorSize]) {
  machine_params_t p = defaults(MachineChopin);
  machine_units_t units = {.context = s, .draw_scheduler = make_draws,
                           .composition_scheduler = make_composer,
                           .pixel_distributor = make_distributor, .merge = pixel_merge_all};
  struct rlimit old;
  assert_int_equal(getrlimit(RLIMIT_AS, &old), 0);
  uint64_t before = address_space();
  if (room) {
    struct rlimit limit = {before + room, old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
  }
  machine_t *m = machine_create(&p, &s->frame, NULL, &units, error);
  assert_int_equal(setrlimit(RLIMIT_AS, &old), 0);
  uint64_t took = address_space() - before;
  assert_true((m == NULL) == (error[0] != 0));
  machine_destroy(m);
  return took;
}

// Too little memory for sub-images is said before the run, and is no error of a unit.
static void test_no_memory(void **state) {
  (void)state;
  const uint64_t pixels = 4096ull * 4096, subimages = Gpus * pixels * 8;
  uint64_t opaque = 0;
  for (uint32_t transparent = 0; transparent < 2; transparent++) {
    char error[FrameErrorSize] = "";
    scene_t *s = scene_create();
    s->surface = (frame_surface_t){4096, 4096};
    s->frame.width = s->frame.height = 4096;
    for (uint32_t i = 0; transparent && i < Draws; i++) {
      frame_state_t *t = &s->commands[i].state;
      t->blend = 1;
      t->depth_write = 0;
      t->src_rgb = FrameFactorSrcAlpha;
      t->src_alpha = FrameFactorOne;
      t->dst_rgb = t->dst_alpha = FrameFactorOneMinusSrcAlpha;
    }
    if (!transparent) {
      opaque = large_machine(s, 0, error);
      assert_true(opaque > Gpus * pixels * 8);
    } else {
      large_machine(s, opaque + subimages / 2, error);
      assert_string_equal(error, "out of memory");
    }
    scene_destroy(s);
  }
}
#endif

// What is refused by the limits, whose keys the refusal names.
static void test_frame_limits(void **state) {
  (void)state;
  machine_params_t p = defaults(MachineChopin);
  char error[FrameErrorSize] = "";
  scene_t *s = scene_create();
  frame_work_t w;
  frame_work(&s->frame, &w);
  assert_int_equal(w.geometry, 3 * 6 * 2 + 6);
  // Legs of 20, 20, 30, 20, 8 and 8 pixels, a pixel more where a bound lies on a pixel's border.
  assert_int_equal(w.pixels, 3 * 21 * 21 + 31 * 31 + 2 * 9 * 9);
  assert_int_equal(w.instructions, 8 * (w.pixels + 3 * 6));
  assert_int_equal(w.surface_bytes, 128 * 64 * (13 + 5));
  assert_true(machine_check_frame(&p, &s->frame, error));
  s->commands[0].indices = s->commands[1].indices = 3000000000u;
  s->commands[0].triangles_in = 3900000000u;
  assert_true(machine_check_frame(&p, &s->frame, error));
  s->commands[1].triangles_in = 1;
  s->commands[0].fragment_length = 100000000;
  assert_false(machine_check_frame(&p, &s->frame, error));
  assert_non_null(strstr(error, "frame.work=10000: the frame has 10"));
  s->commands[0].fragment_length = UINT32_MAX;
  s->commands[0].vertices_in = s->commands[0].vertex_length = UINT32_MAX;
  frame_work(&s->frame, &w);
  assert_true(w.instructions == UINT64_MAX);
  assert_false(machine_check_frame(&p, &s->frame, error));
  p.frame_work = UINT32_MAX;
  scene_destroy(s);
  s = scene_create();
  frame_surface_t wide[40];
  for (uint32_t i = 0; i < 40; i++) {
    wide[i] = (frame_surface_t){FrameMaxSize, FrameMaxSize - 63};
  }
  s->frame.depths = wide;
  s->frame.depth_count = 5;  // 5 bytes a pixel in 2 GPUs and the reference
  assert_true(machine_check_frame(&p, &s->frame, error));
  s->frame.depth_count = 9;
  assert_false(machine_check_frame(&p, &s->frame, error));
  assert_non_null(strstr(error, "frame.memory=8192: the frame's surfaces take 8641 MiB"));
  scene_destroy(s);
}

// A pixel that differs, in the picture or in another target, is counted, and the first is named.
static void test_wrong_pixels(void **state) {
  (void)state;
  frame_surface_t targets[2] = {{128, 64}, {128, 64}};
  machine_params_t p = defaults(MachineDuplication);
  for (uint32_t target = 0; target < 3; target++) {  // 2: none
    scene_t *s = scene_create();
    s->frame.targets = targets;
    s->frame.target_count = 2;
    char error[FrameErrorSize];
    machine_units_t units = {.context = s, .draw_scheduler = make_draws,
                             .composition_scheduler = make_composer,
                             .pixel_distributor = make_distributor, .merge = pixel_merge_all};
    machine_t *m = machine_create(&p, &s->frame, NULL, &units, error);
    assert_non_null(m);
    shade_sampling_t sampling = {.filter = ShadeIsotropic};
    check_t *c = check_create(&s->frame, machine_plan(m), Gpus, sampling, false);
    assert_non_null(c);
    assert_int_equal(machine_run(m, NULL, NULL), MachineDone);
    if (target < 2) {
      for (uint32_t x = 77; x < 80; x += 2) {
        surface_t *t = gpu_target(machine_gpu(m, machine_owner(m, target, x, 9)), target);
        t->color[surface_index(t->tiles_x, x, 9)] ^= x == 77 ? 1 : 0x500;
      }
    }
    check_result_t r;
    check_finish(c, m, &r);
    assert_int_equal(r.violations, target == 0 ? 2 : 0);
    assert_int_equal(r.target_violations, target == 1 ? 2 : 0);
    assert_int_equal(r.max_abs_error, target == 0 ? 5 : 0);
    if (target == 0) {
      assert_int_equal(r.x, 77);
      assert_int_equal(r.y, 9);
      assert_int_equal(r.bound, 0);
    }
    check_destroy(c);
    machine_destroy(m);
    scene_destroy(s);
  }
}

// ---- What the units see, and when ----

typedef struct {
  const uint64_t *clock;
  draw_scheduler_t draws;
  uint64_t reports, reported, last_report;  // progress: messages, triangles, cycle
} draws_watch_t;

static unit_status_e watch_draws(void *self, const draw_scheduler_in_t *in,
                                 draw_scheduler_out_t *out) {
  draws_watch_t *w = self;
  for (uint32_t g = 0; g < Gpus; g++) {
    if (in->progress_valid >> g & 1) {
      w->reports++;
      w->last_report = *w->clock;
      w->reported += in->progress[g];
    }
  }
  return w->draws.step(w->draws.self, in, out);
}

typedef struct {
  const uint64_t *clock;
  pixel_distributor_t unit;
  uint64_t last_touch, first_start;  // cycles
} distributor_watch_t;

static unit_status_e watch_distributor(void *self, const pixel_distributor_in_t *in,
                                       pixel_distributor_out_t *out) {
  distributor_watch_t *w = self;
  if (in->touch_valid) {
    w->last_touch = *w->clock;
  }
  if (in->start_valid && !w->first_start) {
    w->first_start = *w->clock;
  }
  return w->unit.step(w->unit.self, in, out);
}

typedef struct {
  scene_t *scene;
  uint64_t clock;
  draws_watch_t draws;
  distributor_watch_t distributors[Gpus];
} watch_t;

static void reset_watched_draws(void *self, draw_scheduler_out_t *out) {
  draws_watch_t *w = self;
  w->draws.reset(w->draws.self, out);
}

static void reset_watched_distributor(void *self, pixel_distributor_out_t *out) {
  distributor_watch_t *w = self;
  w->unit.reset(w->unit.self, out);
}

static bool make_watched_draws(void *self, const draw_scheduler_params_t *p,
                               draw_scheduler_t *engine, char error[FrameErrorSize]) {
  watch_t *w = self;
  bool ok = make_draws(w->scene, p, &w->draws.draws, error);
  w->draws.clock = &w->clock;
  *engine =
      (draw_scheduler_t){.self = &w->draws, .step = watch_draws, .reset = reset_watched_draws};
  return ok;
}

static bool make_plain_composer(void *self, const composition_scheduler_params_t *p,
                                composition_scheduler_t *engine, char error[FrameErrorSize]) {
  return make_composer(((watch_t *)self)->scene, p, engine, error);
}

static bool make_watched_distributor(void *self, const pixel_distributor_params_t *p,
                                     uint32_t instance, pixel_distributor_t *engine,
                                     char error[FrameErrorSize]) {
  watch_t *w = self;
  distributor_watch_t *d = &w->distributors[instance];
  bool ok = make_distributor(w->scene, p, instance, &d->unit, error);
  d->clock = &w->clock;
  *engine = (pixel_distributor_t){d, watch_distributor, reset_watched_distributor};
  return ok;
}

static void run_watched(const machine_params_t *p, watch_t *w) {
  *w = (watch_t){.scene = scene_create()};
  char error[FrameErrorSize];
  machine_units_t units = {.context = w, .draw_scheduler = make_watched_draws,
                           .composition_scheduler = make_plain_composer,
                           .pixel_distributor = make_watched_distributor};
  machine_t *m = machine_create(p, &w->scene->frame, NULL, &units, error);
  assert_non_null(m);
  machine_watch_clock(m, &w->clock);
  assert_int_equal(machine_run(m, NULL, NULL), MachineDone);
  machine_destroy(m);
  scene_destroy(w->scene);
}

// Draws of 4 and 2 triangles. The last triangle of an interval sends its report; what is left
// over goes when the GPU holds for the composition, long after geometry.
static void test_progress_interval(void **state) {
  (void)state;
  uint64_t last[4];
  for (uint32_t interval = 1; interval < 4; interval++) {
    machine_params_t p = defaults(MachineChopin);
    watch_t w;
    p.progress_interval = interval;
    run_watched(&p, &w);
    assert_int_equal(w.draws.reported, Triangles);
    assert_int_equal(w.draws.reports, interval == 1 ? 6 : 3);
    last[interval] = w.draws.last_report;
  }
  assert_int_equal(last[1], last[2]);
  assert_true(last[3] > last[2] + 100);
}

// A touch counts in the map from the second cycle after it on: then the GPU is ready, and direct
// send starts.
static void test_ready_after_touch(void **state) {
  (void)state;
  machine_params_t p = defaults(MachineChopinDirect);
  watch_t w;
  run_watched(&p, &w);
  for (uint32_t g = 0; g < Gpus; g++) {
    assert_true(w.distributors[g].last_touch > 0);
    assert_int_equal(w.distributors[g].first_start, w.distributors[g].last_touch + 2);
  }
}

// A unit that fails, or raises its error output, ends the run in the cycle in which it does; the
// report names it, its number and the error as its page does.
typedef struct {
  scene_t *scene;
  const uint64_t *clock;
  uint64_t at;               // cycle from which the unit fails
  unit_status_e status;
  uint8_t error;
  bool second_distributor;   // it is that of GPU 1, not the draw scheduler
} fault_t;

static fault_t *fault;

static unit_status_e failing_draws(void *self, const draw_scheduler_in_t *in,
                                   draw_scheduler_out_t *out) {
  (void)self;
  draw_scheduler_t *real = &fault->scene->draws;
  unit_status_e status = real->step(real->self, in, out);
  if (*fault->clock >= fault->at) {
    out->error = fault->error;
    status = fault->status;
  }
  return status;
}

static unit_status_e failing_distributor(void *self, const pixel_distributor_in_t *in,
                                         pixel_distributor_out_t *out) {
  (void)self;
  pixel_distributor_t *real = &fault->scene->distributors[1];
  unit_status_e status = real->step(real->self, in, out);
  if (*fault->clock >= fault->at) {
    out->error = fault->error;
    status = fault->status;
  }
  return status;
}

static bool make_failing_draws(void *self, const draw_scheduler_params_t *p,
                               draw_scheduler_t *engine, char error[FrameErrorSize]) {
  bool ok = make_draws(self, p, engine, error);
  if (!fault->second_distributor) {
    engine->step = failing_draws;
  }
  return ok;
}

static bool make_failing_distributor(void *self, const pixel_distributor_params_t *p,
                                     uint32_t instance, pixel_distributor_t *engine,
                                     char error[FrameErrorSize]) {
  bool ok = make_distributor(self, p, instance, engine, error);
  if (fault->second_distributor && instance == 1) {
    engine->step = failing_distributor;
  }
  return ok;
}

static void fails_with(fault_t f, machine_status_e status, const char *report) {
  machine_params_t p = defaults(MachineChopin);
  scene_t *s = scene_create();
  uint64_t clock = 0;
  char error[FrameErrorSize];
  fault = &f;
  f.scene = s;
  f.clock = &clock;
  machine_units_t units = {.context = s, .draw_scheduler = make_failing_draws,
                           .composition_scheduler = make_composer,
                           .pixel_distributor = make_failing_distributor};
  machine_t *m = machine_create(&p, &s->frame, NULL, &units, error);
  assert_non_null(m);
  machine_watch_clock(m, &clock);
  assert_int_equal(machine_run(m, NULL, NULL), status);
  assert_string_equal(machine_report(m), report);
  machine_destroy(m);
  scene_destroy(s);
}

static void test_failing_units(void **state) {
  (void)state;
  fails_with((fault_t){.at = 3, .error = DrawSchedulerErrorRange}, MachineProtocol,
             "cycle 3: draw_scheduler: error_o = 3 (Range)");
  fails_with((fault_t){.at = 3, .status = UnitMismatch, .error = DrawSchedulerErrorRange},
             MachineUnitFailed, "cycle 3: draw_scheduler");
  fails_with((fault_t){.at = 3, .error = 7}, MachineProtocol,
             "cycle 3: draw_scheduler: error_o = 7 (?)");
  fails_with((fault_t){.at = 1, .error = PixelDistributorErrorCount, .second_distributor = true},
             MachineProtocol, "cycle 1: pixel_distributor 1: error_o = 10 (Count)");
}

static void test_schemes_agree(void **state) {
  (void)state;
  static const uint32_t schemes[] = {MachineDuplication, MachineGpupd, MachineGpupdIdeal,
                                     MachineChopin, MachineChopinIdeal};
  machine_params_t p = defaults(MachineSingle);
  outcome_t single, o, gpupd, chopin;
  run(&p, &single);
  for (uint32_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
    p = defaults(schemes[i]);
    p.ideal_merge = MachineMergeNone;  // merging at the ROP's rate: test_readings
    run(&p, &o);
    assert_memory_equal(o.picture, single.picture, sizeof o.picture);
    gpupd = schemes[i] == MachineGpupd ? o : gpupd;
    chopin = schemes[i] == MachineChopin ? o : chopin;
    if (schemes[i] == MachineGpupdIdeal) {
      assert_int_equal(o.stats.distribution_bytes, gpupd.stats.distribution_bytes);
      assert_true(o.stats.cycles < gpupd.stats.cycles);
    }
    if (schemes[i] == MachineChopinIdeal) {
      assert_int_equal(o.distributors, 1);  // for the map
      assert_int_equal(o.outside, 1);
      assert_int_equal(o.stats.starts, chopin.stats.starts);
      assert_true(o.stats.cycles < chopin.stats.cycles);
      // Without headers and side-band; what is sent are whole stamps on the links.
      assert_true(o.stats.composition_bytes <= chopin.stats.composition_bytes);
      assert_true(o.stats.composition_bytes > 0);
    }
  }
}

// One GPU, two draws. With one in flight they take the time of each, once less the way of the
// first command; with two, geometry of the second is hidden, and its pixels wait for the last
// write of the first; with overlap they follow in the pipeline.
static void test_draws_in_flight(void **state) {
  (void)state;
  machine_params_t p = defaults(MachineSingle);
  outcome_t first, second, both;
  run_commands(&p, 0, 1, &first);
  run_commands(&p, 1, 1, &second);
  uint64_t a = first.stats.cycles, b = second.stats.cycles - p.message_latency;
  p.gpu.draws_in_flight = 1;
  run(&p, &both);
  assert_in_range(both.stats.cycles, a + b - 16, a + b);
  p.gpu.draws_in_flight = 2;
  run(&p, &both);
  uint64_t hidden = p.gpu.geometry_latency;
  assert_in_range(both.stats.cycles, a + b - hidden - 40, a + b - hidden + 8);
  p.gpu.draw_overlap = 1;
  run(&p, &both);
  assert_in_range(both.stats.cycles, a + 1, a + p.gpu.shading_latency / 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gpupd_shares),
      cmocka_unit_test(test_gpupd_exchange),
      cmocka_unit_test(test_gpupd_ideal),
      cmocka_unit_test(test_gpupd_culled),
      cmocka_unit_test(test_gpupd_batches),
      cmocka_unit_test(test_latencies),
      cmocka_unit_test(test_sync),
      cmocka_unit_test(test_watchdog),
      cmocka_unit_test(test_long_work),
      cmocka_unit_test(test_long_work_beside_noise),
      cmocka_unit_test(test_hang),
      cmocka_unit_test(test_frame_limits),
#ifndef __SANITIZE_ADDRESS__
      cmocka_unit_test(test_no_memory),
#endif
      cmocka_unit_test(test_wrong_pixels),
      cmocka_unit_test(test_progress_interval),
      cmocka_unit_test(test_ready_after_touch),
      cmocka_unit_test(test_failing_units),
      cmocka_unit_test(test_schemes_agree),
      cmocka_unit_test(test_draws_in_flight),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
