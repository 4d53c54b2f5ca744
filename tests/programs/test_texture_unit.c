// SPDX-License-Identifier: Apache-2.0
// The texture units of all designs but A-TFIM (test_texture_lines.c) against memory and link of
// fixed latency: every request is answered once, in order, with the value of its design; caches,
// rates, back-pressure, determinism.
#include "texture_bench.h"

#include "csim/texture/texture_state_internal.h"

// Returns true for designs whose timed units read plain lines only.
static bool plain(uint32_t design) {
  const texture_design_t *d = texture_design(design);
  return d->memory != TextureMemoryNone && !d->offloads;
}

// Every design, with comfortable and with narrow queues and everything refusing.
TEST(test_designs) {
  bench_t *b = new_bench();
  for (uint32_t design = 0; design < TextureDesignCount; design++) {
    if (!plain(design)) {
      continue;
    }
    for (uint32_t narrow = 0; narrow < 3; narrow++) {
      bench_create(b, design, 10 + narrow);
      if (narrow) {
        b->params.request_queue = 3;
        b->params.in_flight = narrow == 1 ? 5 : 1;
        b->params.results = narrow == 1 ? 2 : 1;
        b->params.l1_kib = 1;
        b->params.l1_ways = narrow == 1 ? 4 : 2;
        b->params.l1_misses = narrow == 1 ? 5 : 1;
        b->params.l2_kib = 2;
        b->params.l2_ways = 2;
        b->params.l2_misses = narrow == 1 ? 7 : 1;
        b->params.l2_lookups = 1;
        b->params.mtu_queue = 2;
        b->params.mtu_merge = narrow - 1;
        b->params.address_alus = narrow == 1 ? 2 : 3;
        b->params.filter_alus = 3;
        b->memory_refusals = b->link_refusals = 400;
        b->memory_latency = 7;
      }
      bench_start(b);
      run(b, narrow ? 1500 : 6000, narrow ? 300 : 100, narrow ? 300 : 1000);
      bench_destroy(b);
    }
  }
  free(b);
}

// Anisotropy off: the same with R = 1.
TEST(test_off) {
  bench_t *b = new_bench();
  for (uint32_t design = 0; design < TextureDesignCount; design++) {
    if (!plain(design)) {
      continue;
    }
    bench_create(b, design, 3);
    b->params.max_anisotropy = 1;
    bench_start(b);
    run(b, 1000, 200, 1000);
    assert_int_equal(texture_units_stats(b->units)->anisotropic_pixels, 0);
    bench_destroy(b);
  }
  free(b);
}

static void one(bench_t *b, const texture_quad_t *q, texture_result_t *r) {
  assert_true(push(b, 0, q));
  b->popped[0]++;
  while (!texture_units_pop(b->units, b->now, 0, r)) {
    cycle(b, 0);
  }
}

TEST(test_thresholds) {
  assert_int_equal(texture_reuse_of(0), 1);
  assert_int_equal(texture_reuse_of(0.9), 1);
  assert_int_equal(texture_reuse_of(1.8), 2);
  assert_int_equal(texture_reuse_of(9), 7);
  assert_int_equal(texture_reuse_of(178), 127);
  assert_int_equal(texture_reuse_of(180), TextureReuseAll);
  assert_int_equal(texture_reuse_of(INFINITY), TextureReuseAll);
}

// Nothing is read twice while the caches hold it all; all units share the second cache.
TEST(test_traffic) {
  bench_t *b = new_bench();
  bench_create(b, TextureBaseline, 6);
  b->params.l2_kib = 4096;
  bench_start(b);
  run(b, 8000, 150, 1000);
  const texture_stats_t *s = texture_units_stats(b->units);
  assert_int_equal(s->reads, s->l2_misses);
  assert_true(s->reads <= (b->map.end - b->map.base) / 64);
  uint64_t reads = s->reads;
  // The same quads again.
  uint32_t tags = b->tags;
  for (uint32_t i = 0; i < tags; i++) {
    while (!push(b, i % 4, &b->quads[i])) {
      cycle(b, 1000);
    }
    cycle(b, 1000);
  }
  drain(b);
  assert_int_equal(s->reads, reads);
  bench_destroy(b);
  free(b);
}

