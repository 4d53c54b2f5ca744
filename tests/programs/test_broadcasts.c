// SPDX-License-Identifier: Apache-2.0
// Broadcasts at target switches that leave out what need not be sent (docs/model/driver.md, "Target
// switches"), on frames made so that each rule decides.
#include "scene.h"

enum { Commands = 5, Near = 1000, Far = 2000 };

typedef struct {
  scene_t *scene;
  frame_surface_t targets[3], depth;
  frame_cmd_t commands[Commands];
  frame_vertex_t vertices[3 * Commands];
  frame_triangle_t triangles[Commands];
} film_t;

// A frame of 128x128 pixels, four tiles, whose owners are GPU 0, 1, 0 and 1; target 2 is half as
// wide, and its second tile GPU 1's.
static film_t *film_create(void) {
  film_t *f = calloc(1, sizeof *f);
  assert_non_null(f);
  f->scene = scene_create();
  f->targets[0] = f->targets[1] = f->depth = (frame_surface_t){128, 128};
  f->targets[2] = (frame_surface_t){64, 128};
  f->scene->frame = (frame_t){.width = 128,
                              .height = 128,
                              .target_count = 3,
                              .depth_count = 1,
                              .targets = f->targets,
                              .depths = &f->depth,
                              .commands = f->commands,
                              .vertices = f->vertices,
                              .triangles = f->triangles};
  return f;
}

static void film_destroy(film_t *f) {
  scene_destroy(f->scene);
  free(f);
}

// Adds a draw of one right triangle with legs of `side` pixels at (x, y).
static void draw(film_t *f, uint16_t target, int x, int y, int side, uint32_t z) {
  frame_t *frame = &f->scene->frame;
  uint32_t i = frame->command_count++;
  const int corner[3][2] = {{x, y}, {x + side, y}, {x, y + side}};
  for (uint32_t k = 0; k < 3; k++) {
    f->vertices[3 * i + k] = (frame_vertex_t){.x = corner[k][0] * FrameSubpixel,
                                              .y = corner[k][1] * FrameSubpixel,
                                              .z = z,
                                              .inv_w = 1,
                                              .rgba = 0xff0000ff + (i << 12)};
    f->triangles[i].v[k] = 3 * i + k;
  }
  frame->vertex_count += 3;
  frame->triangle_count++;
  f->commands[i] = f->scene->commands[0];
  f->commands[i].first_triangle = i;
  f->commands[i].triangle_count = f->commands[i].triangles_in = 1;
  f->commands[i].state.color_target = target;
  f->commands[i].state.scissor = f->commands[i].state.viewport =
      (frame_rect_t){0, 0, (int32_t)f->targets[target].width, 128};
}

// Runs the frame; its pictures are right.
static machine_t *show(film_t *f, const machine_params_t *p) {
  err_auto_t err = {0};
  machine_units_t units = scene_units(f->scene);
  machine_t *m = machine_create(p, &f->scene->frame, NULL, &units, &err);
  if (!m) {
    fail_msg("%s", err_text(&err));
  }
  check_t *c = check_create(&f->scene->frame, machine_plan(m), Gpus,
                            (shade_sampling_t){.filter = ShadeIsotropic}, false);
  assert_non_null(c);
  if (machine_run(m, NULL, NULL) != MachineDone) {
    fail_msg("%s", machine_report(m));
  }
  check_result_t r;
  check_finish(c, m, &r);
  assert_int_equal(r.violations + r.target_violations, 0);
  check_destroy(c);
  return m;
}

static bool same_on_all(machine_t *m, uint16_t target) {
  const surface_t *a = gpu_target(machine_gpu(m, 0), target);
  const surface_t *b = gpu_target(machine_gpu(m, 1), target);
  gpu_settle(machine_gpu(m, 0));
  gpu_settle(machine_gpu(m, 1));
  size_t pixels = (size_t)a->tiles_x * a->tiles_y * SurfaceTilePixels;
  return memcmp(a->color, b->color, pixels * sizeof *a->color) == 0;
}

