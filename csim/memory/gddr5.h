// SPDX-License-Identifier: Apache-2.0
// GDDR5 as the memory of a GPU: channels of 32 bit with banks, row buffers, first-ready
// first-come-first-served scheduling and refresh (A-TFIM, Table I: 128 GB/s).
// docs/model/memory.md says what is modelled and where each number comes from.
//
// The command clock is the machine's, 1.0 GHz; data move 4 bits a pin and clock, so a
// channel gives 16 bytes a cycle and one access of 32 bytes takes 2 cycles. A request of
// more bytes is split into accesses of 32 and answered once, when the last is done.
//
// Shape as in hmc.h: in a cycle pop and push, then step. Time only; nothing is allocated
// after gddr5_create. Accesses to the same 32 bytes keep their order.
#ifndef NOCTURNE_MEMORY_GDDR5_H
#define NOCTURNE_MEMORY_GDDR5_H

#include <stddef.h>

#include "../base/config.h"
#include "memory.h"

enum { Gddr5MaxChannels = 64, Gddr5MaxBanks = 32, Gddr5Access = 32, Gddr5MaxRequest = 256 };
enum { Gddr5MaxSources = 16, Gddr5NoSource = 0xff, Gddr5LatencyBin = 64 };  // bin: cycles

// Order of an address, low to high.
typedef enum {
  Gddr5ColumnLow,  // channel, column, bank, row
  Gddr5BankLow,    // channel, bank, column, row: the next interleave is in the next bank
  Gddr5AsMapping,  // of the IPs' channel: as the other one
} gddr5_mapping_e;

// Cycles, unless said otherwise.
typedef struct {
  uint32_t channels, banks;  // powers of two
  uint32_t row_bytes, rows;  // of a bank; powers of two
  uint32_t interleave;       // bytes a channel holds in sequence
  uint32_t burst;            // of an access on the data lines
  uint32_t queue;            // accesses, of a channel
  uint32_t requests;         // under way or not yet popped
  uint32_t latency;          // controller and wires, there and back together
  uint32_t tcl, trcd, trp, tras, trrd, tfaw;
  uint32_t tccd, cwl, twr, twtr, trtp;
  uint32_t trfc, trefi;          // trefi 0: no refresh
  uint32_t starve;               // an access this old goes before row hits
  uint32_t reserve;              // places of a channel's queue that are each source's own
  uint32_t mapping, ip_mapping;  // gddr5_mapping_e; the IPs' only when split
} gddr5_params_t;

// Registers the keys of *params, a gddr5_params_t: gddr5.*.
bool gddr5_config_add(config_t *config, void *params, err_t *err);

// Gives the defaults of the keys. False with one line in error.
bool gddr5_params_default(gddr5_params_t *params, err_t *err);

typedef struct gddr5 gddr5_t;

// Who shares the memory, numbered as dash_scheduler does: CPUs first, then IPs.
typedef struct {
  uint32_t sources, cpus;
  bool split;         // channel 0 is the CPUs', channel 1 the IPs'; addresses have no channel bits
  uint64_t cpu_base;  // split: what a CPU's address is above its place in channel 0
} gddr5_sources_t;

// False with one line in error: parameters that cannot work together. sources NULL: one IP.
bool gddr5_check(const gddr5_params_t *params, const gddr5_sources_t *sources, err_t *err);

// NULL with one line in error: out of memory, or what gddr5_check refuses.
gddr5_t *gddr5_create(const gddr5_params_t *params, const gddr5_sources_t *sources, err_t *err);
void gddr5_destroy(gddr5_t *gddr5);

void gddr5_step(gddr5_t *gddr5);
uint64_t gddr5_cycle(const gddr5_t *gddr5);

// kind: read, write or posted write. Other kinds, addresses outside the memory and bytes
// outside of 1 to Gddr5MaxRequest are answered with an error. False: no room now.
bool gddr5_push(gddr5_t *gddr5, memory_kind_e kind, uint64_t address, uint32_t bytes, uint64_t tag);

// The same for a source; latencies of its reads count from the cycle `since`.
typedef struct {
  uint32_t source;
  uint64_t since;
} gddr5_from_t;
bool gddr5_push_from(gddr5_t *gddr5, gddr5_from_t from, memory_kind_e kind, uint64_t address,
                     uint32_t bytes, uint64_t tag);

// Ranks the sources from this cycle on, 0 (first) to 15: an access that is older than `starve` goes
// before others, the oldest of such first; then the best rank, then row hits, then age. NULL: no
// ranks.
void gddr5_ranks(gddr5_t *gddr5, const uint8_t rank[]);

// Returns the source of the column command that each channel gave in the last step, Gddr5NoSource
// if it gave none. Only with sources.
const uint8_t *gddr5_served(const gddr5_t *gddr5);

bool gddr5_pop(gddr5_t *gddr5, memory_response_t *response);

// Do what the functions of the same names in hmc.h do.
uint64_t gddr5_next_event(const gddr5_t *gddr5);
void gddr5_skip_to(gddr5_t *gddr5, uint64_t cycle);

void gddr5_inject_errors(gddr5_t *gddr5, const memory_errors_t *errors);

typedef struct {
  uint64_t cycles;
  uint64_t requests[MemoryKinds], bytes[MemoryKinds];
  uint64_t errors;
  uint64_t accesses, row_hits, activates, precharges, refreshes;
  uint64_t read_bytes, write_bytes;  // on the data lines, in accesses of 32 bytes
  uint64_t busy;                     // cycles with data, all channels
  uint64_t channel_cycles;           // cycles times channels
  memory_latency_t latency[MemoryKinds];
} gddr5_stats_t;

void gddr5_stats(const gddr5_t *gddr5, gddr5_stats_t *stats);

typedef struct {
  uint64_t read_bytes, write_bytes;        // on the data lines, in accesses of 32 bytes
  uint64_t accesses, row_hits, activates;  // an activate is of the access that it is made for
  memory_latency_t latency;  // of reads, in bins of Gddr5LatencyBin; only with sources
} gddr5_source_stats_t;

// Returns the counts of a source so far.
const gddr5_source_stats_t *gddr5_source(const gddr5_t *gddr5, uint32_t source);

#endif
