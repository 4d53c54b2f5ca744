// SPDX-License-Identifier: Apache-2.0
// Directed tests of the ROP pixel-distribution unit, from docs/units/pixel_distributor.md.
#include "directed.h"

// ---- Maps ----

static void expect_map(const char *const *rows, uint32_t tiles_y) {
  for (uint32_t y = 0; y < tiles_y; y++) {
    for (uint32_t x = 0; rows[y][x]; x++) {
      assert_int_equal(peek(PixelDistributorPeekOwner, y * 8 + x), (uint32_t)(rows[y][x] - '0'));
    }
  }
}

ENGINE_TEST(test_maps) {
  // Six GPUs, 7 by 4 tiles (the last column and row are cut), pitch 8.
  static const pixel_distributor_params_t Six = {
      6, 6, PixelDistributorCellStamp, 64, 512, 512, 4, 4, 48, false};
  static const char *const Rows[] = {"0123450", "1234501", "2345012", "3450123"};
  static const char *const Skew[] = {"0123450", "2345012", "4501234", "1234501"};
  static const char *const Work[] = {"0011223", "0011223", "4455001", "4455001"};
  // Columns 0 to 2 for GPUs 0 to 2, a row of it for GPU 0; the rest for 3 to 5.
  static const char *const Halving[] = {"0003444", "1223444", "1223555", "1223555"};
  begin_params(&Six);
  configure(7 * 64 - 5, 4 * 64 - 63, PixelDistributorMapRows, 0);
  wait_cycles(40);
  expect_map(Rows, 4);
  configure(7 * 64 - 5, 4 * 64 - 63, PixelDistributorMapSkew, 0);
  wait_cycles(40);
  expect_map(Skew, 4);
  configure(7 * 64 - 5, 4 * 64 - 63, PixelDistributorMapWorkTiles, 2);
  wait_cycles(40);
  expect_map(Work, 4);
  configure(7 * 64 - 5, 4 * 64 - 63, PixelDistributorMapHalving, 0);
  wait_cycles(120);
  expect_map(Halving, 4);
  assert_int_equal(out.error, PixelDistributorErrorNone);
}

static uint32_t divisor(uint32_t a, uint32_t b) { return b ? divisor(b, a % b) : a; }

// The golden model's step with every number of GPUs; the RTL's is a constant (lint.test.sh).
ENGINE_TEST(test_skew_steps) {
  if (getenv("NOCTURNE_ENGINE")) {
    skip();  // of every number of GPUs hardware takes an hour to build
  }
  for (uint8_t n = 2; n <= 64; n++) {
    const pixel_distributor_params_t params = {
        n, 6, PixelDistributorCellStamp, 64, 512, 512, 4, 4, 48, false};
    begin_params(&params);
    configure(7 * 64 - 5, 3 * 64, PixelDistributorMapSkew, 0);
    wait_cycles(40);
    uint32_t step_size = 2;
    while (divisor(step_size, n) != 1) {
      step_size++;
    }
    for (uint32_t y = 0; y < 3; y++) {
      // (Of six GPUs the rows are the published ones, test_maps.)
      if (n != 6) {
        assert_int_equal(peek(PixelDistributorPeekOwner, y * 8 + 1), (y * step_size + 1) % n);
      }
    }
  }
}

ENGINE_TEST(test_config_errors) {
  static const uint16_t Cases[][4] = {{0, 64, 0, 0},   {64, 0, 0, 0},  {129, 64, 0, 0},
                                      {64, 129, 0, 0}, {64, 64, 2, 0}, {64, 64, 2, 11}};
  for (size_t i = 0; i < sizeof Cases / sizeof *Cases; i++) {
    begin_params(&Small);
    configure(Cases[i][0], Cases[i][1], (uint8_t)Cases[i][2], (uint8_t)Cases[i][3]);
    assert_int_equal(out.error, PixelDistributorErrorConfig);
    start(1);  // still not usable; the first error stays
    assert_false(out.sending);
    assert_int_equal(out.error, PixelDistributorErrorConfig);
  }
}

// ---- Touched map ----

