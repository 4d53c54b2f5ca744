// SPDX-License-Identifier: Apache-2.0
// A-TFIM's texture units, against a cube that makes lines by their definition and answers
// after any time, in any order, some with failures: every sample is that of the filter without
// time, whatever the caches hold; failed pixels are those that used a failed parent.
#include "tests/programs/lines_bench.h"

// All extents, axes and slopes; every sample as without time, with and without reuse.
TEST(test_samples) {
  for (uint32_t i = 0; i < 12; i++) {
    uint32_t reading = i % 2, narrow = i / 2 % 3;
    lines_t *l = lines_new(reading, 100 + i);
    l->b.params.reuse = i < 6 ? 1 : 0;
    l->b.params.track_error = 1;
    if (narrow) {
      make_narrow(l, narrow);
    }
    lines_start(l);
    run_lines(l, narrow == 2 ? 300 : narrow ? 1500 : 5000, narrow ? 300 : 150, narrow ? 500 : 1000);
    const texture_stats_t *s = texture_units_stats(l->b.units);
    assert_true(s->max_sample_error == 0);
    assert_true(narrow || l->nearest > 50);
    for (uint32_t n = 0; n < 2 * 5 * 5 && !narrow; n++) {
      uint32_t k = n / 5 % 5, slope = n % 5;
      bool steep = reading == VirtualLattice && k == 4 && (slope == 0 || slope == 4);
      bool none = k == 0 ? n != 2 : steep;
      assert_true(none ? (&l->seen[0][0][0])[n] == 0 : (&l->seen[0][0][0])[n] > 3);
    }
    uint64_t found = s->l1_lines_hit + s->l1_lines_merged + s->l2_lines_hit + s->l2_lines_merged;
    if (!l->b.params.reuse) {
      assert_int_equal(found, 0);
    } else if (!narrow) {
      assert_true(s->l1_lines_hit > 1000 && s->l1_lines_merged > 100);
      assert_true(s->l2_lines_hit > 100 && s->l2_lines_merged > 100);
    }
    lines_free(l);
  }
}

// Lines of all kinds of one small texture, whose tiles have the same few numbers.
TEST(test_kinds) {
  for (uint32_t reading = 0; reading < 2; reading++) {
    lines_t *l = lines_new(reading, 60 + reading);
    l->first_stage = WrapPairs;  // of 64 x 64
    l->stages = 1;
    l->b.params.l2_kib = 1 << 14;
    lines_start(l);
    run_lines(l, 3000, 200, 1000);
    lines_free(l);
  }
}

// Anisotropy off: no line of parents is asked for.
TEST(test_off) {
  lines_t *l = lines_new(VirtualLattice, 61);
  l->b.params.max_anisotropy = 1;
  lines_start(l);
  run_lines(l, 1000, 200, 1000);
  assert_int_equal(texture_units_stats(l->b.units)->anisotropic_pixels, 0);
  assert_int_equal(l->packages, 0);
  lines_free(l);
}

// A line is asked for once while the second cache holds it all, whatever the first ones do.
TEST(test_once) {
  lines_t *l = lines_new(VirtualLattice, 3);
  bench_t *b = &l->b;
  b->params.l2_kib = 1 << 14;
  b->params.l1_kib = 1;
  l->asked = calloc(MaxTags, sizeof *l->asked);
  lines_start(l);
  run_lines(l, 1500, 200, 1000);
  const texture_stats_t *s = texture_units_stats(b->units);
  uint64_t packages = s->packages, reads = s->reads;
  assert_true(packages > 1000 && packages < MaxTags);
  for (uint32_t i = 0; i < 1500; i++) {
    while (!push(b, (i + 1) % Lanes, &b->quads[i])) {
      cycle(b, 1000);
    }
    cycle(b, 1000);
  }
  drain(b);
  assert_int_equal(s->packages, packages);
  assert_int_equal(s->reads, reads);
  check_lines(l);
  lines_free(l);
}

// Units that ask for a line while it is under way share one package; with `always` nobody does.
TEST(test_merge) {
  for (uint32_t reuse = 0; reuse < 2; reuse++) {
    lines_t *l = lines_new(VirtualLattice, 3);
    bench_t *b = &l->b;
    b->params.reuse = reuse;
    lines_start(l);
    texture_quad_t q = quad_at(b, 0, 20.5 / 256, 8.5 / 128, 8, 0, 0, 2);
    q.mask = 1;
    for (uint32_t i = 0; i < 3 * Lanes; i++) {
      push(b, i % Lanes, &q);
    }
    drain(b);
    const texture_stats_t *s = texture_units_stats(b->units);
    // R = 4: level 1 whole; 4 children along x, parents 2 and 3 of row 4, or one of them.
    uint64_t lines = s->lines / (3 * Lanes);
    assert_in_range(lines, 1, 4);
    assert_int_equal(s->packages, reuse ? lines : 3 * Lanes * lines);
    assert_int_equal(s->l2_lines_merged + s->l2_lines_hit, reuse ? (Lanes - 1) * lines : 0);
    assert_int_equal(s->l1_lines_merged + s->l1_lines_hit, reuse ? 2 * Lanes * lines : 0);
    assert_true(!reuse || s->l2_lines_merged > 0);
    check_lines(l);
    lines_free(l);
  }
}