// GPU 0 draws its own tile near. In another target GPU 1, which does not know, draws there behind
// it: what it sends loses, but has spoilt GPU 1's own copy. Nobody else writes there.
TEST(test_sent_and_lost) {
  for (uint32_t kind = 0; kind < 8; kind++) {
    film_t *f = film_create();
    draw(f, 0, 2, 2, 40, Near);
    draw(f, 0, 70, 2, 4, Near);
    draw(f, 1, 70, 2, 4, Near);
    draw(f, 1, 2, 2, 30, Far);
    draw(f, 0, 70, 70, 4, Near);
    machine_params_t p = defaults(MachineChopin);
    p.sync_needed = kind & 1;
    p.sync_blocks = kind & 2;
    p.ideal = kind & 4 ? MachineIdealTrue : MachineIdealOfScheme;
    p.ideal_merge = MachineMergeNone;
    machine_t *m = show(f, &p);
    assert_int_equal(gpu_draw_costs(machine_gpu(m, 0))[0].triangles, 1);
    assert_int_equal(gpu_draw_costs(machine_gpu(m, 1))[3].triangles, 1);
    assert_int_equal(machine_plan(m)->depths_left, kind & 1 ? 2 : 0);
    assert_int_equal(machine_stats(m)->sync.syncs, 2);
    const gpu_stats_t *stats = gpu_stats(machine_gpu(m, 1));
    assert_true((stats->fragments_written > 400) == (kind & 1));  // passed the stale depth
    assert_true(same_on_all(m, 0) && same_on_all(m, 1));
    machine_destroy(m);
    film_destroy(f);
  }
}

// Blocks that were written are sent, with 8 bytes a tile, and no others.
TEST(test_blocks) {
  for (uint32_t blocks = 0; blocks <= 1; blocks++) {
    film_t *f = film_create();
    draw(f, 0, 2, 2, 4, Near);    // a block of tile 0
    draw(f, 0, 70, 70, 8, Near);  // and four of tile 3
    draw(f, 1, 70, 70, 8, Near);
    machine_params_t p = defaults(MachineDuplication);
    p.sync_blocks = blocks;
    machine_t *m = show(f, &p);
    const sync_stats_t *s = &machine_stats(m)->sync;
    uint32_t surfaces = 2, sent = 5, tiles = 2;
    assert_int_equal(s->blocks, blocks ? surfaces * sent : 0);
    assert_int_equal(s->blocks_left, blocks ? surfaces * (64 * tiles - sent) : 0);
    assert_int_equal(s->bytes, surfaces * (blocks ? sent * 256 + tiles * 8 : tiles * 64 * 256));
    machine_destroy(m);
    film_destroy(f);
  }
}

// Depth that was not broadcast is, before it is drawn by another map: the lower tile was GPU 0's,
// and is GPU 1's, which else would not know what is in front.
TEST(test_another_map) {
  for (uint32_t kind = 0; kind < 4; kind++) {
    film_t *f = film_create();
    draw(f, 0, 2, 66, 40, Near);
    draw(f, 2, 2, 66, 20, Far);
    draw(f, 2, 2, 2, 20, Near);
    machine_params_t p = defaults(MachineChopin);
    p.sync_needed = true;
    p.sync_blocks = kind & 1;
    p.threshold = kind & 2 ? 100 : 0;
    machine_t *m = show(f, &p);
    assert_int_equal(machine_owner(m, 0, 2, 66), 0);
    assert_int_equal(machine_owner(m, 2, 2, 66), 1);
    assert_int_equal(machine_plan(m)->depths_left, 1);
    assert_int_equal(machine_plan(m)->depths_late, 1);
    assert_int_equal(machine_stats(m)->sync.syncs, 2);
    machine_destroy(m);
    film_destroy(f);
  }
}

// Depth that is drawn without a target is sampled, and so is sent at once.
TEST(test_sampled) {
  film_t *f = film_create();
  draw(f, 0, 2, 66, 40, Near);
  draw(f, 2, 2, 66, 20, Far);
  draw(f, 0, 2, 66, 20, Far);
  f->commands[2].state.color_target = FrameNone;
  f->commands[2].state.color_mask = 0;
  machine_params_t p = defaults(MachineChopin);
  p.sync_needed = true;
  machine_t *m = show(f, &p);
  assert_int_equal(machine_plan(m)->depths_left, 0);
  assert_int_equal(machine_plan(m)->depths_late, 0);
  machine_destroy(m);
  film_destroy(f);
}

// The use that the frame records counts more than how the depth buffer is drawn.
TEST(test_recorded) {
  for (uint8_t use = FrameDepthTested; use <= FrameDepthSampled; use++) {
    for (uint32_t alone = 0; alone <= 1; alone++) {
      film_t *f = film_create();
      f->scene->frame.depth_uses = &use;
      draw(f, 0, 2, 66, 40, Near);
      draw(f, 2, 2, 66, 20, Far);
      draw(f, 0, 2, 66, 20, Far);
      if (alone) {
        f->commands[2].state.color_target = FrameNone;
        f->commands[2].state.color_mask = 0;
      }
      machine_params_t p = defaults(MachineChopin);
      p.sync_needed = true;
      machine_t *m = show(f, &p);
      assert_int_equal(machine_plan(m)->depths_left, use == FrameDepthTested ? 2 : 0);
      assert_int_equal(machine_plan(m)->depths_late, use == FrameDepthTested ? 2 : 0);
      machine_destroy(m);
      film_destroy(f);
    }
  }
}

int main(void) { return run_all_tests(NULL, NULL); }
