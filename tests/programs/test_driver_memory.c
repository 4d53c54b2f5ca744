// SPDX-License-Identifier: Apache-2.0
// The driver's memory of a frame, and its use in the next.
#include "csim/driver/driver_memory.h"
#include "csim/frame/generate_frame.h"
#include "csim/machine/check.h"
#include "csim/machine/machine.h"
#include "csim/machine/machine_config.h"
#include "csim/machine/schedule.h"
#include "csim/units/pixel_distributor/golden.h"
#include "tb/harness/harness.h"
#include "tests/programs/checked_run.h"
#include "tests/programs/test.h"

enum { MaxDraws = 8 };

static const driver_hint_params_t Params = {.pixels = 1000, .pixels_a_triangle = 10};

// A frame of draws, each with one of two textures.
typedef struct {
  frame_t frame;
  frame_texture_t textures[2];
  uint32_t texels[2];
  frame_cmd_t commands[MaxDraws];
  driver_counters_t counters[MaxDraws];
  driver_hint_t hints[MaxDraws];
} scene_t;

static scene_t scene_make(uint32_t first_texel, uint32_t second_texel) {
  return (scene_t){.texels = {first_texel, second_texel}};
}

// The frame points into the scene, which must not move any more.
static const frame_t *frame_of(scene_t *s) {
  for (uint32_t i = 0; i < 2; i++) {
    s->textures[i] =
        (frame_texture_t){.width = 1, .height = 1, .levels = 1, .level = {&s->texels[i]}};
  }
  s->frame.texture_count = 2;
  s->frame.textures = s->textures;
  s->frame.commands = s->commands;
  return &s->frame;
}

static frame_cmd_t *draw(scene_t *s, uint16_t texture, uint32_t triangles, uint64_t pixels,
                         uint64_t cycles) {
  uint32_t i = s->frame.command_count++;
  frame_cmd_t *c = &s->commands[i];
  *c = (frame_cmd_t){.kind = FrameCmdDraw, .triangles_in = triangles};
  c->state.stages[0].texture = texture;
  c->state.stages[1].texture = FrameNone;
  s->counters[i] = (driver_counters_t){.pixels = pixels, .cycles = cycles};
  return c;
}

static driver_memory_t *remember(scene_t *s) {
  driver_memory_t *m = driver_memory_make();
  assert_non_null(m);
  assert_false(driver_memory_has_frame(m));
  assert_true(driver_memory_learn(m, frame_of(s), s->counters));
  assert_true(driver_memory_has_frame(m));
  return m;
}

static void ask(driver_memory_t *m, scene_t *s) {
  assert_true(driver_memory_hints(m, frame_of(s), &Params, s->hints));
}

TEST(test_first_frame) {
  scene_t s = scene_make(1, 2);
  draw(&s, 0, 5, 0, 0);
  draw(&s, 0, 100000, 0, 0);
  driver_memory_t *m = driver_memory_make();
  ask(m, &s);
  assert_false(s.hints[0].by_all || s.hints[1].by_all);
  assert_int_equal(s.hints[0].weight, 5);
  assert_int_equal(s.hints[1].weight, DriverWeightMax);
  driver_memory_destroy(m);
}

// From pixels + pixels_a_triangle * triangles on, by the triangles of the new frame.
TEST(test_by_all) {
  scene_t last = scene_make(1, 2), next = scene_make(1, 2);
  draw(&last, 0, 7, 1020, 0);
  draw(&last, 1, 7, 1020, 0);
  draw(&next, 0, 2, 0, 0);
  draw(&next, 1, 3, 0, 0);
  driver_memory_t *m = remember(&last);
  ask(m, &next);
  assert_true(next.hints[0].by_all);
  assert_false(next.hints[1].by_all);
  driver_memory_destroy(m);
}

