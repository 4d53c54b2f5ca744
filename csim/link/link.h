// SPDX-License-Identifier: Apache-2.0
// A point-to-point link from one GPU to another (CHOPIN, V): bandwidth, latency and
// credits for the receive buffer at its far end. It carries records of one size in
// order; what is in them is the caller's.
//
// A record pushed at cycle t is at the far end's head from t + latency on. It may be
// pushed only while link_room; a buffer place comes back to the sender `latency`
// cycles after the pop.
#ifndef NOCTURNE_LINK_LINK_H
#define NOCTURNE_LINK_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINK_NEVER UINT64_MAX

typedef struct {
  uint32_t latency;          // cycles, one way
  uint32_t bytes_per_cycle;  // GB/s at 1 GHz
  uint32_t buffer_bytes;     // receive buffer
} link_params_t;

typedef struct {
  link_params_t params;
  uint32_t places, record_size, record_bytes;
  uint64_t pushed, popped;    // records since creation
  uint64_t line_free;         // the line is busy before this cycle
  uint64_t line_rest;         // bytes already sent in that cycle
  uint64_t *arrival;          // cycle at which the record reaches the far end
  uint64_t *credit;           // cycle at which the place is the sender's again
  uint8_t *records;
} link_t;

// record_size: bytes of a record in memory; record_bytes: bytes that it takes on the
// line and in the buffer. False: out of memory.
bool link_create(link_t *link, const link_params_t *params, uint32_t record_size,
                 uint32_t record_bytes);
void link_destroy(link_t *link);

// Whether a record may be pushed at cycle `now`.
bool link_room(const link_t *link, uint64_t now);
// Returns the cycle of arrival.
uint64_t link_push(link_t *link, uint64_t now, const void *record);

// The record at the head of the far end at cycle `now`, or NULL.
const void *link_head(const link_t *link, uint64_t now);
void link_pop(link_t *link, uint64_t now);

// The next cycle after `now` at which link_room or link_head may change by itself.
uint64_t link_next(const link_t *link, uint64_t now);

#endif
