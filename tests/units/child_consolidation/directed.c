// SPDX-License-Identifier: Apache-2.0
// Directed tests of the child consolidation, from docs/units/child_consolidation.md.
#include "csim/base/rng.h"
#include "tests/programs/unit_engine.h"

enum { MaxLog = 320 };

static child_consolidation_t unit;
static child_consolidation_in_t in;
static child_consolidation_out_t out;
static child_consolidation_read_t reads[MaxLog];
static child_consolidation_run_t runs[MaxLog];
static uint32_t read_cycle[MaxLog], run_cycle[MaxLog], read_count, run_count;

static const child_consolidation_params_t Default = {256, 6, 4, true, 48, true};

static void begin(child_consolidation_params_t params) {
  err_auto_t err = {0};
  if (!harness_child_consolidation(engine, &params, &unit, &err)) {
    fail_msg("%s", err_text(&err));
  }
  memset(&in, 0, sizeof in);
  in.read_ready = in.run_ready = true;
  in.cycle = 1;
  read_count = run_count = 0;
  unit.reset(unit.self, &out);
}

// Clocks once; takes what leaves in this cycle.
static void step(void) {
  if (out.read_valid && in.read_ready) {
    assert_true(read_count < MaxLog);
    read_cycle[read_count] = (uint32_t)in.cycle;
    reads[read_count++] = out.read;
  }
  if (out.run_valid && in.run_ready) {
    assert_true(run_count < MaxLog);
    run_cycle[run_count] = (uint32_t)in.cycle;
    runs[run_count++] = out.run;
  }
  assert_int_equal(unit.step(unit.self, &in, &out), UnitOk);
  in.cycle++;
  in.beat_valid = in.take_valid = in.peek_valid = false;
}

ENGINE_STEPS(wait_cycles)

static uint64_t peek(child_consolidation_peek_e select, uint8_t index) {
  in.peek_valid = true;
  in.peek_select = (uint8_t)select;
  in.peek_index = index;
  step();
  return out.peek_data;
}

static uint64_t counter(child_consolidation_counter_e index) {
  return peek(ChildConsolidationPeekCounter, (uint8_t)index);
}

// Offers a beat, whose parents differ from package to package and from line to line.
static void offer(uint8_t slot, uint32_t line) {
  in.beat_valid = true;
  in.beat = (texel_generator_beat_t){
      .slot = slot, .along_y = slot & 1, .line = line, .texel = (uint16_t)(slot * 0x101 ^ line)};
  for (uint32_t i = 0; i < 16; i++) {
    in.beat.parent[i] = (slot + line * 3 + i) & 15;
  }
}

static void beat(uint8_t slot, uint32_t line) {
  assert_true(out.beat_ready);
  offer(slot, line);
  step();
}

static void take(uint16_t tag) {
  assert_true(out.take_ready);
  in.take_valid = true;
  in.take_tag = tag;
  step();
}

static void expect_run(uint32_t at, uint8_t slot, uint32_t line, bool last) {
  assert_true(at < run_count);
  assert_false(runs[at].is_void);
  assert_int_equal(runs[at].slot, slot);
  assert_int_equal(runs[at].along_y, slot & 1);
  assert_int_equal(runs[at].last, last);
  assert_int_equal(runs[at].texel, (uint16_t)(slot * 0x101 ^ line));
  for (uint32_t i = 0; i < 16; i++) {
    assert_int_equal(runs[at].parent[i], (slot + line * 3 + i) & 15);
  }
}

