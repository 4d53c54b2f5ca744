// SPDX-License-Identifier: Apache-2.0
// How fast a unit runs in lockstep, and how fast its bare Verilated model could.
#ifndef NOCTURNE_HARNESS_SPEED_H
#define NOCTURNE_HARNESS_SPEED_H

#include "harness.h"

typedef struct {
  double lockstep_hz, bare_hz;  // steps a second
  double valid_share;           // of the steps in which any input was valid
} speed_t;

// Drives the kept inputs of the first unit again and again: through lockstep, state
// comparison included, and through the bare Verilated unit, without DPI and comparison.
bool speed_measure(harness_t *harness, double seconds, speed_t *speed, err_t *err);

#endif
