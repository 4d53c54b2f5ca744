// SPDX-License-Identifier: Apache-2.0
// Directed tests of a layer of A-TFIM, from docs/units/atfim.md.
#include "csim/base/rng.h"
#include "tb/harness/atfim_reference.h"
#include "tests/programs/unit_engine.h"

enum { MaxReads = 512, Patience = 5000, Wait = 2 };

typedef struct {
  uint16_t tag;
  uint8_t epoch;
  uint32_t line;
  uint64_t at;  // cycle in which it was taken
} read_t;

static atfim_t unit;
static atfim_in_t in;
static atfim_out_t out;
static uint64_t now;  // cycles since reset
static read_t reads[MaxReads];
static uint32_t read_count, read_total;
static uint32_t failing = UINT32_MAX;  // a line whose reads fail
static bool newest_first, hold_data;

static void begin(const atfim_params_t *p) {
  err_auto_t err = {0};
  if (!harness_atfim(engine, p, &unit, &err)) {
    fail_msg("%s", err_text(&err));
  }
  memset(&in, 0, sizeof in);
  in.child_read_ready = in.response_ready = true;
  read_count = read_total = 0;
  now = 0;
  failing = UINT32_MAX;
  newest_first = hold_data = false;
  unit.reset(unit.self, &out);
}

static uint32_t texel_at(const void *memory, uint64_t address, bool *failed) {
  (void)memory;
  rng_t r;
  rng_seed(&r, address / 4);
  *failed |= address / 64 == failing;
  return (uint32_t)rng_u64(&r);
}

static void answer(uint32_t at) {
  read_t r = reads[at];
  bool failed = false;
  memset(&in.child_data, 0, sizeof in.child_data);
  for (uint32_t w = 0; w < AtfimParents; w++) {
    in.child_data.data[w] = texel_at(NULL, r.line * 64ull + 4 * w, &failed);
  }
  in.child_data_valid = true;
  in.child_data.tag = r.tag;
  in.child_data.epoch = r.epoch;
  in.child_data.failed = failed;
  if (out.child_data_ready) {
    memmove(&reads[at], &reads[at + 1], (--read_count - at) * sizeof reads[0]);
  }
}

// Clocks once, with a memory behind the reads. Inputs but readys hold for one step.
static void step(void) {
  if (!in.child_data_valid && read_count > 0 && !hold_data) {
    uint32_t at = newest_first ? read_count - 1 : 0;
    if (now >= reads[at].at + Wait) {
      answer(at);
    }
  }
  if (out.child_read_valid && in.child_read_ready) {
    assert_true(read_count < MaxReads);
    reads[read_count++] = (read_t){out.child_read.tag, in.epoch, out.child_read.line, now};
    read_total++;
  }
  in.cycle = ++now;
  assert_int_equal(unit.step(unit.self, &in, &out), UnitOk);
  in.descriptor_valid = in.package_valid = in.child_data_valid = in.peek_valid = false;
}

static texel_generator_descriptor_t describe(uint16_t side, uint8_t wrap) {
  in.descriptor_valid = true;
  in.descriptor = (texel_generator_descriptor_t){5, 1, side, side, wrap, wrap};
  texel_generator_descriptor_t written = in.descriptor;
  step();
  return written;
}

static void send(const atfim_package_t *p) {
  for (uint32_t n = 0; !out.package_ready; n++) {
    assert_true(n < Patience);
    step();
  }
  in.package_valid = true;
  atfim_package_pack(p, in.package);
  step();
}

static atfim_response_t receive(void) {
  atfim_response_t r;
  in.response_ready = true;
  for (uint32_t n = 0; !out.response_valid; n++) {
    assert_true(n < Patience);
    step();
  }
  atfim_response_unpack(out.response, &r);
  step();
  return r;
}

