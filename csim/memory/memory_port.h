// SPDX-License-Identifier: Apache-2.0
// How a client reaches a memory that answers later: a request now, its response in a later
// cycle. The values stay with the client; the port keeps time only.
#ifndef NOCTURNE_MEMORY_MEMORY_PORT_H
#define NOCTURNE_MEMORY_MEMORY_PORT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  uint64_t tag;
  bool error;  // the read failed
} memory_answer_t;

typedef struct {
  void *self;
  // Reads `bytes` from `address`, or writes them (posted: no response). False: no room in
  // this cycle. The tag comes back with the response.
  bool (*push)(void *self, uint64_t address, uint32_t bytes, bool write, uint64_t tag);
  // The next response that has arrived, in any order; false: none.
  bool (*pop)(void *self, memory_answer_t *answer);
} memory_port_t;

#endif
