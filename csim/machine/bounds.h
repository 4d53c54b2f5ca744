// SPDX-License-Identifier: Apache-2.0
// The shortest schedules that could have been: of a composition's transfers, and of the draws
// of a group over the GPUs. What the schedulers are held against beyond the papers.
#ifndef NOCTURNE_MACHINE_BOUNDS_H
#define NOCTURNE_MACHINE_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

// One composition. Cycles.
typedef struct {
  uint32_t gpus;
  const uint64_t *ready;     // of each GPU
  const uint64_t *transfer;  // [source * gpus + destination]: cycles that it takes
  uint64_t latency;          // from sending to arrival
} bounds_composition_t;

// No schedule that sends one transfer and receives one at a time at each GPU, and none before
// both ends are ready, is over sooner.
uint64_t bounds_composition(const bounds_composition_t *c);

// Draws that any GPU may take, each as a whole.
typedef struct {
  uint64_t cost;  // cycles
  uint32_t triangles;
} bounds_draw_t;

typedef struct {
  uint64_t bound;         // mean of the GPUs, or the longest draw: no assignment is shorter
  uint64_t greedy;        // longest first, to the GPU with the least: one that exists
  uint64_t by_triangles;  // the same from the numbers of triangles alone
} bounds_assignment_t;

// Sorts the draws. gpus at most 64.
bounds_assignment_t bounds_assignment(bounds_draw_t *draws, uint32_t count, uint32_t gpus);

// The cycles of a run's schedules beside the bounds.
typedef struct {
  uint32_t groups;
  uint64_t taken, bound;
  double least, quarter, median, three_quarters, most;  // of the groups' ratios; 0: no group
} bounds_summary_t;

// Sorts the ratios.
void bounds_summarise(bounds_summary_t *summary, double *ratios);

#endif