// Takes the answers of `count` packages sent, in any order.
static void expect_responses(const atfim_package_t *p, uint32_t count,
                             const texel_generator_descriptor_t *d) {
  uint64_t seen = 0;
  for (uint32_t i = 0; i < count; i++) {
    atfim_response_t expected, got = receive();
    uint16_t mask;
    uint32_t which = got.id - p[0].id;
    assert_true(which < count && !(seen >> which & 1));
    seen |= UINT64_C(1) << which;
    atfim_reference(&p[which], d, texel_at, NULL, &expected, &mask);
    assert_int_equal(got.epoch, expected.epoch);
    assert_int_equal(got.failed, expected.failed);
    assert_int_equal(got.refused, expected.refused);
    assert_memory_equal(got.texel, expected.texel, sizeof got.texel);
  }
}

static void expect_silence(void) {
  for (uint32_t n = 0; n < 300; n++) {
    assert_false(out.response_valid);
    step();
  }
  assert_true(out.quiescent);
}

static uint64_t peek(atfim_peek_unit_e at, uint8_t select, uint16_t index) {
  in.peek_valid = true;
  in.peek_unit = (uint8_t)at;
  in.peek_select = select;
  in.peek_index = index;
  step();
  return out.peek_data;
}

static atfim_package_t package(uint16_t id, uint16_t tile_x, uint16_t tile_y) {
  return (atfim_package_t){.id = id,
                           .epoch = in.epoch,
                           .descriptor = 5,
                           .extent = 2,
                           .tile_x = tile_x,
                           .tile_y = tile_y};
}

// ---- The contract's example: docs/units/images/atfim_package.json has its cycles

ENGINE_TEST(test_example) {
  const atfim_params_t p = atfim_defaults();
  begin(&p);
  texel_generator_descriptor_t d = describe(64, TexelGeneratorWrapRepeat);
  now = 0;
  atfim_package_t example = package(3, 1, 5);
  send(&example);
  while (!out.child_read_valid) {
    step();
  }
  assert_int_equal(now, 20);
  for (uint32_t i = 0; i < 4; i++) {
    static const uint16_t tags[] = {4, 0, 12, 8};
    assert_true(out.child_read_valid);
    assert_int_equal(out.child_read.line, 64 + i);
    assert_int_equal(out.child_read.tag, tags[i]);
    step();
  }
  while (!out.response_valid) {
    step();
  }
  assert_int_equal(now, 32);
  expect_responses(&example, 1, &d);
  expect_silence();
}

// ---- Order, sharing, failure

ENGINE_TEST(test_any_order) {
  // The newest read is answered first, after a while.
  const atfim_params_t p = atfim_defaults();
  atfim_package_t packages[8];
  begin(&p);
  texel_generator_descriptor_t d = describe(256, TexelGeneratorWrapMirror);
  hold_data = newest_first = true;
  for (uint16_t i = 0; i < 8; i++) {
    packages[i] = package((uint16_t)(100 + i), (uint16_t)(1 + i), 7);
    packages[i].slope = (int8_t)(i % 5 - 2);
    packages[i].along_y = i & 1;
    send(&packages[i]);
  }
  for (uint32_t n = 0; n < 400; n++) {
    step();
  }
  assert_false(out.response_valid);
  hold_data = false;
  expect_responses(packages, 8, &d);
  expect_silence();
  assert_int_equal(out.error, 0);
}

// The same tile twice: its lines are read once; without Merge twice.
ENGINE_TEST(test_shared_reads) {
  for (uint32_t merge = 0; merge < 2; merge++) {
    atfim_params_t p = atfim_defaults();
    p.merge = merge;
    begin(&p);
    texel_generator_descriptor_t d = describe(64, TexelGeneratorWrapClamp);
    atfim_package_t packages[] = {package(7, 2, 6), package(8, 2, 6)};
    hold_data = true;
    send(&packages[0]);
    send(&packages[1]);
    for (uint32_t n = 0; n < 60; n++) {
      step();
    }
    hold_data = false;
    expect_responses(packages, 2, &d);
    assert_int_equal(read_total, merge ? 4 : 8);
    assert_int_equal(peek(AtfimPeekUnitConsolidation, ChildConsolidationPeekCounter,
                          ChildConsolidationCounterMerged),
                     merge ? 4 : 0);
    assert_int_equal(
        peek(AtfimPeekUnitGenerator, TexelGeneratorPeekCounter, TexelGeneratorCounterPackages), 2);
    assert_int_equal(peek(AtfimPeekUnitCombination, 0, CombinationUnitCounterTexels), 128);
  }
}

