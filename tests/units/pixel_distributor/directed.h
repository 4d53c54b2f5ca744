// SPDX-License-Identifier: Apache-2.0
// The pixel-distribution unit under directed tests: a unit, its memory, what it sends and writes.
#ifndef NOCTURNE_TESTS_PIXEL_DISTRIBUTOR_DIRECTED_H
#define NOCTURNE_TESTS_PIXEL_DISTRIBUTOR_DIRECTED_H

#include "tests/programs/unit_engine.h"

#include "csim/units/pixel_distributor/golden.h"

// Two GPUs, 128x64 pixels: tile 0 is GPU 0's, tile 1 GPU 1's. The unit under test is GPU 0's.
static const pixel_distributor_params_t Small = {
    2, 6, PixelDistributorCellStamp, 64, 128, 128, 4, 4, 48, false};

// Two by two tiles of 16x16 pixels; a work tile of 2 tiles gives all of them to GPU 0.
static const pixel_distributor_params_t FourTiles = {
    2, 4, PixelDistributorCellStamp, 64, 32, 32, 4, 4, 48, false};

enum { MaxBeats = 512, Pixels = 8 };

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

static inline void step(void) {
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

static inline void wait_cycles(uint32_t n) {
  while (n-- > 0) {
    step();
  }
}

static inline void begin_params(const pixel_distributor_params_t *params) {
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

static inline void configure(uint16_t width, uint16_t height, uint8_t map, uint8_t work_tile) {
  in.config_valid = true;
  in.config_width = width;
  in.config_height = height;
  in.config_map = map;
  in.config_work_tile = work_tile;
  step();
}

static inline void begin(void) {
  begin_params(&Small);
  configure(128, 64, PixelDistributorMapRows, 0);
  wait_cycles(4);
}

static inline void touch(uint16_t x, uint16_t y, uint16_t stamps) {
  in.touch_valid = true;
  in.touch_x = x;
  in.touch_y = y;
  in.touch_stamps = stamps;
  step();
}

static inline void start(uint8_t destination) {
  in.start_valid = true;
  in.start_destination = destination;
  step();
}

static inline uint64_t peek(uint8_t select, uint32_t index) {
  in.peek_valid = true;
  in.peek_select = select;
  in.peek_index = index;
  step();
  return out.peek_data;
}

static inline uint64_t counter(uint32_t index) { return peek(PixelDistributorPeekCounter, index); }

#endif
