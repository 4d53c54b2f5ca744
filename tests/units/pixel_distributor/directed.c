// SPDX-License-Identifier: Apache-2.0
// Directed tests of the ROP pixel-distribution unit, from docs/units/pixel_distributor.md.
#include "tests/programs/unit_engine.h"

#include "csim/units/pixel_distributor/golden.h"

// Two GPUs, 128x64 pixels: tile 0 is GPU 0's, tile 1 GPU 1's. The unit under test is GPU 0's.
static const pixel_distributor_params_t Small = {
    2, 6, PixelDistributorCellStamp, 64, 128, 128, 4, 4, 48, false};

enum { MaxBeats = 64, Pixels = 8 };

static pixel_distributor_t unit;
static pixel_distributor_in_t in;
static pixel_distributor_out_t out;
static pixel_distributor_beat_t beats[MaxBeats];  // sent
static uint32_t beat_count;
static pixel_distributor_out_t writes[MaxBeats];
static uint32_t write_count;
// The memory: reads in flight, answered in order two cycles later. A pixel holds its address;
// `written` says which pixels of a granule were written in the group.
static uint32_t reads[MaxBeats], read_head, read_tail, local_reads, local_answers, cycle;
static uint32_t due[MaxBeats], local_due[MaxBeats];
static uint32_t written, local_written;

static void step(void) {
  in.send_data_valid = read_head < read_tail && due[read_head] <= cycle;
  if (in.send_data_valid) {
    in.send_data_written = written;
    for (uint32_t p = 0; p < Pixels; p++) {
      in.send_data[p] = reads[read_head] + p;
    }
    read_head += out.send_data_ready;
  }
  in.receive_data_valid = local_answers < local_reads && local_due[local_answers] <= cycle;
  if (in.receive_data_valid) {
    in.receive_data_written = local_written;
    local_answers += out.receive_data_ready;
  }
  if (out.send_read_valid && in.send_read_ready) {
    assert_true(read_tail < MaxBeats);
    due[read_tail] = cycle + 2;
    reads[read_tail++] = out.send_read_address;
  }
  if (out.receive_read_valid && in.receive_read_ready) {
    assert_true(local_reads < MaxBeats);
    local_due[local_reads++] = cycle + 2;
  }
  if (out.beat_out_valid && in.beat_out_ready) {
    assert_true(beat_count < MaxBeats);
    beats[beat_count++] = out.beat_out;
  }
  if (out.write_valid && in.write_ready) {
    assert_true(write_count < MaxBeats);
    writes[write_count++] = out;
  }
  assert_int_equal(unit.step(unit.self, &in, &out), UnitOk);
  in.config_valid = in.clear = in.touch_valid = in.start_valid = in.begin_valid = false;
  in.beat_in_valid = in.peek_valid = false;
  cycle++;
}

static void wait_cycles(uint32_t n) {
  while (n-- > 0) {
    step();
  }
}

static void begin_params(const pixel_distributor_params_t *params) {
  err_auto_t err = {0};
  if (!harness_pixel_distributor(engine, params, &unit, &err)) {
    fail_msg("%s", err_text(&err));
  }
  memset(&in, 0, sizeof in);
  in.send_read_ready = in.beat_out_ready = in.receive_read_ready = in.write_ready = true;
  in.done_ready = true;
  in.begin_color_mask = 15;
  in.begin_depth_write = true;
  in.begin_depth_func = 1;
  beat_count = write_count = read_head = read_tail = local_reads = local_answers = cycle = 0;
  written = local_written = 0xff;
  unit.reset(unit.self, &out);
}

static void configure(uint16_t width, uint16_t height, uint8_t map, uint8_t work_tile) {
  in.config_valid = true;
  in.config_width = width;
  in.config_height = height;
  in.config_map = map;
  in.config_work_tile = work_tile;
  step();
}

static void begin(void) {
  begin_params(&Small);
  configure(128, 64, PixelDistributorMapRows, 0);
  wait_cycles(4);
}

static void touch(uint16_t x, uint16_t y, uint16_t stamps) {
  in.touch_valid = true;
  in.touch_x = x;
  in.touch_y = y;
  in.touch_stamps = stamps;
  step();
}

