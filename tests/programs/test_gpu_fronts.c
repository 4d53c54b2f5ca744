// SPDX-License-Identifier: Apache-2.0
// Fronts of clusters (gpu.front cluster): what the primitive distributor hands out, what setup
// costs, that a cluster that is behind stops no other, and pictures of odd cases, with and without
// tile coalescers.
#include "csim/gpu/gpu.h"
#include "csim/gpu/render.h"
#include "tests/programs/golden_units.h"
#include "tests/programs/test.h"

enum { Width = 96, Height = 64, WideWidth = 200, WideHeight = 100, MaxDraws = 12, MaxAll = 700 };

typedef struct {
  frame_surface_t surfaces[2];  // the picture, and one that is wider
  frame_cmd_t commands[MaxDraws];
  frame_vertex_t vertices[3 * MaxAll];
  frame_triangle_t triangles[MaxAll];
  frame_t frame;
} scene_t;

static scene_t *scene_create(void) {
  scene_t *s = calloc(1, sizeof *s);
  assert_non_null(s);
  s->surfaces[0] = (frame_surface_t){Width, Height};
  s->surfaces[1] = (frame_surface_t){WideWidth, WideHeight};
  s->frame = (frame_t){.width = Width,
                       .height = Height,
                       .target_count = 2,
                       .depth_count = 2,
                       .targets = s->surfaces,
                       .depths = s->surfaces,
                       .commands = s->commands,
                       .vertices = s->vertices,
                       .triangles = s->triangles};
  return s;
}

// Begins a draw, or a clear, of a surface.
static frame_cmd_t *command(scene_t *s, frame_cmd_e kind, uint16_t surface) {
  frame_cmd_t *c = &s->commands[s->frame.command_count++];
  assert_true(s->frame.command_count <= MaxDraws);
  const frame_surface_t *f = &s->surfaces[surface];
  const frame_rect_t whole = {0, 0, (int32_t)f->width, (int32_t)f->height};
  *c = (frame_cmd_t){.kind = kind,
                     .vertex_length = 1,
                     .fragment_length = 20,
                     .first_triangle = s->frame.triangle_count,
                     .clear_color = 1,
                     .clear_depth = 1,
                     .clear_rgba = 0x11223344,
                     .clear_z = FrameMaxDepth,
                     .state = {.color_target = surface,
                               .depth_buffer = surface,
                               .depth_test = 1,
                               .depth_write = 1,
                               .depth_func = FrameFuncLess,
                               .color_mask = 15,
                               .color = 0xffffffff,
                               .scissor = whole,
                               .viewport = whole,
                               .stages = {{.texture = FrameNone}, {.texture = FrameNone}}}};
  return c;
}

// Adds a right triangle to the last draw; its legs are of this many pixels.
static void triangle(scene_t *s, int32_t x, int32_t y, int32_t legs, uint32_t z) {
  frame_cmd_t *c = &s->commands[s->frame.command_count - 1];
  const uint32_t n = s->frame.triangle_count++;
  const int32_t at[3][2] = {{x, y}, {x + legs, y}, {x, y + legs}};
  assert_true(n < MaxAll);
  for (uint32_t k = 0; k < 3; k++) {
    s->vertices[3 * n + k] = (frame_vertex_t){.x = at[k][0] * FrameSubpixel,
                                              .y = at[k][1] * FrameSubpixel,
                                              .z = z,
                                              .inv_w = 1,
                                              .rgba = 0x01030509 * (n + 40)};
    s->triangles[n].v[k] = 3 * n + k;
  }
  s->triangles[n].ordinal = c->triangle_count++;
  c->triangles_in = c->triangle_count;
  c->indices = c->vertices_in = 3 * c->triangle_count;
  s->frame.vertex_count += 3;
}

static gpu_params_t params(uint32_t clusters, gpu_front_e front) {
  gpu_params_t p;
  err_auto_t err = {0};
  assert_true(gpu_params_default(&p, &err));
  p.shader = GpuShaderWarp;
  p.dispatch = GpuDispatchWorkTile;
  p.sms = clusters;
  p.front = front;
  p.queue = 2 * MaxDraws;
  return p;
}

typedef struct {
  golden_units_t golden;
  gpu_t *gpu;
  uint64_t end;
} run_t;

static void run(run_t *r, const scene_t *s, const gpu_params_t *p) {
  const gpu_units_t units = golden_units(&r->golden);
  r->gpu = gpu_create(p, &s->frame, 0, &(gpu_texturing_t){0}, &units, NULL);
  assert_non_null(r->gpu);
  for (uint32_t i = 0; i < s->frame.command_count; i++) {
    const frame_cmd_t *c = &s->commands[i];
    const gpu_command_t push = {.kind = c->kind == FrameCmdDraw ? GpuCommandDraw : GpuCommandClear,
                                .command = i,
                                .count = c->triangles_in,
                                .cost = i};
    assert_true(gpu_push(r->gpu, &push));
  }
  for (uint64_t now = 0; now != GPU_NEVER; now = gpu_advance(r->gpu, now)) {
    r->end = now;
  }
  assert_true(gpu_idle(r->gpu));
  assert_null(gpu_fault(r->gpu)->unit);
}

