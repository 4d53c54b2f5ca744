// SPDX-License-Identifier: Apache-2.0
#include "bounds.h"

#include <stdlib.h>

#include "../base/cycle.h"

static uint64_t length_of(const bounds_composition_t *c, uint32_t g, uint32_t peer, bool sends) {
  return c->transfer[sends ? g * c->gpus + peer : peer * c->gpus + g];
}

// One machine with release dates: whatever comes first, all that is released at t or later
// takes its time after t.
static uint64_t port_end(const bounds_composition_t *c, uint32_t g, bool sends) {
  uint64_t end = 0;
  for (uint32_t from = 0; from < c->gpus; from++) {
    uint64_t t = cycle_later(c->ready[g], c->ready[from]), sum = 0;
    for (uint32_t peer = 0; peer < c->gpus; peer++) {
      if (peer != g && cycle_later(c->ready[g], c->ready[peer]) >= t) {
        sum += length_of(c, g, peer, sends);
      }
    }
    end = cycle_later(end, t + sum);
  }
  return end;
}

uint64_t bounds_composition(const bounds_composition_t *c) {
  uint64_t end = 0;
  for (uint32_t g = 0; g < c->gpus; g++) {
    end = cycle_later(end, cycle_later(port_end(c, g, true), port_end(c, g, false)));
  }
  return end + c->latency;
}

static int by_cost(const void *a, const void *b) {
  uint64_t x = ((const bounds_draw_t *)a)->cost, y = ((const bounds_draw_t *)b)->cost;
  return x < y ? 1 : x > y ? -1 : 0;
}

// Equal numbers by cost, so that the order is one.
static int by_triangles(const void *a, const void *b) {
  uint32_t x = ((const bounds_draw_t *)a)->triangles, y = ((const bounds_draw_t *)b)->triangles;
  return x < y ? 1 : x > y ? -1 : by_cost(a, b);
}

// Each draw to the GPU that has the least so far; the cost of the GPU that has the most.
static uint64_t assign(const bounds_draw_t *draws, uint32_t count, uint32_t gpus, bool triangles) {
  uint64_t given[64] = {0}, cost[64] = {0}, most = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t least = 0;
    for (uint32_t g = 1; g < gpus; g++) {
      least = given[g] < given[least] ? g : least;
    }
    given[least] += triangles ? draws[i].triangles : draws[i].cost;
    cost[least] += draws[i].cost;
    most = cycle_later(most, cost[least]);
  }
  return most;
}

bounds_assignment_t bounds_assignment(bounds_draw_t *draws, uint32_t count, uint32_t gpus) {
  bounds_assignment_t a = {0};
  uint64_t sum = 0, longest = 0;
  for (uint32_t i = 0; i < count; i++) {
    sum += draws[i].cost;
    longest = cycle_later(longest, draws[i].cost);
  }
  a.bound = cycle_later((sum + gpus - 1) / gpus, longest);
  qsort(draws, count, sizeof *draws, by_triangles);
  a.by_triangles = assign(draws, count, gpus, true);
  qsort(draws, count, sizeof *draws, by_cost);
  a.greedy = assign(draws, count, gpus, false);
  return a;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y ? 1 : 0;
}

void bounds_summarise(bounds_summary_t *s, double *ratios) {
  if (s->groups == 0) {
    return;
  }
  uint32_t last = s->groups - 1;
  qsort(ratios, s->groups, sizeof *ratios, by_value);
  s->least = ratios[0];
  s->quarter = ratios[last / 4];
  s->median = ratios[last / 2];
  s->three_quarters = ratios[last - last / 4];
  s->most = ratios[last];
}
