// SPDX-License-Identifier: Apache-2.0
// Directed tests of the ROP pixel-distribution unit, from docs/units/pixel_distributor.md: the
// receiver and the merge of a pixel.
#include "directed.h"

enum { Header = PixelDistributorBeatKindHeader, Data = PixelDistributorBeatKindData };

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

// Beats that the receiver refuses; what comes wins. Only one case has a beat that is written.
static const struct {
  bool has_header;
  struct {
    uint8_t kind;
    uint64_t data0, data1;
    uint16_t piece0, piece1;
    uint32_t mask;
  } beats[2];
  uint32_t count;
  uint8_t error, written;
} Refused[] = {
    // Pixels before a header; kind 3.
    {false, {{Data, 0, 0, 0, 1, 0xff}}, 1, PixelDistributorErrorSequence, 0},
    {false, {{3, 0, 0, 0, 0, 0}}, 1, PixelDistributorErrorSequence, 0},
    // Another GPU's tile, whose pixels are dropped without a further error; one beyond the surface.
    {false, {{Header, 1, 1, 0, 0, 0}, {Data, 0, 0, 5, 1, 0xff}}, 2, PixelDistributorErrorTile, 0},
    {false, {{Header, 1, 1 << 16, 0, 0, 0}}, 1, PixelDistributorErrorTile, 0},
    // An empty mask; places that do not ascend; a gap; block 1, which is not in the bitmap.
    {true, {{Data, 0, 0, 0, 1, 0}}, 1, PixelDistributorErrorPiece, 0},
    {true, {{Data, 0, 0, 1, 1, 0xff}}, 1, PixelDistributorErrorPiece, 0},
    {true, {{Data, 0, 0, 0, 1, 0xf0}}, 1, PixelDistributorErrorPiece, 0},
    {true, {{Data, 0, 0, 3, 16, 0xff}}, 1, PixelDistributorErrorPiece, 0},
    // Place 3 again, after a beat that is written.
    {true, {{Data, 0, 0, 2, 3, 0xff}, {Data, 0, 0, 3, 4, 0xff}}, 2, PixelDistributorErrorPiece, 1},
    // One pixel is missing.
    {true, {{PixelDistributorBeatKindEnd, 1, 0, 0, 0, 0}}, 1, PixelDistributorErrorCount, 0},
};

static void wait_for_room(void) {
  while (!out.beat_in_ready) {
    step();
  }
}

// Beats of 8 pixels, each as soon as the receiver takes it; the last one ends the transfer.
static void receive_pixels(uint32_t beats_to_come, uint64_t told) {
  begin_params(&FourTiles);
  configure(32, 32, PixelDistributorMapWorkTiles, 2);
  wait_cycles(5);
  in.begin_valid = true;
  step();
  for (uint32_t i = 0; i < beats_to_come; i++) {
    wait_for_room();
    if (i % 32 == 0) {
      header(0xf);
      wait_for_room();
    }
    beat(Data, 0, 0, (uint16_t)(2 * (i % 32)), (uint16_t)(2 * (i % 32) + 1), 0xff);
  }
  wait_for_room();
  beat(PixelDistributorBeatKindEnd, told, 0, 0, 0, 0);
}

ENGINE_TEST(test_receive_all) {
  // Every pixel of the largest surface, and with tiles that come again one beat more than twice
  // these: 2,056, of which the receiver counts 8.
  receive_pixels(1024 / Pixels, 1024);
  assert_int_equal(out.error, PixelDistributorErrorNone);
  receive_pixels(1024 / Pixels, 0);
  assert_int_equal(out.error, PixelDistributorErrorCount);
  receive_pixels(2056 / Pixels, 8);
  assert_int_equal(out.error, PixelDistributorErrorNone);
  receive_pixels(2056 / Pixels, 2056);
  assert_int_equal(out.error, PixelDistributorErrorCount);
}

ENGINE_TEST(test_receive_errors) {
  for (size_t i = 0; i < sizeof Refused / sizeof *Refused; i++) {
    begin_receive();
    local_written = 0;
    if (Refused[i].has_header) {
      header(1);
    }
    for (uint32_t k = 0; k < Refused[i].count; k++) {
      beat(Refused[i].beats[k].kind, Refused[i].beats[k].data0, Refused[i].beats[k].data1,
           Refused[i].beats[k].piece0, Refused[i].beats[k].piece1, Refused[i].beats[k].mask);
      if (Refused[i].beats[k].kind == Header) {
        step();
      }
    }
    wait_cycles(20);
    assert_int_equal(out.error, Refused[i].error);
    assert_int_equal(write_count, Refused[i].written);
    assert_int_equal(counter(PixelDistributorCounterBeatsReceived), Refused[i].written);
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
