// SPDX-License-Identifier: Apache-2.0
// Dynamic fragment-shading load balancing (Emerald, 6.3, Algorithm 1): the driver tries each size
// of work tile for a frame, runs the next frames with the fastest, and begins anew.
#ifndef NOCTURNE_DRIVER_DFSL_H
#define NOCTURNE_DRIVER_DFSL_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  uint32_t min, max;  // sizes that are tried
  uint32_t run;       // frames with the best one
  uint64_t frame;
  uint32_t wt;    // of the next evaluation frame
  uint32_t best;  // of the evaluation frames so far
  uint64_t least;
} dfsl_t;

void dfsl_init(dfsl_t *dfsl, uint32_t min, uint32_t max, uint32_t run);

// Tells if the next frame is an evaluation frame.
bool dfsl_evaluates(const dfsl_t *dfsl);

// Returns the size of work tile for the next frame.
uint32_t dfsl_next(dfsl_t *dfsl);

// Takes the time of the frame that dfsl_next was asked for. Of equal times the first counts.
void dfsl_learn(dfsl_t *dfsl, uint64_t time);

// Returns the evaluations that have begun.
uint64_t dfsl_evaluations(const dfsl_t *dfsl);

#endif