ENGINE_TEST(test_touched_map) {
  begin();
  assert_int_equal(peek(PixelDistributorPeekBlocks, 1), 0);
  touch(9, 2, 0x8001);  // tile 1, block 2 * 8 + 1
  touch(9, 2, 0x0010);
  touch(10, 0, 0);      // touches nothing
  touch(0, 0, 0xffff);  // tile 0
  wait_cycles(2);
  assert_true(peek(PixelDistributorPeekBlocks, 1) == UINT64_C(1) << 17);
  assert_int_equal(peek(PixelDistributorPeekStamps, 64 + 17), 0x8011);
  assert_int_equal(peek(PixelDistributorPeekStamps, 64 + 16), 0);
  assert_true(peek(PixelDistributorPeekBlocks, 0) == 1);
  in.clear = true;
  step();
  assert_true(peek(PixelDistributorPeekBlocks, 1) == 0);
  assert_int_equal(peek(PixelDistributorPeekStamps, 64 + 17), 0);
  touch(9, 2, 0x0002);  // stamps from before the clear do not come back
  wait_cycles(2);
  assert_int_equal(peek(PixelDistributorPeekStamps, 64 + 17), 0x0002);
  assert_int_equal(out.error, PixelDistributorErrorNone);
  touch(16, 0, 1);  // beyond the surface
  assert_int_equal(out.error, PixelDistributorErrorTouch);
}

ENGINE_TEST(test_counted_cells) {
  // Each cell once, for its owner; a transfer tells those of its destination.
  static const uint8_t modes[] = {PixelDistributorCellStamp, PixelDistributorCellBlock,
                                  PixelDistributorCellTile};
  for (uint32_t m = 0; m < 3; m++) {
    pixel_distributor_params_t p = Small;
    p.cell = modes[m];
    p.count_cells = true;
    begin_params(&p);
    configure(128, 64, PixelDistributorMapRows, 0);
    wait_cycles(4);
    touch(9, 2, 0x8001);
    assert_int_equal(out.foreign_cells, 0);  // under way
    touch(9, 2, 0x8011);
    touch(10, 0, 0x0001);
    touch(0, 0, 0xffff);  // the own tile
    wait_cycles(2);
    uint32_t foreign = modes[m] == PixelDistributorCellStamp   ? 4
                       : modes[m] == PixelDistributorCellBlock ? 2
                                                               : 1;
    assert_int_equal(out.foreign_cells, foreign);
    assert_int_equal(out.sending_cells, 0);
    in.clear = true;
    step();
    assert_int_equal(out.foreign_cells, 0);
    touch(9, 2, 0x0001);
    wait_cycles(2);
    assert_int_equal(out.foreign_cells, 1);
    touch(8, 0, 0x0001);
    wait_cycles(2);
    start(1);
    assert_int_equal(out.sending_cells, modes[m] == PixelDistributorCellTile ? 1 : 2);
    assert_int_equal(out.error, PixelDistributorErrorNone);
  }
  // Without CountCells nothing.
  begin();
  touch(9, 2, 0x8001);
  wait_cycles(2);
  assert_int_equal(out.foreign_cells, 0);
}

// ---- Sender ----

ENGINE_TEST(test_untouched_pair) {
  // Nothing touched of the destination's: one end beat, in the fifth cycle after the start.
  begin();
  touch(0, 0, 0xffff);  // the own tile
  wait_cycles(2);
  start(1);
  for (uint32_t i = 1; i < 5; i++) {
    assert_false(out.beat_out_valid);
    assert_true(out.sending);
    step();
  }
  assert_true(out.beat_out_valid);
  assert_int_equal(out.beat_out.kind, PixelDistributorBeatKindEnd);
  assert_int_equal(out.beat_out.data[0], 0);
  step();
  assert_false(out.sending);
  assert_int_equal(beat_count, 1);
  assert_int_equal(read_tail, 0);
  assert_int_equal(counter(PixelDistributorCounterCellsSkipped), 1024);  // stamps of a tile
}

ENGINE_TEST(test_packing) {
  // Three stamps in three blocks of a tile: a beat of two, then a beat of one.
  begin();
  touch(15, 7, 0x8000);
  touch(8, 0, 0x0001);
  touch(9, 0, 0x0002);
  wait_cycles(2);
  start(1);
  wait_cycles(40);
  assert_int_equal(beat_count, 4);
  assert_int_equal(beats[0].kind, PixelDistributorBeatKindHeader);
  assert_true(beats[0].data[0] == (UINT64_C(1) << 63 | 3));
  assert_int_equal(beats[0].data[1], 1);  // tile x 1, tile y 0
  assert_int_equal(beats[1].kind, PixelDistributorBeatKindData);
  assert_int_equal(beats[1].pieces.piece[0], 0);
  assert_int_equal(beats[1].pieces.piece[1], 16 + 1);
  assert_int_equal(beats[1].pieces.mask, 0xff);
  assert_int_equal(beats[1].data[0], 4096);  // the pixels' addresses
  assert_int_equal(beats[1].data[7], 4096 + 64 + 7);
  assert_int_equal(beats[2].pieces.piece[0], 63 * 16 + 15);
  assert_int_equal(beats[2].pieces.mask, 0x0f);
  assert_int_equal(beats[2].data[0], 4096 + 4092);
  assert_int_equal(beats[2].data[4], 0);
  assert_int_equal(beats[3].kind, PixelDistributorBeatKindEnd);
  assert_int_equal(beats[3].data[0], 12);
  assert_int_equal(counter(PixelDistributorCounterPixelsSent), 12);
  assert_int_equal(counter(PixelDistributorCounterBeatsSent), 2);
  assert_int_equal(counter(PixelDistributorCounterHeadersSent), 1);
  assert_int_equal(counter(PixelDistributorCounterCellsSkipped), 1024 - 3);
}

