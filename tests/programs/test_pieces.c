// SPDX-License-Identifier: Apache-2.0
// The pieces that the driver gives out (docs/model/driver.md, "Pieces", "Scouts"), on frames worked
// out by hand.
#include "csim/driver/pieces.h"
#include "tests/programs/test.h"

enum { Width = 256, Height = 128, MaxCommands = 16 };

static frame_surface_t surface = {Width, Height};
static frame_cmd_t commands[MaxCommands];
static frame_vertex_t vertices[3 * MaxCommands];
static frame_triangle_t triangles[MaxCommands];
static driver_hint_t hints[MaxCommands];
static frame_t frame;
static pieces_params_t params;
static plan_t *plan;
static pieces_t *pieces;

static int fresh(void **state) {
  (void)state;
  memset(commands, 0, sizeof commands);
  memset(hints, 0, sizeof hints);
  frame = (frame_t){.width = Width,
                    .height = Height,
                    .target_count = 1,
                    .depth_count = 1,
                    .targets = &surface,
                    .depths = &surface,
                    .commands = commands,
                    .vertices = vertices,
                    .triangles = triangles};
  params = (pieces_params_t){.gpus = 4, .split = 500, .split_min = 10, .by_all = true};
  params.scouts = (scout_params_t){.share = 125,
                                   .cycles = 16,
                                   .area = {10000, 300},
                                   .gpus = 4,
                                   .lanes = 256,
                                   .texture_units = 32,
                                   .texture_cycles = 65,
                                   .draw_cycles = 16,
                                   .triangle_rate = 2,
                                   .geometry_latency = 200,
                                   .message_latency = 200};
  return 0;
}

static int done(void **state) {
  (void)state;
  pieces_destroy(pieces);
  plan_destroy(plan);
  pieces = NULL;
  plan = NULL;
  return 0;
}

#define PIECES_TEST(name) TEST_WITH(name, fresh, done)

static frame_cmd_t *draw(uint32_t count) {
  assert_true(frame.command_count < MaxCommands);
  frame_cmd_t *c = &commands[frame.command_count++];
  *c = (frame_cmd_t){.kind = FrameCmdDraw, .triangles_in = count, .fragment_length = 1};
  c->state = (frame_state_t){.depth_test = 1,
                             .depth_write = 1,
                             .depth_func = FrameFuncLess,
                             .color_mask = 15,
                             .scissor = {0, 0, Width, Height}};
  for (uint32_t k = 0; k < FrameMaxTextures; k++) {
    c->state.stages[k].texture = FrameNone;
  }
  return c;
}

// Gives a draw one triangle, in pixels.
static void cover(frame_cmd_t *c, const int corner[3][2]) {
  uint32_t i = frame.triangle_count++;
  for (uint32_t k = 0; k < 3; k++) {
    vertices[3 * i + k] =
        (frame_vertex_t){.x = corner[k][0] * FrameSubpixel, .y = corner[k][1] * FrameSubpixel};
    triangles[i].v[k] = 3 * i + k;
  }
  frame.vertex_count += 3;
  c->first_triangle = i;
  c->triangle_count = 1;
}

// Cuts again. The pieces of a draw hold its primitives once, in order.
static void cut(bool with_hints) {
  const plan_params_t p = {.gpus = params.gpus, .compose = true};
  done(NULL);
  plan = plan_create(&frame, &p);
  assert_non_null(plan);
  pieces = pieces_create(&frame, plan, &params, with_hints ? hints : NULL);
  assert_non_null(pieces);
  uint64_t cuts = 0;
  for (uint32_t i = 0; i < frame.command_count; i++) {
    uint32_t next = 0;
    assert_true(pieces->starts[i] < pieces->starts[i + 1]);
    for (uint32_t k = pieces->starts[i]; k < pieces->starts[i + 1]; k++) {
      assert_int_equal(pieces->pieces[k].first, next);
      assert_int_equal(pieces_find(pieces, i, next), k);
      next += pieces->pieces[k].count;
    }
    assert_int_equal(next, commands[i].triangles_in);
    cuts += pieces->starts[i + 1] - pieces->starts[i] - 1;
  }
  assert_int_equal(pieces->cuts, cuts);
  assert_int_equal(pieces->starts[frame.command_count], pieces->count);
}

