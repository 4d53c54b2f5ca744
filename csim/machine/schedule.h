// SPDX-License-Identifier: Apache-2.0
// The cycles of the run's schedules, beside the bounds of bounds.h, and of its draws.
// machine_run leaves the figures; nothing here has a part in the run.
#ifndef NOCTURNE_MACHINE_SCHEDULE_H
#define NOCTURNE_MACHINE_SCHEDULE_H

#include "bounds.h"
#include "machine.h"

enum { ScheduleSlices = 64, ScheduleQuarters = 4 };

// Compositions, from the moment at which the last GPU is ready: until the last release, and
// until the end of the bound, which knows no messages. imbalance: the time before it, in
// which some were ready. None with composition in no time.
typedef struct {
  bounds_summary_t summary;
  uint64_t imbalance;
} schedule_compositions_t;

// Pieces of draws of opaque composed groups: the GPU with the most of their measured costs.
typedef struct {
  bounds_summary_t summary;
  uint64_t greedy, by_triangles;  // sums, as in bounds_assignment_t
} schedule_assignment_t;

// Draws in the order of the frame, as many in each slice; in each quarter those of the
// lowest to the highest cycles a triangle in geometry.
typedef struct {
  uint64_t triangles, geometry, pipeline;
} schedule_draws_t;

typedef struct {
  uint32_t draws;
  schedule_draws_t slices[ScheduleSlices], quarters[ScheduleQuarters];
  double correlation;  // of the logarithms of both rates, over the draws; 0: none
} schedule_rates_t;

// Each false: out of memory.
bool schedule_compositions(const machine_t *machine, schedule_compositions_t *result);
bool schedule_assignment(const machine_t *machine, schedule_assignment_t *result);
bool schedule_rates(const machine_t *machine, schedule_rates_t *result);

#endif
