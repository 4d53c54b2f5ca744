// SPDX-License-Identifier: Apache-2.0
// Directed tests of the child texel consolidation, from docs/units/child_consolidation.md.
#include "csim/base/rng.h"
#include "unit_engine.h"

enum { MaxLog = 128 };

static child_consolidation_t unit;
static child_consolidation_in_t in;
static child_consolidation_out_t out;
static child_consolidation_read_t reads[MaxLog];
static child_consolidation_run_t runs[MaxLog];
static uint32_t read_count, run_count;

static const child_consolidation_params_t Default = {256, 6, 4, 64, true, 48, true};

static void begin(child_consolidation_params_t params) {
  char error[HarnessErrorSize];
  if (!harness_child_consolidation(engine, &params, &unit, error)) {
    fail_msg("%s", error);
  }
  memset(&in, 0, sizeof in);
  in.read_ready = in.run_ready = true;
  read_count = run_count = 0;
  unit.reset(unit.self, &out);
}

// Clocks once; takes what leaves in this cycle.
static void step(void) {
  if (out.read_valid && in.read_ready) {
    assert_true(read_count < MaxLog);
    reads[read_count++] = out.read;
  }
  if (out.run_valid && in.run_ready) {
    assert_true(run_count < MaxLog);
    runs[run_count++] = out.run;
  }
  assert_int_equal(unit.step(unit.self, &in, &out), UnitOk);
  in.beat_valid = in.take_valid = in.peek_valid = false;
}

static void wait_cycles(uint32_t n) {
  while (n-- > 0) {
    step();
  }
}

static uint64_t peek(child_consolidation_peek_e select, uint8_t index) {
  in.peek_valid = true;
  in.peek_select = (uint8_t)select;
  in.peek_index = index;
  step();
  return out.peek_data;
}

// A beat of R children in these lines; texel i is i.
static void offer(uint8_t parent, uint32_t ratio, const uint32_t *lines) {
  in.beat_valid = true;
  memset(&in.beat, 0, sizeof in.beat);
  in.beat.parent = parent;
  in.beat.ratio = (uint8_t)(ratio - 1);
  for (uint32_t i = 0; i < ratio; i++) {
    in.beat.line[i] = lines[i];
    in.beat.texel[i] = (uint8_t)i;
  }
}

static void beat(uint8_t parent, uint32_t ratio, const uint32_t *lines) {
  assert_true(out.beat_ready);
  offer(parent, ratio, lines);
  step();
}

static void take(uint16_t tag) {
  assert_true(out.take_ready);
  in.take_valid = true;
  in.take_tag = tag;
  step();
}

static void expect_run(uint32_t at, uint8_t parent, uint8_t first, uint8_t count, bool last) {
  assert_true(at < run_count);
  assert_false(runs[at].is_void);
  assert_int_equal(runs[at].parent, parent);
  assert_int_equal(runs[at].first, first);
  assert_int_equal(runs[at].count, count - 1);
  assert_int_equal(runs[at].last, last);
}