static void end(run_t *r) {
  gpu_destroy(r->gpu);
  golden_units_free(&r->golden);
}

// Three clusters, work tiles of a block: 12 in a row, so that cluster = column modulo 3.
TEST(what_masks_say) {
  scene_t *s = scene_create();
  command(s, FrameCmdDraw, 0);
  triangle(s, 1, 1, 5, 5);       // block (0, 0): cluster 0
  triangle(s, 9, 9, 12, 5);      // columns 1 and 2, two rows: clusters 1 and 2
  triangle(s, 0, 0, 64, 5);      // all
  triangle(s, 40, 40, 0, 5);     // nothing
  command(s, FrameCmdClear, 0);  // a batch of its own
  command(s, FrameCmdDraw, 0);
  triangle(s, 8, 0, 8, 5);  // cluster 1
  gpu_params_t p = params(3, GpuFrontCluster);
  run_t r;
  run(&r, s, &p);
  const gpu_vpo_stats_t *v = &gpu_stats(r.gpu)->vpo;
  assert_int_equal(v->primitives, 4 + 1 + 1);
  assert_int_equal(v->masks, 3 * 3);
  assert_int_equal(v->bits, 1 + 2 + 3 + 1);
  assert_int_equal(v->rows, 1 + 2 + 3 + 1);
  assert_int_equal(gpu_stats(r.gpu)->triangles_rastered, 5);
  end(&r);
  free(s);
}

// One triangle: setup adds its latency, no more; a second one is set up beside it.
TEST(setup_is_a_pipeline) {
  uint64_t ends[2][2];
  for (uint32_t two = 0; two < 2; two++) {
    for (uint32_t slow = 0; slow < 2; slow++) {
      scene_t *s = scene_create();
      command(s, FrameCmdDraw, 0);
      triangle(s, 1, 1, 5, 5);
      if (two) {
        triangle(s, 25, 1, 5, 5);
      }
      gpu_params_t p = params(3, GpuFrontCluster);
      p.setup_latency = slow ? 100 : 0;
      run_t r;
      run(&r, s, &p);
      ends[two][slow] = r.end;
      end(&r);
      free(s);
    }
    assert_int_equal(ends[two][1], ends[two][0] + 100);
  }
}

// A cluster with much work, before the others' in the draw: with one front they wait behind it.
TEST(others_go_on) {
  uint64_t ends[2];
  for (uint32_t front = GpuFrontShared; front <= GpuFrontCluster; front++) {
    scene_t *s = scene_create();
    command(s, FrameCmdDraw, 0)->fragment_length = 200;
    for (uint32_t i = 0; i < 300; i++) {
      triangle(s, 0, 0, 8, 600 - i);
    }
    for (uint32_t i = 0; i < 300; i++) {
      triangle(s, 8, 0, 8, 600 - i);
    }
    gpu_params_t p = params(2, front);
    p.cluster_fifo = 4;
    run_t r;
    run(&r, s, &p);
    ends[front] = r.end;
    end(&r);
    free(s);
  }
  assert_true(ends[GpuFrontCluster] < ends[GpuFrontShared] * 2 / 3);
}

// ---- Pictures

static scene_t *odd_scene(void) {
  scene_t *s = scene_create();
  command(s, FrameCmdClear, 0);
  command(s, FrameCmdClear, 1);
  command(s, FrameCmdDraw, 0);
  for (int32_t i = 0; i < 70; i++) {
    triangle(s, i * 7 % 90 - 10, i * 5 % 60 - 10, 4 + i % 40, 1000 - (uint32_t)i * 37 % 500);
  }
  command(s, FrameCmdDraw, 0)->state.scissor = (frame_rect_t){50, 33, 51, 34};  // a pixel
  triangle(s, 0, 0, 150, 3);
  triangle(s, 0, 0, 140, 2);
  command(s, FrameCmdDraw, 0);  // without a pixel
  triangle(s, 20, 20, 0, 1);
  frame_cmd_t *clear = command(s, FrameCmdClear, 0);  // between draws, of a part
  clear->state.scissor = (frame_rect_t){10, 5, 45, 40};
  clear->clear_color = 0;
  frame_cmd_t *late = command(s, FrameCmdDraw, 0);  // discards, and writes depth
  late->state.alpha_test = 1;
  late->state.alpha_func = FrameFuncGreater;
  late->state.alpha_ref = 60;
  for (int32_t i = 0; i < 60; i++) {
    triangle(s, i * 11 % 70, i * 3 % 40, 6 + i % 30, 900 - (uint32_t)i * 29 % 600);
  }
  command(s, FrameCmdDraw, 0);  // tests early behind it; one triangle
  triangle(s, 0, 0, 180, 600);
  command(s, FrameCmdDraw, 1);  // wider than the picture
  for (int32_t i = 0; i < 90; i++) {
    triangle(s, i * 17 % 190, i * 7 % 90, 5 + i % 60, 1000 - (uint32_t)i * 31 % 700);
  }
  frame_cmd_t *blend = command(s, FrameCmdDraw, 0);
  blend->state.blend = 1;
  blend->state.depth_write = 0;
  blend->state.src_rgb = blend->state.src_alpha = FrameFactorSrcAlpha;
  blend->state.dst_rgb = blend->state.dst_alpha = FrameFactorOne;
  for (int32_t i = 0; i < 200; i++) {
    triangle(s, i * 13 % 90, i * 5 % 60, 3 + i % 25, 300);
  }
  return s;
}

