// SPDX-License-Identifier: Apache-2.0
// The queues of a cube: lists of packets of one pool, and tokens on their way back to a sender.
#ifndef NOCTURNE_MEMORY_HMC_LISTS_H
#define NOCTURNE_MEMORY_HMC_LISTS_H

#include <stdlib.h>

#include "../base/cycle.h"
#include "memory.h"
#include "vault.h"

// The pool: packets, and a stack of those that are free.
typedef struct {
  hmc_packet_t *packet;
  uint16_t *free;
  uint32_t free_count;
  uint32_t live;  // packets in use
} store_t;

// False: out of memory; to be destroyed all the same.
static inline bool store_create(store_t *s, uint32_t packets) {
  *s = (store_t){.packet = calloc(packets, sizeof *s->packet),
                 .free = calloc(packets, sizeof *s->free)};
  for (uint32_t i = packets; s->free && i > 0; i--) {
    s->free[s->free_count++] = (uint16_t)(i - 1);
  }
  return s->packet && s->free;
}

static inline void store_destroy(store_t *s) {
  free(s->packet);
  free(s->free);
}

static inline uint16_t store_allocate(store_t *s) {
  s->live++;
  return s->free[--s->free_count];
}

static inline void store_release(store_t *s, uint16_t index) {
  s->live--;
  s->free[s->free_count++] = index;
}

// Packets by their index in the pool, in order.
typedef struct {
  uint16_t head, tail, count;
} list_t;

static inline void list_append(hmc_packet_t *pool, list_t *list, uint16_t index) {
  pool[index].next = VaultNone;
  if (list->count++) {
    pool[list->tail].next = index;
  } else {
    list->head = index;
  }
  list->tail = index;
}

// Removes the first packet of a list that has one.
static inline uint16_t list_take(const hmc_packet_t *pool, list_t *list) {
  uint16_t index = list->head;
  list->head = pool[index].next;
  list->count--;
  return index;
}

// Returns the cycle at which the first packet is ready; MEMORY_NEVER: the list is empty.
static inline uint64_t list_ready(const hmc_packet_t *pool, const list_t *list) {
  return list->count ? pool[list->head].ready : MEMORY_NEVER;
}

// Tokens on their way back; at most one entry a cycle.
typedef struct {
  uint64_t *cycle;
  uint32_t *flits;
  uint32_t head, count, size;
} returns_t;

static inline void returns_add(returns_t *r, uint64_t cycle, uint32_t flits) {
  uint32_t last = (r->head + r->count + r->size - 1) % r->size;
  if (r->count && r->cycle[last] == cycle) {
    r->flits[last] += flits;
    return;
  }
  uint32_t slot = (r->head + r->count) % r->size;
  r->cycle[slot] = cycle;
  r->flits[slot] = flits;
  r->count++;
}

// Adds what has come back until now.
static inline void returns_collect(returns_t *r, uint64_t now, uint32_t *tokens) {
  while (r->count && r->cycle[r->head] <= now) {
    *tokens += r->flits[r->head];
    r->head = r->head + 1 == r->size ? 0 : r->head + 1;
    r->count--;
  }
}

// Returns the tokens with those that have come back until now.
static inline uint32_t returns_count(returns_t r, uint64_t now, uint32_t tokens) {
  returns_collect(&r, now, &tokens);
  return tokens;
}

// Returns the cycle at which tokens come next; MEMORY_NEVER: none are on their way.
static inline uint64_t returns_next(const returns_t *r) {
  return r->count ? r->cycle[r->head] : MEMORY_NEVER;
}

#endif