// The example of the contract, cycle by cycle; u is t + 5.
static void test_example(void **state) {
  (void)state;
  static const uint32_t lines[] = {260, 256};
  static const uint8_t texels[2][2] = {{10, 8}, {11, 9}}, slots[] = {0, 4, 0, 4};
  begin(Default);
  for (uint32_t t = 0; t <= 10; t++) {
    assert_int_equal(out.insert_valid, t >= 2 && t <= 5);
    if (out.insert_valid) {
      assert_int_equal(out.insert_index, t - 2);
      assert_int_equal(out.insert_parent, (t - 2) / 2);
      assert_int_equal(out.insert_first, t % 2);
      assert_int_equal(out.insert_count, 0);
      assert_int_equal(out.insert_slot, slots[t - 2]);
      assert_int_equal(out.insert_new, t < 4);
    }
    assert_int_equal(out.read_valid, t == 2 || t == 3);
    if (out.read_valid) {
      assert_int_equal(out.read.tag, t == 2 ? 0 : 4);
      assert_int_equal(out.read.line, t == 2 ? 260 : 256);
    }
    assert_int_equal(out.close_valid, t == 6);
    assert_int_equal(out.take_ready, t != 6);
    assert_int_equal(out.run_valid, t == 7 || t == 8);
    if (out.run_valid) {
      assert_int_equal(out.run.parent, t - 7);
      assert_int_equal(out.run.first, 1);
      assert_int_equal(out.run.count, 0);
      assert_int_equal(out.run.ratio, 1);
      assert_int_equal(out.run.last, t == 8);
      assert_int_equal(out.run.texel[0], texels[t - 7][0]);
      assert_int_equal(out.run.texel[1], texels[t - 7][1]);
    }
    if (t < 2) {
      offer((uint8_t)t, 2, lines);
      memcpy(in.beat.texel, texels[t], 2);
    }
    if (t == 5) {
      in.take_valid = true;
      in.take_tag = 4;
    }
    if (t == 6) {
      assert_int_equal(out.close_slot, 4);
    }
    step();
  }
  assert_true(out.quiescent);
  assert_int_equal(peek(ChildConsolidationPeekSlot, 4), 1);
  // Entries 1 and 3 are done, but nothing leaves before entry 0.
  assert_int_equal(peek(ChildConsolidationPeekEntry, 0) >> 20, 2);
  assert_int_equal(peek(ChildConsolidationPeekEntry, 1) >> 20, 3);
  assert_int_equal(peek(ChildConsolidationPeekEntry, 4), 0);
  assert_true(peek(ChildConsolidationPeekSlot, 0) ==
              (1u << 3 | 0 << 4 | 2 << 12 | UINT64_C(260) << 20));
  assert_int_equal(peek(ChildConsolidationPeekCounter, ChildConsolidationCounterChildren), 4);
  assert_int_equal(peek(ChildConsolidationPeekCounter, ChildConsolidationCounterRuns), 4);
  assert_int_equal(peek(ChildConsolidationPeekCounter, ChildConsolidationCounterReads), 2);
  take(0);
  wait_cycles(8);
  assert_int_equal(peek(ChildConsolidationPeekEntry, 3), 0);
  assert_int_equal(out.error, ChildConsolidationErrorNone);
}

static void test_runs(void **state) {
  (void)state;
  // Neighbours share a run; a line that comes back is a run of its own that joins.
  static const uint32_t lines[] = {4, 4, 8, 8, 8, 4, 12};
  begin(Default);
  beat(77, 7, lines);
  wait_cycles(10);
  assert_int_equal(read_count, 3);
  assert_int_equal(reads[0].line, 4);
  assert_int_equal(reads[1].line, 8);
  assert_int_equal(reads[2].line, 12);
  take(reads[0].tag);
  wait_cycles(6);
  take(reads[2].tag);
  take(reads[1].tag);
  wait_cycles(6);
  assert_int_equal(run_count, 4);
  expect_run(0, 77, 0, 2, false);
  expect_run(1, 77, 5, 1, true);
  expect_run(2, 77, 6, 1, true);
  expect_run(3, 77, 2, 3, true);
  for (uint32_t i = 0; i < 16; i++) {
    assert_int_equal(runs[0].texel[i], i < 7 ? i : 0);
  }
  // 16 children in one line; the low bits of a line do not count.
  uint32_t same[16];
  for (uint32_t i = 0; i < 16; i++) {
    same[i] = 0x3ffffffc | i % 4;
  }
  beat(9, 16, same);
  wait_cycles(4);
  assert_int_equal(reads[3].line, 0x3ffffffc);
  take(reads[3].tag);
  wait_cycles(4);
  expect_run(4, 9, 0, 16, true);
  assert_int_equal(out.error, ChildConsolidationErrorNone);
}

// Four ways, five lines of one set: the fifth waits for a slot, and takes that way.
static void test_set_full(void **state) {
  (void)state;
  uint32_t lines[5];
  begin(Default);
  for (uint32_t i = 0; i < 5; i++) {
    lines[i] = (i << 6 | i) << 2;  // both groups cancel: set 0
  }
  beat(1, 5, lines);
  wait_cycles(20);
  assert_int_equal(read_count, 4);
  for (uint32_t i = 0; i < 4; i++) {
    assert_int_equal(reads[i].tag, i);
  }
  assert_true(out.quiescent);
  take(2);
  wait_cycles(3);
  assert_int_equal(read_count, 5);
  assert_int_equal(reads[4].tag, 1 << 8 | 2);  // the next generation
  assert_int_equal(reads[4].line, lines[4]);
}