TEST(test_weights) {
  scene_t last = scene_make(1, 2), next = scene_make(1, 2);
  draw(&last, 0, 1, 0, 63);
  draw(&last, 0, 1, 0, 64 * 9 + 63);
  draw(&last, 0, 1, 0, 64 * (uint64_t)DriverWeightMax);
  draw(&last, 0, 1, 0, 64 * ((uint64_t)DriverWeightMax + 1));
  memcpy(next.commands, last.commands, sizeof last.commands);
  next.frame.command_count = last.frame.command_count;
  driver_memory_t *m = remember(&last);
  ask(m, &next);
  assert_int_equal(next.hints[0].weight, 1);
  assert_int_equal(next.hints[1].weight, 9);
  assert_int_equal(next.hints[2].weight, DriverWeightMax);
  assert_int_equal(next.hints[3].weight, DriverWeightMax);
  driver_memory_destroy(m);
}

// 640 cycles a triangle are ten units.
TEST(test_unmatched) {
  scene_t last = scene_make(1, 2), next = scene_make(1, 2);
  draw(&last, 0, 10, 100000, 12000);
  draw(&last, 1, 10, 100000, 800);
  draw(&next, 0, 10, 0, 0);
  draw(&next, 0, 3, 0, 0);
  draw(&next, 0, 100000, 0, 0);
  draw(&next, 1, 10, 0, 0)->state.depth_test = 1;
  driver_memory_t *m = remember(&last);
  ask(m, &next);
  assert_true(next.hints[0].by_all);
  assert_int_equal(next.hints[0].weight, 187);
  assert_false(next.hints[1].by_all || next.hints[2].by_all || next.hints[3].by_all);
  assert_int_equal(next.hints[1].weight, 30);
  assert_int_equal(next.hints[2].weight, DriverWeightMax);
  assert_int_equal(next.hints[3].weight, 100);
  driver_memory_destroy(m);
}

// By place among those of the same state: a draw of another state between them, textures in another
// order, a camera that has moved change nothing.
TEST(test_place) {
  scene_t last = scene_make(1, 2), next = scene_make(2, 1);
  draw(&last, 0, 1, 0, 640);
  draw(&last, 1, 1, 0, 6400);
  draw(&last, 0, 1, 0, 1280);
  draw(&next, 0, 1, 0, 0);
  draw(&next, 1, 1, 0, 0)->state.projection[0] = 5;
  draw(&next, 1, 1, 0, 0)->state.color = 7;
  next.commands[next.frame.command_count++].kind = FrameCmdClear;
  draw(&next, 1, 1, 0, 0);
  driver_memory_t *m = remember(&last);
  ask(m, &next);
  assert_int_equal(next.hints[0].weight, 100);
  assert_int_equal(next.hints[1].weight, 10);
  assert_int_equal(next.hints[2].weight, 20);
  // 8,320 cycles of 3 triangles.
  assert_int_equal(next.hints[4].weight, 43);
  driver_memory_destroy(m);
}

// A draw that comes or goes does not shift those of other numbers of triangles; one whose number is
// new is that of its place.
TEST(test_twins) {
  scene_t last = scene_make(1, 2), next = scene_make(1, 2);
  draw(&last, 0, 4, 0, 640);
  draw(&last, 0, 7, 0, 6400);
  draw(&last, 0, 7, 0, 1280);
  draw(&next, 0, 7, 0, 0);
  draw(&next, 0, 7, 0, 0);
  draw(&next, 0, 5, 0, 0);
  draw(&next, 1, 7, 0, 0)->state.depth_test = 1;
  driver_memory_t *m = remember(&last);
  ask(m, &next);
  assert_int_equal(next.hints[0].weight, 100);
  assert_int_equal(next.hints[1].weight, 20);
  assert_int_equal(next.hints[2].weight, 20);
  // 8,320 cycles of 18 triangles.
  assert_int_equal(next.hints[3].weight, 50);
  driver_memory_destroy(m);
}

