// SPDX-License-Identifier: Apache-2.0
// The shortest schedules: against hand-made cases, and against the best of all schedules of
// small random ones.
#include "csim/base/rng.h"
#include "csim/machine/bounds.h"
#include "tests/programs/test.h"

enum { Gpus = 3, Latency = 7, Pairs = 6 };

TEST(composition_by_hand) {
  // 0 sends 10 and 20; 1 is ready at 100; 2 gets 20 + 5.
  uint64_t ready[Gpus] = {0, 100, 3};
  uint64_t transfer[Gpus * Gpus] = {0, 10, 20, 1, 0, 5, 1, 1, 0};
  bounds_composition_t c = {Gpus, ready, transfer, Latency};
  assert_int_equal(bounds_composition(&c), 100 + 11 + Latency);  // 1 receives 10 + 1
  ready[1] = 0;
  assert_int_equal(bounds_composition(&c), 30 + Latency);  // 0 sends 10 + 20
  transfer[0 * Gpus + 2] = 1;
  transfer[1 * Gpus + 2] = 40;
  assert_int_equal(bounds_composition(&c), 3 + 41 + Latency);  // 2 is ready at 3 and gets 1 + 40
}

// The best end of all orders in which transfers start as soon as they may.
static uint64_t best_of(const uint64_t *ready, const uint64_t *transfer, uint64_t sends[Gpus],
                        uint64_t receives[Gpus], uint32_t done, uint64_t end) {
  uint64_t best = UINT64_MAX;
  if (done == (1u << Pairs) - 1) {
    return end;
  }
  for (uint32_t p = 0; p < Pairs; p++) {
    if (done >> p & 1) {
      continue;
    }
    uint32_t s = p / 2, d = (s + 1 + p % 2) % Gpus;
    uint64_t start = ready[s] > ready[d] ? ready[s] : ready[d];
    start = start > sends[s] ? start : sends[s];
    start = start > receives[d] ? start : receives[d];
    uint64_t old_send = sends[s], old_receive = receives[d];
    uint64_t over = start + transfer[s * Gpus + d];
    sends[s] = receives[d] = over;
    uint64_t found =
        best_of(ready, transfer, sends, receives, done | 1u << p, over > end ? over : end);
    best = found < best ? found : best;
    sends[s] = old_send;
    receives[d] = old_receive;
  }
  return best;
}

TEST(composition_bounds_the_best) {
  rng_t rng;
  uint32_t reached = 0;
  rng_seed(&rng, 1);
  for (uint32_t n = 0; n < 200; n++) {
    uint64_t ready[Gpus], transfer[Gpus * Gpus] = {0}, sends[Gpus] = {0}, receives[Gpus] = {0};
    for (uint32_t g = 0; g < Gpus; g++) {
      ready[g] = rng_below(&rng, 30);
      for (uint32_t p = 0; p < Gpus; p++) {
        transfer[g * Gpus + p] = p == g ? 0 : rng_below(&rng, 20);
      }
    }
    bounds_composition_t c = {Gpus, ready, transfer, Latency};
    uint64_t best = best_of(ready, transfer, sends, receives, 0, 0) + Latency;
    assert_true(bounds_composition(&c) <= best);
    reached += bounds_composition(&c) == best;
  }
  assert_true(reached > 100);  // it is tight, too
}

static uint64_t best_assignment(const bounds_draw_t *draws, uint32_t count, uint64_t cost[Gpus]) {
  uint64_t best = UINT64_MAX;
  if (count == 0) {
    uint64_t most = cost[0] > cost[1] ? cost[0] : cost[1];
    return most > cost[2] ? most : cost[2];
  }
  for (uint32_t g = 0; g < Gpus; g++) {
    cost[g] += draws->cost;
    uint64_t found = best_assignment(draws + 1, count - 1, cost);
    cost[g] -= draws->cost;
    best = found < best ? found : best;
  }
  return best;
}

TEST(assignment_holds_the_best) {
  rng_t rng;
  uint32_t reached = 0;
  rng_seed(&rng, 2);
  for (uint32_t n = 0; n < 200; n++) {
    bounds_draw_t draws[7];
    uint64_t cost[Gpus] = {0};
    for (uint32_t i = 0; i < 7; i++) {
      draws[i] = (bounds_draw_t){1 + rng_below(&rng, 8), rng_below(&rng, 100)};
    }
    uint64_t best = best_assignment(draws, 7, cost);
    bounds_assignment_t a = bounds_assignment(draws, 7, Gpus);
    assert_true(a.bound <= best && best <= a.greedy && best <= a.by_triangles);
    assert_true(3 * Gpus * a.greedy <= (4 * Gpus - 1) * best);  // Graham's bound of longest first
    reached += a.bound == best;
  }
  assert_true(reached > 20);
}

TEST(assignment_by_hand) {
  // Triangles tell nothing of the cost here: 1 and 2 share a GPU.
  bounds_draw_t draws[] = {{10, 5}, {90, 1}, {80, 1}, {10, 6}};
  bounds_assignment_t a = bounds_assignment(draws, 4, 2);
  assert_int_equal(a.bound, 95);
  assert_int_equal(a.greedy, 100);        // 90 + 10, 80 + 10
  assert_int_equal(a.by_triangles, 100);  // 10 + 80, 10 + 90
  bounds_draw_t longest[] = {{100, 1}, {1, 1}, {1, 1}};
  assert_int_equal(bounds_assignment(longest, 3, 2).bound, 100);
  assert_int_equal(bounds_assignment(longest, 0, 2).bound, 0);
}

TEST(summary) {
  double ratios[] = {5, 1, 4, 2, 3};
  bounds_summary_t s = {.groups = 5};
  bounds_summarise(&s, ratios);
  assert_true(s.least == 1 && s.quarter == 2 && s.median == 3 && s.three_quarters == 4 &&
              s.most == 5);
  bounds_summary_t none = {0};
  bounds_summarise(&none, ratios);
  assert_true(none.most == 0);
}

int main(void) { return run_all_tests(NULL, NULL); }
