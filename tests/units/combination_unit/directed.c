// SPDX-License-Identifier: Apache-2.0
// Directed tests of the combination unit, from docs/units/combination_unit.md.
#include "tests/programs/unit_engine.h"

#include "csim/units/atfim/package.h"

static combination_unit_t unit;
static combination_unit_in_t in;
static combination_unit_out_t out;

static void begin(uint32_t slots) {
  err_auto_t err = {0};
  combination_unit_params_t params = {slots, 48, true};
  if (!harness_combination_unit(engine, &params, &unit, &err)) {
    fail_msg("%s", err_text(&err));
  }
  memset(&in, 0, sizeof in);
  unit.reset(unit.self, &out);
}

// Inputs hold for one step, readys for good.
static void step(void) {
  assert_int_equal(unit.step(unit.self, &in, &out), UnitOk);
  in.data_valid = in.run_valid = in.request_valid = in.row_valid = in.peek_valid = false;
  memset(&in.data, 0, sizeof in.data);
  memset(&in.row, 0, sizeof in.row);
}

static uint32_t rgba(uint32_t r, uint32_t g, uint32_t b, uint32_t a) {
  return r | g << 8 | b << 16 | a << 24;
}

// A line whose texel i is (i, 16 i, 255, 1).
static void line(uint16_t tag, bool failed) {
  in.data_valid = true;
  in.data.tag = tag;
  in.data.epoch = in.epoch;
  in.data.failed = failed;
  for (uint32_t i = 0; i < 16; i++) {
    in.data.data[i] = rgba(i, 16 * i, 255, 1);
  }
}

static void run(uint8_t slot, bool along_y, uint16_t texel, const uint8_t parent[16]) {
  in.run_valid = true;
  in.run =
      (child_consolidation_run_t){.last = true, .slot = slot, .along_y = along_y, .texel = texel};
  memcpy(in.run.parent, parent, 16);
}

static void request(uint8_t slot, uint16_t id, uint16_t mask, uint8_t extent) {
  in.request_valid = true;
  in.request = (texel_generator_request_t){
      .slot = slot, .id = id, .epoch = in.epoch, .mask = mask, .extent = extent};
}

static void refused(uint16_t id) {
  in.request_valid = true;
  in.request = (texel_generator_request_t){.id = id, .epoch = in.epoch, .refused = true};
}

// All channels of all parents have one value.
static void row(uint8_t slot, uint16_t value) {
  in.row_valid = true;
  in.row = (parent_texel_buffer_row_t){.slot = slot};
  for (uint32_t v = 0; v < 64; v++) {
    in.row.value[v] = value;
  }
}

static atfim_response_t response(void) {
  atfim_response_t r;
  assert_true(out.response_valid);
  atfim_response_unpack(out.response, &r);
  return r;
}

static uint64_t counter(uint32_t index) {
  in.peek_valid = true;
  in.peek_index = (uint8_t)index;
  step();
  return out.peek_data;
}

