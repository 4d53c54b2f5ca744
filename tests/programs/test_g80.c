// SPDX-License-Identifier: Apache-2.0
// Slow pixels on the machine of the G80 study (vectors/config/g80.yaml): E1.2 to E1.5, what is
// drawn until a stall, and the map of tiles. docs/model/shader.md has the rows.
#include "tests/programs/g80_rig.h"

enum {
  Window = 512,
  Tile = RigTile,
  SubTiles = 8,  // of 8x4 pixels, two columns
  MaxBranches = 4,
  Operations = 250000,           // of a slow branch
  T = RigOpCycles * Operations,  // cycles of their issue
  Latency = 11,                  // cycles of an operation that waits for the one before
  Stalled = T / 10,              // everything that can be drawn beside a slow pixel is, by then
};

// One triangle over the window.
static rig_t *rig(uint32_t side) {
  rig_t *r = rig_create(side, 1);
  rig_cover(r);
  return r;
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
static void make_program(rig_t *r, bool waits) {
  rig_alu(r, 1, false);
  rig_branches(r, Operations, waits);
}

// Cycles of the frame.
static uint64_t frame_cycles(rig_t *r, bool waits) {
  make_program(r, waits);
  uint64_t end = rig_cycles(r);
  assert_int_equal(gpu_stats(r->gpu)->fragments_written, r->side * r->side);
  return end;
}

// In units of T.
static double frame_time(rig_t *r, bool waits) {
  double cycles = (double)frame_cycles(r, waits);
  return cycles / (waits ? Latency * Operations : T);
}

// Goes on until nothing more can be drawn beside the slow pixel; the pixels that are.
static uint64_t stall(rig_t *r) {
  make_program(r, false);
  rig_start(r);
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

// Pixels of a sub-tile that are written.
static uint32_t in_sub_tile(const rig_t *r, uint32_t i, uint32_t j, uint32_t k) {
  uint32_t count = 0;
  for (uint32_t n = 0; n < 32; n++) {
    program_pixel_t p = pixel_of(i, j, k, n);
    count += rig_written(r, p.x, p.y);
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
  for (uint32_t n = 0; n < row->count; n++) {
    slow(r, row->at[n][0], row->at[n][1], row->at[n][2]);
  }
  double time = frame_time(r, waits);
  rig_drop(r);
  return time;
}

TEST(test_slow_pixels) {
  for (uint32_t i = 0; i < sizeof Rows / sizeof *Rows; i++) {
    rig_near(Rows[i].name, time_of(&Rows[i], false), Rows[i].times, 0.05);
  }
}

// With wait states two warps of an SM go on side by side: about a tenth more at most.
TEST(test_wait_states) {
  for (uint32_t i = 0; i < sizeof Rows / sizeof *Rows; i++) {
    if (Rows[i].waiting > 0) {
      rig_near(Rows[i].name, time_of(&Rows[i], true), Rows[i].waiting, 0.05);
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
  r->pixels[0] = RigPixels;
  for (uint32_t n = 0; n < RigPixels; n++) {
    r->pixel[0][n] = pixel_of(5, 4, 3, n);
  }
  rig_near("one branch", frame_time(r, false), 1, 0.02);
  rig_drop(r);
}

// ---- E1.2, the stall and the map ----

// The part of the slow tile before the slow sub-tile is drawn; of the tiles after it, none of
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
      bool black = order > last || (order > slow_tile && rig_owner(x, y) == rig_owner(i, j));
      if (order != slow_tile && in_tile(r, x, y) != (black ? 0 : Tile * Tile)) {
        fail_msg("tile %u %u: %u pixels, slow one in %u %u", x, y, in_tile(r, x, y), i, j);
      }
      waiting += order > slow_tile && order <= last && black;
      if (order == last + 1) {
        assert_int_equal(rig_owner(x, y), rig_owner(i, j));
      }
    }
  }
  assert_int_equal(waiting, 2);
}

TEST(test_one_slow_pixel) {
  rig_t *r = rig(Window);
  slow(r, 5, 4, 3);
  rig_near("one slow pixel", frame_time(r, false), 1, 0.02);
  rig_drop(r);
  // In many places, so that the raster stops at tiles of both rows and of all columns.
  for (uint32_t n = 0; n < 48; n++) {
    uint32_t i = n % 24, j = 4 + n % 7, k = n % SubTiles;
    r = rig(Window);
    slow(r, i, j, k);
    stall(r);
    expect_black(r, i, j, k);
    rig_drop(r);
  }
}

// The counts of a frame with one slow pixel: a sub-tile is a warp; for as long as that pixel
// takes one cluster is busy and its FIFO full, and the others starve.
TEST(test_statistics) {
  rig_t *r = rig(Window);
  slow(r, 5, 6, 3);
  double cycles = (double)frame_cycles(r, false);
  const gpu_dispatch_stats_t *s = gpu_dispatch_stats(r->gpu);
  assert_int_equal(rig_sum(s->warps), Window * Window / 32);
  assert_int_equal(rig_sum(s->stamps), 8 * rig_sum(s->warps));
  assert_int_equal(rig_sum(s->primitives), rig_sum(s->warps));
  for (uint32_t c = 0; c < GpuG80Clusters; c++) {
    bool is_slow = c == rig_owner(5, 6);
    assert_true(is_slow ? s->busy.of[c] > T : s->busy.of[c] < cycles - T);
    assert_true(is_slow ? s->fifo_full.of[c] > 0.99 * T : s->fifo_full.of[c] < cycles - T);
    assert_true(is_slow ? s->starved.of[c] < cycles - T : s->starved.of[c] > 0.99 * T);
  }
  double counted = (double)s->pixels_at_stall;
  rig_drop(r);
  r = rig(Window);
  slow(r, 5, 6, 3);
  double drawn = (double)stall(r) - Tile * Tile * order_of(r, 5, 6);
  // And what the clusters were at when the slow batch began.
  assert_true(counted >= drawn && counted <= drawn + GpuG80Clusters * Tile * Tile);
  rig_drop(r);
}

// The pixel in the last tile: its FIFO is empty meanwhile. A block alone waits for its batch to
// fill, which is not being busy.
TEST(test_busy) {
  rig_t *r = rig(Window);
  slow(r, 31, 31, 7);
  double cycles = (double)frame_cycles(r, false);
  const gpu_dispatch_stats_t *s = gpu_dispatch_stats(r->gpu);
  uint32_t c = rig_owner(31, 31);
  assert_true(s->busy.of[c] > T && s->fifo_full.of[c] < cycles - T);
  assert_true(s->starved.of[c] < cycles - T && s->starved.of[(c + 1) % GpuG80Clusters] > T);
  rig_drop(r);
  r = rig(8);
  r->machine.gpu.warp_wait = 1000;
  assert_true(frame_cycles(r, false) > 1000);
  s = gpu_dispatch_stats(r->gpu);
  assert_int_equal(rig_sum(s->warps), 2);
  assert_in_range(s->busy.of[rig_owner(0, 0)], Latency, 3 * Latency);
  assert_in_range(s->starved.of[rig_owner(1, 0)], 1000, 1100);
  rig_drop(r);
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
      rig_drop(r);
    }
  }
  print_message("window: %.0f pixels\n", sum / count);
  rig_near("window", sum / count, 5000, 0.1);
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
        bool behind = order_of(r, x, y) >= n, black = behind && rig_owner(x, y) == rig_owner(i, j);
        assert_int_equal(pixels, black ? 0 : Tile * Tile);
        if (black) {
          assert_true(map[y][x] == 0xff || map[y][x] == rig_owner(i, j));
          map[y][x] = (uint8_t)rig_owner(i, j);
        }
      }
    }
    rig_drop(r);
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
