// SPDX-License-Identifier: Apache-2.0
// A Hybrid Memory Cube as the memory of a GPU: serial links, switch, vaults, and a port in
// the logic layer for a unit that filters textures (A-TFIM, III, V, Table I; HMC 2.x
// packets). docs/model/memory.md says what is modelled and where each number comes from.
//
//   host queue -> link -> receive buffer -> switch -> vault queue -> TSV, banks
//   host <------- link <- response queue <- switch <-----------------'
//                     packages | ^ responses       | ^ reads of the logic layer
//                              v |                 v |
//                             unit in the logic layer
//
// Three kinds of traffic go side by side: reads, writes and atomics between links and
// vaults; packages between links and the logic layer; reads of the logic layer in the
// vaults, which never use a link. The last have queues of their own up to the banks.
//
// One hmc_step is one cycle of 1 GHz. Vaults are timed in picoseconds; what they give
// counts from the next cycle on. In a cycle the caller may pop and push as often as the
// model accepts, then steps. Latency: pushed in cycle k, first popped in cycle k + latency.
//
// The model keeps time only; data stay with the caller, found by the tag. Responses may
// come in any order, but requests to the same bank are served in the order of their pushes
// within their kind of traffic. Nothing is allocated after hmc_create.
#ifndef NOCTURNE_MEMORY_HMC_H
#define NOCTURNE_MEMORY_HMC_H

#include <stddef.h>

#include "../base/config.h"
#include "memory.h"
#include "vault.h"

enum { HmcMaxVaults = 64, HmcMaxLinks = 8, HmcFlit = 16, HmcMaxRequest = 256 };

typedef struct {
  uint32_t links, vaults, banks;  // powers of two
  uint32_t bank_mib;
  uint32_t block;                // bytes a vault holds in sequence; no request crosses them
  bool vault_hash;               // the vault is a hash of the block, not its low bits
  uint32_t bandwidth;            // GB/s a direction, all links together
  uint32_t link_latency;         // cycles, one way: end of the packet to its use
  uint32_t host_queue;           // requests, of a link
  uint32_t tokens, host_tokens;  // flits: receive buffer of a link in the cube, in the host
  uint32_t switch_latency;       // cycles, each way
  uint32_t vault_port;           // flits a cycle between switch and vault, each way
  uint32_t vault_queue;          // requests, of each class
  uint32_t vault_responses;      // of the links' requests, waiting for the switch
  uint32_t response_queue;       // flits, of a link
  uint32_t logic_reads;          // of the logic layer, pushed and not yet popped
  uint32_t tsv_latency;          // cycles, each way
  uint32_t starve;               // cycles, see vault.h
  vault_timing_t timing;         // its starve is not used: hmc_timing
} hmc_params_t;

// Registers the keys of *params, an hmc_params_t: hmc.*.
bool hmc_config_add(config_t *config, void *params, err_t *err);

// Gives the defaults of the keys, with a timing set (NULL: the default). False with one line in
// error.
bool hmc_params_default(hmc_params_t *params, const char *timing, err_t *err);

// Returns what is wrong with parameters that cannot work together, or NULL.
const char *hmc_check(const hmc_params_t *params);

// Returns the timing as the vaults use it.
vault_timing_t hmc_timing(const hmc_params_t *params);

typedef struct hmc hmc_t;

// NULL with one line in error: out of memory, or parameters that cannot work together.
hmc_t *hmc_create(const hmc_params_t *params, err_t *err);
void hmc_destroy(hmc_t *hmc);

void hmc_step(hmc_t *hmc);
uint64_t hmc_cycle(const hmc_t *hmc);

// The link side. bytes: of data, up to the block; of a package, the whole packet with
// header and tail, up to HmcMaxRequest. An access outside the cube, across a block, or an
// atomic that is not 16 aligned bytes is answered with an error. False: no room now.
bool hmc_can_push(const hmc_t *hmc, memory_kind_e kind, uint64_t address, uint32_t bytes);
bool hmc_push(hmc_t *hmc, memory_kind_e kind, uint64_t address, uint32_t bytes, uint64_t tag);
bool hmc_pop(hmc_t *hmc, memory_response_t *response);

// The logic layer's side. A package that is not popped keeps its place in the receive
// buffer and so holds up its link in the end.
bool hmc_package_available(const hmc_t *hmc);
bool hmc_package_pop(hmc_t *hmc, memory_response_t *package);
// Sends a response packet of `bytes`, header and tail included. False: no room now.
bool hmc_can_respond(const hmc_t *hmc);
bool hmc_respond(hmc_t *hmc, uint64_t tag, uint32_t bytes, bool error);
// Returns the vault that holds a byte address.
uint32_t hmc_vault(const hmc_t *hmc, uint64_t address);

// Reads into the vaults; at most logic_reads are under way. False: no room now.
bool hmc_can_logic_read(const hmc_t *hmc);
bool hmc_logic_read(hmc_t *hmc, uint64_t address, uint32_t bytes, uint64_t tag);
bool hmc_logic_pop(hmc_t *hmc, memory_response_t *response);

// Returns the first cycle, this one at the earliest, in which a step or a pop can do anything if
// nothing is pushed before; MEMORY_NEVER if nothing is under way.
uint64_t hmc_next_event(const hmc_t *hmc);
// Goes to that cycle or an earlier one, as if stepped.
void hmc_skip_to(hmc_t *hmc, uint64_t cycle);

void hmc_inject_errors(hmc_t *hmc, const memory_errors_t *errors);

// Traffic of requests accepted (down) or responses sent (up).
typedef struct {
  uint64_t packets, bytes, flits;  // bytes: of data; packets' flits include header and tail
} hmc_traffic_t;

typedef struct {
  uint64_t cycles;
  hmc_traffic_t down[MemoryKinds], up[MemoryKinds];  // over the links
  uint64_t logic_reads, logic_bytes;
  uint64_t errors;  // responses with the error flag
  uint64_t activates, refreshes;
  uint64_t dram_read_bytes, dram_write_bytes;  // in atoms of 32 bytes
  uint64_t tsv_bytes;                          // both directions, data
  uint64_t link_bits, dram_bits;
  memory_latency_t latency[MemoryKinds];  // packages: 0, the unit's time is its own
  memory_latency_t logic_latency;
} hmc_stats_t;

void hmc_stats(const hmc_t *hmc, hmc_stats_t *stats);

// Return the free flits as the sender knows them; all of them (tokens, host_tokens) when idle.
uint32_t hmc_tokens(const hmc_t *hmc, uint32_t link);
uint32_t hmc_host_tokens(const hmc_t *hmc, uint32_t link);

#endif
