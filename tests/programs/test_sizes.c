// SPDX-License-Identifier: Apache-2.0
// Targets and depth buffers of different sizes, in every scheme: the smaller one rules, and the
// picture is that of a render pixel by pixel (pixel_render.h).
#include <stdio.h>

#include "csim/base/config.h"
#include "csim/frame/generate_frame.h"
#include "csim/machine/check.h"
#include "csim/machine/machine.h"
#include "csim/machine/machine_config.h"
#include "csim/units/pixel_distributor/golden.h"
#include "pixel_render.h"
#include "tb/harness/rendering.h"
#include "tests/programs/checked_run.h"
#include "tests/programs/test.h"

enum { Frames = 3, Shapes = 6 };

// The differences between surfaces, in pixels: wider than a tile and than the
// other one's last tile, narrower, taller, lower, both.
static const struct {
  int32_t width, height;
} Shape[Shapes] = {{130, 0}, {-60, 0}, {0, 100}, {0, -70}, {77, -40}, {-30, 64}};

static int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }

// A generated frame whose depth buffers, or targets, have another shape; scissors inside both.
static frame_t *make_frame(uint32_t seed, uint32_t shape, bool targets) {
  err_auto_t err = {0};
  frame_t *f = frame_generate("gen:test-1", seed, &err);
  assert_non_null(f);
  frame_surface_t *surfaces = targets ? f->targets : f->depths;
  for (uint32_t i = 0; i < (targets ? f->target_count : f->depth_count); i++) {
    int32_t w = (int32_t)surfaces[i].width + Shape[shape].width;
    int32_t h = (int32_t)surfaces[i].height + Shape[shape].height;
    surfaces[i] = (frame_surface_t){(uint32_t)(w > 1 ? w : 1), (uint32_t)(h > 1 ? h : 1)};
  }
  f->width = f->targets[0].width;
  f->height = f->targets[0].height;
  for (uint32_t i = 0; i < f->command_count; i++) {
    frame_state_t *s = &f->commands[i].state;
    for (uint32_t k = 0; k < 2; k++) {
      uint16_t n = k ? s->depth_buffer : s->color_target;
      if (n != FrameNone) {
        const frame_surface_t *size = k ? &f->depths[n] : &f->targets[n];
        s->scissor.x1 = least(s->scissor.x1, (int32_t)size->width);
        s->scissor.y1 = least(s->scissor.y1, (int32_t)size->height);
      }
    }
    s->scissor.x0 = least(s->scissor.x0, s->scissor.x1);
    s->scissor.y0 = least(s->scissor.y0, s->scissor.y1);
  }
  assert_true(frame_check(f, &err));
  return f;
}

static uint32_t pixel_of(machine_t *m, uint16_t target, uint32_t x, uint32_t y, bool *tied) {
  const surface_t *s = gpu_target(machine_gpu(m, machine_owner(m, target, x, y)), target);
  uint32_t at = surface_index(s->tiles_x, x, y);
  surface_touch(s, at / SurfaceTilePixels);
  *tied = s->tied[at];
  return s->color[at];
}

// Composed transparent groups round otherwise, within a bound that the check knows.
static void compare(machine_t *m, const frame_t *f, const pixel_surfaces_t *want, bool exact) {
  for (uint16_t i = 0; i < f->target_count; i++) {
    for (uint32_t y = 0; y < f->targets[i].height; y++) {
      for (uint32_t x = 0; x < f->targets[i].width; x++) {
        bool tied;
        uint32_t got = pixel_of(m, i, x, y, &tied);
        uint32_t pixel = want->color[i][(size_t)y * f->targets[i].width + x];
        if (exact && !tied && got != pixel) {
          fail_msg("target %u, pixel %u,%u is %08x, pixel by pixel it is %08x", i, x, y, got,
                   pixel);
        }
      }
    }
  }
}

// Returns true if anything was composed.
static bool run(const machine_params_t *p, const frame_t *f, const pixel_surfaces_t *want) {
  harness_options_t options = {.engine = EngineGolden, .seed = 1};
  harness_t *h = harness_create(&options);
  machine_units_t units = rendering_units(h);
  checked_run_t checked = checked_run(p, f, NULL, &units);
  machine_t *m = checked.machine;
  // The reference, which the check compares with, is the independent one's.
  for (uint32_t i = 0; i < f->width * f->height; i++) {
    assert_int_equal(checked.result.reference[i], want->color[0][i]);
  }
  bool composed = machine_plan(m)->composed_count > 0;
  compare(m, f, want, !composed);
  checked_run_free(&checked);
  harness_destroy(h);
  return composed;
}

static machine_params_t defaults(void) {
  static machine_params_t p;
  err_auto_t err = {0};
  config_t *config = config_create();
  assert_true(config && machine_config_add(config, &p, &err));
  config_destroy(config);
  return p;
}

