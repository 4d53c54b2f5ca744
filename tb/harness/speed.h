// SPDX-License-Identifier: Apache-2.0
// Measures how fast a unit runs in lockstep, and how fast its bare Verilated model could run.
#ifndef NOCTURNE_HARNESS_SPEED_H
#define NOCTURNE_HARNESS_SPEED_H

#include "harness.h"

typedef struct {
  double lockstep_hz, bare_hz;  // steps per second
  double valid_share;           // share of steps in which any input was valid
} speed_t;

// Drives the kept inputs of the first unit repeatedly: through lockstep with state comparison, and
// through the bare Verilated unit without DPI and comparison.
bool speed_measure(harness_t *harness, double seconds, speed_t *speed, err_t *err);

#endif
