// SPDX-License-Identifier: Apache-2.0
// Directed tests of the combination unit, from docs/units/combination_unit.md.
#include "unit_engine.h"

#include "csim/unit/atfim_package.h"

static combination_unit_t unit;
static combination_unit_in_t in;
static combination_unit_out_t out;

static void begin(uint32_t line_bytes, bool exact, uint32_t requests) {
  char error[HarnessErrorSize];
  combination_unit_params_t params = {line_bytes, exact, requests, 48, true};
  if (!harness_combination_unit(engine, &params, &unit, error)) {
    fail_msg("%s", error);
  }
  memset(&in, 0, sizeof in);
  unit.reset(unit.self, &out);
}

// Inputs hold for one step, readys for good.
static void step(void) {
  assert_int_equal(unit.step(unit.self, &in, &out), UnitOk);
  in.data_valid = in.run_valid = in.request_valid = in.parent_valid = in.peek_valid = false;
  memset(&in.data, 0, sizeof in.data);
}

static void wait_cycles(uint32_t n) {
  while (n-- > 0) {
    step();
  }
}

static uint32_t rgba(uint32_t r, uint32_t g, uint32_t b, uint32_t a) {
  return r | g << 8 | b << 16 | a << 24;
}

static void line(uint16_t tag, uint32_t texel, uint32_t value) {
  in.data_valid = true;
  in.data.tag = tag;
  in.data.data[texel] = value;
}

static void run(uint8_t parent, uint8_t first, uint8_t count, uint8_t ratio, uint8_t texel) {
  in.run_valid = true;
  in.run = (child_consolidation_run_t){
      .last = true, .parent = parent, .first = first, .count = count, .ratio = ratio};
  memset(in.run.texel, texel, sizeof in.run.texel);
}

static void request(uint16_t id, uint8_t mask, uint8_t ratio, bool refused) {
  in.request_valid = true;
  in.request = (texel_generator_request_t){id, in.epoch, mask, ratio, refused};
}

static void parent(uint8_t id, uint16_t red, bool failed) {
  in.parent_valid = true;
  in.parent = (parent_texel_buffer_parent_t){.id = id, .failed = failed, .value = {red, 0, 0, 0}};
}

static void expect_update(uint8_t index, uint8_t count, uint16_t r, uint16_t g, uint16_t b,
                          uint16_t a) {
  assert_true(out.update_valid);
  assert_int_equal(out.update.index, index);
  assert_int_equal(out.update.count, count);
  const uint16_t sum[4] = {r, g, b, a};
  for (uint32_t c = 0; c < 4; c++) {
    assert_int_equal(out.update.sum[c], sum[c]);
  }
}

static uint64_t counter(combination_unit_counter_e index) {
  in.peek_valid = true;
  in.peek_index = (uint8_t)index;
  step();
  return out.peek_data;
}

// The cycles of the contract's example; with Exact 0 it gives other numbers.
static void example(bool exact) {
  begin(64, exact, 64);
  in.take_ready = in.response_ready = true;
  request(3, 1, 1, false);
  step();
  line(0x11, 10, rgba(10, 1, 1, 255));  // t
  step();
  assert_true(out.take_valid);
  assert_int_equal(out.take_tag, 0x11);
  line(0x22, 8, rgba(20, 1, 2, 255));  // t + 1
  step();
  assert_int_equal(out.take_tag, 0x22);
  step();  // t + 2
  assert_false(out.take_valid);
  run(0, 0, 0, 1, 10);
  step();  // t + 3
  run(0, 1, 0, 1, 8);
  assert_false(out.update_valid);
  step();  // t + 4
  if (exact) {
    expect_update(0, 0, 10, 1, 1, 255);
  } else {
    expect_update(0, 0, 5, 0, 0, 127);
  }
  step();  // t + 5
  if (exact) {
    expect_update(0, 0, 20, 1, 2, 255);
  } else {
    expect_update(0, 0, 10, 1, 1, 128);
  }
  step();  // t + 6
  assert_false(out.update_valid);
  assert_int_equal(out.update.count | out.update.sum[0], 0);
  assert_true(out.parent_ready);
  in.parent_valid = true;  // t + 7
  in.parent = exact ? (parent_texel_buffer_parent_t){.id = 8, .value = {30, 2, 3, 510}}
                    : (parent_texel_buffer_parent_t){.id = 8, .value = {15, 1, 1, 255}};
  step();
  wait_cycles(2);  // D1, D2
  assert_true(out.response_valid);
  atfim_response_t response;
  atfim_response_unpack(out.response, &response);
  assert_int_equal(response.id, 3);
  assert_int_equal(response.mask, 1);
  assert_int_equal(response.failed | response.refused, 0);
  assert_int_equal(response.texel[0], exact ? rgba(15, 1, 2, 255) : rgba(15, 1, 1, 255));
  assert_int_equal(out.response[0], 0x71 | 5 << 7 | 3 << 12);
  step();
  assert_false(out.response_valid);
  assert_int_equal(out.response[0], 0);
  assert_true(out.quiescent);
  assert_int_equal(counter(CombinationUnitCounterLines), 2);
  assert_int_equal(counter(CombinationUnitCounterRuns), 2);
  assert_int_equal(counter(CombinationUnitCounterChildren), 2);
  assert_int_equal(counter(CombinationUnitCounterResponses), 1);
  assert_int_equal(counter((combination_unit_counter_e)CombinationUnitCounters), 0);
}

