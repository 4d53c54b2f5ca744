// SPDX-License-Identifier: Apache-2.0
// Drives the memory models with request streams, open and closed loop, as the peers in
// docs/model/memory.md were measured.
//
// A stream is a function of shape, pattern, size, load and seed. Patterns: U uniform over
// the memory, S in sequence from address 0, V one vault or channel, B one bank of it with
// random rows, H the same bank with its columns in order.
#ifndef NOCTURNE_CLI_MEMORY_RUN_H
#define NOCTURNE_CLI_MEMORY_RUN_H

#include "csim/base/rng.h"
#include "csim/memory/gddr5.h"
#include "csim/memory/hmc.h"

// Address = ((((row * columns) + column) * banks + bank) * units + unit) * block.
typedef struct {
  uint32_t units, banks, rows, columns, block;  // units: vaults or channels
} memory_shape_t;

typedef struct {
  memory_shape_t shape;
  char pattern;
  uint32_t bytes;
  double gap;  // ps between requests in the mean, 0: all at once
  double at;   // ps
  uint64_t index;
  rng_t addresses, arrivals;
} memory_stream_t;

// Starts a stream. load: GB/s; 0: all requests at once.
void memory_stream_init(memory_stream_t *stream, const memory_shape_t *shape, char pattern,
                        uint32_t bytes, double load, uint64_t seed);
// Returns the next request's address; *at becomes its arrival in ps.
uint64_t memory_stream_next(memory_stream_t *stream, uint64_t *at);

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