// Any part of the state that is not the camera's makes it another draw.
TEST(test_state) {
  scene_t last = scene_make(1, 2);
  draw(&last, 0, 1, 0, 64 * 1000)->state.color_mask = 15;
  draw(&last, 1, 999, 0, 0);
  driver_memory_t *m = remember(&last);
  for (uint32_t kind = 0; kind < 12; kind++) {
    scene_t next = scene_make(1, 2);
    frame_cmd_t *c = draw(&next, 0, 1, 0, 0);
    frame_state_t *t = &c->state;
    t->color_mask = 15;
    uint8_t *fields[] = {
        &t->depth_test,   &t->depth_write,  &t->depth_func,        &t->blend,
        &t->alpha_test,   &t->stencil_test, &t->stages[0].combine, &t->stages[0].wrap_s,
        &t->stages[0].mip};
    if (kind < 9) {
      *fields[kind] ^= 1;
    } else if (kind == 9) {
      c->fragment_length++;
    } else if (kind == 10) {
      t->color_target = 1;
    }
    ask(m, &next);
    assert_int_equal(next.hints[0].weight, kind == 11 ? 1000 : 1);
  }
  driver_memory_destroy(m);
}

// ---- In the machine

// The results of a run.
typedef struct {
  harness_t *harness;
  draw_scheduler_t draws;
  uint64_t cycles, scheduled, processed;
  uint32_t by_all, assigned;  // pieces of draws of opaque composed groups
  uint32_t cuts, scouted, scouts_by_all;
  uint64_t projected;           // triangles of scouted draws
  uint64_t weights, triangles;  // of those assigned
  uint64_t pixels;              // covered in these groups, on all GPUs
} run_t;

static bool make_draws(void *self, const draw_scheduler_params_t *p, draw_scheduler_t *engine,
                       err_t *err) {
  run_t *r = self;
  bool ok = harness_draw_scheduler(r->harness, p, &r->draws, err);
  *engine = r->draws;
  return ok;
}

static bool make_composer(void *self, const composition_scheduler_params_t *p,
                          composition_scheduler_t *engine, err_t *err) {
  return harness_composition_scheduler(((run_t *)self)->harness, p, engine, err);
}

static bool make_lookahead(void *self, const lookahead_scheduler_params_t *p,
                           lookahead_scheduler_t *engine, err_t *err) {
  return harness_lookahead_scheduler(((run_t *)self)->harness, p, engine, err);
}

static bool make_distributor(void *self, const pixel_distributor_params_t *p, uint32_t instance,
                             pixel_distributor_t *engine, err_t *err) {
  return harness_pixel_distributor_at(((run_t *)self)->harness, p, instance, engine, err);
}

// A piece by all is drawn by each GPU, every other by one, and all of it once.
static void check_draw(machine_t *m, uint32_t command, run_t *r) {
  const pieces_t *pieces = machine_pieces(m);
  uint32_t gpus = machine_gpu_count(m);
  for (uint32_t k = pieces->starts[command]; k < pieces->starts[command + 1]; k++) {
    const piece_t *piece = &pieces->pieces[k];
    uint32_t drawn = 0, drawers = 0;
    for (uint32_t g = 0; g < gpus; g++) {
      const gpu_draw_cost_t *c = &gpu_draw_costs(machine_gpu(m, g))[k];
      drawn += c->triangles;
      drawers += c->triangles > 0;
      r->pixels += c->fragments;
    }
    assert_int_equal(drawn, piece->count * (piece->by_all ? gpus : 1));
    assert_true(drawers <= (piece->by_all ? gpus : 1));
    r->by_all += piece->by_all;
    r->assigned += !piece->by_all;
    r->weights += piece->weight;
    r->triangles += piece->by_all ? 0 : piece->count;
  }
}