static void start(uint8_t destination) {
  in.start_valid = true;
  in.start_destination = destination;
  step();
}

static uint64_t peek(uint8_t select, uint32_t index) {
  in.peek_valid = true;
  in.peek_select = select;
  in.peek_index = index;
  step();
  return out.peek_data;
}

static uint64_t counter(uint32_t index) { return peek(PixelDistributorPeekCounter, index); }

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
  // Of touched stamps only written pixels go; a piece without any is dropped.
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

// ---- Receiver ----

static void beat(uint8_t kind, uint64_t data0, uint64_t data1, uint16_t piece0, uint16_t piece1,
                 uint32_t mask) {
  in.beat_in_valid = true;
  memset(&in.beat_in, 0, sizeof in.beat_in);
  in.beat_in.kind = kind;
  in.beat_in.data[0] = data0;
  in.beat_in.data[1] = data1;
  in.beat_in.pieces.piece[0] = piece0;
  in.beat_in.pieces.piece[1] = piece1;
  in.beat_in.pieces.mask = mask;
  assert_true(out.beat_in_ready);
  step();
}

static void begin_receive(void) {
  begin();
  in.begin_valid = true;
  step();
}

static void header(uint64_t bitmap) { beat(PixelDistributorBeatKindHeader, bitmap, 0, 0, 0, 0); }

static uint64_t pixel(uint32_t color, uint32_t depth) { return (uint64_t)depth << 32 | color; }

ENGINE_TEST(test_receive) {
  begin_receive();
  header(1);
  // Pixel 0 wins, 1 loses, 2 ties (and loses with less); the others have depth 0 and win.
  for (uint32_t p = 0; p < Pixels; p++) {
    in.receive_data[p] = pixel(0x1000 + p, 100);
  }
  in.beat_in_valid = true;
  memset(&in.beat_in, 0, sizeof in.beat_in);
  in.beat_in.kind = PixelDistributorBeatKindData;
  in.beat_in.pieces.piece[1] = 1;
  in.beat_in.pieces.mask = 0x7f;
  in.beat_in.data[0] = pixel(0x2000, 99);
  in.beat_in.data[1] = pixel(0x2001, 101);
  in.beat_in.data[2] = pixel(0x2002, 100);
  step();
  beat(PixelDistributorBeatKindEnd, 7, 0, 0, 0, 0);
  assert_false(out.done_valid);
  wait_cycles(20);
  assert_int_equal(write_count, 1);
  assert_int_equal(writes[0].write.mask, 0x79);
  assert_int_equal(writes[0].write.piece[1], 1);
  assert_true(writes[0].write_data[0] == (pixel(0x2000, 99) | UINT64_C(1) << 56));
  assert_true(writes[0].write_data[1] == 0);
  assert_true(writes[0].write_data[4] == UINT64_C(1) << 56);
  assert_false(out.receiving);  // done was taken
  assert_int_equal(counter(PixelDistributorCounterPixelsReceived), 7);
  assert_int_equal(counter(PixelDistributorCounterPixelsLost), 2);
  assert_int_equal(counter(PixelDistributorCounterTies), 1);
  assert_int_equal(counter(PixelDistributorCounterBeatsReceived), 1);
  assert_int_equal(out.error, PixelDistributorErrorNone);
}

ENGINE_TEST(test_receive_transparent) {
  // Multiply, where a product is a hair's breadth from the next: 1 x 32767 / 65535 = 0.49999.
  static const uint16_t Products[Pixels][3] = {
      {1, 32767, 0},         {1, 32768, 1},         {32768, 65534, 32767}, {32767, 65534, 32767},
      {65534, 65534, 65533}, {65535, 32767, 32767}, {0, 65535, 0},         {65535, 65535, 65535}};
  begin();
  in.begin_transparent = true;
  in.begin_operator = PixelDistributorOperatorMultiply;
  in.begin_valid = true;
  step();
  header(1);
  in.beat_in_valid = true;
  memset(&in.beat_in, 0, sizeof in.beat_in);
  in.beat_in.kind = PixelDistributorBeatKindData;
  in.beat_in.pieces.piece[1] = 1;
  in.beat_in.pieces.mask = 0xff;
  for (uint32_t p = 0; p < Pixels; p++) {
    in.beat_in.data[p] = UINT64_C(0x0001000100010001) * Products[p][0];
    in.receive_data[p] = UINT64_C(0x0001000100010001) * Products[p][1];
  }
  step();
  beat(PixelDistributorBeatKindEnd, 8, 0, 0, 0, 0);
  wait_cycles(20);
  assert_int_equal(write_count, 1);
  for (uint32_t p = 0; p < Pixels; p++) {
    assert_true(writes[0].write_data[p] == UINT64_C(0x0001000100010001) * Products[p][2]);
  }
  assert_int_equal(out.error, PixelDistributorErrorNone);
}

