// SPDX-License-Identifier: Apache-2.0
// Warps in the timed GPU: the lanes that a draw fills, a block of two warps, a recorded program.
#include "csim/gpu/gpu.h"
#include "tests/programs/golden_units.h"
#include "tests/programs/test.h"

enum { MaxTriangles = 4096 };

// A frame of one draw.
typedef struct {
  frame_surface_t target;
  frame_cmd_t command;
  frame_vertex_t vertices[3 * MaxTriangles];
  frame_triangle_t triangles[MaxTriangles];
  program_t program;
  frame_t frame;
} draw_t;

static draw_t *draw_create(uint32_t side) {
  draw_t *d = calloc(1, sizeof *d);
  assert_non_null(d);
  d->target = (frame_surface_t){side, side};
  d->frame = (frame_t){.width = side,
                       .height = side,
                       .target_count = 1,
                       .targets = &d->target,
                       .command_count = 1,
                       .commands = &d->command,
                       .vertices = d->vertices,
                       .triangles = d->triangles};
  const frame_rect_t window = {0, 0, (int32_t)side, (int32_t)side};
  d->command = (frame_cmd_t){.kind = FrameCmdDraw,
                             .vertex_length = 1,
                             .state = {.depth_buffer = FrameNone,
                                       .color_mask = 15,
                                       .scissor = window,
                                       .viewport = window,
                                       .stages = {{.texture = FrameNone}, {.texture = FrameNone}}}};
  return d;
}

static void add_triangle(draw_t *d, const int32_t at[3][2]) {
  uint32_t n = d->frame.triangle_count++;
  assert_true(n < MaxTriangles);
  for (uint32_t k = 0; k < 3; k++) {
    d->vertices[3 * n + k] = (frame_vertex_t){.x = at[k][0], .y = at[k][1], .inv_w = 1};
    d->triangles[n].v[k] = 3 * n + k;
  }
  d->triangles[n].ordinal = n;
  d->frame.vertex_count += 3;
  d->command.triangles_in = d->command.triangle_count = n + 1;
  d->command.indices = d->command.vertices_in = d->frame.vertex_count;
}

static gpu_params_t warp_params(void) {
  gpu_params_t p;
  err_auto_t err = {0};
  assert_true(gpu_params_default(&p, &err));
  p.shader = GpuShaderWarp;
  return p;
}

// Draws the frame; the GPU is the caller's to destroy. Sets the cycle of the last event.
static gpu_t *draw_by(const draw_t *d, const gpu_params_t *p, const gpu_units_t *units,
                      uint64_t *end) {
  gpu_t *g = gpu_create(p, &d->frame, 0, &(gpu_texturing_t){0}, units, NULL);
  const gpu_command_t command = {.kind = GpuCommandDraw, .count = d->frame.triangle_count};
  assert_true(gpu_push(g, &command));
  for (uint64_t now = 0; now != GPU_NEVER; now = gpu_advance(g, now)) {
    *end = now;
  }
  if (!gpu_idle(g)) {
    text_t text = {0};
    gpu_describe(g, &text);
    fail_msg("it hangs: %s", text_string(&text));
  }
  return g;
}

static gpu_t *draw_all(const draw_t *d, const gpu_params_t *p, uint64_t *end) {
  return draw_by(d, p, NULL, end);
}

// Slivers of a pixel's height over a window of 64x64: lines of so many pixels.
static double active_lanes(uint32_t length, uint32_t primitives) {
  enum { Side = 64 };
  draw_t *d = draw_create(Side);
  gpu_params_t p = warp_params();
  p.warp_primitives = primitives;
  d->command.fragment_length = 20;
  for (uint32_t y = 0; y < Side; y++) {
    for (uint32_t x = 0; x < Side && d->frame.triangle_count < MaxTriangles; x += length) {
      const int32_t at[3][2] = {{(int32_t)x * 256, (int32_t)y * 256 + 26},
                                {(int32_t)(x + length) * 256, (int32_t)y * 256 + 128},
                                {(int32_t)x * 256, (int32_t)y * 256 + 230}};
      add_triangle(d, at);
    }
  }
  uint64_t end;
  gpu_t *g = draw_all(d, &p, &end);
  assert_int_equal(gpu_stats(g)->fragments_written, d->frame.triangle_count * length);
  const shader_stats_t *t = gpu_shader_stats(g);
  double lanes = 0, operations = 0;
  for (uint32_t i = 0; i <= ShaderLanes; i++) {
    lanes += (double)(i * t->active[i]);
    operations += (double)t->active[i];
  }
  gpu_destroy(g);
  free(d);
  return lanes / operations / ShaderLanes;
}

