// SPDX-License-Identifier: Apache-2.0
// One GPU's memory, GDDR5 or HMC, behind the ports of its clients, or a GDDR5 memory that the GPU
// shares with other sources. Each client has a queue;
// they are served in turn. Responses go to the client that asked, in the order in which
// the memory gives them. Packages and their responses (hmc.h) pass beside.
//
// In a cycle the clients push and pop, then memory_system_step ends the cycle. Nothing is
// allocated after memory_system_create. The logic layer's side is hmc.h's, reached directly.
#ifndef NOCTURNE_MEMORY_MEMORY_SYSTEM_H
#define NOCTURNE_MEMORY_MEMORY_SYSTEM_H

#include "gddr5.h"
#include "hmc.h"
#include "memory_port.h"

typedef enum {
  MemoryClientGpu,      // vertices, depth, colour
  MemoryClientTexture,  // the texture units
  MemoryClients,        // of a memory without other sources; with such, the first CPU
} memory_client_e;

enum { MemoryQueueRoom = 32 };  // requests of a client that wait

// Bytes that clients asked for.
typedef struct {
  uint64_t read_bytes, write_bytes;
} memory_client_stats_t;

typedef struct memory_system memory_system_t;

// Makes a memory of either hmc or gddr5; the other is NULL. NULL with one line in error. sources:
// of gddr5; the GPU and its textures are IP 0. NULL: only these.
memory_system_t *memory_system_create(const hmc_params_t *hmc, const gddr5_params_t *gddr5,
                                      const gddr5_sources_t *sources, err_t *err);
void memory_system_destroy(memory_system_t *memory);

// Returns the client of a source, a CPU or an IP from 1 on.
uint32_t memory_system_client(const memory_system_t *memory, uint32_t source);

// Tags of a client have up to 48 bits.
memory_port_t memory_system_port(memory_system_t *memory, uint32_t client);

// Returns the cube, for its logic layer; NULL with GDDR5.
hmc_t *memory_system_hmc(memory_system_t *memory);
gddr5_t *memory_system_gddr5(memory_system_t *memory);

// Takes the next packet that the logic layer has sent over the link. False: none.
bool memory_system_pop_package(memory_system_t *memory, memory_response_t *response);

void memory_system_step(memory_system_t *memory);

// Tells if nothing is queued, under way or waiting to be popped.
bool memory_system_idle(const memory_system_t *memory);
// Returns the first cycle in which a step does something if no client pushes or pops before: this
// one if an answer waits to be popped. Only after a step, and after gddr5_ranks.
uint64_t memory_system_next_event(const memory_system_t *memory);
// Takes a memory that is idle, or has no event before, to `cycle`, as if stepped.
void memory_system_skip_to(memory_system_t *memory, uint64_t cycle);

// Requests of a client that wait to be sent; at MemoryQueueRoom it takes no more.
uint32_t memory_system_waiting(const memory_system_t *memory, uint32_t client);
// Tells if an answer waits to be popped.
bool memory_system_answers(const memory_system_t *memory, uint32_t client);
// Tells if nothing of the client is queued, and no read of it under way or not yet popped.
bool memory_system_client_idle(const memory_system_t *memory, uint32_t client);

const memory_client_stats_t *memory_system_stats(const memory_system_t *memory, uint32_t client);

#endif