// Cycles for `count` equal quads, everything in the first cache.
static uint64_t warm_cycles(double ux, double uy_axis, uint32_t count, uint32_t filter_alus) {
  bench_t *b = new_bench();
  texture_result_t r;
  bench_create(b, TextureBaseline, 7);
  b->params.units = 1;
  b->params.results = 4096;
  b->params.filter_alus = filter_alus;
  bench_start(b);
  texture_quad_t q = quad_at(b, 0, 0.3, 0.4, ux, 0, 0, uy_axis);
  for (uint32_t i = 0; i < 3; i++) {
    one(b, &q, &r);
  }
  uint64_t start = b->now;
  uint32_t pushed = 0;
  while (b->popped[0] < count + 3) {
    while (pushed < count && push(b, 0, &q)) {
      pushed++;
    }
    cycle(b, 1000);
  }
  uint64_t cycles = b->now - start;
  bench_destroy(b);
  free(b);
  return cycles;
}

// The filter goes on while results wait to be taken.
TEST(test_latency) {
  bench_t *b = new_bench();
  texture_result_t r;
  bench_create(b, TextureBaseline, 7);
  b->params.filter_alus = 1;
  bench_start(b);
  texture_quad_t q = quad_at(b, 0, 0.3, 0.4, 2.9, 0, 0, 2.9);
  one(b, &q, &r);
  const texture_stats_t *s = texture_units_stats(b->units);
  uint64_t before = s->latency_sum;
  for (uint32_t i = 0; i < 3; i++) {
    push(b, 0, &q);
  }
  for (uint32_t i = 0; i < 200; i++) {
    cycle(b, 0);
  }
  // 8 groups, 6 cycles to the filter, 32 a quad, 4 of latency.
  assert_int_equal(s->latency_sum - before, 3 * (7 + 6 + 4) + 32 + 64 + 96);
  drain(b);
  bench_destroy(b);
  free(b);
}

// Four texel addresses and eight filtered texels a cycle.
TEST(test_rates) {
  uint32_t n = 100;
  // One quad: 8 groups, 6 cycles to the filter, 32 texels, 4 cycles of latency.
  assert_int_equal(warm_cycles(2.9, 2.9, 1, 8), 7 + 6 + 4 + 4 + 1);
  uint64_t plain = warm_cycles(2.9, 2.9, n, 8);
  uint64_t wide = warm_cycles(16 * 2.9, 2.9, n, 8);
  assert_in_range(plain, 8 * n, 8 * n + 30);
  assert_in_range(wide, 128 * n, 128 * n + 80);
  // With one filtering ALU the filter is what limits.
  assert_in_range(warm_cycles(2.9, 2.9, n, 1), 32 * n, 32 * n + 30);
}

// The link's stall and resume.
// A line that memory sends passes the second cache: its latency counts once.
TEST(test_miss_latency) {
  bench_t *b = new_bench();
  texture_result_t r;
  uint64_t cycles[2];
  for (uint32_t i = 0; i < 2; i++) {
    bench_create(b, TextureBaseline, 7);
    b->params.l2_latency += 8 * i;
    bench_start(b);
    texture_quad_t q = quad_at(b, 0, 0.3, 0.4, 0.5, 0, 0, 0.5);
    one(b, &q, &r);
    cycles[i] = texture_units_stats(b->units)->latency_sum;
    bench_destroy(b);
  }
  assert_int_equal(cycles[1], cycles[0] + 8);
  free(b);
}

// The second cache serves the units in turn, when all want more than it gives.
TEST(test_turns) {
  bench_t *b = new_bench();
  bench_create(b, TextureBaseline, 15);
  b->params.l1_kib = 1;
  b->params.l1_ways = 4;
  b->params.l2_lookups = 1;
  bench_start(b);
  for (uint32_t i = 0; i < 6000; i++) {
    for (uint32_t u = 0; u < b->params.units; u++) {
      // Hardly two near one another: a line of its own for almost every texel.
      texture_quad_t q = quad_at(b, 0, between(&b->rng, 0, 1), between(&b->rng, 0, 1), 8, 0, 0, 8);
      push(b, u, &q);
    }
    cycle(b, 1000);
  }
  assert_true(texture_units_stats(b->units)->l2_lookups > 5500);
  uint32_t least = UINT32_MAX, most = 0;
  for (uint32_t u = 0; u < b->params.units; u++) {
    least = b->popped[u] < least ? b->popped[u] : least;
    most = b->popped[u] > most ? b->popped[u] : most;
  }
  assert_true(4 * most < 5 * least);
  drain(b);
  bench_destroy(b);
  free(b);
}

TEST(test_stall) {
  bench_t *b = new_bench();
  bench_create(b, TextureSTfim, 8);
  b->params.mtu_queue = 4;
  bench_start(b);
  run(b, 4000, 900, 1000);
  const texture_stats_t *s = texture_units_stats(b->units);
  assert_true(s->stalls > 10);
  assert_int_equal(s->packages, b->tags);
  assert_int_equal(s->response_bytes, 80ull * b->tags);
  assert_true(s->signal_bytes / 16 >= 2 * s->stalls - b->params.units);
  assert_int_equal(s->l2_lookups, 0);
  bench_destroy(b);
  free(b);
}