// The example of the contract, cycle by cycle; u is t + 5.
ENGINE_TEST(test_example) {
  static const uint32_t lines[] = {65, 64, 65};
  static const uint8_t slots[] = {0, 0, 1}, fetches[] = {0, 4, 0};
  begin(Default);
  for (uint32_t t = 0; t <= 10; t++) {
    assert_int_equal(out.insert_valid, t >= 2 && t <= 4);
    if (out.insert_valid) {
      assert_int_equal(out.insert_index, t - 2);
      assert_int_equal(out.insert_slot, slots[t - 2]);
      assert_int_equal(out.insert_fetch, fetches[t - 2]);
      assert_int_equal(out.insert_new, t < 4);
    }
    assert_int_equal(out.read_valid, t == 2 || t == 3);
    if (out.read_valid) {
      assert_int_equal(out.read.tag, t == 2 ? 0 : 4);
      assert_int_equal(out.read.line, lines[t - 2]);
    }
    assert_int_equal(out.close_valid, t == 6);
    assert_int_equal(out.close_fetch, 0);
    assert_int_equal(out.take_ready, t != 6);
    assert_int_equal(out.run_valid, t == 7 || t == 8);
    assert_true(out.beat_ready);
    if (t < 3) {
      offer(slots[t], lines[t]);
    }
    if (t == 5) {
      in.take_valid = true;
      in.take_tag = 0;
    }
    step();
  }
  expect_run(0, 0, 65, false);
  expect_run(1, 1, 65, true);
  assert_true(out.quiescent);
  assert_int_equal(peek(ChildConsolidationPeekFetch, 0), 1);
  assert_true(peek(ChildConsolidationPeekFetch, 4) ==
              (1u << 3 | 1 << 4 | 1 << 12 | UINT64_C(64) << 20));
  // Entry 0 was released; entry 2 is done, but does not leave before entry 1.
  assert_int_equal(peek(ChildConsolidationPeekEntry, 0), 0);
  assert_int_equal(peek(ChildConsolidationPeekEntry, 1), 64 << 7 | 1 << 24);
  assert_int_equal(peek(ChildConsolidationPeekEntry, 2),
                   1 | 1 << 6 | (0x101 ^ 65) << 7 | 1 << 23 | 1 << 24);
  // Line 65 x 3 = 12 modulo 16; package 1 comes first.
  assert_true(peek(ChildConsolidationPeekParents, 2) == UINT64_C(0x3210fedcba987654));
  assert_int_equal(counter(ChildConsolidationCounterBeats), 3);
  assert_int_equal(counter(ChildConsolidationCounterMerged), 1);
  assert_int_equal(counter(ChildConsolidationCounterReads), 2);
  assert_int_equal(peek(ChildConsolidationPeekCounter, ChildConsolidationCounters), 0);
  take(4);
  wait_cycles(8);
  assert_int_equal(peek(ChildConsolidationPeekEntry, 2), 0);
  assert_int_equal(out.error, ChildConsolidationErrorNone);
}

// A beat, a read and a run a cycle while nothing waits; the memory answers 40 cycles later.
ENGINE_TEST(test_rate) {
  enum { Beats = 300, Latency = 40 };
  for (uint32_t merge = 0; merge < 2; merge++) {
    begin((child_consolidation_params_t){256, 6, 4, merge, 48, true});
    uint32_t taken = 0;
    for (uint32_t t = 0; run_count < Beats; t++) {
      assert_true(t < Beats + Latency + 20);
      if (t < Beats) {
        assert_true(out.beat_ready);
        offer((uint8_t)(t / 8 % 64), 5000 + t);
      }
      if (taken < read_count && read_cycle[taken] + Latency <= in.cycle) {
        assert_true(out.take_ready);
        in.take_valid = true;
        in.take_tag = reads[taken++].tag;
      }
      step();
    }
    for (uint32_t i = 0; i < Beats; i++) {
      assert_int_equal(read_cycle[i], read_cycle[0] + i);
      assert_int_equal(run_cycle[i], run_cycle[0] + i);
      assert_int_equal(reads[i].line, 5000 + i);
      expect_run(i, (uint8_t)(i / 8 % 64), 5000 + i, true);
    }
    assert_int_equal(counter(ChildConsolidationCounterBeats), Beats);
    assert_int_equal(counter(ChildConsolidationCounterReads), Beats);
  }
}

