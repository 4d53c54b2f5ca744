// SPDX-License-Identifier: Apache-2.0
// Guards that keep early merges apart from the GPU that draws, and two merges apart from each other
// (docs/model/driver.md, "Early stamps").
#include "../../csim/gpu/render.h"
#include "../../csim/machine/unit_memory.h"
#include "test.h"

enum { Latency = 3, Merge = 4, Piece = 5 * 16, Block = 5 };

// A GPU of one tile, with its two units.
typedef struct {
  surface_t depth;
  subimage_t image;
  gpu_guard_t guard;
  unit_memory_t *memory[GpuGuardMergers];
  distribution_unit_t unit[GpuGuardMergers];
} film_t;

static film_t *film_create(void) {
  film_t *f = calloc(1, sizeof *f);
  assert_non_null(f);
  const pixel_distributor_params_t params = {.gpus = 2,
                                             .tile_log2 = 6,
                                             .cell = PixelDistributorCellStamp,
                                             .beat_bytes = 64,
                                             .max_width = 64,
                                             .max_height = 64};
  f->depth = (surface_t){.tiles_x = 1,
                         .tiles_y = 1,
                         .depth = calloc(SurfaceTilePixels, sizeof(uint32_t)),
                         .mark_group = calloc(SurfaceBlocksPerTile, sizeof(uint32_t)),
                         .dirty = calloc(1, 1),
                         .dirty_blocks = calloc(1, sizeof(uint64_t))};
  f->image = (subimage_t){.depth = &f->depth, .early = true, .mark = 1};
  for (uint32_t k = 0; k < GpuGuardMergers; k++) {
    f->memory[k] = unit_memory_create(&params, Latency, &f->guard, (gpu_guard_merger_e)k);
    assert_non_null(f->memory[k]);
    f->unit[k].out.send_data_ready = f->unit[k].out.receive_data_ready = true;
  }
  return f;
}

static void film_destroy(film_t *f) {
  for (uint32_t k = 0; k < GpuGuardMergers; k++) {
    unit_memory_destroy(f->memory[k]);
  }
  free(f->depth.depth);
  free(f->depth.mark_group);
  free(f->depth.dirty);
  free(f->depth.dirty_blocks);
  free(f);
}

// The place of a block of the tile.
static uint32_t place_of(uint32_t block) { return gpu_guard_place(block % 8, block / 8); }

static void serve(film_t *f, gpu_guard_merger_e k, uint64_t now) {
  unit_memory_serve(f->memory[k], now, &f->image, &f->unit[k]);
  f->unit[k].out.receive_read_valid = f->unit[k].out.send_read_valid = false;
}

// A beat comes with one pixel of the block's first stamp; its read is due Latency cycles later.
static void ask(film_t *f, gpu_guard_merger_e k, uint32_t block, uint64_t now) {
  const pixel_distributor_beat_t beat = {.kind = PixelDistributorBeatKindData};
  unit_memory_expect(f->memory[k], &beat);
  f->unit[k].out.receive_read_valid = true;
  f->unit[k].out.receive_read =
      (pixel_distributor_pieces_t){.piece = {(uint16_t)(block * 16)}, .mask = 1};
  serve(f, k, now);
}

static bool answered(film_t *f, gpu_guard_merger_e k, uint64_t now) {
  serve(f, k, now);
  return f->unit[k].in.receive_data_valid;
}

TEST(test_merge_waits_for_colour) {
  film_t *f = film_create();
  ask(f, GpuGuardEarly, Block, 10);
  f->guard.in_flight[place_of(Block)] = 1;
  assert_false(answered(f, GpuGuardEarly, 10 + Latency));
  assert_false(answered(f, GpuGuardEarly, 500));
  f->guard.in_flight[place_of(Block)] = 0;
  f->guard.in_flight[place_of(Block + 1)] = 1;  // another block's
  assert_true(answered(f, GpuGuardEarly, 501));
  film_destroy(f);
}

TEST(test_merge_locks_its_block) {
  film_t *f = film_create();
  ask(f, GpuGuardEarly, Block, 10);
  assert_true(answered(f, GpuGuardEarly, 10 + Latency));
  for (uint32_t block = 0; block < SurfaceBlocksPerTile; block++) {
    assert_int_equal(f->guard.locked_until[GpuGuardEarly][place_of(block)],
                     block == Block ? 10 + Latency + Merge : 0);
  }
  film_destroy(f);
}

TEST(test_merges_wait_for_each_other) {
  for (uint32_t k = 0; k < GpuGuardMergers; k++) {
    film_t *f = film_create();
    const gpu_guard_merger_e first = (gpu_guard_merger_e)k, second = (gpu_guard_merger_e)!k;
    ask(f, first, Block, 10);
    ask(f, second, Block, 11);
    ask(f, second, Block + 1, 12);
    assert_true(answered(f, first, 10 + Latency));
    for (uint64_t now = 11 + Latency; now < 10 + Latency + Merge; now++) {
      assert_false(answered(f, second, now));
    }
    assert_true(answered(f, second, 10 + Latency + Merge));
    // One unit's beats follow each other, and no other block waits.
    ask(f, first, Block + 2, 30);
    ask(f, first, Block + 2, 31);
    assert_true(answered(f, second, 30 + Latency));
    assert_true(answered(f, first, 30 + Latency));
    assert_true(answered(f, first, 31 + Latency));
    film_destroy(f);
  }
}

