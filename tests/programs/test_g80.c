// SPDX-License-Identifier: Apache-2.0
// Slow pixels on the machine of the G80 study (vectors/config/g80.yaml): E1.2 to E1.5, what is
// drawn until a stall, and the map of tiles. docs/shader.md has the rows.
#include "csim/base/config.h"
#include "csim/gpu/gpu.h"
#include "csim/machine/machine_config.h"
#include "tests/programs/test.h"

enum {
  Window = 512,
  Tile = 16,     // pixels of a side
  SubTiles = 8,  // of 8x4 pixels, two columns
  MaxBranches = 4,
  MaxPixels = 32,
  Operations = 250000,  // of a slow branch
  T = 4 * Operations,   // cycles of their issue
  Latency = 11,         // cycles of an operation that waits for the one before
  Stalled = T / 10,     // everything that can be drawn beside a slow pixel is, by then
};

// A window that one triangle covers. In branch n the listed pixels are slow, each branch alone.
typedef struct {
  machine_params_t machine;
  uint32_t side;
  bool waits;  // slow operations wait for the one before
  uint32_t branches, pixels[MaxBranches];
  program_pixel_t pixel[MaxBranches][MaxPixels];
  program_t program;
  frame_surface_t surface;
  frame_cmd_t command;
  frame_vertex_t vertex[3];
  frame_triangle_t triangle;
  frame_t frame;
  gpu_t *gpu;
} rig_t;

static rig_t *rig(uint32_t side) {
  err_auto_t err = {0};
  rig_t *r = calloc(1, sizeof *r);
  config_t *config = config_create();
  assert_non_null(r);
  assert_non_null(config);
  if (!machine_config_add(config, &r->machine, &err) ||
      !config_load_file(config, "vectors/config/g80.yaml", &err) ||
      !machine_config_check(config, &r->machine, &err)) {
    fail_msg("%s", err_text(&err));
  }
  config_destroy(config);
  r->side = side;
  return r;
}

static void drop(rig_t *r) {
  gpu_destroy(r->gpu);
  free(r);
}

// A pixel of sub-tile k of tile (i, j); they are counted row by row, two to a row.
static program_pixel_t pixel_of(uint32_t i, uint32_t j, uint32_t k, uint32_t n) {
  return (program_pixel_t){(uint16_t)(Tile * i + k % 2 * 8 + n % 8),
                           (uint16_t)(Tile * j + k / 2 * 4 + n / 8)};
}

static void slow(rig_t *r, uint32_t i, uint32_t j, uint32_t k) {
  uint32_t n = r->branches++;
  // Other pixels of a sub-tile for other branches.
  r->pixel[n][0] = pixel_of(i, j, k, 9 + n);
  r->pixels[n] = 1;
}

// A fast operation, then as many sides of branches as there are slow pixels.
static void make_program(rig_t *r) {
  err_auto_t err = {0};
  program_t *p = &r->program;
  p->op[p->count++] = (program_op_t){.kind = ProgramAlu, .count = 1};
  for (uint32_t n = 0; n < r->branches; n++) {
    p->op[p->count++] = (program_op_t){.kind = ProgramIf,
                                       .predicate = ProgramOnPixels,
                                       .count = r->pixels[n],
                                       .pixels = r->pixel[n]};
    p->op[p->count++] =
        (program_op_t){.kind = ProgramAlu, .count = Operations, .dependent = r->waits ? 1000 : 0};
    p->op[p->count++] = (program_op_t){.kind = ProgramElse};
  }
  for (uint32_t n = 0; n < r->branches; n++) {
    p->op[p->count++] = (program_op_t){.kind = ProgramEndif};
  }
  if (!program_check(p, &err)) {
    fail_msg("%s", err_text(&err));
  }
}

static void start(rig_t *r) {
  const frame_rect_t window = {0, 0, (int32_t)r->side, (int32_t)r->side};
  const int32_t far = 2 * (int32_t)r->side * FrameSubpixel;
  make_program(r);
  r->surface = (frame_surface_t){r->side, r->side};
  for (uint32_t k = 0; k < 3; k++) {
    r->vertex[k] = (frame_vertex_t){
        .x = k == 1 ? far : 0, .y = k == 2 ? far : 0, .inv_w = 1, .rgba = 0xffffffff};
    r->triangle.v[k] = k;
  }
  r->command = (frame_cmd_t){.kind = FrameCmdDraw,
                             .triangles_in = 1,
                             .triangle_count = 1,
                             .indices = 3,
                             .vertices_in = 3,
                             .vertex_length = 1,
                             .fragment_length = 1,
                             .program = 1,
                             .state = {.depth_buffer = FrameNone,
                                       .color_mask = 15,
                                       .color = 0xffffffff,
                                       .scissor = window,
                                       .viewport = window,
                                       .stages = {{.texture = FrameNone}, {.texture = FrameNone}}}};
  r->frame = (frame_t){.width = r->side,
                       .height = r->side,
                       .target_count = 1,
                       .targets = &r->surface,
                       .command_count = 1,
                       .commands = &r->command,
                       .vertices = r->vertex,
                       .vertex_count = 3,
                       .triangles = &r->triangle,
                       .triangle_count = 1,
                       .programs = &r->program,
                       .program_count = 1};
  r->gpu = gpu_create(&r->machine.gpu, &r->frame, 0, &(gpu_texturing_t){0});
  assert_non_null(r->gpu);
  assert_true(gpu_push(r->gpu, &(gpu_command_t){.kind = GpuCommandDraw, .count = 1}));
}