// A frame with the memory of the one before; its picture is the single GPU's.
static run_t run(const machine_params_t *p, const frame_t *f, driver_memory_t *memory) {
  run_t r = {0};
  harness_options_t options = {.engine = EngineGolden, .seed = 1};
  r.harness = harness_create(&options);
  machine_units_t units = {.context = &r,
                           .draw_scheduler = make_draws,
                           .composition_scheduler = make_composer,
                           .lookahead_scheduler = make_lookahead,
                           .pixel_distributor = make_distributor,
                           .cube = {r.harness, harness_offload_unit_at, harness_atfim_at},
                           .merge = pixel_merge_all};
  checked_run_t checked = checked_run(p, f, memory, &units);
  machine_t *m = checked.machine;
  schedule_assignment_t assignment;
  assert_true(schedule_assignment(m, &assignment));
  r.cycles = machine_stats(m)->cycles;
  draw_scheduler_state_t table;
  r.draws.observe(r.draws.self, &table);
  for (uint32_t g = 0; g < p->gpus; g++) {
    r.scheduled += table.scheduled[g];
    r.processed += table.processed[g];
  }
  const plan_t *plan = machine_plan(m);
  for (uint32_t i = 0; i < plan->item_count; i++) {
    const plan_item_t *it = &plan->items[i];
    if (it->kind == PlanItemDraw && plan->groups[it->group].kind == DrawSchedulerGroupOpaque) {
      check_draw(m, it->command, &r);
    }
  }
  r.cuts = (uint32_t)machine_pieces(m)->cuts;
  r.scouted = (uint32_t)machine_pieces(m)->scouted;
  r.scouts_by_all = (uint32_t)machine_pieces(m)->scouted_by_all;
  for (uint32_t g = 0; g < p->gpus; g++) {
    r.projected += gpu_stats(machine_gpu(m, g))->projected;
  }
  assert_true(machine_remember(m, memory));
  checked_run_free(&checked);
  harness_destroy(r.harness);
  return r;
}

static machine_params_t defaults(void) {
  static machine_params_t p;
  err_auto_t err = {0};
  config_t *config = config_create();
  assert_true(config && machine_config_add(config, &p, &err));
  config_destroy(config);
  p.gpus = 4;
  p.threshold = 20;
  return p;
}

// With the options off a frame takes what it takes without a memory, and the memory holds what the
// GPUs counted, draw by draw: all draws are by all once nothing is asked for it.
TEST(test_same_frame_twice) {
  err_auto_t err = {0};
  frame_t *f = frame_generate("gen:test-2", 1, &err);
  assert_non_null(f);
  machine_params_t p = defaults();
  driver_memory_t *memory = driver_memory_make();
  driver_hint_t *hints = calloc(f->command_count, sizeof *hints);
  uint64_t first = run(&p, f, memory).cycles;
  assert_int_equal(run(&p, f, memory).cycles, first);
  const driver_hint_params_t none = {0}, covered = {.pixels = 1};
  uint32_t draws = 0, seen = 0, heavy = 0;
  assert_true(driver_memory_hints(memory, f, &none, hints));
  for (uint32_t i = 0; i < f->command_count; i++) {
    draws += f->commands[i].kind == FrameCmdDraw;
    seen += f->commands[i].kind == FrameCmdDraw && hints[i].by_all;
  }
  assert_true(draws > 0);
  assert_int_equal(seen, draws);
  assert_true(driver_memory_hints(memory, f, &covered, hints));
  for (uint32_t i = 0; i < f->command_count; i++) {
    bool drawn = f->commands[i].kind == FrameCmdDraw;
    assert_true(!drawn || f->commands[i].triangle_count > 0 || !hints[i].by_all);
    heavy += drawn && hints[i].by_all && hints[i].weight > 1;
  }
  assert_true(heavy > 0);
  free(hints);
  driver_memory_destroy(memory);
  frame_free(f);
}

// Every scheme that composes, on a few numbers of GPUs; the first frame has nothing to go by.
TEST(test_by_all_in_machine) {
  err_auto_t err = {0};
  static const uint32_t schemes[] = {MachineChopin, MachineChopinRoundRobin, MachineChopinDirect,
                                     MachineChopinIdeal};
  static const char *const names[] = {"gen:test-2", "gen:test-3", "gen:test-4", "gen:test-2"};
  uint32_t by_all = 0, assigned = 0;
  for (uint32_t k = 0; k < 4; k++) {
    frame_t *f = frame_generate(names[k], 1, &err);
    driver_memory_t *memory = driver_memory_make();
    machine_params_t p = defaults();
    p.scheme = schemes[k];
    p.gpus = 2 + 2 * k;
    p.by_all = true;
    p.hints = (driver_hint_params_t){.pixels = 100, .pixels_a_triangle = 10};
    run_t first = run(&p, f, memory);
    assert_int_equal(first.by_all, 0);
    for (uint32_t again = 0; again < 2; again++) {
      run_t r = run(&p, f, memory);
      // No pixel is drawn twice: each GPU has its own tiles.
      assert_int_equal(r.pixels, first.pixels);
      assert_int_equal(r.scheduled, r.triangles);
      assert_int_equal(r.processed, r.triangles);
      by_all += r.by_all;
      assigned += r.assigned;
    }
    driver_memory_destroy(memory);
    frame_free(f);
  }
  assert_true(by_all > 0 && assigned > 0);
}