static void test_example(void **state) {
  (void)state;
  example(true);
}

static void test_example_paper_value(void **state) {
  (void)state;
  example(false);
}

static void test_hermite(void **state) {
  (void)state;
  // Without Exact the shares of R equal texels make the texel again.
  for (uint32_t ratio = 1; ratio <= 16; ratio++) {
    begin(64, false, 2);
    in.take_ready = true;
    line(0, 3, rgba(255, 254, 17, ratio));
    step();
    step();
    run(9, 0, (uint8_t)(ratio - 1), (uint8_t)(ratio - 1), 3);
    step();
    step();
    expect_update(9, (uint8_t)(ratio - 1), 255, 254, 17, (uint16_t)ratio);
  }
}

static void test_division(void **state) {
  (void)state;
  // Every sum of every ratio, a parent a cycle; then what no sum reaches.
  begin(64, true, 256);
  in.response_ready = true;
  uint32_t given = 0, answered = 0;
  static uint16_t sums[4096 * 16];
  static uint8_t ratios[4096 * 16];
  for (uint32_t ratio = 1; ratio <= 16; ratio++) {
    for (uint32_t s = 0; s <= 255 * ratio + (ratio == 16 ? 15 : 1); s++) {
      sums[given] = (uint16_t)s;
      ratios[given++] = (uint8_t)ratio;
    }
  }
  uint32_t requested = 0, composed = 0;
  while (answered < given) {
    if (out.response_valid) {
      uint32_t n = ratios[answered], s = sums[answered], mean = s / n + (2 * (s % n) >= n);
      if ((out.response[2] & 0xff) != (mean < 255 ? mean : 255)) {
        fail_msg("%u / %u: %u", s, n, out.response[2]);
      }
      answered++;
    }
    if (requested < given && out.request_ready) {
      request(1, 0x01, (uint8_t)(ratios[requested++] - 1), false);
    }
    if (composed < given && out.parent_ready) {
      parent(0, sums[composed++], false);
    }
    step();
  }
  assert_int_equal(out.error, CombinationUnitErrorNone);
}

static void test_lines(void **state) {
  (void)state;
  // A dropped line leaves no trace; a void run and a failed line take theirs.
  begin(64, true, 2);
  in.epoch = 7;
  line(1, 0, 5);
  in.data.epoch = 6;
  step();
  assert_false(out.take_valid);
  assert_false(out.run_ready);
  in.take_ready = true;
  line(2, 0, 5);
  in.data.epoch = 7;
  step();
  line(3, 0, 6);
  in.data.epoch = 7;
  in.data.failed = true;
  step();
  in.run_valid = true;
  in.run = (child_consolidation_run_t){.is_void = true, .last = true};
  step();
  run(4, 0, 15, 15, 0);
  in.run.last = false;
  step();
  assert_false(out.update_valid);
  run(5, 2, 1, 3, 0);
  step();
  expect_update(4, 15, 0, 0, 0, 0);
  assert_true(out.update.failed);
  assert_false(out.run_ready);
  step();
  expect_update(5, 1, 0, 0, 0, 0);
  assert_int_equal(counter(CombinationUnitCounterLines), 2);
  assert_int_equal(counter(CombinationUnitCounterDropped), 1);
  assert_int_equal(counter(CombinationUnitCounterVoid), 1);
  assert_int_equal(counter(CombinationUnitCounterFailed), 1);
  assert_int_equal(counter(CombinationUnitCounterChildren), 18);
}