// Cycles of the frame.
static uint64_t frame_cycles(rig_t *r) {
  uint64_t end = 0;
  start(r);
  for (uint64_t now = 0; now != GPU_NEVER; now = gpu_advance(r->gpu, now)) {
    end = now;
  }
  assert_true(gpu_idle(r->gpu));
  assert_int_equal(gpu_stats(r->gpu)->fragments_written, r->side * r->side);
  return end;
}

// In units of T.
static double frame_time(rig_t *r) {
  double cycles = (double)frame_cycles(r);
  return cycles / (r->waits ? Latency * Operations : T);
}

// Goes on until nothing more can be drawn beside the slow pixel; the pixels that are.
static uint64_t stall(rig_t *r) {
  start(r);
  uint64_t now = 0;
  while (now < Stalled / 2) {
    now = gpu_advance(r->gpu, now);
  }
  uint64_t drawn = gpu_stats(r->gpu)->fragments_written;
  while (now < Stalled) {
    now = gpu_advance(r->gpu, now);
  }
  assert_int_equal(gpu_stats(r->gpu)->fragments_written, drawn);
  assert_true(drawn < r->side * r->side);
  return drawn;
}

static bool written(const rig_t *r, uint32_t x, uint32_t y) {
  const surface_t *t = gpu_target(r->gpu, 0);
  return t->color[surface_index(t->tiles_x, x, y)] != 0;
}

// Pixels of a sub-tile that are written.
static uint32_t in_sub_tile(const rig_t *r, uint32_t i, uint32_t j, uint32_t k) {
  uint32_t count = 0;
  for (uint32_t n = 0; n < 32; n++) {
    program_pixel_t p = pixel_of(i, j, k, n);
    count += written(r, p.x, p.y);
  }
  return count;
}

static uint32_t in_tile(const rig_t *r, uint32_t i, uint32_t j) {
  uint32_t count = 0;
  for (uint32_t k = 0; k < SubTiles; k++) {
    count += in_sub_tile(r, i, j, k);
  }
  return count;
}

// Rows of tiles are drawn in twos, column by column: the place of a tile in that order.
static uint32_t order_of(const rig_t *r, uint32_t i, uint32_t j) {
  return j / 2 * (2 * r->side / Tile) + 2 * i + j % 2;
}

// The map as the study states it.
static uint32_t owner_of(uint32_t i, uint32_t j) {
  static const uint32_t n[6] = {0, 2, 4, 1, 5, 3};
  return (i + n[j % 6]) % 6;
}

static void near(const char *what, double got, double wanted, double part) {
  if (got < wanted * (1 - part) || got > wanted * (1 + part)) {
    fail_msg("%s: %.3f, expected %.3f within %.0f %%", what, got, wanted, part * 100);
  }
}

// ---- E1.3, E1.4: slow pixels, each in a branch of its own ----

typedef struct {
  const char *name;
  double times, waiting;  // T as stated, without wait states and with; 0: not stated
  uint32_t count;
  uint8_t at[MaxBranches][3];  // tile and sub-tile
} slow_row_t;

static const slow_row_t Rows[] = {
    {"other tile", 1, 1, 2, {{5, 4, 0}, {6, 4, 0}}},
    {"other tile, next row", 1, 1, 2, {{5, 4, 0}, {5, 5, 4}}},
    {"Ti, Ti+6", 2, 2, 2, {{5, 4, 0}, {11, 4, 0}}},
    {"Ti, Ti+6, other column", 2, 2, 2, {{5, 4, 0}, {11, 4, 1}}},
    {"Ti, Ti+12", 2, 2, 2, {{5, 4, 0}, {17, 4, 1}}},
    {"Ti, Ti+24", 2, 2, 2, {{5, 4, 0}, {29, 4, 1}}},
    {"same sub-tile", 2, 2, 2, {{5, 4, 3}, {5, 4, 3}}},
    {"other column", 1, 1, 2, {{5, 4, 0}, {5, 4, 3}}},
    {"same column", 2, 0, 2, {{5, 4, 0}, {5, 4, 4}}},
    {"4 neighbour tiles", 1, 0, 4, {{5, 4, 0}, {6, 4, 0}, {7, 4, 2}, {8, 4, 0}}},
    {"4, same sub-tile", 4, 0, 4, {{5, 4, 3}, {5, 4, 3}, {5, 4, 3}, {5, 4, 3}}},
    {"4, same column", 4, 0, 4, {{5, 4, 0}, {5, 4, 2}, {5, 4, 4}, {5, 4, 6}}},
    {"2 + 2", 2, 0, 4, {{5, 4, 0}, {5, 4, 2}, {5, 4, 1}, {5, 4, 5}}},
    {"2 in a sub-tile + 2", 2, 0, 4, {{5, 4, 2}, {5, 4, 2}, {5, 4, 1}, {5, 4, 1}}},
};

