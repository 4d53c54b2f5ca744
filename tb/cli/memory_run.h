// SPDX-License-Identifier: Apache-2.0
// Drives the memory models with request streams, open and closed loop, as the peers in
// docs/model/memory.md were measured.
#ifndef NOCTURNE_CLI_MEMORY_RUN_H
#define NOCTURNE_CLI_MEMORY_RUN_H

#include "csim/memory/gddr5.h"
#include "csim/memory/hmc.h"
#include "tb/stimulus/memory_stream.h"

typedef struct {
  const hmc_params_t *hmc;  // one of the two
  const gddr5_params_t *gddr5;
  bool logic;  // HMC: reads of the logic layer
  char pattern;
  uint32_t bytes;
  double load;        // GB/s, Poisson; 0: closed loop
  uint32_t window;    // requests outstanding, closed loop
  uint64_t least;     // requests
  uint64_t duration;  // cycles
  uint64_t seed;
} memory_run_t;

// Figures of the run without its first tenth and its last twentieth.
typedef struct {
  double delivered;               // GB/s
  double mean, median, min, max;  // ns
  uint64_t requests, cycles;
  double seconds;  // of processor time
} memory_result_t;

// False with one line in error.
bool memory_run(const memory_run_t *run, memory_result_t *result, err_t *err);

#endif