static const uint8_t ByColumn[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const uint8_t ByRow[16] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
static const uint8_t Zero[16] = {0};

// The line's update with this run.
static void added(bool along_y, uint16_t texel, const uint8_t parent[16]) {
  in.take_ready = true;
  line(1, false);
  step();
  step();
  run(5, along_y, texel, parent);
  step();
  assert_false(out.update_valid);
  step();
  assert_true(out.update_valid);
  assert_int_equal(out.update.slot, 5);
}

ENGINE_TEST(test_example) {
  begin(16);
  in.take_ready = in.response_ready = true;
  request(2, 3, 0x0021, 1);
  line(0x11, false);
  memset(in.data.data, 0, sizeof in.data.data);
  in.data.data[9] = rgba(10, 1, 0, 0);
  step();  // t
  assert_true(out.take_valid);
  assert_int_equal(out.take_tag, 0x11);
  line(0x22, false);
  memset(in.data.data, 0, sizeof in.data.data);
  in.data.data[4] = rgba(21, 2, 0, 0);
  in.data.data[7] = rgba(7, 0, 0, 0);
  step();  // t + 1
  assert_int_equal(out.take_tag, 0x22);
  step();  // t + 2
  assert_false(out.take_valid);
  run(2, false, 1u << 9, Zero);
  step();  // t + 3
  uint8_t parents[16] = {0};
  parents[7] = 5;
  run(2, false, 1u << 4 | 1u << 7, parents);
  step();  // t + 4
  assert_int_equal(out.update.add, 0x0001);
  assert_int_equal(out.update.sum[0], 10);
  assert_int_equal(out.update.sum[1], 1);
  step();  // t + 5
  assert_int_equal(out.update.add, 0x0021);
  assert_int_equal(out.update.sum[0], 21);
  assert_int_equal(out.update.sum[20], 7);
  step();  // t + 6
  assert_false(out.update_valid);
  assert_int_equal(out.update.add | out.update.sum[0], 0);
  row(2, 0);
  in.row.value[0] = 31;
  in.row.value[1] = 3;
  in.row.value[20] = 7;
  step();  // t + 7
  assert_true(out.free_valid);
  assert_int_equal(out.free_slot, 2);
  assert_int_equal(out.response[0], 0x71 | 5 << 7 | 3 << 12);
  assert_int_equal(out.response[1], 0);
  const atfim_response_t r = response();
  for (uint32_t p = 0; p < 16; p++) {
    assert_int_equal(r.texel[p], p == 0 ? rgba(16, 2, 0, 0) : p == 5 ? 4 : 0);
  }
  step();
  assert_false(out.response_valid);
  assert_false(out.free_valid);
  assert_int_equal(out.response[0], 0);
  assert_true(out.quiescent);
  static const uint64_t Counters[] = {2, 0, 0, 2, 3, 0, 1, 0, 0};
  for (uint32_t i = 0; i <= CombinationUnitCounters; i++) {
    assert_int_equal(counter(i), Counters[i]);
  }
  assert_int_equal(out.error, CombinationUnitErrorNone);
}

ENGINE_TEST(test_columns) {
  // Each texel to its own parent, along both axes.
  for (uint32_t along_y = 0; along_y < 2; along_y++) {
    begin(16);
    added(along_y, 0xffff, ByColumn);
    assert_int_equal(out.update.add, 0xffff);
    for (uint32_t p = 0; p < 16; p++) {
      assert_int_equal(out.update.sum[4 * p], p);
      assert_int_equal(out.update.sum[4 * p + 1], 16 * p);
      assert_int_equal(out.update.sum[4 * p + 2], 255);
      assert_int_equal(out.update.sum[4 * p + 3], 1);
    }
  }
  // Rows of four to one parent: with axis x, four columns.
  begin(16);
  added(false, 0xfff7, ByRow);
  assert_int_equal(out.update.add, 0x000f);
  assert_int_equal(out.update.failed, 0);
  for (uint32_t p = 0; p < 4; p++) {
    assert_int_equal(out.update.sum[4 * p], p == 0 ? 3 : 16 * p + 6);
    assert_int_equal(out.update.sum[4 * p + 2], p == 0 ? 765 : 1020);
  }
  assert_int_equal(out.update.sum[16], 0);
  assert_int_equal(out.error, CombinationUnitErrorNone);
  // With axis y columns of four.
  begin(16);
  uint8_t turned[16];
  for (uint32_t i = 0; i < 16; i++) {
    turned[i] = ByRow[i % 4 * 4];
  }
  added(true, 0xffff, turned);
  for (uint32_t p = 0; p < 4; p++) {
    assert_int_equal(out.update.sum[4 * p], 4 * p + 24);
  }
  assert_int_equal(out.error, CombinationUnitErrorNone);
  // Nothing taken: it counts all the same.
  begin(16);
  added(true, 0, ByRow);
  assert_int_equal(out.update.add, 0);
}

ENGINE_TEST(test_bad_run) {
  // Two texels of a column to one parent: all parents of the run are marked, nothing is added.
  begin(16);
  added(true, 0x0c00, ByRow);  // texels 10 and 11, both of row 2
  assert_int_equal(out.update.add, 0x0004);
  assert_int_equal(out.update.failed, 0x0004);
  assert_int_equal(out.update.sum[8] | out.update.sum[10], 0);
  assert_int_equal(out.error, CombinationUnitErrorRun);
  for (uint32_t i = 0; i < 4; i++) {
    for (uint32_t j = 0; j < i; j++) {
      for (uint32_t column = 0; column < 4; column++) {
        begin(2);
        added(false, (uint16_t)(1u << (4 * i + column) | 1u << (4 * j + column)), Zero);
        assert_int_equal(out.update.failed, 0x0001);
        assert_int_equal(out.error, CombinationUnitErrorRun);
      }
    }
  }
  // One of the two is not taken.
  begin(2);
  added(false, 0x0010, Zero);
  assert_int_equal(out.update.failed, 0);
  assert_int_equal(out.error, CombinationUnitErrorNone);
}

ENGINE_TEST(test_failed_line) {
  // Its parents are marked and get nothing; the next run, of a line that came, is as ever.
  begin(16);
  in.take_ready = true;
  line(1, true);
  step();
  line(2, false);
  step();
  step();
  run(1, false, 0x8001, ByColumn);
  in.run.last = false;
  step();
  run(3, true, 0x0002, ByColumn);
  step();
  assert_int_equal(out.update.add, 0x8001);
  assert_int_equal(out.update.failed, 0x8001);
  assert_int_equal(out.update.sum[2], 0);
  run(4, true, 0x0004, ByColumn);
  step();
  assert_int_equal(out.update.slot, 3);
  assert_int_equal(out.update.failed, 0x0002);
  step();
  assert_int_equal(out.update.slot, 4);
  assert_int_equal(out.update.failed, 0);
  assert_int_equal(out.update.sum[8], 2);
  assert_false(out.run_ready);
  assert_int_equal(counter(CombinationUnitCounterFailed), 1);
  assert_int_equal(counter(CombinationUnitCounterRuns), 3);
  assert_int_equal(counter(CombinationUnitCounterTexels), 4);
}

ENGINE_TEST(test_failed_parent) {
  // Marked in the response with texel 0; outside the mask neither texel nor mark.
  begin(16);
  request(9, 0x7ff, 0x00ff, 2);
  step();
  row(9, 400);
  in.row.failed = 0x8101;
  step();
  const atfim_response_t r = response();
  assert_int_equal(r.id, 0x7ff);
  assert_int_equal(r.failed, 0x0001);
  assert_false(r.refused);
  for (uint32_t p = 0; p < 16; p++) {
    assert_int_equal(r.texel[p], p >= 1 && p < 8 ? rgba(100, 100, 100, 100) : 0);
  }
}

ENGINE_TEST(test_rounding) {
  // Every sum of every extent, 64 a row: halves up.
  begin(2);
  in.response_ready = true;
  for (uint32_t k = 1; k <= 4; k++) {
    const uint32_t n = 1u << k;
    for (uint32_t first = 0; first <= 255 * n; first += 64) {
      request(1, 5, 0xffff, (uint8_t)k);
      step();
      row(1, 0);
      for (uint32_t v = 0; v < 64; v++) {
        in.row.value[v] = (uint16_t)(first + v <= 255 * n ? first + v : 255 * n);
      }
      const parent_texel_buffer_row_t given = in.row;
      step();
      const atfim_response_t r = response();
      for (uint32_t v = 0; v < 64; v++) {
        const uint32_t s = given.value[v], mean = s / n + (2 * (s % n) >= n);
        assert_int_equal(r.texel[v / 4] >> (8 * (v % 4)) & 255, mean);
      }
    }
  }
  assert_int_equal(out.error, CombinationUnitErrorNone);
}

ENGINE_TEST(test_lines) {
  // A line of an old epoch leaves no trace; a void run takes one off.
  begin(2);
  in.epoch = 7;
  line(1, false);
  in.data.epoch = 6;
  step();
  assert_false(out.take_valid);
  assert_false(out.run_ready);
  line(2, false);
  step();
  line(3, false);
  step();
  assert_false(out.data_ready);  // two takes wait
  in.take_ready = true;
  step();
  assert_true(out.data_ready);
  line(4, false);
  step();
  line(5, false);
  step();
  assert_false(out.data_ready);  // four lines wait
  for (uint32_t i = 0; i < 4; i++) {
    assert_true(out.run_ready);
    run(0, false, 0xffff, ByColumn);
    in.run.is_void = i % 2 == 0;
    step();
  }
  assert_false(out.run_ready);
  assert_true(out.data_ready);
  assert_int_equal(counter(CombinationUnitCounterLines), 4);
  assert_int_equal(counter(CombinationUnitCounterDropped), 1);
  assert_int_equal(counter(CombinationUnitCounterVoid), 2);
  assert_int_equal(counter(CombinationUnitCounterRuns), 2);
}

ENGINE_TEST(test_stalled) {
  // Responses are not taken: rows and refused packages wait, lines do not.
  begin(16);
  in.take_ready = true;
  for (uint8_t s = 0; s < 6; s++) {
    request(s, s, 0xffff, 1);
    step();
  }
  for (uint8_t s = 0; s < 4; s++) {
    assert_true(out.row_ready);
    row(s, s);
    step();
    assert_int_equal(out.free_slot, s);
  }
  assert_false(out.row_ready);
  refused(20);
  step();
  assert_true(out.request_ready);
  refused(21);
  step();
  assert_false(out.request_ready);
  for (uint32_t i = 0; i < 50; i++) {
    assert_true(out.data_ready);
    line((uint16_t)i, false);
    in.run_valid = out.run_ready;
    in.run = (child_consolidation_run_t){.last = true, .slot = 5, .texel = 1};
    row(4, 4);  // waits
    step();
    assert_false(out.free_valid);
  }
  assert_int_equal(counter(CombinationUnitCounterLines), 50);
  in.response_ready = true;
  static const uint16_t Ids[] = {0, 1, 2, 3, 4, 20, 21};
  bool waits = true;
  for (uint32_t i = 0; i < sizeof Ids / sizeof *Ids; i++) {
    assert_int_equal(response().id, Ids[i]);
    if (waits) {
      row(4, 4);
      waits = !out.row_ready;
    }
    step();
    assert_int_equal(out.free_valid, i == 1);  // the first leaves, then there is room
  }
  assert_false(out.response_valid);
  assert_int_equal(out.error, CombinationUnitErrorNone);
}

ENGINE_TEST(test_refused) {
  // Answered when no row comes; two wait at most.
  begin(4);
  in.response_ready = true;
  request(1, 11, 0xffff, 1);
  step();
  refused(30);
  step();
  row(1, 255);  // goes first
  refused(31);
  step();
  assert_int_equal(response().id, 11);
  assert_int_equal(response().texel[15], rgba(128, 128, 128, 128));
  assert_false(out.request_ready);
  step();
  assert_int_equal(response().id, 30);
  assert_true(response().refused);
  assert_int_equal(response().failed | response().texel[0], 0);
  assert_true(out.request_ready);
  step();
  assert_int_equal(response().id, 31);
  assert_int_equal(out.response[1], 0x10000);
  assert_false(out.free_valid);
  step();
  assert_false(out.response_valid);
  assert_true(out.quiescent);
  assert_int_equal(counter(CombinationUnitCounterRefused), 2);
  assert_int_equal(counter(CombinationUnitCounterResponses), 1);
}

ENGINE_TEST(test_slot_reuse) {
  // A slot has a new package in the cycle after its free; what it says is of the new one.
  begin(4);
  in.response_ready = true;
  in.epoch = 0x5a;
  request(2, 1, 0x000f, 1);
  step();
  row(2, 200);
  in.row.failed = 0xffff;
  step();
  assert_true(out.free_valid);
  request(2, 2, 0x00f0, 4);
  step();
  row(2, 1608);
  step();
  const atfim_response_t r = response();
  assert_int_equal(r.id, 2);
  assert_int_equal(r.epoch, 0x5a);
  assert_int_equal(r.failed, 0);
  assert_int_equal(r.texel[3], 0);
  assert_int_equal(r.texel[4], rgba(101, 101, 101, 101));
  assert_int_equal(out.error, CombinationUnitErrorNone);
}

ENGINE_TEST(test_errors) {
  static const struct { uint8_t slot, extent; } Wrong[] = {{4, 1}, {63, 1}, {0, 0}, {0, 5}, {1, 1}};
  for (uint32_t i = 0; i < sizeof Wrong / sizeof *Wrong; i++) {
    begin(4);
    request(1, 9, 0xffff, 2);
    step();
    assert_int_equal(out.error, CombinationUnitErrorNone);
    request(Wrong[i].slot, 5, 0xffff, Wrong[i].extent);
    step();
    assert_int_equal(out.error, CombinationUnitErrorRequest);
    row(1, 8);  // works on, as before
    step();
    assert_int_equal(response().id, 9);
    assert_int_equal(response().texel[0], rgba(2, 2, 2, 2));
    row(0, 8);  // not open
    step();
    assert_false(out.free_valid);
    assert_int_equal(out.error, CombinationUnitErrorRequest);  // the first stays
  }
  begin(4);
  row(5, 8);  // beyond the last
  step();
  assert_int_equal(out.error, CombinationUnitErrorRow);
  assert_false(out.response_valid);
  begin(4);
  request(3, 1, 1, 1);
  row(3, 8);  // not open yet
  step();
  assert_int_equal(out.error, CombinationUnitErrorRow);
  row(3, 8);
  step();
  assert_int_equal(response().id, 1);
  begin(4);
  request(3, 1, 1, 1);
  step();
  request(3, 2, 1, 1);  // open still
  row(3, 8);
  step();
  assert_int_equal(out.error, CombinationUnitErrorRequest);
  assert_true(out.free_valid);
  begin(4);
  request(3, 1, 1, 7);
  row(0, 8);
  step();
  assert_int_equal(out.error, CombinationUnitErrorRequest);  // the lower of two
  unit.reset(unit.self, &out);
  assert_int_equal(out.error, CombinationUnitErrorNone);
}

ENGINE_TEST(test_reset) {
  // All that is under way is forgotten: lines, takes, a run, packages, refused ones, responses.
  begin(4);
  line(1, false);
  request(0, 1, 0xffff, 1);
  step();
  line(2, false);
  refused(2);
  step();
  run(0, false, 0xffff, ByColumn);
  row(0, 7);
  step();
  unit.reset(unit.self, &out);
  assert_false(out.take_valid);
  assert_false(out.run_ready);
  assert_false(out.update_valid);
  assert_false(out.response_valid);
  assert_false(out.free_valid);
  for (uint32_t i = 0; i < 4; i++) {
    step();
    assert_false(out.update_valid);
    assert_false(out.response_valid);
  }
  assert_int_equal(counter(CombinationUnitCounterLines), 0);
  request(0, 3, 0x0001, 1);
  step();
  row(0, 9);
  step();
  assert_int_equal(response().id, 3);
  assert_int_equal(response().texel[1], 0);
  assert_int_equal(out.error, CombinationUnitErrorNone);
}

ENGINE_TEST(test_params) {
  static const combination_unit_params_t Wrong[] = {{0, 48, true},   {1, 48, true}, {12, 48, true},
                                                    {128, 48, true}, {16, 9, true}, {16, 49, true}};
  err_auto_t err = {0};
  for (uint32_t i = 0; i < sizeof Wrong / sizeof *Wrong; i++) {
    assert_false(harness_combination_unit(engine, &Wrong[i], &unit, &err));
  }
}

int main(void) { return run_all_tests(NULL, NULL); }
