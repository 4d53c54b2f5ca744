// SPDX-License-Identifier: Apache-2.0
// The texel generator under directed tests: a unit, its packages, the beats that it sends.
#ifndef NOCTURNE_TESTS_TEXEL_GENERATOR_DIRECTED_H
#define NOCTURNE_TESTS_TEXEL_GENERATOR_DIRECTED_H

#include "csim/base/rng.h"
#include "csim/texture/texture_layout.h"
#include "csim/texture/virtual_texture.h"
#include "tests/programs/unit_engine.h"

enum { Slots = 4, MaxBeats = 400, Latency = 18, Parents = 16, MostBeats = 160 };

static texel_generator_t unit;
static texel_generator_in_t in;
static texel_generator_out_t out;
static texel_generator_beat_t beats[MaxBeats];
static uint32_t beat_cycle[MaxBeats], beat_count, request_count, cycle;
static texel_generator_request_t last_request;

static inline void begin(void) {
  err_auto_t err = {0};
  texel_generator_params_t params = {
      .descriptors = 16, .slots = Slots, .count_width = 48, .observe = true};
  if (!harness_texel_generator(engine, &params, &unit, &err)) {
    fail_msg("%s", err_text(&err));
  }
  memset(&in, 0, sizeof in);
  in.request_ready = in.beat_ready = true;
  in.cycle = 1;
  beat_count = request_count = cycle = 0;
  unit.reset(unit.self, &out);
}

// Clocks once; takes what leaves in this cycle.
static inline void step(void) {
  if (out.request_valid && in.request_ready) {
    last_request = out.request;
    request_count++;
  }
  if (out.beat_valid && in.beat_ready) {
    assert_true(beat_count < MaxBeats);
    beat_cycle[beat_count] = cycle;
    beats[beat_count++] = out.beat;
  }
  assert_int_equal(unit.step(unit.self, &in, &out), UnitOk);
  cycle++;
  in.cycle++;
  in.descriptor_valid = in.package_valid = in.peek_valid = in.free_valid = false;
}

static inline void wait_cycles(uint32_t n) {
  while (n-- > 0) {
    step();
  }
}

static inline void describe(uint16_t width, uint16_t height, uint8_t wrap_x, uint8_t wrap_y) {
  in.descriptor_valid = true;
  in.descriptor = (texel_generator_descriptor_t){5, 1, width, height, wrap_x, wrap_y};
  step();
}

static inline void send(const texel_generator_package_t *p) {
  assert_true(out.package_ready);
  in.package_valid = true;
  in.package = *p;
  step();
}

static inline uint64_t peek(texel_generator_peek_e select, uint16_t index) {
  in.peek_valid = true;
  in.peek_select = (uint8_t)select;
  in.peek_index = index;
  step();
  return out.peek_data;
}

static inline void give_back(uint8_t slot) {
  in.free_valid = true;
  in.free_slot = slot;
  step();
}

static const uint16_t Side = 64;

// Parents (0, 0) to (3, 3) of a texture of 64 x 64, k 2, without slope.
static inline texel_generator_package_t simple(uint16_t id) {
  return (texel_generator_package_t){
      .id = id, .descriptor = 5, .extent = 2, .tile_x = 1, .tile_y = 5};
}

#endif
