// SPDX-License-Identifier: Apache-2.0
// The GPU model against the rendering cycles that the CHOPIN authors' simulator
// measured (docs/model/gpu-model.md). The 1-GPU column set the rates and these scenes; the
// multi-GPU cells are the test. Each GPU renders its own 64x64 tiles of one draw, as
// primitive duplication does, alone: no links take part.
#include <stdio.h>

#include "csim/gpu/gpu.h"
#include "tests/programs/test.h"

enum {
  Width = 1280,
  Height = 1024,
  TextureSide = 256,
  WarpShadingLatency = 205,  // with warps, from the 1-GPU cells
};

typedef struct {
  const char *name;
  uint32_t gpus;
  uint32_t low, high;  // cycles of the fastest and the slowest GPU; 0: not measured
} cell_t;

typedef struct {
  frame_t frame;
  frame_surface_t surface;
  frame_texture_t texture;
  frame_cmd_t command;
  frame_vertex_t *vertices;
  frame_triangle_t *triangles;
  uint32_t texel[TextureSide * TextureSide];
  uint8_t owners[Width / 64 * (Height / 64)];
} scene_t;

static frame_vertex_t vertex(double x, double y, double side) {
  return (frame_vertex_t){.x = (int32_t)(x * FrameSubpixel),
                          .y = (int32_t)(y * FrameSubpixel),
                          .z = 1000,
                          .inv_w = 1,
                          .rgba = 0xffffffff,
                          .uv = {{(float)(x / side), (float)(y / side)}}};
}

static void set_state(frame_state_t *t, bool textured) {
  t->depth_test = t->depth_write = 1;
  t->depth_func = FrameFuncLess;
  t->color_mask = 15;
  t->color = 0xffffffff;
  t->scissor = t->viewport = (frame_rect_t){0, 0, Width, Height};
  for (uint32_t i = 0; i < FrameMaxTextures; i++) {
    t->stages[i] = (frame_stage_t){.texture = FrameNone, .max_anisotropy = 1};
  }
  if (textured) {
    t->stages[0].texture = 0;
    t->stages[0].mag_filter = t->stages[0].min_filter = FrameFilterLinear;
    t->stages[0].mip = FrameMipLinear;
  }
}

// In the middle of the screen: a mesh of cells x cells rectangles, two triangles each, or
// one triangle with its base at the bottom if cells is 0.
static scene_t *scene_create(uint32_t cells, double width, double height, bool textured,
                             uint32_t vertex_length, uint32_t fragment_length) {
  double x = (Width - width) / 2, y = (Height - height) / 2;
  scene_t *s = calloc(1, sizeof *s);
  uint32_t row = cells + 1, vertices = cells ? row * row : 3;
  uint32_t triangles = cells ? 2 * cells * cells : 1;
  s->vertices = calloc(vertices, sizeof *s->vertices);
  s->triangles = calloc(triangles, sizeof *s->triangles);
  if (cells) {
    for (uint32_t i = 0; i < vertices; i++) {
      s->vertices[i] = vertex(x + width * (i % row) / cells, y + height * (i / row) / cells, 256);
    }
    for (uint32_t i = 0; i < triangles; i++) {
      uint32_t a = i / 2 / cells * row + i / 2 % cells;
      uint32_t corner[2][3] = {{a, a + 1, a + row}, {a + 1, a + row + 1, a + row}};
      memcpy(s->triangles[i].v, corner[i % 2], sizeof corner[0]);
      s->triangles[i].ordinal = i;
    }
  } else {
    s->vertices[0] = vertex(x + width / 2, y, 256);
    s->vertices[1] = vertex(x + width, y + height, 256);
    s->vertices[2] = vertex(x, y + height, 256);
    s->triangles[0].v[1] = 1;
    s->triangles[0].v[2] = 2;
  }
  s->surface = (frame_surface_t){Width, Height};
  s->texture = (frame_texture_t){
      .width = TextureSide, .height = TextureSide, .levels = 1, .level = {s->texel}};
  set_state(&s->command.state, textured);
  s->command.triangles_in = s->command.triangle_count = triangles;
  s->command.indices = 3 * triangles;
  s->command.vertices_in = vertices;
  s->command.vertex_length = vertex_length;
  s->command.fragment_length = fragment_length;
  s->frame = (frame_t){.width = Width,
                       .height = Height,
                       .target_count = 1,
                       .depth_count = 1,
                       .texture_count = 1,
                       .targets = &s->surface,
                       .depths = &s->surface,
                       .textures = &s->texture,
                       .command_count = 1,
                       .commands = &s->command,
                       .vertex_count = vertices,
                       .vertices = s->vertices,
                       .triangle_count = triangles,
                       .triangles = s->triangles};
  return s;
}