TEST(test_send_waits_for_colour) {
  film_t *f = film_create();
  distribution_unit_t *unit = &f->unit[GpuGuardEarly];
  unit->out.send_read_valid = true;
  unit->out.send_read_address = Piece * 4;
  serve(f, GpuGuardEarly, 10);
  f->guard.in_flight[place_of(Block)] = 2;
  serve(f, GpuGuardEarly, 10 + Latency);
  assert_false(unit->in.send_data_valid);
  f->guard.in_flight[place_of(Block)] = 0;
  serve(f, GpuGuardEarly, 11 + Latency);
  assert_true(unit->in.send_data_valid);
  film_destroy(f);
}

// Two sources may bring one depth; one source may bring a pixel again.
TEST(test_ties) {
  film_t *f = film_create();
  uint8_t tied[SurfaceTilePixels] = {0}, tiles[1] = {0}, dirty[1] = {0};
  uint64_t blocks[1] = {0};
  frame_state_t less = {.depth_func = FrameFuncLess, .color_mask = 15};
  surface_t color = {.tiles_x = 1,
                     .tiles_y = 1,
                     .dirty = dirty,
                     .dirty_blocks = blocks,
                     .tied = tied,
                     .tied_tiles = tiles};
  f->image.color = &color;
  f->image.state = &less;
  const uint64_t mark = 1ull << (32 + SurfaceMarkBit), depth = 1000ull << 32;
  const uint64_t of_2 = 2ull << (32 + SurfaceTagShift) | mark | depth;
  const uint64_t of_3 = 3ull << (32 + SurfaceTagShift) | mark | depth;
  const subimage_place_t at = {0};
  subimage_note_arrivals(&f->image, at, 1, &of_2, &of_2, 1);
  assert_int_equal(tied[0], 0);
  subimage_note_arrivals(&f->image, at, 1, &of_3, &of_2, 0);
  assert_int_equal(tied[0], 0);
  subimage_note_arrivals(&f->image, at, 1, &of_3, &of_2, 1);
  assert_int_equal(tied[0], SurfaceTied);
  film_destroy(f);
}

// A draw notes a tie where it finds its depth brought by another GPU. Less-equal draws over it, and
// the note stays until a nearer colour is written.
TEST(test_ties_of_draws) {
  enum { Depth = 1000, Pixel = 9, Own = 1, Other = 2, Group = 1, Mark = 1 << SurfaceMarkBit };
  static const struct {
    uint8_t func, tag;
    uint32_t mark, group, depth;
    uint8_t noted, written;
  } cases[] = {
      {FrameFuncLess, Other, Mark, Group, Depth, SurfaceTied, SurfaceTied},
      {FrameFuncLessEqual, Other, Mark, Group, Depth, SurfaceTiedWhenWritten, SurfaceTied},
      {FrameFuncLess, Own, Mark, Group, Depth, 0, 0},            // its own
      {FrameFuncLess, Other, 0, Group, Depth, 0, 0},             // from before the group
      {FrameFuncLess, Other, Mark, Group + 1, Depth, 0, 0},      // another group's
      {FrameFuncLess, Other, Mark, Group, Depth - 1, 0, 0},      // it is farther
      {FrameFuncLessEqual, Other, Mark, Group, Depth + 1, 0, 0}  // it is nearer
  };
  frame_surface_t size = {64, 64};
  frame_vertex_t v[3] = {
      {.z = Depth, .inv_w = 1}, {.z = Depth, .inv_w = 1}, {.z = Depth, .inv_w = 1}};
  v[1].x = v[2].y = 64 * FrameSubpixel;
  const frame_triangle_t triangle = {.v = {0, 1, 2}};
  const frame_t frame = {.width = 64,
                         .height = 64,
                         .target_count = 1,
                         .depth_count = 1,
                         .targets = &size,
                         .depths = &size,
                         .vertices = v,
                         .vertex_count = 3};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    frame_state_t s = {.depth_test = 1,
                       .depth_write = 1,
                       .depth_func = cases[i].func,
                       .color_mask = 15,
                       .scissor = {0, 0, 64, 64},
                       .stages = {{.texture = FrameNone}, {.texture = FrameNone}}};
    surface_t *colors, *depths;
    raster_t r;
    render_draw_t d;
    assert_true(render_surfaces_create(&frame, &colors, &depths));
    assert_true(raster_setup(&r, &frame, &s, &triangle));
    render_draw_make(&d, &frame, &s, colors, depths, (shade_sampling_t){0});
    d.mode = (render_mode_t){.compose = true, .ties = true, .tag = Own, .group = Group};
    depths->mark_group[0] = cases[i].group;
    depths->depth[Pixel] =
        cases[i].depth | cases[i].mark | (uint32_t)cases[i].tag << SurfaceTagShift;
    const uint64_t mask = 1ull << Pixel, left = render_depth(&d, &r, 0, 0, mask);
    assert_int_equal(colors->tied[Pixel], cases[i].noted);
    const uint32_t shaded[SurfaceBlockPixels] = {0};
    render_write(&d, &r, 0, 0, left, shaded);
    assert_int_equal(colors->tied[Pixel], cases[i].written);
    render_surfaces_destroy(&frame, colors, depths);
  }
}

int main(void) { return run_all_tests(NULL, NULL); }
