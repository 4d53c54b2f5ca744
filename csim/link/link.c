// SPDX-License-Identifier: Apache-2.0
#include "link.h"

#include <stdlib.h>
#include <string.h>

bool link_create(link_t *link, const link_params_t *params, uint32_t record_size,
                 uint32_t record_bytes) {
  *link = (link_t){.params = *params, .record_size = record_size, .record_bytes = record_bytes};
  link->places = params->buffer_bytes / record_bytes;
  if (link->places == 0) {
    link->places = 1;
  }
  link->arrival = calloc(link->places, sizeof *link->arrival);
  link->credit = calloc(link->places, sizeof *link->credit);
  link->records = calloc(link->places, record_size);
  if (!link->arrival || !link->credit || !link->records) {
    link_destroy(link);
    return false;
  }
  return true;
}

void link_destroy(link_t *link) {
  free(link->arrival);
  free(link->credit);
  free(link->records);
  *link = (link_t){0};
}

// The place of the next push is the one whose record was pushed `places` ago.
bool link_room(const link_t *link, uint64_t now) {
  if (link->line_free > now) {
    return false;
  }
  if (link->pushed < link->places) {
    return true;
  }
  uint64_t oldest = link->pushed - link->places;
  return link->popped > oldest && link->credit[oldest % link->places] <= now;
}

uint64_t link_push(link_t *link, uint64_t now, const void *record) {
  uint64_t place = link->pushed % link->places;
  uint32_t per_cycle = link->params.bytes_per_cycle;
  memcpy(link->records + place * link->record_size, record, link->record_size);
  // The line is busy until the record's last byte has left; what the last cycle does
  // not use is the next record's.
  uint64_t spent = (link->line_free == now ? link->line_rest : 0) + link->record_bytes;
  uint64_t cycles = spent / per_cycle;
  link->line_free = now + cycles;
  link->line_rest = spent % per_cycle;
  uint64_t sending = cycles > 0 ? cycles - 1 : 0;
  link->arrival[place] = now + sending + link->params.latency;
  link->pushed++;
  return link->arrival[place];
}

const void *link_head(const link_t *link, uint64_t now) {
  if (link->popped == link->pushed) {
    return NULL;
  }
  uint64_t place = link->popped % link->places;
  return link->arrival[place] <= now ? link->records + place * link->record_size : NULL;
}

void link_pop(link_t *link, uint64_t now) {
  link->credit[link->popped % link->places] = now + link->params.latency;
  link->popped++;
}

uint64_t link_next(const link_t *link, uint64_t now) {
  uint64_t next = LINK_NEVER;
  if (link->line_free > now) {
    next = link->line_free;
  }
  if (link->popped != link->pushed) {
    uint64_t arrival = link->arrival[link->popped % link->places];
    if (arrival > now && arrival < next) {
      next = arrival;
    }
  }
  if (link->pushed >= link->places) {
    uint64_t oldest = link->pushed - link->places;
    uint64_t credit = link->credit[oldest % link->places];
    if (link->popped > oldest && credit > now && credit < next) {
      next = credit;
    }
  }
  return next;
}