ENGINE_TEST(test_done_waits) {
  // Done only when the last write is taken; with nothing received at once.
  begin_receive();
  in.done_ready = false;
  beat(PixelDistributorBeatKindEnd, 0, 0, 0, 0, 0);
  assert_true(out.done_valid);
  wait_cycles(3);
  assert_true(out.done_valid);
  in.done_ready = true;
  step();
  assert_false(out.receiving);
  begin_receive();
  header(1);
  local_written = 0;
  in.write_ready = false;
  beat(PixelDistributorBeatKindData, 0, 0, 0, 1, 0xff);
  beat(PixelDistributorBeatKindEnd, 8, 0, 0, 0, 0);
  wait_cycles(20);
  assert_true(out.write_valid);
  assert_false(out.done_valid);
  in.write_ready = true;
  step();
  assert_true(out.done_valid);
}

ENGINE_TEST(test_receive_errors) {
  for (int which = 0; which < 10; which++) {
    begin_receive();
    local_written = 0;  // what comes wins
    uint8_t want = PixelDistributorErrorPiece;
    switch (which) {
      case 0:  // pixels before a header
        beat(PixelDistributorBeatKindData, 0, 0, 0, 1, 0xff);
        want = PixelDistributorErrorSequence;
        break;
      case 1:  // kind 3
        beat(3, 0, 0, 0, 0, 0);
        want = PixelDistributorErrorSequence;
        break;
      case 2:  // another GPU's tile; its pixels are dropped without a further error
        beat(PixelDistributorBeatKindHeader, 1, 1, 0, 0, 0);
        step();
        beat(PixelDistributorBeatKindData, 0, 0, 5, 1, 0xff);
        want = PixelDistributorErrorTile;
        break;
      case 3:  // a tile beyond the surface
        beat(PixelDistributorBeatKindHeader, 1, 1 << 16, 0, 0, 0);
        step();
        want = PixelDistributorErrorTile;
        break;
      case 4:
        header(1);
        beat(PixelDistributorBeatKindData, 0, 0, 0, 1, 0);  // empty mask
        break;
      case 5:
        header(1);
        beat(PixelDistributorBeatKindData, 0, 0, 1, 1, 0xff);  // does not ascend
        break;
      case 6:
        header(1);
        beat(PixelDistributorBeatKindData, 0, 0, 0, 1, 0xf0);  // a gap
        break;
      case 7:
        header(1);
        beat(PixelDistributorBeatKindData, 0, 0, 3, 16, 0xff);  // block 1 is not in the bitmap
        break;
      case 8:
        header(1);
        beat(PixelDistributorBeatKindData, 0, 0, 2, 3, 0xff);
        beat(PixelDistributorBeatKindData, 0, 0, 3, 4, 0xff);  // 3 again
        break;
      default:
        header(1);
        beat(PixelDistributorBeatKindEnd, 1, 0, 0, 0, 0);  // one pixel is missing
        want = PixelDistributorErrorCount;
    }
    wait_cycles(20);
    assert_int_equal(out.error, want);
    assert_int_equal(write_count, which == 8);
    assert_int_equal(counter(PixelDistributorCounterBeatsReceived), which == 8);
  }
  begin_receive();
  in.begin_valid = true;
  step();
  assert_int_equal(out.error, PixelDistributorErrorBegin);
}

// ---- The merge of a pixel ----

static bool compare(uint8_t func, uint32_t a, uint32_t b) {
  const bool table[] = {false, a<b, a == b, a <= b, a> b, a != b, a >= b, true};
  return table[func];
}