// A run for a line that is taken in the same cycle makes a new read.
static void test_join_or_close(void **state) {
  (void)state;
  static const uint32_t line[] = {8};
  for (uint32_t gap = 0; gap < 3; gap++) {
    begin(Default);
    beat(1, 1, line);
    wait_cycles(3);
    assert_int_equal(read_count, 1);
    // The beat is inserted one cycle after it is accepted; the take comes before, with, after.
    for (uint32_t c = 0; c < 3; c++) {
      if (c == 0) {
        offer(2, 1, line);
      }
      if (c == gap) {
        in.take_valid = true;
        in.take_tag = reads[0].tag;
      }
      step();
    }
    wait_cycles(6);
    assert_int_equal(read_count, gap == 2 ? 1 : 2);
    assert_int_equal(run_count, gap == 2 ? 2 : 1);
    expect_run(0, 1, 0, 1, gap != 2);
    if (gap == 2) {
      expect_run(1, 2, 0, 1, true);
    }
    assert_int_equal(out.error, ChildConsolidationErrorNone);
  }
}

static void refuse_take(uint16_t tag) {
  uint32_t before = run_count;
  take(tag);
  wait_cycles(4);
  assert_int_equal(run_count, before + 1);
  assert_true(runs[before].is_void && runs[before].last);
  assert_int_equal(runs[before].parent | runs[before].first | runs[before].count, 0);
  assert_int_equal(out.error, ChildConsolidationErrorTake);
}

static void test_takes_refused(void **state) {
  (void)state;
  static const uint32_t line[] = {0};
  begin((child_consolidation_params_t){16, 2, 2, 64, true, 48, true});
  refuse_take(0);  // no slot is open
  begin((child_consolidation_params_t){16, 2, 2, 64, true, 48, true});
  refuse_take(8);  // eight slots
  begin((child_consolidation_params_t){16, 2, 2, 64, true, 48, true});
  for (uint32_t i = 0; i < 9; i++) {
    beat((uint8_t)i, 1, line);
    wait_cycles(4);
    assert_int_equal(reads[i].tag, (i & 7) << 8);
    take(reads[i].tag);
    wait_cycles(4);
    assert_int_equal(run_count, i + 1);
  }
  beat(9, 1, line);
  wait_cycles(4);
  assert_int_equal(out.error, ChildConsolidationErrorNone);
  uint64_t slot = peek(ChildConsolidationPeekSlot, 0);
  refuse_take(reads[8].tag);  // data given twice
  for (uint32_t bit = 3; bit < 11; bit++) {
    // There are eight slots; each bit of the generation counts.
    refuse_take((uint16_t)(reads[9].tag ^ 1u << bit));
  }
  assert_true(peek(ChildConsolidationPeekSlot, 0) == slot);
  take(reads[9].tag);
  wait_cycles(4);
  expect_run(18, 9, 0, 1, true);
  unit.reset(unit.self, &out);
  assert_int_equal(out.error, ChildConsolidationErrorNone);
}

// 16 runs fill the ring; the 17th is inserted when the first has been released.
static void test_ring_full(void **state) {
  (void)state;
  uint32_t lines[16];
  begin((child_consolidation_params_t){16, 6, 4, 64, true, 48, true});
  for (uint32_t i = 0; i < 16; i++) {
    lines[i] = i * 4;
  }
  beat(1, 16, lines);
  beat(2, 1, lines);
  wait_cycles(30);
  assert_int_equal(read_count, 16);
  assert_int_equal(peek(ChildConsolidationPeekCounter, ChildConsolidationCounterRuns), 16);
  take(reads[5].tag);
  wait_cycles(6);
  assert_int_equal(peek(ChildConsolidationPeekCounter, ChildConsolidationCounterRuns), 16);
  take(reads[0].tag);
  wait_cycles(6);
  // Its line was closed meanwhile, so it was read again.
  assert_int_equal(peek(ChildConsolidationPeekCounter, ChildConsolidationCounterRuns), 17);
  assert_int_equal(read_count, 17);
  assert_int_equal(peek(ChildConsolidationPeekEntry, 0) & 0xff, 2);
}

static void test_no_merge(void **state) {
  (void)state;
  static const uint32_t lines[] = {4, 4, 8, 4};
  begin((child_consolidation_params_t){256, 6, 4, 64, false, 48, true});
  beat(1, 4, lines);
  beat(2, 4, lines);
  wait_cycles(10);
  assert_int_equal(read_count, 6);
  for (uint32_t i = 0; i < 6; i++) {
    assert_int_equal(reads[i].tag, 4 * i);  // the set is the entry's number
    assert_int_equal(reads[i].line, i % 3 == 1 ? 8 : 4);
  }
  for (uint32_t i = 6; i-- > 0;) {
    take(reads[i].tag);
  }
  wait_cycles(4);
  for (uint32_t i = 0; i < 6; i++) {
    static const uint8_t first[] = {3, 2, 0}, count[] = {1, 1, 2};
    expect_run(i, i < 3 ? 2 : 1, first[i % 3], count[i % 3], true);
  }
}