// Pieces are each drawn once, and nothing of the draw twice; scouts find draws by all in the first
// frame already. Alone and together.
TEST(test_pieces_in_machine) {
  err_auto_t err = {0};
  frame_t *f = frame_generate("gen:test-4", 1, &err);
  assert_non_null(f);
  run_t plain = {0};
  for (uint32_t kind = 0; kind < 8; kind++) {
    driver_memory_t *memory = driver_memory_make();
    machine_params_t p = defaults();
    p.by_all = true;
    p.weights = kind & 4;
    p.split = kind & 1 ? 125 : 0;
    p.split_min = 2;
    p.eligible = kind & 1;
    p.opaque_ahead = 3;
    p.scout_triangles = kind & 2 ? 64 : 0;
    p.hints = (driver_hint_params_t){.pixels = 1000, .pixels_a_triangle = 10};
    for (uint32_t again = 0; again < 2; again++) {
      run_t r = run(&p, f, memory);
      plain = kind + again ? plain : r;
      assert_int_equal(r.pixels, plain.pixels);
      assert_int_equal(r.scheduled, p.weights && again ? r.weights : r.triangles);
      assert_int_equal(r.processed, r.scheduled);
      assert_int_equal(r.cuts > 0, kind & 1);
      assert_int_equal(r.scouted > 0, !!(kind & 2));
      assert_int_equal(r.scouts_by_all > 0, !!(kind & 2));
      assert_int_equal(r.projected > 0, !!(kind & 2));
    }
    driver_memory_destroy(memory);
  }
  frame_free(f);
}

// The table counts triangles in the first frame, weights from then on, and comes out even; alone,
// and beside draws by all.
TEST(test_weights_in_machine) {
  err_auto_t err = {0};
  frame_t *f = frame_generate("gen:test-2", 1, &err);
  for (uint32_t by_all = 0; by_all < 2; by_all++) {
    driver_memory_t *memory = driver_memory_make();
    machine_params_t p = defaults();
    p.weights = true;
    p.by_all = by_all;
    p.hints = (driver_hint_params_t){.pixels = 1000, .pixels_a_triangle = 10};
    run_t r = run(&p, f, memory);
    assert_int_equal(r.scheduled, r.triangles);
    assert_int_equal(r.processed, r.triangles);
    for (uint32_t again = 0; again < 2; again++) {
      r = run(&p, f, memory);
      assert_true(r.weights > r.assigned && r.weights != r.triangles);
      assert_int_equal(r.scheduled, r.weights);
      assert_int_equal(r.processed, r.weights);
      assert_int_equal(r.by_all > 0, by_all);
    }
    driver_memory_destroy(memory);
    frame_free(f);
    f = frame_generate("gen:test-2", 1, &err);
  }
  frame_free(f);
}

// Weights above what a message holds come in parts.
TEST(test_heavy_in_machine) {
  err_auto_t err = {0};
  frame_t *f = frame_generate("gen:test-2", 1, &err);
  driver_counters_t *counters = calloc(f->command_count, sizeof *counters);
  driver_memory_t *memory = driver_memory_make();
  for (uint32_t i = 0; i < f->command_count; i++) {
    counters[i].cycles = i % 2 ? UINT32_MAX : 1500 * DriverWeightCycles;
  }
  assert_true(driver_memory_learn(memory, f, counters));
  machine_params_t p = defaults();
  p.weights = true;
  run_t r = run(&p, f, memory);
  assert_true(r.weights >= 1500 * r.assigned && r.assigned > 0);
  assert_int_equal(r.scheduled, r.weights);
  assert_int_equal(r.processed, r.weights);
  driver_memory_destroy(memory);
  free(counters);
  frame_free(f);
}

int main(void) { return run_all_tests(NULL, NULL); }