// Failed parents and refused packages mark the pixels that used them, no other, and stay in no
// cache: afterwards everything is right.
TEST(test_failures) {
  for (uint32_t i = 0; i < 8; i++) {
    lines_t *l = lines_new(i % 2, 20 + i);
    l->b.params.reuse = i / 2 % 2;
    l->b.failures = 120;
    if (i >= 4) {
      make_narrow(l, 1);
    }
    lines_start(l);
    run_lines(l, 1500, 200, 1000);
    const texture_stats_t *s = texture_units_stats(l->b.units);
    assert_true(s->failed_parents > 500 && s->refused_packages > 10);
    uint64_t failed = s->failed_parents;
    l->b.failures = 0;
    run_lines(l, 1500, 200, 1000);
    assert_int_equal(s->failed_parents, failed);
    lines_free(l);
  }
}

// Cycles for `count` equal quads, everything in the first cache.
static uint64_t warm_cycles(uint32_t count, uint32_t address_alus, uint32_t filter_alus) {
  lines_t *l = lines_new(VirtualLattice, 7);
  bench_t *b = &l->b;
  texture_result_t r;
  b->params.units = 1;
  b->params.results = 4096;
  b->params.address_alus = address_alus;
  b->params.filter_alus = filter_alus;
  lines_start(l);
  texture_quad_t q = quad_at(b, 0, 0.3, 0.4, 11, 0, 0, 2.9);
  push_one(l, &q, &r);
  uint64_t start = b->now;
  uint32_t pushed = 0;
  while (b->popped[0] < count + 1) {
    while (pushed < count && push(b, 0, &q)) {
      pushed++;
    }
    cycle(b, 1000);
  }
  uint64_t cycles = b->now - start;
  lines_free(l);
  return cycles;
}

// 32 parents a quad: a texel an ALU, or four.
TEST(test_rates) {
  uint32_t n = 100;
  assert_int_equal(warm_cycles(1, 4, 8), 7 + 6 + 4 + 4 + 1);
  assert_in_range(warm_cycles(n, 4, 8), 8 * n, 8 * n + 30);
  assert_in_range(warm_cycles(n, 16, 32), 2 * n, 2 * n + 30);
  assert_in_range(warm_cycles(n, 16, 8), 4 * n, 4 * n + 30);
}

// A line from the cube passes the second cache: its latency counts once, found there or not.
TEST(test_miss_latency) {
  uint64_t cycles[3][2];
  for (uint32_t i = 0; i < 3; i++) {
    lines_t *l = lines_new(VirtualLattice, 7);
    bench_t *b = &l->b;
    texture_result_t r;
    b->params.l2_latency += i == 1 ? 8 : 0;
    l->latency += i == 2 ? 5 : 0;
    l->spread = 0;
    lines_start(l);
    texture_quad_t q = quad_at(b, 0, 100.3 / 256, 50.6 / 128, 8, 0, 0, 2);
    q.mask = 1;
    push_one(l, &q, &r);
    const texture_stats_t *s = texture_units_stats(b->units);
    cycles[i][0] = s->latency_sum;
    push(b, 1, &q);
    drain(b);
    cycles[i][1] = s->latency_sum - cycles[i][0];
    lines_free(l);
  }
  assert_int_equal(cycles[1][0], cycles[0][0] + 8);
  assert_int_equal(cycles[1][1], cycles[0][1] + 8);
  assert_int_equal(cycles[2][0], cycles[0][0] + 5);
  assert_int_equal(cycles[2][1], cycles[0][1]);
}

// The same run twice, and once more stepping only when due: the same cycles and values.
TEST(test_determinism) {
  for (uint32_t match = TextureMatchSlope; match <= TextureMatchAngle; match++) {
    uint64_t hash[3];
    texture_stats_t stats[3];
    for (uint32_t i = 0; i < 3; i++) {
      lines_t *l = lines_new(VirtualLattice, 12);
      bench_t *b = &l->b;
      b->params.match = match;
      b->params.reuse = 3;
      b->check_values = match == TextureMatchSlope;
      b->params.l1_kib = 2;
      b->params.l2_kib = 8;
      b->params.l2_misses = 9;
      b->params.l1_misses = 3;
      b->memory_refusals = 200;
      b->skipping = i == 2;
      lines_start(l);
      run_lines(l, 2000, 20, 600);
      hash[i] = b->hash;
      stats[i] = *texture_units_stats(b->units);
      lines_free(l);
    }
    assert_true(hash[0] == hash[1]);
    assert_memory_equal(&stats[0], &stats[1], sizeof stats[0]);
    assert_true(hash[0] == hash[2]);
    assert_memory_equal(&stats[0], &stats[2], sizeof stats[0]);
  }
}

int main(void) { return run_all_tests(NULL, NULL); }