static void test_back_pressure(void **state) {
  (void)state;
  static const uint32_t lines[] = {0, 4, 8, 12, 0};
  begin(Default);
  in.read_ready = false;
  beat(1, 5, lines);
  beat(2, 1, lines);
  wait_cycles(10);
  assert_false(out.beat_ready);
  assert_int_equal(peek(ChildConsolidationPeekCounter, ChildConsolidationCounterReads), 2);
  in.read_ready = true;
  wait_cycles(10);
  assert_int_equal(read_count, 4);
  in.run_ready = false;
  take(reads[0].tag);  // three runs: two in the queue, one in the walker
  wait_cycles(10);
  assert_false(out.take_ready);
  assert_true(out.quiescent);
  in.run_ready = true;
  wait_cycles(5);
  assert_true(out.take_ready);
  assert_int_equal(run_count, 3);
  expect_run(0, 1, 0, 1, false);
  expect_run(1, 1, 4, 1, false);
  expect_run(2, 2, 0, 1, true);
}

// Whatever the order: each child of each parent comes once, with the line it lies in.
static void test_each_child_once(void **state) {
  (void)state;
  static const child_consolidation_params_t sets[] = {
      {16, 1, 1, 64, true, 48, true}, {32, 2, 2, 32, true, 48, false},
      {256, 6, 4, 16, true, 48, true}, {16, 6, 4, 64, false, 48, true}};
  enum { Parents = 256 };
  for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
    rng_t r;
    texel_generator_beat_t beats[Parents];
    uint16_t seen[Parents] = {0};
    uint32_t tag_line[2048], open[256], next_line[256];
    uint32_t open_count = 0, sent = 0, children = 0, taken = 0, given = 0;
    rng_seed(&r, s);
    begin(sets[s]);
    uint32_t granule = sets[s].line_bytes / 16;
    for (uint32_t c = 0; c < 60000 && (sent < Parents || children > 0); c++) {
      if (sent < Parents && out.beat_ready && rng_chance(&r, 700)) {
        uint32_t lines[16], ratio = 1 + rng_below(&r, 16);
        for (uint32_t i = 0; i < 16; i++) {
          lines[i] = rng_below(&r, rng_chance(&r, 500) ? 3 : 4000) * granule;
        }
        offer((uint8_t)sent, ratio, lines);
        beats[sent++] = in.beat;
        children += ratio;
      }
      in.read_ready = rng_chance(&r, 600);
      in.run_ready = rng_chance(&r, 600);
      if (out.take_ready && open_count > 0 && rng_chance(&r, 500)) {
        uint32_t i = rng_below(&r, open_count);
        in.take_valid = true;
        in.take_tag = (uint16_t)open[i];
        open[i] = open[--open_count];
        next_line[taken++ % 256] = tag_line[in.take_tag];
      }
      if (out.read_valid && in.read_ready) {
        open[open_count++] = out.read.tag;
        tag_line[out.read.tag] = out.read.line;
      }
      if (out.run_valid && in.run_ready) {
        const texel_generator_beat_t *b = &beats[out.run.parent];
        assert_false(out.run.is_void);
        assert_int_equal(out.run.ratio, b->ratio);
        assert_memory_equal(out.run.texel, b->texel, 16);
        for (uint32_t i = out.run.first; i <= (uint32_t)out.run.first + out.run.count; i++) {
          assert_true(i <= b->ratio);
          assert_int_equal(b->line[i], next_line[given % 256]);
          assert_int_equal(seen[out.run.parent] >> i & 1, 0);
          seen[out.run.parent] |= (uint16_t)(1u << i);
        }
        given += out.run.last;
        children -= out.run.count + 1u;
      }
      read_count = run_count = 0;
      step();
    }
    assert_int_equal(sent, Parents);
    assert_int_equal(given, taken);
    for (uint32_t p = 0; p < Parents; p++) {
      assert_int_equal(seen[p], (1u << (beats[p].ratio + 1)) - 1);
    }
    assert_int_equal(out.error, ChildConsolidationErrorNone);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      ENGINE_TEST(test_example),       ENGINE_TEST(test_runs),     ENGINE_TEST(test_set_full),
      ENGINE_TEST(test_join_or_close), ENGINE_TEST(test_takes_refused),
      ENGINE_TEST(test_ring_full),     ENGINE_TEST(test_no_merge), ENGINE_TEST(test_back_pressure),
      ENGINE_TEST(test_each_child_once)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