// A block of 16 stamps is two warps; it leaves when both have ended.
static uint64_t one_block(uint32_t warps, const program_t *recorded) {
  enum { Side = 8, Length = 500 };
  draw_t *d = draw_create(Side);
  gpu_params_t p = warp_params();
  p.sms = 1;
  p.warps = warps;
  add_triangle(d, (const int32_t[3][2]){{0, 0}, {16 * 256, 0}, {0, 16 * 256}});
  d->command.fragment_length = Length;
  if (recorded) {
    d->program = *recorded;
    d->frame.programs = &d->program;
    d->frame.program_count = 1;
    d->command.program = 1;
  }
  uint64_t end;
  gpu_t *g = draw_all(d, &p, &end);
  assert_int_equal(gpu_stats(g)->fragments_written, Side * Side);
  assert_int_equal(gpu_shader_stats(g)->warps, 2);
  gpu_destroy(g);
  free(d);
  return end - p.geometry_latency - p.shading_latency;
}

TEST(test_block_of_two_warps) {
  uint64_t after = one_block(1, NULL), beside = one_block(2, NULL);
  assert_true(after >= 2 * 500 * 11 && after < 2 * 500 * 11 + 200);
  assert_true(beside >= 500 * 11 && beside < 500 * 11 + 200);
}

// A recorded program runs in place of the one that the counts give: the upper half of the block,
// which is its first warp, goes on for 400 operations more.
TEST(test_recorded) {
  err_auto_t err = {0};
  program_t p = {4,
                 {{.kind = ProgramAlu, .count = 100, .dependent = 1000},
                  {.kind = ProgramIf, .predicate = ProgramOnRect, .x1 = 8, .y1 = 4},
                  {.kind = ProgramAlu, .count = 400, .dependent = 1000},
                  {.kind = ProgramEndif}}};
  assert_true(program_check(&p, &err));
  uint64_t upper = one_block(1, &p);
  assert_true(upper >= 600 * 11 && upper < 600 * 11 + 200);
  program_derive(&p, 500, 0, false);
  assert_true(program_check(&p, &err));
  assert_int_equal(one_block(1, &p), one_block(1, NULL));
}

// The G80 study, E3 and E4: of lines every other row of lanes works, of points four lanes a warp.
TEST(test_lines_and_points) {
  double lines = active_lanes(32, 8), points = active_lanes(1, 4);
  assert_true(lines > 0.48 && lines < 0.51);
  assert_true(points > 0.12 && points < 0.13);
}

// A triangle over some stamps of a block, then one over all: the second has stamps in two TC tiles
// of one place, and its block leaves for the ROP behind both. It would hang if the first tile were
// done only when its blocks have left the ROP.
TEST(block_in_two_tiles) {
  for (uint32_t engines = 1; engines <= 8; engines++) {
    golden_units_t golden;
    const gpu_units_t units = golden_units(&golden);
    draw_t *d = draw_create(8);
    gpu_params_t p = warp_params();
    p.dispatch = GpuDispatchWorkTile;
    p.tc_engines = engines;
    d->command.fragment_length = 50;
    add_triangle(d, (const int32_t[3][2]){{0, 0}, {4 * 256, 0}, {0, 4 * 256}});
    add_triangle(d, (const int32_t[3][2]){{0, 0}, {16 * 256, 0}, {0, 16 * 256}});
    uint64_t end;
    gpu_t *g = draw_by(d, &p, &units, &end);
    const gpu_stats_t *s = gpu_stats(g);
    assert_int_equal(s->tc.raster_tiles, 1 + 4);
    assert_int_equal(s->tc.tiles, 2);
    assert_int_equal(s->tc.stamps, 3 + 16);
    assert_int_equal(s->tc.full, 1);
    assert_int_equal(s->tc.waited, 1);
    assert_int_equal(s->warps, 3);
    assert_int_equal(s->fragments_written, s->fragments);
    assert_null(gpu_fault(g)->unit);
    gpu_destroy(g);
    golden_units_free(&golden);
    free(d);
  }
}

// While the first tile is shaded the unit holds the stamps of the second, and a report says so.
TEST(coalescer_described) {
  golden_units_t golden;
  const gpu_units_t units = golden_units(&golden);
  draw_t *d = draw_create(8);
  gpu_params_t p = warp_params();
  p.dispatch = GpuDispatchWorkTile;
  p.tc_engines = 1;
  d->command.fragment_length = 5000;
  add_triangle(d, (const int32_t[3][2]){{0, 0}, {4 * 256, 0}, {0, 4 * 256}});
  add_triangle(d, (const int32_t[3][2]){{0, 0}, {16 * 256, 0}, {0, 16 * 256}});
  gpu_t *g = gpu_create(&p, &d->frame, 0, &(gpu_texturing_t){0}, &units, NULL);
  assert_true(gpu_push(g, &(gpu_command_t){.kind = GpuCommandDraw, .count = 2}));
  bool told = false;
  for (uint64_t now = 0; now != GPU_NEVER; now = gpu_advance(g, now)) {
    text_t text = {0};
    gpu_describe(g, &text);
    print_message("%d %s\n", (int)now, text_string(&text));
    told |= strstr(text_string(&text),
                   "cluster 0's coalescer holds 3 stamps and raster tiles, shades (0, 0)") != NULL;
    text_free(&text);
  }
  assert_true(told);
  gpu_destroy(g);
  golden_units_free(&golden);
  free(d);
}

int main(void) { return run_all_tests(NULL, NULL); }
