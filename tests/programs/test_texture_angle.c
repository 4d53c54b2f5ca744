// SPDX-License-Identifier: Apache-2.0
// Matching of lines by angle in A-TFIM's texture units: which lines serve which slopes, while reads
// are under way and on random quads.
#include "tests/programs/lines_bench.h"

// By angle a line serves other slopes, and of the isotropic reading other extents and axes, while
// the angle is near; by slope the angle does not count.
TEST(test_angle) {
  for (uint32_t i = 0; i < 4; i++) {
    uint32_t reading = i % 2;
    bool by_angle = i < 2;
    lines_t *l = lines_new(reading, 5);
    bench_t *b = &l->b;
    b->params.match = by_angle ? TextureMatchAngle : TextureMatchSlope;
    b->params.reuse = texture_reuse_of(1.8);
    b->check_values = false;
    lines_start(l);
    const texture_stats_t *s = texture_units_stats(b->units);
    texture_result_t first, r;
    float want[4];
    texture_quad_t q = quad_at(b, 0, 100.3 / 256, 50.6 / 128, 9, 0, 0, 2.3);
    texture_quad_t other = reading ? quad_at(b, 0, 100.3 / 256, 50.6 / 128, 0, 9, 1, 0)
                                   : quad_at(b, 0, 100.3 / 256, 50.6 / 128, 8, 4, -1, 2);
    q.mask = other.mask = 1;
    q.angle = 50;
    // The lines around as well.
    for (int32_t n = 0; n < 9; n++) {
      texture_quad_t near = quad_at(b, 0, (100.3 + 12 * (n % 3 - 1)) / 256,
                                    (50.6 + 12 * (n / 3 - 1)) / 128, 9, 0, 0, 2.3);
      near.angle = 50;
      push_one(l, &near, &r);
    }
    push_one(l, &q, &first);
    uint64_t packages = s->packages;
    assert_true(packages > 0);
    q.angle = 51;
    push_one(l, &q, &r);
    assert_int_equal(s->packages, packages);
    assert_memory_equal(r.sample, first.sample, sizeof r.sample);
    other.angle = 49;
    push_one(l, &other, &r);
    expected(b, &other, 0, want);
    if (by_angle) {
      assert_int_equal(s->packages, packages);
      assert_memory_not_equal(r.sample[0], want, sizeof want);
    } else {
      assert_true(s->packages > packages);
      assert_memory_equal(r.sample[0], want, sizeof want);
    }
    packages = s->packages;
    other.angle = 52;
    push_one(l, &other, &r);
    assert_memory_equal(r.sample[0], want, sizeof want);
    assert_true((s->packages > packages) == by_angle);
    assert_true((s->l1_angle_misses > 0) == by_angle && (s->l2_angle_misses > 0) == by_angle);
    // The second cache was told too: from another unit no package.
    packages = s->packages;
    push(b, 1, &other);
    drain(b);
    assert_int_equal(s->packages, packages);
    lines_free(l);
  }
}

// A line asked for with another angle while it is under way: the older answer goes to its own
// pixels, and not into the caches.
TEST(test_angle_under_way) {
  for (uint32_t wait = 1; wait < 150; wait += 15) {
    lines_t *l = lines_new(VirtualLattice, 5);
    bench_t *b = &l->b;
    b->params.match = TextureMatchAngle;
    l->latency = 100;
    l->spread = 0;
    lines_start(l);
    texture_quad_t q[3] = {
        quad_at(b, 0, 100.3 / 256, 50.6 / 128, 8, 0, 0, 2),
        quad_at(b, 0, 100.3 / 256, 50.6 / 128, 8, 4, -1, 2),
        quad_at(b, 0, 100.3 / 256, 50.6 / 128, 8, 4, -1, 2),
    };
    q[0].angle = 10;
    q[1].angle = q[2].angle = 60;
    push(b, 0, &q[0]);
    for (uint32_t i = 0; i < wait; i++) {
      cycle(b, 1000);
    }
    push(b, 0, &q[1]);
    while (b->popped[0] < 1) {
      cycle(b, 1000);
    }
    uint64_t packages = texture_units_stats(b->units)->packages;
    push(b, 0, &q[2]);  // awaits or finds the second's
    push(b, 1, &q[2]);
    drain(b);
    if (packages > 0 && wait < 100) {
      assert_int_equal(texture_units_stats(b->units)->packages, packages);
    }
    lines_free(l);
  }
}

// Random angles by angle: answered once, whatever comes; values are some pixel's.
TEST(test_angle_random) {
  for (uint32_t i = 0; i < 6; i++) {
    lines_t *l = lines_new(i % 2, 40 + i);
    l->b.params.match = TextureMatchAngle;
    l->b.params.reuse = i < 3 ? 2 : 30;
    l->b.params.track_error = 1;
    l->b.check_values = false;
    if (i % 3) {
      make_narrow(l, i % 3);
    }
    lines_start(l);
    run_lines(l, i % 3 == 2 ? 300 : 2000, 300, 700);
    const texture_stats_t *s = texture_units_stats(l->b.units);
    assert_true(s->max_sample_error > 0);
    assert_true(i % 3 == 2 || s->l2_angle_misses > 20);
    assert_true(i % 3 > 0 || s->l1_angle_misses > 50);
    lines_free(l);
  }
}

int main(void) { return run_all_tests(NULL, NULL); }
