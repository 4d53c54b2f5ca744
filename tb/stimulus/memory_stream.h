// SPDX-License-Identifier: Apache-2.0
// Request streams for the memory models, those of the peers in docs/model/memory.md.
//
// A stream is a function of shape, pattern, size, load and seed. Patterns: U uniform over
// the memory, S in sequence from address 0, V one vault or channel, B one bank of it with
// random rows, H the same bank with its columns in order.
#ifndef NOCTURNE_STIMULUS_MEMORY_STREAM_H
#define NOCTURNE_STIMULUS_MEMORY_STREAM_H

#include "csim/base/rng.h"
#include "csim/memory/gddr5.h"

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

// Returns the GDDR5 address of a stream's address. Streams count channel, bank, column and row from
// low to high; GDDR5 has the columns below the banks.
uint64_t memory_stream_gddr5(const gddr5_params_t *params, const memory_shape_t *shape,
                             uint64_t address);

#endif