static uint32_t parts(uint32_t command) {
  return pieces->starts[command + 1] - pieces->starts[command];
}

// 800 triangles and half a GPU's share of them: 100 a piece; then of 400, of 80 and of 40 left.
PIECES_TEST(test_split) {
  draw(400);
  draw(320);
  draw(40);
  draw(40);
  cut(false);
  assert_int_equal(parts(0), 4);  // 400 of 800: at most 100
  assert_int_equal(parts(1), 7);  // 320 of 400: at most 50
  assert_int_equal(parts(2), 4);  // 40 of 80: at most 10
  assert_int_equal(parts(3), 4);  // of 40 at most 5, but no piece below 10
  assert_int_equal(pieces->pieces[0].count, 100);
  assert_int_equal(pieces->draws_cut, 4);
  params.split_min = 401;
  cut(false);
  assert_int_equal(pieces->cuts, 0);
  params.split_min = 1;
  params.split = 0;
  cut(false);
  assert_int_equal(pieces->cuts, 0);
}

// A group that is not composed as an opaque one is not cut.
PIECES_TEST(test_other_groups) {
  for (uint32_t i = 0; i < 3; i++) {
    fresh(NULL);
    frame_state_t *s = &draw(400)->state;
    s->stencil_test = i == 1;
    if (i == 2) {
      s->depth_write = 0;
      s->blend = 1;
      s->src_rgb = FrameFactorSrcAlpha;
      s->src_alpha = FrameFactorOne;
      s->dst_rgb = s->dst_alpha = FrameFactorOneMinusSrcAlpha;
    }
    hints[0] = (driver_hint_t){.weight = 7};
    cut(true);
    assert_int_equal(plan->groups[0].kind, i == 0   ? DrawSchedulerGroupOpaque
                                           : i == 1 ? DrawSchedulerGroupDuplicated
                                                    : DrawSchedulerGroupTransparent);
    assert_int_equal(parts(0), i == 0 ? 8 : 1);
    assert_int_equal(pieces->pieces[0].weight, i == 0);
  }
}

// By weights; what goes to all GPUs neither counts nor is cut.
PIECES_TEST(test_weights) {
  for (uint32_t i = 0; i < 4; i++) {
    draw(1000);
    hints[i] = (driver_hint_t){.weight = (uint16_t)(i == 1 ? 60000 : 10), .by_all = i == 1};
  }
  params.weighs = true;
  cut(true);
  assert_int_equal(parts(0), 4);  // 10 of 30: at most 3
  assert_int_equal(parts(1), 1);
  assert_int_equal(parts(2), 5);  // 10 of 20: at most 2
  assert_int_equal(parts(3), 10);
  const piece_t *p = pieces->pieces;
  assert_true(p[0].weight == 2 && p[1].weight == 3 && p[2].weight == 2 && p[3].weight == 3);
  assert_true(p[4].by_all && p[4].weight == 0);
  hints[2].weight = 3;  // fewer than its pieces: each weighs 1
  hints[3].weight = hints[0].weight = 1;
  cut(true);
  assert_int_equal(parts(2), 3);
  assert_int_equal(pieces->pieces[pieces->starts[2]].weight, 1);
  params.by_all = false;
  hints[1].weight = 10;
  cut(true);
  assert_int_equal(pieces->pieces[pieces->starts[1]].by_all, false);
}