ENGINE_TEST(test_unwritten) {
  // Only written pixels of touched stamps are sent; a piece without any is dropped.
  begin();
  touch(8, 0, 0x0003);
  wait_cycles(2);
  written = 0xa0;
  start(1);
  wait_cycles(30);
  assert_int_equal(beat_count, 3);
  assert_int_equal(beats[1].pieces.piece[0], 1);
  assert_int_equal(beats[1].pieces.mask, 0x0a);
  assert_int_equal(beats[1].data[0], 0);
  assert_int_equal(beats[1].data[1], 4096 + 5);
  assert_int_equal(beats[2].data[0], 2);
  // None at all: header and end.
  written = 0;
  beat_count = 0;
  start(1);
  wait_cycles(30);
  assert_int_equal(beat_count, 2);
  assert_int_equal(beats[0].kind, PixelDistributorBeatKindHeader);
  assert_int_equal(beats[1].data[0], 0);
}

ENGINE_TEST(test_back_pressure) {
  // 48 granules; link and memory each take one in three and in two cycles; nothing is lost.
  begin();
  for (uint16_t b = 0; b < 6; b++) {
    touch((uint16_t)(8 + b), 1, 0xffff);
  }
  wait_cycles(2);
  start(1);
  for (uint32_t i = 0; i < 400 && out.sending; i++) {
    in.beat_out_ready = i % 3 == 0;
    in.send_read_ready = i % 2 == 0;
    step();
  }
  assert_false(out.sending);
  assert_int_equal(beat_count, 1 + 48 + 1);
  for (uint32_t i = 0; i < 48; i++) {
    assert_int_equal(beats[i + 1].pieces.piece[0], (8 + i / 8) * 16 + i % 8 * 2);
    assert_int_equal(beats[i + 1].data[0], 4096 + (8 + i / 8) * 64 + i % 8 * 8);
  }
  assert_int_equal(beats[49].data[0], 384);
}

ENGINE_TEST(test_send_all) {
  // Every pixel of the largest surface: 1,024.
  begin_params(&FourTiles);
  in.gpu = 1;
  configure(32, 32, PixelDistributorMapWorkTiles, 2);
  wait_cycles(5);
  for (uint16_t b = 0; b < 16; b++) {
    touch(b % 4, b / 4, 0xffff);
  }
  wait_cycles(2);
  start(0);
  for (uint32_t i = 0; i < 400 && out.sending; i++) {
    step();
  }
  assert_int_equal(beat_count, 4 + 1024 / Pixels + 1);
  assert_int_equal(beats[beat_count - 1].kind, PixelDistributorBeatKindEnd);
  assert_int_equal(beats[beat_count - 1].data[0], 1024);
}

ENGINE_TEST(test_send_errors) {
  begin();
  start(0);  // to itself
  assert_int_equal(out.error, PixelDistributorErrorStart);
  assert_false(out.sending);
  begin();
  start(1);
  start(1);
  assert_int_equal(out.error, PixelDistributorErrorStart);
  begin();
  start(1);
  touch(8, 0, 1);
  assert_int_equal(out.error, PixelDistributorErrorTouch);
  begin();
  start(1);
  in.clear = true;
  step();
  assert_int_equal(out.error, PixelDistributorErrorClear);
  begin();
  in.send_data_valid = true;  // not asked for; step() would clear it
  assert_int_equal(unit.step(unit.self, &in, &out), UnitOk);
  assert_int_equal(out.error, PixelDistributorErrorSendData);
  unit.reset(unit.self, &out);
  assert_int_equal(out.error, PixelDistributorErrorNone);
}

int main(void) { return run_all_tests(NULL, NULL); }
