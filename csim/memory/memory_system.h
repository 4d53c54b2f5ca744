// SPDX-License-Identifier: Apache-2.0
// One GPU's memory, GDDR5 or HMC, behind the ports of its clients. Each client has a queue;
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
  MemoryClients,
} memory_client_e;

// Bytes that clients asked for.
typedef struct {
  uint64_t read_bytes, write_bytes;
} memory_client_stats_t;

typedef struct memory_system memory_system_t;

// Makes a memory of either hmc or gddr5; the other is NULL. NULL with one line in error.
memory_system_t *memory_system_create(const hmc_params_t *hmc, const gddr5_params_t *gddr5,
                                      err_t *err);
void memory_system_destroy(memory_system_t *memory);

// Tags of a client have up to 48 bits.
memory_port_t memory_system_port(memory_system_t *memory, memory_client_e client);

// Returns the cube, for its logic layer; NULL with GDDR5.
hmc_t *memory_system_hmc(memory_system_t *memory);
gddr5_t *memory_system_gddr5(memory_system_t *memory);

// Takes the next packet that the logic layer has sent over the link. False: none.
bool memory_system_pop_package(memory_system_t *memory, memory_response_t *response);

void memory_system_step(memory_system_t *memory);

// Tells if nothing is queued, under way or waiting to be popped.
bool memory_system_idle(const memory_system_t *memory);
// Takes an idle memory to `cycle`, as if stepped.
void memory_system_skip_to(memory_system_t *memory, uint64_t cycle);

const memory_client_stats_t *memory_system_stats(const memory_system_t *memory,
                                                 memory_client_e client);

#endif
