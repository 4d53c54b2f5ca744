// SPDX-License-Identifier: Apache-2.0
// Vocabulary of the HMC and GDDR5 models: kinds of requests, responses, latencies.
// Both keep time only: the bytes themselves stay with the caller, who finds them by the
// tag. One step is a cycle of 1 GHz (1 ns), so 1 byte a cycle is 1 GB/s.
#ifndef NOCTURNE_MEMORY_MEMORY_H
#define NOCTURNE_MEMORY_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#define MEMORY_NEVER UINT64_MAX
enum { MemoryPsPerCycle = 1000, MemoryLatencyBins = 256, MemoryLatencyBin = 4 };

// Returns the first cycle that begins at this time or later.
static inline uint64_t memory_cycle(uint64_t ps) {
  return (ps + MemoryPsPerCycle - 1) / MemoryPsPerCycle;
}

typedef enum {
  MemoryRead,
  MemoryWrite,
  MemoryPostedWrite,  // no response
  MemoryAtomic,       // HMC: 16 bytes read, changed and written in the vault; returns the old
  MemoryPackage,      // HMC: to a unit in the logic layer, which responds
  MemoryKinds,
} memory_kind_e;

typedef struct {
  uint64_t tag;
  uint32_t bytes;  // of the request; of a package's response, those it was given
  uint8_t kind;    // memory_kind_e
  bool error;      // the data are not valid
} memory_response_t;

// Cycles from the push to the cycle in which the response can be popped.
typedef struct {
  uint64_t count, sum, max;
  uint64_t bins[MemoryLatencyBins];  // of MemoryLatencyBin cycles; the last is open
} memory_latency_t;

// Counts a latency in bins of `width` cycles.
static inline void memory_latency_count(memory_latency_t *l, uint64_t cycles, uint64_t width) {
  uint64_t bin = cycles / width;
  l->count++;
  l->sum += cycles;
  l->max = cycles > l->max ? cycles : l->max;
  l->bins[bin < MemoryLatencyBins ? bin : MemoryLatencyBins - 1]++;
}

static inline void memory_latency_add(memory_latency_t *l, uint64_t cycles) {
  memory_latency_count(l, cycles, MemoryLatencyBin);
}

// Returns the cycles that `permille` of the latencies do not exceed: the end of their bin, or the
// maximum if that is less.
static inline uint64_t memory_latency_within(const memory_latency_t *l, uint64_t width,
                                             uint32_t permille) {
  uint64_t count = 0, bin = 0;
  while (bin < MemoryLatencyBins - 1 && (count += l->bins[bin]) * 1000 < l->count * permille) {
    bin++;
  }
  uint64_t end = (bin + 1) * width - 1;
  return bin == MemoryLatencyBins - 1 || end > l->max ? l->max : end;
}

// Errors on purpose: the responses to chosen requests carry the error flag; their time is
// unchanged. Chosen are `permille` of the requests, drawn from seed, and those whose
// tag & mask == match, unless mask is 0.
typedef struct {
  uint32_t permille;
  uint64_t seed;
  uint64_t mask, match;
} memory_errors_t;

#endif
