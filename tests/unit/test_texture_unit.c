// SPDX-License-Identifier: Apache-2.0
// The texture units against memory, link and cube of fixed latency: every request is
// answered once, in order, with the value of its design; caches, angle, rates, back-pressure,
// failures, determinism.
#include "texture_bench.h"

#include "csim/texture/texture_unit_internal.h"

// Every design, with comfortable and with narrow queues and everything refusing.
static void test_designs(void **state) {
  (void)state;
  bench_t *b = new_bench();
  for (uint32_t design = TextureBaseline; design <= TextureATfim; design++) {
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
        b->params.fetches = narrow == 1 ? 3 : 1;
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

// Anisotropy off: the same with R = 1; no package.
static void test_off(void **state) {
  (void)state;
  bench_t *b = new_bench();
  for (uint32_t design = TextureBaseline; design <= TextureATfim; design++) {
    bench_create(b, design, 3);
    b->params.max_anisotropy = 1;
    bench_start(b);
    run(b, 1000, 200, 1000);
    assert_int_equal(texture_units_stats(b->units)->anisotropic_pixels, 0);
    if (design == TextureATfim) {
      assert_int_equal(texture_units_stats(b->units)->packages, 0);
    }
    bench_destroy(b);
  }
  free(b);
}

// Parents that depend on their place only: every threshold gives the value of `always`, with
// less and less traffic.
static void test_reuse(void **state) {
  (void)state;
  static const uint32_t Reuse[] = {0, 1, 2, 3, TextureReuseAll};
  bench_t *b = new_bench();
  uint64_t parents[5];
  for (uint32_t narrow = 0; narrow < 2; narrow++) {
    for (uint32_t i = 0; i < 5; i++) {
      bench_create(b, TextureATfim, 4);
      b->same_gradient = true;
      b->params.reuse = Reuse[i];
      if (narrow) {
        b->params.l1_kib = 1;
        b->params.l1_misses = b->params.fetches = 2;
        b->params.l2_kib = 4;
      }
      bench_start(b);
      run(b, 8000, 150, 800);
      const texture_stats_t *s = texture_units_stats(b->units);
      parents[i] = s->package_parents;
      assert_int_equal(s->parents, s->parents_reused + s->parents_merged + s->package_parents);
      assert_int_equal(s->anisotropic_pixels, s->pixels);
      if (!i) {
        assert_int_equal(s->parents_reused + s->l1_lookups + s->l2_lookups, 0);
      }
      if (i == 4) {
        assert_int_equal(s->l1_angle_misses + s->l2_angle_misses, 0);
      }
      if (i && i < 3) {
        assert_true(s->l1_angle_misses > 0 && s->l2_angle_misses > 0);
      }
      bench_destroy(b);
    }
    for (uint32_t i = 1; i < 5; i++) {
      assert_true(parents[i] < parents[i - 1]);
    }
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

// The angle rule from outside, and what reuse is: the other pixel's parents.
static void test_angle(void **state) {
  (void)state;
  bench_t *b = new_bench();
  bench_create(b, TextureATfim, 5);
  b->params.reuse = texture_reuse_of(1.8);
  b->check_values = false;
  bench_start(b);
  const texture_stats_t *s = texture_units_stats(b->units);
  texture_result_t first, r;
  texture_quad_t q = quad_at(b, 0, 0.31, 0.42, 8, 0, 0, 2);
  q.angle = 50;
  one(b, &q, &first);
  uint64_t packages = s->packages;
  assert_in_range(packages, 2, 4);  // the pixels of a quad share parents
  assert_true(s->parents_merged > 0);
  one(b, &q, &r);
  assert_memory_equal(r.sample, first.sample, sizeof r.sample);
  for (uint8_t angle = 49; angle <= 51; angle++) {
    q.angle = angle;
    one(b, &q, &r);
    assert_int_equal(s->packages, packages);
  }
  // Along the other axis: other children, but the same addresses and a near angle.
  texture_quad_t turned = quad_at(b, 0, 0.31, 0.42, 2, 0, 0, 8);
  turned.mask = q.mask = 1;
  turned.angle = 51;
  one(b, &turned, &r);
  assert_int_equal(s->packages, packages);
  assert_memory_equal(r.sample[0], first.sample[0], sizeof r.sample[0]);
  turned.angle = 52;
  one(b, &turned, &r);
  assert_int_equal(s->packages, packages + 1);
  assert_true(s->l1_angle_misses > 0);
  float want[4];
  expected(b, &turned, 0, want);
  assert_memory_equal(r.sample[0], want, sizeof want);
  assert_memory_not_equal(r.sample[0], first.sample[0], sizeof r.sample[0]);
  // The second cache was told too: from another unit no package.
  assert_true(texture_units_push(b->units, b->now, 1, &turned));
  while (!texture_units_pop(b->units, b->now, 1, &r)) {
    cycle(b, 0);
  }
  assert_int_equal(s->packages, packages + 1);
  assert_memory_equal(r.sample[0], want, sizeof want);
  bench_destroy(b);
  free(b);
}

// A line asked for with another angle while its parents are under way: the older answer goes
// to its own pixel only.
static void test_angle_under_way(void **state) {
  (void)state;
  bench_t *b = new_bench();
  bench_create(b, TextureATfim, 5);
  b->params.reuse = 1;
  bench_start(b);
  texture_quad_t q[3] = {
      quad_at(b, 0, 0.31, 0.42, 8, 0, 0, 2),
      quad_at(b, 0, 0.31, 0.42, 2, 0, 0, 8),
      quad_at(b, 0, 0.31, 0.42, 2, 0, 0, 8),
  };
  q[0].angle = 10;
  q[1].angle = q[2].angle = 60;
  for (uint32_t i = 0; i < 3; i++) {
    q[i].mask = 1;
  }
  push(b, 0, &q[0]);
  for (uint32_t i = 0; i < 30; i++) {
    cycle(b, 1000);
  }
  push(b, 0, &q[1]);
  while (!b->popped[0]) {
    cycle(b, 1000);
  }
  push(b, 0, &q[2]);  // awaits the second's parents
  drain(b);
  const texture_stats_t *s = texture_units_stats(b->units);
  assert_int_equal(s->packages, 2);
  assert_int_equal(s->parents_merged, 4);
  bench_destroy(b);
  free(b);
}

static void test_thresholds(void **state) {
  (void)state;
  assert_int_equal(texture_reuse_of(0), 1);
  assert_int_equal(texture_reuse_of(0.9), 1);
  assert_int_equal(texture_reuse_of(1.8), 2);
  assert_int_equal(texture_reuse_of(9), 7);
  assert_int_equal(texture_reuse_of(178), 127);
  assert_int_equal(texture_reuse_of(180), TextureReuseAll);
  assert_int_equal(texture_reuse_of(INFINITY), TextureReuseAll);
}

// Nothing is read twice while the caches hold it all; all units share the second cache.
static void test_traffic(void **state) {
  (void)state;
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
static uint64_t warm_cycles(texture_design_e design, double ux, double uy_axis, uint32_t count,
                            uint32_t filter_alus) {
  bench_t *b = new_bench();
  texture_result_t r;
  bench_create(b, design, 7);
  b->params.units = 1;
  b->params.reuse = 2;
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
static void test_latency(void **state) {
  (void)state;
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
static void test_rates(void **state) {
  (void)state;
  uint32_t n = 100;
  // One quad: 8 groups, 6 cycles to the filter, 32 texels, 4 cycles of latency.
  assert_int_equal(warm_cycles(TextureBaseline, 2.9, 2.9, 1, 8), 7 + 6 + 4 + 4 + 1);
  uint64_t plain = warm_cycles(TextureBaseline, 2.9, 2.9, n, 8);
  uint64_t wide = warm_cycles(TextureBaseline, 16 * 2.9, 2.9, n, 8);
  uint64_t cube = warm_cycles(TextureATfim, 16 * 2.9, 2.9, n, 8);
  assert_in_range(plain, 8 * n, 8 * n + 30);
  assert_in_range(wide, 128 * n, 128 * n + 80);
  assert_in_range(cube, 8 * n, 8 * n + 30);
  // With one filtering ALU the filter is what limits.
  assert_in_range(warm_cycles(TextureBaseline, 2.9, 2.9, n, 1), 32 * n, 32 * n + 30);
}

// The link's stall and resume.
// A line that memory sends passes the second cache: its latency counts once.
static void test_miss_latency(void **state) {
  (void)state;
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
static void test_turns(void **state) {
  (void)state;
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

static void test_stall(void **state) {
  (void)state;
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
static void test_results_wait(void **state) {
  (void)state;
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
static void test_resume(void **state) {
  (void)state;
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
static void test_mtu_merge(void **state) {
  (void)state;
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

// Failed reads and refused packages are answered and reported; the others keep their value,
// and no failed parent stays in a cache.
static void test_failures(void **state) {
  (void)state;
  bench_t *b = new_bench();
  for (uint32_t reuse = 0; reuse < 2; reuse++) {
    bench_create(b, TextureATfim, 9);
    b->params.reuse = reuse;
    b->same_gradient = true;
    b->failures = 100;
    b->params.track_error = 1;
    bench_start(b);
    run(b, 3000, 200, 1000);
    const texture_stats_t *s = texture_units_stats(b->units);
    assert_true(s->failed_parents > 100 && s->refused_packages > 10);
    // A failed sample is no rounding error.
    assert_true(s->max_sample_error > 0 && s->max_sample_error <= filter_bound(16, true) + 1e-5);
    // Later, without failures: all values as they should be.
    b->failures = 0;
    run(b, 6000, 200, 1000);
    bench_destroy(b);
  }
  free(b);
}

// The cube is reset again and again; everything is answered once, with the right values.
static void test_reissue(void **state) {
  (void)state;
  bench_t *b = new_bench();
  bench_create(b, TextureATfim, 11);
  bench_start(b);
  for (uint32_t i = 0; i < 30; i++) {
    for (uint32_t n = 0; n < 200; n++) {
      texture_quad_t q = some_quad(b);
      push(b, n % 4, &q);
      cycle(b, 900);
    }
    b->packages.count = 0;  // what was in the cube is lost
    b->in.reissue_valid = true;
    b->in.reissue_epoch = ++b->epoch;
  }
  drain(b);
  check_sums(b);
  bench_destroy(b);
  free(b);
}

// The same run twice, and once more stepping only when due: the same cycles and values.
static void test_determinism(void **state) {
  (void)state;
  bench_t *b = new_bench();
  for (uint32_t design = TextureBaseline; design <= TextureATfim; design++) {
    uint64_t hash[3];
    texture_stats_t stats[3];
    for (uint32_t i = 0; i < 3; i++) {
      bench_create(b, design, 12);
      b->params.reuse = 3;
      b->check_values = design != TextureATfim;
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

// The error against whole-texel filtering stays in its bound with `always`, and the default
// threshold may leave it.
static void test_error(void **state) {
  (void)state;
  bench_t *b = new_bench();
  double error[2];
  for (uint32_t i = 0; i < 2; i++) {
    bench_create(b, TextureATfim, 13);
    b->params.track_error = 1;
    b->params.reuse = i ? TextureReuseAll : 0;
    b->check_values = !i;
    bench_start(b);
    run(b, 3000, 200, 1000);
    error[i] = texture_units_stats(b->units)->max_sample_error;
    bench_destroy(b);
  }
  assert_true(error[0] > 0.25 && error[0] <= filter_bound(16, true) + 1e-5);
  assert_true(error[1] > 5);
  free(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_designs),         cmocka_unit_test(test_off),
      cmocka_unit_test(test_reuse),           cmocka_unit_test(test_angle),
      cmocka_unit_test(test_angle_under_way), cmocka_unit_test(test_thresholds),
      cmocka_unit_test(test_traffic),         cmocka_unit_test(test_latency),
      cmocka_unit_test(test_miss_latency),    cmocka_unit_test(test_turns),
      cmocka_unit_test(test_rates),           cmocka_unit_test(test_stall),
      cmocka_unit_test(test_results_wait),    cmocka_unit_test(test_resume),
      cmocka_unit_test(test_mtu_merge),       cmocka_unit_test(test_failures),
      cmocka_unit_test(test_reissue),         cmocka_unit_test(test_determinism),
      cmocka_unit_test(test_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