// Stencils written beside one target, read beside another of which other GPUs own the tiles. The
// clear of the depth alone between them leaves the stencils to be broadcast.
TEST(test_stencil_moves) {
  frame_surface_t targets[] = {{256, 128}, {128, 128}}, depth = {256, 128};
  frame_vertex_t v[3] = {{.inv_w = 1}, {.x = 300 * 256, .inv_w = 1}, {.y = 300 * 256, .inv_w = 1}};
  frame_triangle_t triangles[2] = {{.v = {0, 1, 2}}, {.v = {0, 1, 2}}};
  frame_cmd_t c[3] = {{0}};
  for (uint32_t i = 0; i < 3; i++) {
    frame_state_t *s = &c[i].state;
    v[i].rgba = 0xffffffff;
    s->color_target = i < 2;
    s->color_mask = 15;
    s->color = 0xff8040ff;
    s->scissor = s->viewport = (frame_rect_t){0, 0, 128, 128};
    s->stages[0].texture = s->stages[1].texture = FrameNone;
    s->stencil_test = 1;
    s->stencil[0] = s->stencil[1] = (frame_stencil_t){.func = i ? FrameFuncEqual : FrameFuncAlways,
                                                      .ref = 1,
                                                      .read_mask = 255,
                                                      .write_mask = 255,
                                                      .pass = FrameStencilReplace};
    c[i].triangles_in = c[i].triangle_count = 1;
    c[i].first_triangle = i > 0;
    c[i].indices = c[i].vertices_in = 3;
  }
  c[1].kind = FrameCmdClear;
  c[1].triangle_count = c[1].triangles_in = 0;
  c[1].clear_depth = 1;
  frame_t f = {.name = (char[]){"stencils"},
               .width = 256,
               .height = 128,
               .target_count = 2,
               .depth_count = 1,
               .targets = targets,
               .depths = &depth,
               .command_count = 3,
               .commands = c,
               .vertex_count = 3,
               .vertices = v,
               .triangle_count = 2,
               .triangles = triangles};
  err_auto_t err = {0};
  if (!frame_check(&f, &err)) {
    fail_msg("%s", err_text(&err));
  }
  pixel_surfaces_t want;
  assert_true(pixel_surfaces_make(&f, &want));
  pixel_render(&f, &want);
  assert_true(want.color[0][127 * 256 + 127] != 0);
  machine_params_t p = defaults();
  for (uint32_t scheme = 0; scheme < MachineSchemeCount; scheme++) {
    p.scheme = scheme;
    p.gpus = 3;
    run(&p, &f, &want);
  }
  pixel_surfaces_free(&f, &want);
}

// A surface of 32 x 32 tiles with few triangles: its first and last pixels, and all tiles of one
// large triangle.
TEST(test_large) {
  enum { Side = 2048, Draws = 6, Corner = 40 };
  static const int32_t places[Draws][2] = {
      {0, 0}, {Side - Corner, 0}, {0, Side - Corner}, {Side - Corner, Side - Corner}, {1000, 1020},
      {0, 0}};
  frame_surface_t target = {Side, Side}, depth = {Side, Side};
  frame_vertex_t v[3 * Draws] = {{0}};
  frame_triangle_t triangles[Draws];
  frame_cmd_t c[Draws] = {{0}};
  for (uint32_t i = 0; i < Draws; i++) {
    const int32_t x = places[i][0] * 256, y = places[i][1] * 256;
    const int32_t size = (i + 1 < Draws ? 2 * Corner : 2 * Side) * 256;
    for (uint32_t k = 0; k < 3; k++) {
      v[3 * i + k] = (frame_vertex_t){.x = k == 1 ? x + size : x,
                                      .y = k == 2 ? y + size : y,
                                      .z = (i + 1) << 16,
                                      .inv_w = 1,
                                      .rgba = 0xff000000 | 0x102030 * (i + 1)};
    }
    triangles[i] = (frame_triangle_t){.v = {3 * i, 3 * i + 1, 3 * i + 2}};
    frame_state_t *s = &c[i].state;
    s->color_mask = 15;
    s->color = 0xffffffff;
    s->depth_func = FrameFuncLess;
    s->depth_write = 1;
    s->depth_test = 1;
    s->scissor = s->viewport = (frame_rect_t){0, 0, Side, Side};
    s->stages[0].texture = s->stages[1].texture = FrameNone;
    c[i].triangles_in = c[i].triangle_count = 1;
    c[i].first_triangle = i;
    c[i].indices = c[i].vertices_in = 3;
  }
  frame_t f = {.name = (char[]){"large"},
               .width = Side,
               .height = Side,
               .target_count = 1,
               .depth_count = 1,
               .targets = &target,
               .depths = &depth,
               .command_count = Draws,
               .commands = c,
               .vertex_count = 3 * Draws,
               .vertices = v,
               .triangle_count = Draws,
               .triangles = triangles};
  err_auto_t err = {0};
  if (!frame_check(&f, &err)) {
    fail_msg("%s", err_text(&err));
  }
  pixel_surfaces_t want;
  assert_true(pixel_surfaces_make(&f, &want));
  pixel_render(&f, &want);
  assert_true(want.color[0][Side * Side - 1] != 0);
  machine_params_t p = defaults();
  p.gpus = 3;
  p.threshold = 2;
  assert_true(run(&p, &f, &want));
  pixel_surfaces_free(&f, &want);
}

TEST(test_sizes) {
  machine_params_t p = defaults();
  uint32_t composed = 0;
  for (uint32_t n = 0; n < 2 * Frames * Shapes; n++) {
    frame_t *f = make_frame(1 + n / (2 * Shapes), n / 2 % Shapes, n % 2);
    pixel_surfaces_t want;
    assert_true(pixel_surfaces_make(f, &want));
    pixel_render(f, &want);
    for (uint32_t scheme = 0; scheme < MachineSchemeCount; scheme++) {
      p.scheme = scheme;
      p.gpus = 2 + (n + scheme) % 5;
      p.threshold = 20;
      p.depth_broadcast = n / 2 % 2;
      p.map_mode = n % 4;
      composed += run(&p, f, &want);
    }
    pixel_surfaces_free(f, &want);
    frame_free(f);
  }
  assert_true(composed > Frames * Shapes);
}

int main(void) { return run_all_tests(NULL, NULL); }
