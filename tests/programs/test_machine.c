// SPDX-License-Identifier: Apache-2.0
// Early ends of a machine's run, what is refused and found wrong, and what its units see and
// when, on a frame small enough to work out by hand.
#include "scene.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

// Work that is done is no hang, however short the watchdog.
TEST(test_watchdog) {
  machine_params_t p = defaults(MachineChopin);
  outcome_t patient, impatient;
  run(&p, &patient);
  p.watchdog = 1000;
  run(&p, &impatient);
  assert_true(patient.stats.cycles > p.watchdog);
  assert_int_equal(impatient.stats.cycles, patient.stats.cycles);
}

// Geometry that computes, shaders that run and exchanges that travel are no hang, however long.
TEST(test_long_work) {
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
                         composition_scheduler_t *engine, err_t *err) {
  bool ok = make_composer(self, p, engine, err);
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
                       composition_scheduler_t *engine, err_t *err) {
  bool ok = make_composer(self, p, engine, err);
  engine->step = never_quiet;
  engine->reset = reset_nothing;
  engine->self = self;
  return ok;
}

// Nor when something else is looked at in every cycle meanwhile.
TEST(test_long_work_beside_noise) {
  machine_params_t p = defaults(MachineChopin);
  err_auto_t err = {0};
  scene_t *s = scene_create();
  machine_units_t units = {.context = s,
                           .draw_scheduler = make_draws,
                           .composition_scheduler = make_noisy,
                           .pixel_distributor = make_distributor};
  p.watchdog = 1000;
  s->commands[0].fragment_length = 100000;
  machine_t *m = machine_create(&p, &s->frame, NULL, &units, &err);
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
TEST(test_hang) {
  machine_params_t p = defaults(MachineChopin);
  err_auto_t err = {0};
  scene_t *s = scene_create();
  machine_units_t units = {.context = s,
                           .draw_scheduler = make_draws,
                           .composition_scheduler = make_waiting,
                           .pixel_distributor = make_distributor};
  p.watchdog = 5000;
  machine_t *m = machine_create(&p, &s->frame, NULL, &units, &err);
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
static uint64_t large_machine(scene_t *s, uint64_t room, err_t *err) {
  machine_params_t p = defaults(MachineChopin);
  machine_units_t units = scene_units(s);
  struct rlimit old;
  assert_int_equal(getrlimit(RLIMIT_AS, &old), 0);
  uint64_t before = address_space();
  if (room) {
    struct rlimit limit = {before + room, old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
  }
  machine_t *m = machine_create(&p, &s->frame, NULL, &units, err);
  assert_int_equal(setrlimit(RLIMIT_AS, &old), 0);
  uint64_t took = address_space() - before;
  assert_true((m == NULL) == err_is_set(err));
  machine_destroy(m);
  return took;
}

// Too little memory for sub-images is said before the run, and is no error of a unit.
TEST(test_no_memory) {
  const uint64_t pixels = 4096ull * 4096, subimages = Gpus * pixels * 8;
  uint64_t opaque = 0;
  for (uint32_t transparent = 0; transparent < 2; transparent++) {
    err_auto_t err = {0};
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
      opaque = large_machine(s, 0, &err);
      assert_true(opaque > Gpus * pixels * 8);
    } else {
      large_machine(s, opaque + subimages / 2, &err);
      assert_string_equal(err_text(&err), "out of memory");
    }
    scene_destroy(s);
  }
}
#endif

// The limits refuse machines by messages that name their keys.
TEST(test_frame_limits) {
  machine_params_t p = defaults(MachineChopin);
  err_auto_t err = {0};
  scene_t *s = scene_create();
  frame_work_t w;
  frame_work(&s->frame, &w);
  assert_int_equal(w.geometry, 3 * 6 * 2 + 6);
  // Legs of 20, 20, 30, 20, 8 and 8 pixels, a pixel more where a bound lies on a pixel's border.
  assert_int_equal(w.pixels, 3 * 21 * 21 + 31 * 31 + 2 * 9 * 9);
  assert_int_equal(w.instructions, 8 * (w.pixels + 3 * 6));
  assert_int_equal(w.surface_bytes, 128 * 64 * (13 + 5));
  assert_true(machine_check_frame(&p, &s->frame, &err));
  s->commands[0].indices = s->commands[1].indices = 3000000000u;
  s->commands[0].triangles_in = 3900000000u;
  assert_true(machine_check_frame(&p, &s->frame, &err));
  s->commands[1].triangles_in = 1;
  s->commands[0].fragment_length = 100000000;
  assert_false(machine_check_frame(&p, &s->frame, &err));
  assert_non_null(strstr(err_text(&err), "frame.work=10000: the frame has 10"));
  s->commands[0].fragment_length = UINT32_MAX;
  s->commands[0].vertices_in = s->commands[0].vertex_length = UINT32_MAX;
  frame_work(&s->frame, &w);
  assert_true(w.instructions == UINT64_MAX);
  assert_false(machine_check_frame(&p, &s->frame, &err));
  p.frame_work = UINT32_MAX;
  scene_destroy(s);
  s = scene_create();
  frame_surface_t wide[40];
  for (uint32_t i = 0; i < 40; i++) {
    wide[i] = (frame_surface_t){FrameMaxSize, FrameMaxSize - 63};
  }
  s->frame.depths = wide;
  s->frame.depth_count = 5;  // 5 bytes a pixel in 2 GPUs and the reference
  assert_true(machine_check_frame(&p, &s->frame, &err));
  s->frame.depth_count = 9;
  assert_false(machine_check_frame(&p, &s->frame, &err));
  assert_non_null(strstr(err_text(&err), "frame.memory=8192: the frame's surfaces take 8641 MiB"));
  scene_destroy(s);
}

// A pixel that differs, be it in alpha alone, is counted in the picture, in another target and in
// depth and stencil, and the first of the picture is named; where two GPUs tied it is
// left out.
TEST(test_wrong_pixels) {
  frame_surface_t targets[2] = {{128, 64}, {128, 64}};
  machine_params_t p = defaults(MachineDuplication);
  for (uint32_t target = 0; target < 5; target++) {  // 2: the depth buffer, 3: ties, 4: none
    scene_t *s = scene_create();
    s->frame.targets = targets;
    s->frame.target_count = 2;
    s->frame.depths = targets;
    s->frame.depth_count = 1;
    for (uint32_t i = 0; i < s->frame.command_count; i++) {
      s->commands[i].state.depth_buffer = 0;
    }
    err_auto_t err = {0};
    machine_units_t units = scene_units(s);
    machine_t *m = machine_create(&p, &s->frame, NULL, &units, &err);
    assert_non_null(m);
    shade_sampling_t sampling = {.filter = ShadeIsotropic};
    check_t *c = check_create(&s->frame, machine_plan(m), Gpus, sampling, false);
    assert_non_null(c);
    assert_int_equal(machine_run(m, NULL, NULL), MachineDone);
    if (target < 2) {
      for (uint32_t x = 77; x < 82; x += 2) {
        surface_t *t = gpu_target(machine_gpu(m, machine_owner(m, target, x, 9)), target);
        gpu_settle(machine_gpu(m, machine_owner(m, target, x, 9)));
        const uint32_t wrong = x == 77 ? 1 : x == 79 ? 0x500 : 0x1000000;
        t->color[surface_index(t->tiles_x, x, 9)] ^= wrong;
      }
    } else if (target == 2) {
      gpu_settle(machine_gpu(m, machine_depth_owner(m, 0, 0, 77, 9)));
      surface_t *t = gpu_depth(machine_gpu(m, machine_depth_owner(m, 0, 0, 77, 9)), 0);
      t->depth[surface_index(t->tiles_x, 77, 9)] ^= 1;
      t->stencil[surface_index(t->tiles_x, 88, 9)] ^= 1;  // in another block
    } else if (target == 3) {
      gpu_settle(machine_gpu(m, machine_owner(m, 0, 77, 9)));
      surface_t *t = gpu_target(machine_gpu(m, machine_owner(m, 0, 77, 9)), 0);
      t->color[surface_index(t->tiles_x, 77, 9)] ^= 1;
      surface_tie(t, surface_index(t->tiles_x, 77, 9), SurfaceTied);
      surface_tie(t, surface_index(t->tiles_x, 88, 9), SurfaceTied);
    }
    check_result_t r;
    check_finish(c, m, &r);
    assert_int_equal(r.violations, target == 0 ? 3 : 0);
    assert_int_equal(r.target_violations, target == 1 ? 3 : target == 2 ? 2 : 0);
    assert_int_equal(r.max_abs_error, target == 0 ? 5 : 0);
    assert_int_equal(r.tie_pixels, target == 3 ? 2 : 0);
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
                               draw_scheduler_t *engine, err_t *err) {
  watch_t *w = self;
  bool ok = make_draws(w->scene, p, &w->draws.draws, err);
  w->draws.clock = &w->clock;
  *engine =
      (draw_scheduler_t){.self = &w->draws, .step = watch_draws, .reset = reset_watched_draws};
  return ok;
}

static bool make_plain_composer(void *self, const composition_scheduler_params_t *p,
                                composition_scheduler_t *engine, err_t *err) {
  return make_composer(((watch_t *)self)->scene, p, engine, err);
}

static bool make_watched_distributor(void *self, const pixel_distributor_params_t *p,
                                     uint32_t instance, pixel_distributor_t *engine, err_t *err) {
  watch_t *w = self;
  distributor_watch_t *d = &w->distributors[instance];
  bool ok = make_distributor(w->scene, p, instance, &d->unit, err);
  d->clock = &w->clock;
  *engine = (pixel_distributor_t){d, watch_distributor, reset_watched_distributor};
  return ok;
}

static void run_watched(const machine_params_t *p, watch_t *w) {
  *w = (watch_t){.scene = scene_create()};
  err_auto_t err = {0};
  machine_units_t units = {.context = w,
                           .draw_scheduler = make_watched_draws,
                           .composition_scheduler = make_plain_composer,
                           .pixel_distributor = make_watched_distributor};
  machine_t *m = machine_create(p, &w->scene->frame, NULL, &units, &err);
  assert_non_null(m);
  machine_watch_clock(m, &w->clock);
  assert_int_equal(machine_run(m, NULL, NULL), MachineDone);
  machine_destroy(m);
  scene_destroy(w->scene);
}

// Draws of 4 and 2 triangles. The last triangle of an interval sends its report; what is left
// over goes when the GPU holds for the composition, long after geometry.
TEST(test_progress_interval) {
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
TEST(test_ready_after_touch) {
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
  uint64_t at;  // cycle from which the unit fails
  unit_status_e status;
  uint8_t error;
  bool second_distributor;  // it is that of GPU 1, not the draw scheduler
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
                               draw_scheduler_t *engine, err_t *err) {
  bool ok = make_draws(self, p, engine, err);
  if (!fault->second_distributor) {
    engine->step = failing_draws;
  }
  return ok;
}

static bool make_failing_distributor(void *self, const pixel_distributor_params_t *p,
                                     uint32_t instance, pixel_distributor_t *engine, err_t *err) {
  bool ok = make_distributor(self, p, instance, engine, err);
  if (fault->second_distributor && instance == 1) {
    engine->step = failing_distributor;
  }
  return ok;
}

static void fails_with(fault_t f, machine_status_e status, const char *report) {
  machine_params_t p = defaults(MachineChopin);
  scene_t *s = scene_create();
  uint64_t clock = 0;
  err_auto_t err = {0};
  fault = &f;
  f.scene = s;
  f.clock = &clock;
  machine_units_t units = {.context = s,
                           .draw_scheduler = make_failing_draws,
                           .composition_scheduler = make_composer,
                           .pixel_distributor = make_failing_distributor};
  machine_t *m = machine_create(&p, &s->frame, NULL, &units, &err);
  assert_non_null(m);
  machine_watch_clock(m, &clock);
  assert_int_equal(machine_run(m, NULL, NULL), status);
  assert_string_equal(machine_report(m), report);
  machine_destroy(m);
  scene_destroy(s);
}

TEST(test_failing_units) {
  fails_with((fault_t){.at = 3, .error = DrawSchedulerErrorRange}, MachineProtocol,
             "cycle 3: draw_scheduler: error_o = 3 (Range)");
  fails_with((fault_t){.at = 3, .status = UnitMismatch, .error = DrawSchedulerErrorRange},
             MachineUnitFailed, "cycle 3: draw_scheduler");
  fails_with((fault_t){.at = 3, .error = 7}, MachineProtocol,
             "cycle 3: draw_scheduler: error_o = 7 (?)");
  fails_with((fault_t){.at = 1, .error = PixelDistributorErrorCount, .second_distributor = true},
             MachineProtocol, "cycle 1: pixel_distributor 1: error_o = 10 (Count)");
}

int main(void) { return run_all_tests(NULL, NULL); }
