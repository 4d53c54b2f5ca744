// SPDX-License-Identifier: Apache-2.0
// Notes of pixels beside their values, by which the judge leaves out or bounds: ties of GPUs,
// layers that were blended.
#include "csim/gpu/render.h"
#include "tests/programs/scene.h"

enum { Width = 128, Tied = 5, WhenWritten = 6, Beside = 120, Row = 5 };

static uint8_t *tie_at(surface_t *t, uint32_t x) {
  return &t->tied[surface_index(t->tiles_x, x, Row)];
}

// Draws command 0 of the scene, which covers columns Tied and WhenWritten of the row.
static void expect_notes(const scene_t *s, uint8_t tied, uint8_t when_written) {
  surface_t *targets, *depths;
  assert_true(render_surfaces_create(&s->frame, &targets, &depths));
  surface_tie(targets, surface_index(targets->tiles_x, Tied, Row), SurfaceTied);
  surface_tie(targets, surface_index(targets->tiles_x, WhenWritten, Row), SurfaceTiedWhenWritten);
  surface_tie(targets, surface_index(targets->tiles_x, Beside, Row), SurfaceTied);
  render_commands(&s->frame, 0, 1, targets, depths, (shade_sampling_t){0}, NULL, NULL);
  assert_int_equal(*tie_at(targets, Tied), tied);
  assert_int_equal(*tie_at(targets, WhenWritten), when_written);
  assert_int_equal(*tie_at(targets, Beside), s->commands->kind == FrameCmdClear ? 0 : SurfaceTied);
  render_surfaces_destroy(&s->frame, targets, depths);
}

// A tie lasts until a draw or a clear replaces all channels of the pixel.
TEST(test_ties_end) {
  scene_t *s = scene_create();
  frame_state_t *drawn = &s->commands[0].state;
  expect_notes(s, 0, SurfaceTied);
  drawn->color_mask = 7;
  expect_notes(s, SurfaceTied, SurfaceTiedWhenWritten);
  drawn->color_mask = 15;
  drawn->blend = 1;
  expect_notes(s, SurfaceTied, SurfaceTiedWhenWritten);
  s->commands[0].kind = FrameCmdClear;
  s->commands[0].clear_color = 1;
  expect_notes(s, 0, 0);
  scene_destroy(s);
}

// Layers are counted of layered draws; what replaces a pixel ends them, a clear of the whole target
// all of them, in the rows that are rendered.
TEST(test_layers_end) {
  scene_t *s = scene_create();
  const bool layered[3] = {true, true, false};
  s->surface.height = s->frame.height = Width;
  triangle(s, 0, 0, 4, 4, 20);
  triangle(s, 1, 1, 4, 80, 20);
  frame_cmd_t commands[3] = {s->commands[0], s->commands[0], s->commands[0]};
  for (uint32_t i = 0; i < 3; i++) {
    commands[i].state.scissor = (frame_rect_t){0, 0, Width, Width};
    commands[i].state.depth_test = 0;
    commands[i].state.blend = i < 2;
    commands[i].triangle_count = i < 2 ? 2 : 1;
  }
  s->frame.commands = commands;
  s->frame.command_count = 3;
  uint8_t *layers = calloc((size_t)Width * Width, 1);
  surface_t *targets, *depths;
  assert_non_null(layers);
  assert_true(render_surfaces_create(&s->frame, &targets, &depths));
  uint8_t *above = &layers[surface_index(targets->tiles_x, Tied, Row)];
  uint8_t *below = &layers[surface_index(targets->tiles_x, Tied, 81)];
  const shade_sampling_t sampling = {0};
  render_commands(&s->frame, 0, 2, targets, depths, sampling, layered, &layers);
  assert_int_equal(*above, 2);
  assert_int_equal(*below, 2);
  render_commands(&s->frame, 2, 3, targets, depths, sampling, layered, &layers);
  assert_int_equal(*above, 0);
  assert_int_equal(*below, 2);
  commands[2].kind = FrameCmdClear;
  commands[2].clear_color = 1;
  *above = 2;
  render_rows(&s->frame, 2, 3, 64, INT32_MAX, targets, depths, sampling, layered, &layers);
  assert_int_equal(*above, 2);
  assert_int_equal(*below, 0);
  *below = 2;
  render_rows(&s->frame, 2, 3, 0, 64, targets, depths, sampling, layered, &layers);
  assert_int_equal(*above, 0);
  assert_int_equal(*below, 2);
  render_surfaces_destroy(&s->frame, targets, depths);
  free(layers);
  s->frame.commands = s->commands;
  scene_destroy(s);
}

// A tile waits while all that it holds does: a clear of one of depth and stencil leaves the other
// as drawn.
TEST(test_waiting_tiles) {
  scene_t *s = scene_create();
  frame_cmd_t commands[3] = {s->commands[0], s->commands[0], s->commands[0]};
  for (uint32_t i = 0; i < 3; i++) {
    commands[i].state.depth_buffer = 0;
    commands[i].kind = i ? FrameCmdClear : commands[i].kind;
  }
  commands[1].clear_stencil = commands[2].clear_depth = 1;
  s->frame.commands = commands;
  s->frame.command_count = 3;
  surface_t *targets, *depths;
  assert_true(render_surfaces_create_waiting(&s->frame, &targets, &depths));
  for (uint32_t i = 0; i < 3; i++) {
    assert_int_equal(surface_waits(depths, 0), i == 0);
    render_commands(&s->frame, i, i + 1, targets, depths, (shade_sampling_t){0}, NULL, NULL);
  }
  assert_true(surface_waits(depths, 0));
  render_surfaces_destroy(&s->frame, targets, depths);
  s->frame.commands = s->commands;
  scene_destroy(s);
}

int main(void) { return run_all_tests(NULL, NULL); }