// Results wait for the caller: as many as the unit holds, and no request is lost behind them.
TEST(test_results_wait) {
  bench_t *b = new_bench();
  for (uint32_t results = 1; results <= 3; results++) {
    bench_create(b, TextureBaseline, 16);
    b->params.units = 1;
    b->params.results = results;
    bench_start(b);
    texture_quad_t q = quad_at(b, 0, 0.3, 0.3, 0.5, 0, 0, 0.5);
    for (uint32_t i = 0; i < 2000; i++) {
      push(b, 0, &q);
      cycle(b, 0);
    }
    assert_int_equal(b->units->units[0].result_ring.count, results);
    drain(b);
    bench_destroy(b);
  }
  free(b);
}

// The cube says stall when its queue is full, and resume when half of it has been begun: no package
// sooner or later, for even and odd sizes.
TEST(test_resume) {
  bench_t *b = new_bench();
  for (uint32_t queue = 1; queue <= 9; queue++) {
    bench_create(b, TextureSTfim, 8);
    b->params.units = 1;
    b->params.mtu_queue = queue;
    bench_start(b);
    tex_unit_t *u = &b->units->units[0];
    uint32_t resumed = 0;
    for (uint32_t i = 0; i < 20000; i++) {
      // Long to address, so the queue fills.
      texture_quad_t q = quad_at(b, 0, between(&b->rng, 0, 1), between(&b->rng, 0, 1), 8, 0, 0, 1);
      bool full = u->full;
      push(b, 0, &q);
      cycle(b, 1000);
      if (u->full) {
        assert_true(u->mtu_ring.count > queue / 2);
      } else {
        assert_true(u->mtu_ring.count < queue);
      }
      if (full && !u->full) {
        assert_int_equal(u->mtu_ring.count, queue / 2);
        resumed++;
      }
    }
    assert_true(resumed > 10);
    drain(b);
    bench_destroy(b);
  }
  free(b);
}

// In the cube no line stays, but one read serves a quad, or all who ask while it is under way.
TEST(test_mtu_merge) {
  bench_t *b = new_bench();
  texture_result_t r;
  uint64_t reads[3], both[3];
  for (uint32_t merge = TextureMergeNone; merge <= TextureMergeUnderWay; merge++) {
    bench_create(b, TextureSTfim, 8);
    b->params.mtu_merge = merge;
    bench_start(b);
    // All texels of a line of level 0, no neighbour.
    texture_quad_t q = quad_at(b, 0, 1.6 / 256, 1.6 / 128, 0.5, 0, 0, 0.5);
    one(b, &q, &r);
    reads[merge] = texture_units_stats(b->units)->reads;
    one(b, &q, &r);
    assert_int_equal(texture_units_stats(b->units)->reads, 2 * reads[merge]);
    // Two at once.
    push(b, 0, &q);
    push(b, 0, &q);
    drain(b);
    both[merge] = texture_units_stats(b->units)->reads - 2 * reads[merge];
    bench_destroy(b);
  }
  assert_int_equal(reads[TextureMergeNone], 4);
  assert_int_equal(reads[TextureMergeQuad], 1);
  assert_int_equal(reads[TextureMergeUnderWay], 1);
  assert_int_equal(both[TextureMergeNone], 8);
  assert_int_equal(both[TextureMergeQuad], 2);
  assert_int_equal(both[TextureMergeUnderWay], 1);
  free(b);
}

// The same run twice, and once more stepping only when due: the same cycles and values.
TEST(test_determinism) {
  bench_t *b = new_bench();
  for (uint32_t design = 0; design < TextureDesignCount; design++) {
    if (!plain(design)) {
      continue;
    }
    uint64_t hash[3];
    texture_stats_t stats[3];
    for (uint32_t i = 0; i < 3; i++) {
      bench_create(b, design, 12);
      b->params.l1_kib = 2;
      b->params.l2_kib = 8;
      b->params.l2_misses = 9;
      b->params.l1_misses = 3;
      b->memory_refusals = 200;
      b->link_refusals = 200;
      b->skipping = i == 2;
      bench_start(b);
      run(b, 2000, 20, 600);
      hash[i] = b->hash;
      stats[i] = *texture_units_stats(b->units);
      bench_destroy(b);
    }
    assert_true(hash[0] == hash[1]);
    assert_memory_equal(&stats[0], &stats[1], sizeof stats[0]);
    assert_true(hash[0] == hash[2]);
    assert_memory_equal(&stats[0], &stats[2], sizeof stats[0]);
  }
  free(b);
}

int main(void) { return run_all_tests(NULL, NULL); }