static void scene_destroy(scene_t *s) {
  free(s->vertices);
  free(s->triangles);
  free(s);
}

static uint64_t render_cycles(scene_t *s, bool warps, uint32_t gpus, uint32_t index,
                              uint64_t *fragments) {
  gpu_params_t params;
  err_auto_t err = {0};
  assert_true(gpu_params_default(&params, &err));
  if (warps) {
    params.shader = GpuShaderWarp;
    params.shading_latency = WarpShadingLatency;
  }
  gpu_t *g = gpu_create(&params, &s->frame, index, &(gpu_texturing_t){0}, NULL, NULL);
  assert_non_null(g);
  for (uint32_t i = 0; i < sizeof s->owners; i++) {
    s->owners[i] = (uint8_t)(i % gpus);
  }
  gpu_set_owners(g, Width, Height, s->owners);
  gpu_command_t c = {
      .kind = GpuCommandDraw, .region = GpuRegionOwned, .count = s->command.triangles_in};
  assert_true(gpu_push(g, &c));
  uint64_t now = 0;
  for (uint64_t next = 0; next != GPU_NEVER;) {
    now = next;
    next = gpu_advance(g, now);
  }
  if (!gpu_idle(g)) {
    text_t text = {0};
    gpu_describe(g, &text);
    fail_msg("not idle: %s", text_string(&text));
  }
  *fragments = gpu_stats(g)->fragments;
  gpu_destroy(g);
  return now;
}

// Outside of the stated range by more than 20 %.
static bool is_off(uint64_t cycles, const cell_t *c) {
  return (double)cycles < 0.8 * c->low || (double)cycles > 1.2 * c->high;
}

static void compare(bool warps) {
  enum { Scenes = 3, Cells = 4 };
  static const cell_t cells[Scenes][Cells] = {
      {{"1 untextured triangle", 1, 3432, 3432},
       {"", 2, 1676, 2026},
       {"", 4, 0, 0},
       {"", 8, 696, 929}},
      {{"textured square", 1, 24216, 24216},
       {"", 2, 0, 0},
       {"", 4, 5967, 6233},
       {"", 8, 2965, 3286}},
      {{"5,000 textured triangles", 1, 37336, 37336},
       {"", 2, 0, 0},
       {"", 4, 0, 0},
       {"", 8, 11447, 12279}},
  };
  // Sides chosen for the measured fragments: 22,770; 45,502; 38,184. The square is drawn
  // eight tiles wide, so that it divides evenly; docs/model/gpu-model.md says what that decides.
  scene_t *scenes[Scenes] = {
      scene_create(0, 301.8, 150.9, false, 8, 4),
      scene_create(1, 512, 89, true, 8, 6),
      scene_create(50, 195.407, 195.407, true, 8, 6),
  };
  uint32_t off = 0;
  printf("%s\n", warps ? "gpu.shader warp" : "gpu.shader rate");
  printf("%-26s %5s %10s %18s %18s\n", "scene", "GPUs", "fragments", "measured", "ours");
  for (uint32_t i = 0; i < Scenes; i++) {
    for (uint32_t k = 0; k < Cells; k++) {
      const cell_t *c = &cells[i][k];
      uint64_t least = UINT64_MAX, most = 0, fragments = 0;
      for (uint32_t g = 0; g < c->gpus; g++) {
        uint64_t own, cycles = render_cycles(scenes[i], warps, c->gpus, g, &own);
        least = cycles < least ? cycles : least;
        most = cycles > most ? cycles : most;
        fragments += own;
      }
      bool bad = c->high && is_off(most, c);
      off += bad;
      char measured[32] = "";
      if (c->high) {
        snprintf(measured, sizeof measured, "%u to %u", c->low, c->high);
      }
      printf("%-26s %5u %10llu %18s %8llu to %6llu%s\n", cells[i][0].name, c->gpus,
             (unsigned long long)fragments, measured, (unsigned long long)least,
             (unsigned long long)most, bad ? "  OFF" : "");
    }
    scene_destroy(scenes[i]);
  }
  assert_int_equal(off, 0);
}

TEST(test_anchors) { compare(false); }

TEST(test_anchors_with_warps) { compare(true); }

int main(void) { return run_all_tests(NULL, NULL); }