ENGINE_TEST(test_failure) {
  // One line of four fails: the four parents that it belongs to, no others.
  const atfim_params_t p = atfim_defaults();
  begin(&p);
  texel_generator_descriptor_t d = describe(64, TexelGeneratorWrapRepeat);
  atfim_package_t packages[] = {package(1, 1, 5), package(2, 1, 5)};
  failing = 65;
  send(&packages[0]);
  expect_responses(packages, 1, &d);
  assert_int_equal(out.error, 0);
  failing = UINT32_MAX;  // and the parents of the next package are whole
  send(&packages[1]);
  expect_responses(&packages[1], 1, &d);
}

// Refused packages hold up those behind them; no row is answered before its request is known.
ENGINE_TEST(test_refused) {
  const atfim_params_t p = atfim_defaults();
  atfim_package_t packages[24];
  begin(&p);
  texel_generator_descriptor_t d = describe(64, TexelGeneratorWrapRepeat);
  in.response_ready = false;
  for (uint16_t i = 0; i < 24; i++) {
    packages[i] = package((uint16_t)(200 + i), (uint16_t)(1 + i % 4), 5);
    packages[i].extent = i % 4 == 3 ? 2 : 7;
  }
  uint32_t sent = 0;
  for (uint32_t n = 0; n < 400; n++) {
    if (out.package_ready && sent < 24) {
      send(&packages[sent++]);
    } else {
      step();
    }
  }
  assert_true(sent < 24);
  for (uint32_t got = 0; got < 24; got++) {
    atfim_response_t expected, r;
    uint16_t mask;
    while (!out.response_valid) {
      if (out.package_ready && sent < 24) {
        send(&packages[sent++]);
      } else {
        step();
      }
    }
    in.response_ready = true;
    atfim_response_unpack(out.response, &r);
    atfim_reference(&packages[r.id - 200], &d, texel_at, NULL, &expected, &mask);
    assert_int_equal(r.refused, expected.refused);
    assert_memory_equal(r.texel, expected.texel, sizeof r.texel);
    step();
    in.response_ready = false;
    if (sent < 24 && out.package_ready) {
      send(&packages[sent++]);
    }
  }
  expect_silence();
  assert_int_equal(out.error, TexelGeneratorErrorPackage);
}

// A reset in the middle: what was under way is forgotten, late data and packages are dropped.
ENGINE_TEST(test_epochs) {
  const atfim_params_t p = atfim_defaults();
  begin(&p);
  describe(64, TexelGeneratorWrapRepeat);
  atfim_package_t old = package(9, 1, 5), fresh = old;
  hold_data = true;
  send(&old);
  for (uint32_t n = 0; n < 30; n++) {
    step();
  }
  assert_int_equal(read_count, 4);
  unit.reset(unit.self, &out);
  in.epoch = fresh.epoch = 1;
  now = 0;
  texel_generator_descriptor_t d = describe(64, TexelGeneratorWrapRepeat);
  send(&old);
  hold_data = false;
  for (uint32_t i = 0; i < 4; i++) {
    reads[i].at = 0;
  }
  expect_silence();
  assert_int_equal(read_count, 0);
  assert_int_equal(peek(AtfimPeekUnitCombination, 0, CombinationUnitCounterDropped), 4);
  assert_int_equal(
      peek(AtfimPeekUnitGenerator, TexelGeneratorPeekCounter, TexelGeneratorCounterDropped), 1);
  send(&fresh);
  expect_responses(&fresh, 1, &d);
  assert_int_equal(out.error, 0);
}

int main(void) { return run_all_tests(NULL, NULL); }