TEST(test_merge_opaque) {
  for (uint8_t func = 0; func < 8; func++) {
    for (uint32_t d = 99; d <= 101; d++) {
      for (int flags = 0; flags < 4; flags++) {
        bool is_written = flags & 1, test_base = flags & 2, tie, wins;
        pixel_merge_t m = {
            .depth_func = func, .color_mask = 5, .depth_write = true, .test_base = test_base};
        uint64_t result, at = pixel(0x11223344, d), local = pixel(0x55667788, 100);
        wins = pixel_merge(&m, at, local, is_written, &result, &tie);
        assert_int_equal(wins, compare(func, d, 100) || (!is_written && !test_base));
        assert_int_equal(tie, is_written && d == 100);
        // Red and blue come; the mark is set.
        assert_true(result == (wins ? pixel(0x55227744, d) | UINT64_C(1) << 56 : 0));
        m.depth_write = false;
        pixel_merge(&m, at, local, is_written, &result, &tie);
        assert_true(result == (wins ? pixel(0x55227744, 100) | UINT64_C(1) << 56 : 0));
      }
    }
  }
}

TEST(test_merge_tags) {
  // Equal depths in the order of drawing: less takes the first, less or equal the last.
  static const uint8_t Funcs[] = {1, 4, 3, 6, 7, 2, 5};
  for (uint32_t f = 0; f < 7; f++) {
    for (uint64_t tag = 4; tag <= 6; tag++) {
      pixel_merge_t m = {
          .depth_func = Funcs[f], .color_mask = 15, .depth_write = true, .tag_enable = true};
      uint64_t result;
      bool tie;
      bool wins = pixel_merge(&m, pixel(1, 9) | tag << 57, pixel(2, 9) | UINT64_C(5) << 57, true,
                              &result, &tie);
      assert_int_equal(wins, f < 2 ? tag < 5 : f < 4 ? tag >= 5 : f < 6);
      assert_int_equal(tie, tag == 5);
      assert_true(!wins || result >> 57 == tag);
    }
  }
}

static uint64_t rgba(uint64_t r, uint64_t g, uint64_t b, uint64_t a) {
  return r | g << 16 | b << 32 | a << 48;
}

TEST(test_merge_transparent) {
  uint64_t result;
  bool tie;
  pixel_merge_t m = {.transparent = true, .op = PixelDistributorOperatorOver, .front = true};
  // Half-covering red in front of opaque green: exact to the bit, rounded products.
  uint64_t red = rgba(30000, 0, 0, 32768), green = rgba(0, 65535, 7, 65535);
  assert_true(pixel_merge(&m, red, green, true, &result, &tie));
  assert_true(result == rgba(30000, 32767, 3, 65535));  // 7 x 32767 / 65535 = 3.4999
  m.front = false;
  pixel_merge(&m, green, red, true, &result, &tie);
  assert_true(result == rgba(30000, 32767, 3, 65535));
  pixel_merge(&m, red, green, true, &result, &tie);
  assert_true(result == green);  // behind what covers all
  pixel_merge(&m, red, green, false, &result, &tie);
  assert_true(result == red);  // not written locally
  m.op = PixelDistributorOperatorAdd;
  pixel_merge(&m, rgba(65535, 40000, 1, 2), rgba(1, 40000, 2, 3), true, &result, &tie);
  assert_true(result == rgba(65535, 65535, 3, 5));
  m.op = PixelDistributorOperatorMultiply;
  pixel_merge(&m, rgba(65535, 65535, 0, 256), rgba(65535, 1234, 777, 128), true, &result, &tie);
  assert_true(result == rgba(65535, 1234, 0, 1));  // 256 x 128 / 65535 = 0.50001
  // Every product is x y / 65535 rounded.
  for (uint64_t x = 0; x < 65536; x += 251) {
    for (uint64_t y = x % 7; y < 65536; y += 257) {
      pixel_merge(&m, x, y, true, &result, &tie);
      assert_int_equal(result, (2 * x * y + 65535) / (2 * 65535));
    }
  }
}

int main(void) { return run_all_tests(NULL, NULL); }