static void test_full(void **state) {
  (void)state;
  // Two takes, then four lines; requests; four responses.
  begin(16, true, 2);
  line(1, 0, 1);
  step();
  assert_true(out.data_ready);
  line(2, 1, 1);
  step();
  assert_false(out.data_ready);  // two takes wait
  in.take_ready = true;
  step();
  line(3, 2, 1);
  step();
  line(4, 3, 1);
  step();
  step();
  assert_false(out.take_valid);
  assert_false(out.data_ready);  // four lines wait
  run(0, 0, 0, 0, 15);  // 3 of a line of four texels
  step();
  assert_true(out.data_ready);
  run(0, 0, 0, 0, 5);  // 1
  step();
  expect_update(0, 0, 0, 0, 0, 0);
  step();
  expect_update(0, 0, 1, 0, 0, 0);
  for (uint32_t i = 0; i < 4; i++) {
    assert_true(out.request_ready);
    request((uint16_t)i, 0, 3, i == 0);
    step();
    assert_true(out.request_ready);
    step();  // the empty one leaves
  }
  request(4, 0, 0, false);
  step();
  request(5, 1, 0, false);
  step();
  assert_false(out.request_ready);
  wait_cycles(4);
  assert_false(out.parent_ready);
  assert_true(out.quiescent);
  assert_true(out.response_valid);
  assert_int_equal(out.response[1], 1 << 16);  // refused
  in.response_ready = true;
  for (uint32_t i = 1; i < 5; i++) {
    do {
      step();
    } while (!out.response_valid);
    assert_int_equal(out.response[0] >> 12 & 0x7ff, i);
    assert_int_equal(out.response[1], 0);
  }
}

static void test_compose(void **state) {
  (void)state;
  // Parents in any order, one failed, one that is not wanted, one given twice.
  begin(64, true, 2);
  in.epoch = 9;
  request(2047, 0xa1, 0, false);
  step();
  parent(0x57, 70, false);
  step();
  parent(0x57, 71, false);  // again: counts, is not placed
  step();
  assert_int_equal(out.error, CombinationUnitErrorParent);
  parent(0, 60, true);
  step();
  wait_cycles(3);
  assert_true(out.response_valid);
  assert_int_equal(out.response[0], (0x71 | 5 << 7 | 2047 << 12) | 9u << 24);
  assert_int_equal(out.response[1], 0xa1 | 1 << 8);
  for (uint32_t k = 0; k < 8; k++) {
    assert_int_equal(out.response[2 + k], k == 7 ? 70 : 0);
  }
  request(1, 2, 0, false);
  step();
  parent(2, 50, false);  // outside the mask
  step();
  in.response_ready = true;
  wait_cycles(2);
  assert_true(out.response_valid);
  assert_int_equal(out.response[1], 2);
  assert_int_equal(out.response[3] | out.response[4], 0);
  step();
  unit.reset(unit.self, &out);
  assert_int_equal(out.error, CombinationUnitErrorNone);
}

static void test_params(void **state) {
  (void)state;
  static const combination_unit_params_t Wrong[] = {
      {8, true, 64, 48, true},  {48, true, 64, 48, true}, {128, true, 64, 48, true},
      {64, true, 1, 48, true},  {64, true, 48, 48, true}, {64, true, 512, 48, true},
      {64, true, 64, 9, true},  {64, true, 64, 49, true}};
  char error[HarnessErrorSize];
  for (uint32_t i = 0; i < sizeof Wrong / sizeof *Wrong; i++) {
    assert_false(harness_combination_unit(engine, &Wrong[i], &unit, error));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      ENGINE_TEST(test_example), ENGINE_TEST(test_example_paper_value), ENGINE_TEST(test_hermite),
      ENGINE_TEST(test_division), ENGINE_TEST(test_lines), ENGINE_TEST(test_full),
      ENGINE_TEST(test_compose), ENGINE_TEST(test_params)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