TEST(odd_pictures) {
  scene_t *s = odd_scene();
  surface_t *targets, *depths;
  assert_true(render_surfaces_create(&s->frame, &targets, &depths));
  render_commands(&s->frame, 0, s->frame.command_count, targets, depths, (shade_sampling_t){0},
                  NULL, NULL);
  uint64_t tiles = 0;
  for (uint32_t n = 0; n < 2 * 4 * 3; n++) {
    gpu_params_t p = params(3 + n % 4, n % 2 ? GpuFrontCluster : GpuFrontShared);
    p.tc_engines = (uint32_t[]){0, 1, 2, 8}[n / 2 % 4];
    p.wt = (uint32_t[]){1, 3, 7}[n / 8];
    p.draw_overlap = n / 3 % 2;
    p.draws_in_flight = 2 + n % 5;
    p.masks = 2 + n % 3;
    p.setup_latency = n % 9;
    run_t r;
    run(&r, s, &p);
    tiles += gpu_stats(r.gpu)->tc.tiles;
    assert_true((gpu_stats(r.gpu)->vpo.bits > 0) == (p.front == GpuFrontCluster));
    gpu_settle(r.gpu);
    for (uint32_t i = 0; i < 2; i++) {
      const surface_t *a = gpu_target(r.gpu, i), *b = gpu_depth(r.gpu, i);
      const size_t pixels = (size_t)a->tiles_x * a->tiles_y * SurfaceTilePixels;
      assert_memory_equal(a->color, targets[i].color, pixels * sizeof *a->color);
      for (size_t k = 0; k < pixels; k++) {
        assert_int_equal(b->depth[k] & SurfaceDepthMask, depths[i].depth[k] & SurfaceDepthMask);
      }
    }
    end(&r);
  }
  assert_true(tiles > 0);
  render_surfaces_destroy(&s->frame, targets, depths);
  free(s);
}

// With draws that overlap, a cluster may have written of a group what another one has yet to draw
// of a draw before it.
TEST(what_is_drawn_before_a_group) {
  scene_t *s = scene_create();
  command(s, FrameCmdDraw, 1)->fragment_length = 2000;
  for (int32_t k = 0; k < 50; k++) {
    triangle(s, 0, 0, 7, (uint32_t)(100 - k));  // cluster 0, which takes long
  }
  command(s, FrameCmdDraw, 1);
  triangle(s, 9, 0, 6, 5);     // cluster 1
  triangle(s, 153, 17, 6, 5);  // likewise; its touch takes the place of the other
  gpu_params_t p = params(2, GpuFrontCluster);
  p.draw_overlap = 1;
  p.shader = GpuShaderRate;
  golden_units_t golden = {0};
  const gpu_units_t units = golden_units(&golden);
  gpu_t *gpu = gpu_create(&p, &s->frame, 0, &(gpu_texturing_t){0}, &units, NULL);
  assert_non_null(gpu);
  assert_true(gpu_draws_group(gpu, 3));
  for (uint32_t i = 0; i < 2; i++) {
    const gpu_command_t push = {.kind = GpuCommandDraw,
                                .command = i,
                                .count = i ? 2 : 50,
                                .cost = i,
                                .compose = i == 1,
                                .group = 3};
    assert_true(gpu_push(gpu, &push));
  }
  bool early = false;
  for (uint64_t now = 0; now != GPU_NEVER; now = gpu_advance(gpu, now)) {
    for (; gpu_touch(gpu); gpu_touch_pop(gpu)) {
      early |= !gpu_draws_group(gpu, 3);
    }
  }
  assert_true(early);
  assert_true(gpu_draws_group(gpu, 3));
  gpu_destroy(gpu);
  golden_units_free(&golden);
  free(s);
}

int main(void) { return run_all_tests(NULL, NULL); }
