// SPDX-License-Identifier: Apache-2.0
#include "link.h"

#include <stdlib.h>
#include <string.h>

enum { FirstPlaces = 16 };

// ---- Places that links share

bool link_pool_create(link_pool_t *pool, uint32_t bytes, uint32_t links, uint32_t record_bytes) {
  uint32_t places = bytes / record_bytes;
  *pool = (link_pool_t){.places = places > links ? places - links : 0};
  pool->back = calloc((size_t)pool->places + 1, sizeof *pool->back);
  return pool->back != NULL;
}

void link_pool_destroy(link_pool_t *pool) {
  free(pool->back);
  *pool = (link_pool_t){0};
}

// All come back after the same time, so the ring is in order.
static bool pool_room(const link_pool_t *p, uint64_t now) {
  return p->taken < p->places || (p->count && p->back[p->first] <= now);
}

static void pool_take(link_pool_t *p, uint64_t now) {
  while (p->count && p->back[p->first] <= now) {
    p->first = (p->first + 1) % p->places;
    p->count--;
    p->taken--;
  }
  p->taken++;
}

static void pool_give(link_pool_t *p, uint64_t free_at) {
  p->back[(p->first + p->count++) % p->places] = free_at;
}

// ---- The link

void link_create(link_t *link, const link_params_t *params, link_pool_t *pool, uint32_t record_size,
                 uint32_t record_bytes) {
  *link = (link_t){.params = *params,
                   .pool = pool,
                   .record_size = record_size,
                   .record_bytes = record_bytes,
                   .own = LINK_NEVER};
  link->places = pool ? pool->places + 1 : params->buffer_bytes / record_bytes;
  if (link->places == 0) {
    link->places = 1;
  }
}

void link_destroy(link_t *link) {
  free(link->buffer);
  *link = (link_t){0};
}

static size_t place_size(const link_t *link) {
  return (sizeof(link_place_t) + link->record_size + 7) & ~(size_t)7;
}

static link_place_t *place_of(const link_t *link, uint64_t record) {
  return (link_place_t *)(link->buffer + record % link->places * place_size(link));
}

// Makes the place of the next record. Until all are made, no record has come to a place again.
static bool make_place(link_t *link) {
  if (link->pushed < link->made || link->made == link->places) {
    return true;
  }
  uint64_t most = link->made ? 2 * (uint64_t)link->made : FirstPlaces;
  uint32_t made = most < link->places ? (uint32_t)most : link->places;
  uint8_t *buffer = realloc(link->buffer, made * place_size(link));
  if (!buffer) {
    link->failed = true;
    return false;
  }
  link->buffer = buffer;
  link->made = made;
  return true;
}

static bool own_room(const link_t *link, uint64_t now) {
  return link->own == LINK_NEVER && link->own_free <= now;
}

// Returns the place of the next push: the one whose record was pushed `places` ago.
bool link_room(const link_t *link, uint64_t now) {
  if (link->line_free > now) {
    return false;
  }
  if (link->pool) {
    return own_room(link, now) || pool_room(link->pool, now);
  }
  if (link->pushed - link->popped < link->places && link->params.endless) {
    return true;
  }
  if (link->pushed < link->places) {
    return true;
  }
  uint64_t oldest = link->pushed - link->places;
  return link->popped > oldest && place_of(link, oldest)->credit <= now;
}

// Where nothing waits and every place is back, the first places come next: only as many are made as
// are needed at once.
static void restart(link_t *link, uint64_t now) {
  if (link->pushed == link->popped && link->popped > 0 &&
      place_of(link, link->popped - 1)->credit <= now) {
    link->pushed = link->popped = 0;
  }
}

uint64_t link_push(link_t *link, uint64_t now, const void *record) {
  restart(link, now);
  if (!make_place(link)) {
    return LINK_NEVER;
  }
  if (link->pool && own_room(link, now)) {
    link->own = link->pushed;
  } else if (link->pool) {
    pool_take(link->pool, now);
  }
  link_place_t *place = place_of(link, link->pushed++);
  uint32_t per_cycle = link->params.bytes_per_cycle;
  memcpy(place->record, record, link->record_size);
  // The line is busy until the record's last byte has left; the next record takes what the last
  // cycle leaves.
  uint64_t spent = (link->line_free == now ? link->line_rest : 0) + link->record_bytes;
  uint64_t cycles = spent / per_cycle;
  link->line_free = now + cycles;
  link->line_rest = spent % per_cycle;
  uint64_t sending = cycles > 0 ? cycles - 1 : 0;
  place->arrival = now + sending + link->params.latency;
  return place->arrival;
}

const void *link_head(const link_t *link, uint64_t now) {
  if (link->popped == link->pushed) {
    return NULL;
  }
  const link_place_t *place = place_of(link, link->popped);
  return place->arrival <= now ? place->record : NULL;
}

void link_pop(link_t *link, uint64_t now) {
  uint64_t free_at = now + (link->params.endless ? 0 : link->params.latency);
  if (link->own == link->popped) {
    link->own = LINK_NEVER;
    link->own_free = free_at;
  } else if (link->pool) {
    pool_give(link->pool, free_at);
  }
  place_of(link, link->popped)->credit = free_at;
  link->popped++;
}

static void earlier(uint64_t *next, uint64_t cycle, uint64_t now) {
  if (cycle > now && cycle < *next) {
    *next = cycle;
  }
}

uint64_t link_next(const link_t *link, uint64_t now) {
  uint64_t next = LINK_NEVER;
  earlier(&next, link->line_free, now);
  if (link->popped != link->pushed) {
    earlier(&next, place_of(link, link->popped)->arrival, now);
  }
  if (link->pool) {
    if (link->own == LINK_NEVER) {
      earlier(&next, link->own_free, now);
    }
    if (link->pool->count) {
      earlier(&next, link->pool->back[link->pool->first], now);
    }
  } else if (link->pushed >= link->places && !link->params.endless) {
    uint64_t oldest = link->pushed - link->places;
    if (link->popped > oldest) {
      earlier(&next, place_of(link, oldest)->credit, now);
    }
  }
  return next;
}
