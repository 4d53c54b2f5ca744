// SPDX-License-Identifier: Apache-2.0
// The state of a GDDR5 memory. gddr5_queue.c sets it up, pushes and pops; gddr5_cycle.c chooses and
// gives the commands of a cycle.
#ifndef NOCTURNE_MEMORY_GDDR5_STATE_H
#define NOCTURNE_MEMORY_GDDR5_STATE_H

#include "../base/rng.h"
#include "gddr5.h"

enum {
  Gddr5None = 0xffff,
  Gddr5MaxQueue = 64,
  Gddr5MaxPerRequest = Gddr5MaxRequest / Gddr5Access + 1,
  Gddr5NoAccess = 0xff,
};

typedef struct {
  uint64_t pushed;  // cycle
  uint64_t order;
  uint32_t row;
  uint16_t request;
  uint8_t next;  // of its bank, or free
  uint8_t source : 4, write : 1;
} access_t;
_Static_assert(Gddr5MaxSources == 1 << 4, "width of access_t");

typedef struct {
  uint64_t column, precharge, activate;  // earliest command
  uint32_t row;
  bool fresh;          // no column yet
  uint8_t head, tail;  // accesses in order; Gddr5NoAccess: none
  uint8_t hit;         // the first for the open row
} bank_t;

typedef struct {
  uint64_t next;                            // cycle before which no command can go
  uint64_t activate, read, write, refresh;  // earliest
  uint64_t window[4];
  uint32_t slot;
  uint32_t waiting;  // banks with accesses
  uint32_t open;     // banks with an open row
  uint32_t used;     // of accesses
  uint32_t beyond;   // of them, above their sources' own places
  uint8_t of[Gddr5MaxSources];
  uint8_t free;
  bank_t bank[Gddr5MaxBanks];
  access_t access[Gddr5MaxQueue];
} channel_t;

typedef struct {
  uint64_t tag, pushed;
  uint32_t bytes, waited;  // waited: cycles from its client's wish to the push
  uint16_t next;           // free, or in its bucket, or to be popped
  uint8_t kind, left, source;
  bool error;
} request_t;

typedef struct {
  uint16_t head, tail;
} bucket_t;

struct gddr5 {
  gddr5_params_t params;
  gddr5_sources_t sources;
  bool shared;  // it has sources
  bool ranked;
  uint8_t rank[Gddr5MaxSources];
  uint8_t served[Gddr5MaxChannels];
  uint64_t now, capacity, order;
  uint64_t pending;  // in buckets
  uint32_t interleave_shift, channel_shift, row_shift, bank_shift;
  uint32_t horizon;  // buckets, a power of two
  uint16_t free;
  uint32_t used;
  bucket_t ready;  // to be popped
  bucket_t *buckets;
  request_t *requests;
  memory_errors_t errors;
  rng_t rng;
  gddr5_stats_t stats;
  gddr5_source_stats_t source[Gddr5MaxSources];
  channel_t channel[Gddr5MaxChannels];
};

static inline void gddr5_append(gddr5_t *g, bucket_t *bucket, uint16_t index) {
  g->requests[index].next = Gddr5None;
  if (bucket->head == Gddr5None) {
    bucket->head = index;
  } else {
    g->requests[bucket->tail].next = index;
  }
  bucket->tail = index;
}

// Ends a request in this cycle.
static inline void gddr5_finish(gddr5_t *g, uint16_t index, uint64_t cycle) {
  gddr5_append(g, &g->buckets[cycle & (g->horizon - 1)], index);
  g->pending++;
}

#endif