// Four ways, five lines of one set: the fifth waits for a fetch, and takes that way.
ENGINE_TEST(test_set_full) {
  begin(Default);
  for (uint32_t i = 0; i < 5; i++) {
    beat(1, i << 6 | i);  // both groups cancel: set 0
  }
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
  assert_int_equal(reads[4].line, 4 << 6 | 4);
}

// A beat for a line that is taken in the same cycle makes a new read.
ENGINE_TEST(test_join_or_close) {
  for (uint32_t gap = 0; gap < 3; gap++) {
    begin(Default);
    beat(1, 2);
    wait_cycles(3);
    assert_int_equal(read_count, 1);
    // The beat is inserted one cycle after it is accepted; the take comes before, with, after.
    for (uint32_t c = 0; c < 3; c++) {
      if (c == 0) {
        offer(2, 2);
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
    expect_run(0, 1, 2, gap != 2);
    if (gap == 2) {
      expect_run(1, 2, 2, true);
    }
    assert_int_equal(counter(ChildConsolidationCounterClosing), gap == 1);
    assert_int_equal(out.error, ChildConsolidationErrorNone);
  }
}

static void refuse_take(uint16_t tag) {
  uint32_t before = run_count;
  take(tag);
  wait_cycles(4);
  assert_int_equal(run_count, before + 1);
  static const child_consolidation_run_t Void = {.is_void = true, .last = true};
  assert_memory_equal(&runs[before], &Void, sizeof Void);
  assert_int_equal(out.error, ChildConsolidationErrorTake);
}

ENGINE_TEST(test_takes_refused) {
  static const child_consolidation_params_t few = {16, 2, 2, true, 48, true};
  begin(few);
  refuse_take(0);  // no fetch is under way
  begin(few);
  refuse_take(8);  // there are eight
  begin(few);
  for (uint8_t i = 0; i < 9; i++) {
    beat(i, 0);
    wait_cycles(4);
    assert_int_equal(reads[i].tag, (i & 7) << 8);
    take(reads[i].tag);
    wait_cycles(4);
    assert_int_equal(run_count, i + 1);
  }
  beat(9, 0);
  wait_cycles(4);
  assert_int_equal(out.error, ChildConsolidationErrorNone);
  uint64_t fetch = peek(ChildConsolidationPeekFetch, 0);
  refuse_take(reads[8].tag);  // data given twice
  for (uint32_t bit = 3; bit < 11; bit++) {
    // There are eight fetches; each bit of the generation counts.
    refuse_take((uint16_t)(reads[9].tag ^ 1u << bit));
  }
  assert_true(peek(ChildConsolidationPeekFetch, 0) == fetch);
  take(reads[9].tag);
  wait_cycles(4);
  expect_run(18, 9, 0, true);
  unit.reset(unit.self, &out);
  assert_int_equal(out.error, ChildConsolidationErrorNone);
}

// 16 beats fill the ring; the 17th is inserted when the first has been released.
ENGINE_TEST(test_ring_full) {
  begin((child_consolidation_params_t){16, 6, 2, true, 48, true});
  for (uint32_t i = 0; i < 16; i++) {
    beat(1, i);
  }
  beat(2, 0);
  wait_cycles(30);
  assert_int_equal(read_count, 16);
  assert_int_equal(counter(ChildConsolidationCounterBeats), 16);
  take(reads[5].tag);
  wait_cycles(6);
  assert_int_equal(counter(ChildConsolidationCounterBeats), 16);
  take(reads[0].tag);
  wait_cycles(6);
  // Its line was closed meanwhile, so it was read again.
  assert_int_equal(counter(ChildConsolidationCounterBeats), 17);
  assert_int_equal(read_count, 17);
  assert_int_equal(peek(ChildConsolidationPeekEntry, 0) & 63, 2);
}

ENGINE_TEST(test_no_merge) {
  static const uint32_t lines[] = {4, 8, 4};
  begin((child_consolidation_params_t){256, 6, 4, false, 48, true});
  for (uint32_t i = 0; i < 6; i++) {
    beat((uint8_t)(i / 3), lines[i % 3]);
  }
  wait_cycles(10);
  assert_int_equal(read_count, 6);
  for (uint32_t i = 0; i < 6; i++) {
    assert_int_equal(reads[i].tag, 4 * i);  // the set is the entry's number
    assert_int_equal(reads[i].line, lines[i % 3]);
  }
  for (uint32_t i = 6; i-- > 0;) {
    take(reads[i].tag);
  }
  wait_cycles(4);
  for (uint32_t i = 0; i < 6; i++) {
    expect_run(i, i < 3, lines[(5 - i) % 3], true);
  }
  assert_int_equal(counter(ChildConsolidationCounterMerged), 0);
}

ENGINE_TEST(test_back_pressure) {
  static const uint32_t lines[] = {0, 1, 2, 0};
  begin(Default);
  in.read_ready = false;
  for (uint8_t i = 0; i < 4; i++) {
    beat(i, lines[i]);
    wait_cycles(2);
  }
  wait_cycles(10);
  assert_false(out.beat_ready);
  assert_true(out.quiescent);
  assert_int_equal(counter(ChildConsolidationCounterReads), 2);
  in.read_ready = true;
  wait_cycles(10);
  beat(4, 0);
  wait_cycles(10);
  assert_int_equal(read_count, 3);
  in.run_ready = false;
  take(reads[0].tag);  // three runs: two in the queue, one in the walker
  wait_cycles(10);
  assert_false(out.take_ready);
  assert_true(out.quiescent);
  in.run_ready = true;
  wait_cycles(5);
  assert_true(out.take_ready);
  assert_int_equal(run_count, 3);
  expect_run(0, 0, 0, false);
  expect_run(1, 3, 0, false);
  expect_run(2, 4, 0, true);
}

// ---- Cycles without an insertion

// Reads the counters of a unit without beats: NoBeat, which goes on, as the last. They add up to
// the cycles before that.
static void read_counters(uint64_t c[ChildConsolidationCounters]) {
  for (uint32_t i = 0; i < ChildConsolidationCounters; i++) {
    c[i] = counter((child_consolidation_counter_e)i);
  }
  uint64_t no_beat = counter(ChildConsolidationCounterNoBeat);
  assert_int_equal(no_beat - c[ChildConsolidationCounterNoBeat],
                   ChildConsolidationCounters - ChildConsolidationCounterNoBeat);
  c[ChildConsolidationCounterNoBeat] = no_beat;
  assert_int_equal(c[ChildConsolidationCounterBeats],
                   c[ChildConsolidationCounterMerged] + c[ChildConsolidationCounterReads]);
  uint64_t sum = c[ChildConsolidationCounterBeats];
  for (uint32_t i = ChildConsolidationCounterNoBeat; i < ChildConsolidationCounters; i++) {
    sum += c[i];
  }
  assert_int_equal(sum, in.cycle - 2);
}

ENGINE_TEST(test_causes) {
  uint64_t c[ChildConsolidationCounters];
  // Without room for reads, until the cycle in which one leaves.
  begin((child_consolidation_params_t){16, 6, 2, true, 48, true});
  in.read_ready = false;
  for (uint32_t i = 0; i < 3; i++) {
    beat(0, i);
  }
  wait_cycles(40);
  in.read_ready = true;
  wait_cycles(10);
  read_counters(c);
  assert_int_equal(c[ChildConsolidationCounterNoRead], 41);
  // Without an entry: a take in the 41st cycle, its run in the next, its release in the next.
  for (uint32_t i = 0; i < 14; i++) {
    beat(0, 3 + i);
  }
  wait_cycles(40);
  take(reads[0].tag);
  wait_cycles(20);
  read_counters(c);
  assert_int_equal(c[ChildConsolidationCounterNoEntry], 43);
  // Without a fetch, until the cycle of the take.
  for (uint32_t i = 1; i < read_count; i++) {
    take(reads[i].tag);
  }
  wait_cycles(20);
  for (uint32_t i = 0; i < 3; i++) {
    beat(0, i << 6 | i);
  }
  wait_cycles(40);
  take(reads[17].tag);
  wait_cycles(20);
  read_counters(c);
  assert_int_equal(c[ChildConsolidationCounterNoFetch], 41);
  assert_int_equal(c[ChildConsolidationCounterClosing], 0);
  assert_int_equal(out.error, ChildConsolidationErrorNone);
}

// A unit whose clock stands still while it is quiescent counts the same.
ENGINE_TEST(test_causes_skipped) {
  uint64_t c[2][ChildConsolidationCounters];
  for (uint32_t skips = 0; skips < 2; skips++) {
    uint32_t skipped = 0;
    begin((child_consolidation_params_t){16, 2, 2, true, 48, true});
    for (uint32_t t = 0; t < 4000; t++) {
      // Each phase holds its inputs for so long that the unit comes to rest.
      uint32_t phase = t / 100 % 4;
      in.read_ready = phase != 0;
      if (t % 100 < 8 && out.beat_ready && phase < 2) {
        offer((uint8_t)t & 63, phase * 5 + t % 100 / 2);
      }
      if (phase == 3 && t % 100 < 90 && t % 2 && read_count > 0 && out.take_ready) {
        in.take_valid = true;
        in.take_tag = reads[--read_count].tag;
      }
      if (skips && t % 100 > 92 && out.quiescent) {
        in.cycle++;
        skipped++;
      } else {
        run_count = 0;
        step();
      }
    }
    assert_true(!skips || skipped > 200);
    read_counters(c[skips]);
    assert_int_equal(out.error, ChildConsolidationErrorNone);
  }
  assert_true(c[0][ChildConsolidationCounterNoRead] > 100);
  assert_true(c[0][ChildConsolidationCounterNoFetch] > 100);
  assert_memory_equal(c[0], c[1], sizeof c[0]);
}

// Whatever the order: each beat of each package comes back once, with the line it wanted.
ENGINE_TEST(test_each_beat_once) {
  static const child_consolidation_params_t sets[] = {{16, 1, 1, true, 48, true},
                                                      {32, 2, 2, true, 48, false},
                                                      {256, 6, 4, true, 48, true},
                                                      {256, 6, 4, false, 48, true}};
  enum { Beats = 800 };
  for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
    rng_t r;
    texel_generator_beat_t beats[Beats];
    bool seen[Beats] = {false};
    uint32_t tag_line[2048], open[256], next_line[256];
    uint32_t open_count = 0, sent = 0, back = 0, taken = 0, given = 0;
    rng_seed(&r, s);
    begin(sets[s]);
    for (uint32_t c = 0; c < 60000 && back < Beats; c++) {
      if (sent < Beats && out.beat_ready && rng_chance(&r, 700)) {
        offer(sent & 63, rng_below(&r, rng_chance(&r, 500) ? 3 : 4000));
        // Its number, in what is handed on.
        in.beat.texel = (uint16_t)sent;
        beats[sent++] = in.beat;
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
        assert_false(out.run.is_void);
        assert_true(out.run.texel < sent && !seen[out.run.texel]);
        const texel_generator_beat_t *b = &beats[out.run.texel];
        seen[out.run.texel] = true;
        assert_int_equal(out.run.slot, b->slot);
        assert_int_equal(out.run.along_y, b->along_y);
        assert_memory_equal(out.run.parent, b->parent, sizeof b->parent);
        assert_int_equal(b->line, next_line[given % 256]);
        given += out.run.last;
        back++;
      }
      read_count = run_count = 0;
      step();
    }
    assert_int_equal(back, Beats);
    assert_int_equal(given, taken);
    assert_int_equal(out.error, ChildConsolidationErrorNone);
  }
}

int main(void) { return run_all_tests(NULL, NULL); }