PIECES_TEST(test_area) {
  static const int Large[3][2] = {{0, 0}, {200, 0}, {0, 100}};
  static const int Flipped[3][2] = {{0, 0}, {0, 100}, {200, 0}};
  static const int Outside[3][2] = {{-1000, -1000}, {3000, 0}, {0, 3000}};
  static const int Behind[3][2] = {{300, 0}, {400, 0}, {300, 100}};
  frame_cmd_t *c = draw(1);
  cover(c, Large);
  assert_int_equal(scout_area(&frame, c), 10000);
  c->state.scissor = (frame_rect_t){10, 10, 30, 40};
  assert_int_equal(scout_area(&frame, c), 20 * 30);
  c->state.scissor = (frame_rect_t){0, 0, Width, Height};
  cover(c, Flipped);
  assert_int_equal(scout_area(&frame, c), 10000);
  cover(c, Outside);
  assert_int_equal(scout_area(&frame, c), Width * Height);
  cover(c, Behind);
  assert_int_equal(scout_area(&frame, c), 0);
}

PIECES_TEST(test_scouts) {
  static const int All[3][2] = {{0, 0}, {512, 0}, {0, 256}};
  params.scouts.triangles = 64;
  cover(draw(60), All);  // Width x Height, in 60 triangles: not 10,000 + 300 x 60 but more
  cover(draw(1), All);
  draw(64);  // of no area
  draw(65);
  cut(false);
  assert_int_equal(pieces->scouted, 3);
  assert_int_equal(pieces->scouted_by_all, 2);
  assert_true(pieces->pieces[pieces->starts[0]].by_all &&
              pieces->pieces[pieces->starts[0]].scouted);
  assert_false(pieces->pieces[pieces->starts[2]].by_all);
  assert_false(pieces->pieces[pieces->starts[3]].scouted);
  // (16 + 30 + 1) + (16 + 0 + 1) + (16 + 32 + 1), by turns of 4 GPUs, and three ways.
  assert_int_equal(pieces->waits[0], (47 + 17 + 49) / 4 + 600);
  // 300 cycles and 32,768 pixels at 16 a cycle; 64 triangles, 65 of 16 cycles.
  uint64_t large = (300 + 2048) / 64 * 64, left = 2 * large + (300 + 64) / 64 * 64 + 65 * 16;
  assert_int_equal(scout_expects(&params.scouts, &frame, &commands[1]), large);
  assert_int_equal(scout_expects(&params.scouts, &frame, &commands[3]), 65 * 16);
  // Only from a share of what is expected of the rest of the group on.
  params.scouts.share = (uint32_t)(large * 4 * 1000 / left) + 1;
  cut(false);
  assert_int_equal(pieces->scouted_by_all, 1);  // the second, of which less is left
  params.scouts.share = 100000;
  cut(false);
  assert_int_equal(pieces->scouted_by_all, 0);
  params.scouts.share = 0;
  params.by_all = false;
  cut(false);
  assert_int_equal(pieces->scouted_by_all, 0);
  // Scouted draws do not ask the frame before; the others do.
  params.by_all = true;
  hints[2].by_all = hints[3].by_all = true;
  cut(true);
  assert_false(pieces->pieces[pieces->starts[2]].by_all);
  assert_true(pieces->pieces[pieces->starts[3]].by_all);
}

// Texture units, lanes and raster: the slowest decides.
PIECES_TEST(test_expected) {
  static const int All[3][2] = {{0, 0}, {512, 0}, {0, 256}};
  frame_cmd_t *c = draw(1);
  params.scouts.triangles = 1;
  cover(c, All);
  c->fragment_length = 100;  // 32,768 x 100 / 256, three quarters of it
  assert_int_equal(scout_expects(&params.scouts, &frame, c), (300 + 9600) / 64 * 64);
  c->fragment_length = 1;
  c->state.stages[0].texture = c->state.stages[1].texture = 0;  // 32,768 x 2 x 65 / (4 x 32)
  assert_int_equal(scout_expects(&params.scouts, &frame, c), (300 + 24960) / 64 * 64);
}

int main(void) { return run_all_tests(NULL, NULL); }