static double time_of(const slow_row_t *row, bool waits) {
  rig_t *r = rig(Window);
  r->waits = waits;
  for (uint32_t n = 0; n < row->count; n++) {
    slow(r, row->at[n][0], row->at[n][1], row->at[n][2]);
  }
  double time = frame_time(r);
  drop(r);
  return time;
}

TEST(test_slow_pixels) {
  for (uint32_t i = 0; i < sizeof Rows / sizeof *Rows; i++) {
    near(Rows[i].name, time_of(&Rows[i], false), Rows[i].times, 0.05);
  }
}

// With wait states two warps of an SM go on side by side: about a tenth more at most.
TEST(test_wait_states) {
  for (uint32_t i = 0; i < sizeof Rows / sizeof *Rows; i++) {
    if (Rows[i].waiting > 0) {
      near(Rows[i].name, time_of(&Rows[i], true), Rows[i].waiting, 0.05);
    }
  }
  static const slow_row_t sides[] = {{"other column", 1, 1, 2, {{5, 4, 0}, {5, 4, 1}}},
                                     {"same column", 2, 1, 2, {{5, 4, 0}, {5, 4, 2}}},
                                     {"same column", 2, 1, 2, {{5, 4, 0}, {5, 4, 4}}}};
  for (uint32_t i = 0; i < 3; i++) {
    double time = time_of(&sides[i], true);
    assert_true(time >= 0.95 && time <= 1.15);
  }
}

// E1.5: 32 slow fragments of a sub-tile in one branch.
TEST(test_one_branch) {
  rig_t *r = rig(Window);
  r->branches = 1;
  r->pixels[0] = MaxPixels;
  for (uint32_t n = 0; n < MaxPixels; n++) {
    r->pixel[0][n] = pixel_of(5, 4, 3, n);
  }
  near("one branch", frame_time(r), 1, 0.02);
  drop(r);
}

// ---- E1.2, the stall and the map ----

// Of the slow tile, what comes before the slow sub-tile is drawn; of the tiles after it, none of
// the same cluster, and all of the others until the raster stands still: at the first one that the
// cluster's FIFO of two tiles does not hold.
static void expect_black(const rig_t *r, uint32_t i, uint32_t j, uint32_t k) {
  uint32_t tiles = r->side / Tile, slow_tile = order_of(r, i, j), last = 0, waiting = 0;
  for (uint32_t n = 0; n < SubTiles; n++) {
    assert_int_equal(in_sub_tile(r, i, j, n), n < k ? 32 : 0);
  }
  for (uint32_t y = 0; y < tiles; y++) {
    for (uint32_t x = 0; x < tiles; x++) {
      uint32_t order = order_of(r, x, y);
      last = order > last && in_tile(r, x, y) ? order : last;
    }
  }
  assert_true(last > slow_tile && last + 1 < tiles * tiles);
  for (uint32_t y = 0; y < tiles; y++) {
    for (uint32_t x = 0; x < tiles; x++) {
      uint32_t order = order_of(r, x, y);
      bool black = order > last || (order > slow_tile && owner_of(x, y) == owner_of(i, j));
      if (order != slow_tile && in_tile(r, x, y) != (black ? 0 : Tile * Tile)) {
        fail_msg("tile %u %u: %u pixels, slow one in %u %u", x, y, in_tile(r, x, y), i, j);
      }
      waiting += order > slow_tile && order <= last && black;
      if (order == last + 1) {
        assert_int_equal(owner_of(x, y), owner_of(i, j));
      }
    }
  }
  assert_int_equal(waiting, 2);
}

TEST(test_one_slow_pixel) {
  rig_t *r = rig(Window);
  slow(r, 5, 4, 3);
  near("one slow pixel", frame_time(r), 1, 0.02);
  drop(r);
  // In many places, so that the raster stops at tiles of both rows and of all columns.
  for (uint32_t n = 0; n < 48; n++) {
    uint32_t i = n % 24, j = 4 + n % 7, k = n % SubTiles;
    r = rig(Window);
    slow(r, i, j, k);
    stall(r);
    expect_black(r, i, j, k);
    drop(r);
  }
}

