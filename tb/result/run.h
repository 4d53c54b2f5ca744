// SPDX-License-Identifier: Apache-2.0
// A run that has ended, and what it is judged by.
#ifndef NOCTURNE_RESULT_RUN_H
#define NOCTURNE_RESULT_RUN_H

#include "csim/base/config.h"
#include "csim/base/err.h"
#include "csim/driver/dfsl.h"
#include "csim/machine/check.h"
#include "csim/machine/machine.h"
#include "tb/harness/soc_session.h"

typedef struct {
  const config_t *config;
  const machine_params_t *params;
  const frame_t *frame;
  uint64_t seed;
  engine_e engine;
  machine_t *machine;
  harness_t *harness;
  check_result_t check;
  double seconds;
  soc_session_t *soc;    // after the frame; NULL: there is no SoC
  const dfsl_t *dfsl;    // with dfsl.mode, before it has learned from this frame; or NULL
  const char *sequence;  // name of the sequence that the frame is of; NULL: it runs alone
  const char *baseline;  // setting of the run to compare with; NULL: none
  uint64_t baseline_cycles, baseline_spent[MachineStageCount];
  uint32_t baseline_gpus;
} result_t;

// Returns the largest difference that rounding explains between a filtered sample and the same
// children filtered anisotropic last (docs/model/texture.md); INFINITY if texels are reused or the
// children are at fractional places.
double result_sample_bound(const result_t *r);

// Sums what the engines of all units counted, the SoC's scheduler included.
harness_unit_stats_t result_totals(const result_t *r);

// Returns the number of cycles in which RTL and golden model differed, over all units.
uint64_t result_mismatches(const result_t *r);

// Returns dB to the single GPU's picture; tied pixels are left out.
double result_psnr(const result_t *r);

#endif
