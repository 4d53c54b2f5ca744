// SPDX-License-Identifier: Apache-2.0
// A point-to-point link from one GPU to another (CHOPIN, V): bandwidth, latency and
// credits for the receive buffer at its far end. It carries records of one size in
// order; what is in them is the caller's.
//
// A record pushed at cycle t is at the far end's head from t + latency on. It may be
// pushed only while link_room; a buffer place comes back to the sender `latency`
// cycles after the pop.
//
// The buffer is the link's own, endless, or from a pool. The links to one receiver share a pool;
// each has one place of it for itself, so that others cannot hold up a transfer for ever.
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
  bool endless;              // a place comes back at the pop, and buffer_bytes are as many as there
                             // can ever be
} link_params_t;

// The places that links share, beyond the one that each has for itself.
typedef struct {
  uint32_t places;
  uint32_t taken;         // in use, or on their way back
  uint64_t *back;         // ring of those on their way back: cycle at which they are free
  uint32_t first, count;  // of the ring
} link_pool_t;

typedef struct {
  uint64_t arrival;  // cycle at which the record reaches the far end
  uint64_t credit;   // cycle at which the place is the sender's again
  uint8_t record[];
} link_place_t;

typedef struct {
  link_params_t params;
  link_pool_t *pool;  // NULL: none
  uint32_t places, record_size, record_bytes;
  uint64_t pushed, popped;  // records since creation
  uint64_t line_free;       // the line is busy before this cycle
  uint64_t line_rest;       // bytes already sent in that cycle
  uint64_t own_free;        // with a pool: the place of its own is busy before this cycle
  uint64_t own;             // with a pool: the record that has it, or LINK_NEVER
  uint32_t made;            // places of the buffer, which are made as records come to them
  bool failed;              // out of memory: a record was lost
  uint8_t *buffer;          // of link_place_t
} link_t;

// Makes a pool. bytes: all places together, those of `links` links included, each of record_bytes.
// False: out of memory.
bool link_pool_create(link_pool_t *pool, uint32_t bytes, uint32_t links, uint32_t record_bytes);
void link_pool_destroy(link_pool_t *pool);

// Makes a link. record_size: bytes of a record in memory; record_bytes: bytes that it takes on the
// line and in the buffer. pool: it outlives the link, whose params' buffer_bytes then mean
// nothing; or NULL.
void link_create(link_t *link, const link_params_t *params, link_pool_t *pool, uint32_t record_size,
                 uint32_t record_bytes);
void link_destroy(link_t *link);

// Tells if a record may be pushed at cycle `now`.
bool link_room(const link_t *link, uint64_t now);
// Pushes a record; returns the cycle of arrival, LINK_NEVER if no memory is left for it.
uint64_t link_push(link_t *link, uint64_t now, const void *record);

// Returns the record at the head of the far end at cycle `now`, or NULL; it stays until the next
// push.
const void *link_head(const link_t *link, uint64_t now);
void link_pop(link_t *link, uint64_t now);

// Returns the next cycle after `now` at which link_room or link_head may change by itself. With a
// pool, pops of other links may change link_room before.
uint64_t link_next(const link_t *link, uint64_t now);

#endif