// What is counted of a frame with one slow pixel: a sub-tile is a warp; for as long as that pixel
// takes one cluster is busy and its FIFO full, and the others starve.
TEST(test_statistics) {
  rig_t *r = rig(Window);
  slow(r, 5, 6, 3);
  double cycles = (double)frame_cycles(r);
  const gpu_dispatch_stats_t *s = gpu_dispatch_stats(r->gpu);
  assert_int_equal(s->warps, Window * Window / 32);
  assert_int_equal(s->stamps, 8 * s->warps);
  assert_int_equal(s->primitives, s->warps);
  for (uint32_t c = 0; c < GpuG80Clusters; c++) {
    bool is_slow = c == owner_of(5, 6);
    assert_true(is_slow ? s->busy[c] > T : s->busy[c] < cycles - T);
    assert_true(is_slow ? s->fifo_full[c] > 0.99 * T : s->fifo_full[c] < cycles - T);
    assert_true(is_slow ? s->starved[c] < cycles - T : s->starved[c] > 0.99 * T);
  }
  double counted = (double)s->pixels_at_stall;
  drop(r);
  r = rig(Window);
  slow(r, 5, 6, 3);
  double drawn = (double)stall(r) - Tile * Tile * order_of(r, 5, 6);
  // And what the clusters were at when the slow batch began.
  assert_true(counted >= drawn && counted <= drawn + GpuG80Clusters * Tile * Tile);
  drop(r);
}

// The pixel in the last tile: its FIFO is empty meanwhile. A block alone waits for its batch to
// fill, which is not being busy.
TEST(test_busy) {
  rig_t *r = rig(Window);
  slow(r, 31, 31, 7);
  double cycles = (double)frame_cycles(r);
  const gpu_dispatch_stats_t *s = gpu_dispatch_stats(r->gpu);
  uint32_t c = owner_of(31, 31);
  assert_true(s->busy[c] > T && s->fifo_full[c] < cycles - T);
  assert_true(s->starved[c] < cycles - T && s->starved[(c + 1) % GpuG80Clusters] > T);
  drop(r);
  r = rig(8);
  r->machine.gpu.warp_wait = 1000;
  assert_true(frame_cycles(r) > 1000);
  s = gpu_dispatch_stats(r->gpu);
  assert_int_equal(s->warps, 2);
  assert_in_range(s->busy[owner_of(0, 0)], Latency, 3 * Latency);
  assert_in_range(s->starved[owner_of(1, 0)], 1000, 1100);
  drop(r);
}

// About 5,000 pixels from the slow tile on, wherever it lies.
TEST(test_stall_window) {
  static const uint32_t sub_tiles[] = {0, 3, 7};
  double sum = 0;
  uint32_t count = 0;
  for (uint32_t i = 2; i < 30; i += 3) {
    for (uint32_t k = 0; k < 3; k++) {
      rig_t *r = rig(Window);
      slow(r, i, 6, sub_tiles[k]);
      sum += (double)stall(r) - Tile * Tile * order_of(r, i, 6);
      count++;
      drop(r);
    }
  }
  print_message("window: %.0f pixels\n", sum / count);
  near("window", sum / count, 5000, 0.1);
}

// With FIFOs that never fill, one slow pixel in the first tile of a cluster stops all of them, and
// no other.
TEST(test_map) {
  enum { Tiles = 12 };
  uint8_t map[Tiles][Tiles];
  memset(map, 0xff, sizeof map);
  for (uint32_t n = 0; n < Tiles; n++) {
    uint32_t i = n / 2, j = n % 2;
    rig_t *r = rig(Tiles * Tile);
    r->machine.gpu.cluster_fifo = 1024;
    slow(r, i, j, 0);
    stall(r);
    for (uint32_t y = 0; y < Tiles; y++) {
      for (uint32_t x = 0; x < Tiles; x++) {
        uint32_t pixels = in_tile(r, x, y);
        bool behind = order_of(r, x, y) >= n, black = behind && owner_of(x, y) == owner_of(i, j);
        assert_int_equal(pixels, black ? 0 : Tile * Tile);
        if (black) {
          assert_true(map[y][x] == 0xff || map[y][x] == owner_of(i, j));
          map[y][x] = (uint8_t)owner_of(i, j);
        }
      }
    }
    drop(r);
  }
  for (uint32_t y = 0; y < Tiles; y++) {
    for (uint32_t x = 0; x < Tiles; x++) {
      assert_in_range(map[y][x], 0, 5);
      assert_int_equal(map[y][x], map[(y + 6) % Tiles][x]);
      assert_int_equal(map[y][x], map[y][(x + 6) % Tiles]);
    }
  }
}

int main(void) { return run_all_tests(NULL, NULL); }
