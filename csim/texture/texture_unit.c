// SPDX-License-Identifier: Apache-2.0
#include "texture_unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "texture_state_internal.h"

static bool create_unit(const texture_units_t *t, tex_unit_t *u) {
  const texture_params_t *p = &t->params;
  uint32_t waiters = p->in_flight * 4 * FootprintParents;
  uint32_t results = p->results > TextureMaxInFlight ? p->results : TextureMaxInFlight;
  u->request_ring.size = p->request_queue;
  u->flight_ring.size = p->in_flight;
  u->result_ring.size = results;
  u->to_l2_ring.size = TextureMaxMisses;
  u->offload_ring.size = TextureMaxMisses;
  u->mtu_ring.size = u->response_ring.size = TextureMaxInFlight;
  u->requests = calloc(p->request_queue, sizeof *u->requests);
  u->flights = calloc(p->in_flight, sizeof *u->flights);
  u->results = calloc(results, sizeof *u->results);
  u->waiters = calloc(waiters, sizeof *u->waiters);
  u->sent = calloc(TextureMaxInFlight, sizeof *u->sent);
  u->sent_request = calloc(TextureMaxInFlight, sizeof *u->sent_request);
  if (!texture_cache_create(&u->l1, p->l1_kib, p->l1_ways, t->design->offloads)) {
    return false;
  }
  u->line_miss = calloc(texture_cache_size(&u->l1), sizeof *u->line_miss);
  u->line_quad = calloc(texture_cache_size(&u->l1), sizeof *u->line_quad);
  if (!u->requests || !u->flights || !u->results || !u->waiters || !u->sent || !u->sent_request ||
      !u->line_miss || !u->line_quad) {
    return false;
  }
  u->miss_free = UINT64_MAX >> (64 - p->l1_misses);
  u->slot_free = UINT64_MAX >> (64 - p->in_flight);
  u->stalled = TEXTURE_NEVER;
  for (uint32_t i = 0; i < waiters; i++) {
    u->waiters[i].next = (uint16_t)(i + 1 < waiters ? i + 1 : NoWaiter);
  }
  return true;
}

static void destroy_unit(tex_unit_t *u) {
  free(u->requests);
  free(u->flights);
  free(u->results);
  free(u->waiters);
  free(u->sent);
  free(u->sent_request);
  free(u->line_miss);
  free(u->line_quad);
  texture_cache_destroy(&u->l1);
}

texture_units_t *texture_units_create(const texture_params_t *p, const texture_map_t *map,
                                      const texture_memory_t *memory, const texture_link_t *link) {
  texture_units_t *t = calloc(1, sizeof *t);
  if (!t) {
    return NULL;
  }
  t->params = *p;
  t->design = texture_design(p->design);
  t->map = map;
  t->memory = *memory;
  if (link) {
    t->link = *link;
  }
  t->line_reuse = p->reuse && p->match == TextureMatchSlope ? TextureReuseAll : p->reuse;
  t->event_ring.size = p->units * TextureMaxMisses;
  t->l2_miss_free_count = p->l2_misses;
  t->units = calloc(p->units, sizeof *t->units);
  t->events = calloc(t->event_ring.size, sizeof *t->events);
  t->l2_misses = calloc(p->l2_misses, sizeof *t->l2_misses);
  t->l2_miss_free = calloc(p->l2_misses, sizeof *t->l2_miss_free);
  bool ok = texture_cache_create(&t->l2, p->l2_kib, p->l2_ways, t->design->offloads);
  t->l2_line_miss = calloc(texture_cache_size(&t->l2) + 1, sizeof *t->l2_line_miss);
  ok = ok && t->units && t->events && t->l2_misses && t->l2_miss_free && t->l2_line_miss;
  for (uint32_t i = 0; ok && i < p->units; i++) {
    ok = create_unit(t, &t->units[i]);
  }
  if (!ok) {
    texture_units_destroy(t);
    return NULL;
  }
  for (uint32_t i = 0; i < p->l2_misses; i++) {
    t->l2_miss_free[i] = (uint16_t)(p->l2_misses - 1 - i);
  }
  return t;
}

void texture_units_destroy(texture_units_t *t) {
  if (!t) {
    return;
  }
  for (uint32_t i = 0; t->units && i < t->params.units; i++) {
    destroy_unit(&t->units[i]);
  }
  texture_cache_destroy(&t->l2);
  free(t->units);
  free(t->events);
  free(t->l2_misses);
  free(t->l2_miss_free);
  free(t->l2_line_miss);
  free(t);
}

bool texture_units_push(texture_units_t *t, uint64_t now, uint32_t unit,
                        const texture_quad_t *quad) {
  tex_unit_t *u = &t->units[unit];
  if (u->request_ring.count == u->request_ring.size) {
    return false;
  }
  u->requests[tex_ring_push(&u->request_ring)] =
      (tex_request_t){.quad = *quad, .stage = *quad->stage, .accepted = now};
  t->stats.quads++;
  t->pending++;
  tex_wake(u);
  return true;
}

bool texture_units_pop(texture_units_t *t, uint64_t now, uint32_t unit, texture_result_t *result) {
  tex_unit_t *u = &t->units[unit];
  if (!u->result_ring.count) {
    return false;
  }
  const tex_result_t *r = &u->results[u->result_ring.head];
  if (r->ready > now) {
    return false;
  }
  *result = r->result;
  u->slot_free |= (uint64_t)1 << r->slot;
  tex_ring_pop(&u->result_ring);
  t->pending--;
  tex_wake(u);
  return true;
}

uint64_t texture_units_ready(const texture_units_t *t, uint64_t now) {
  uint64_t ready = 0;
  for (uint32_t i = 0; i < t->params.units; i++) {
    const tex_unit_t *u = &t->units[i];
    if (u->result_ring.count && u->results[u->result_ring.head].ready <= now) {
      ready |= (uint64_t)1 << i;
    }
  }
  return ready;
}

uint64_t texture_units_next_result(const texture_units_t *t) {
  uint64_t next = TEXTURE_NEVER;
  for (uint32_t i = 0; i < t->params.units; i++) {
    const tex_unit_t *u = &t->units[i];
    if (u->result_ring.count) {
      cycle_earliest(&next, u->results[u->result_ring.head].ready);
    }
  }
  return next;
}

static void filter_step(texture_units_t *t, tex_unit_t *u, uint64_t now, uint64_t *next) {
  if (!u->flight_ring.count) {
    return;
  }
  const tex_flight_t *f = &u->flights[u->flight_ring.head];
  if (f->addressed == TEXTURE_NEVER || f->awaited) {
    return;
  }
  uint64_t come = f->addressed + t->params.address_latency;
  uint64_t start = come > u->filter_free ? come : u->filter_free;
  if (start > now) {
    cycle_earliest(next, start);
    return;
  }
  if (!t->design->respond && u->result_ring.count >= t->params.results) {
    return;
  }
  uint32_t alus = t->params.filter_alus, cycles = (f->texels + alus - 1) / alus;
  const texture_quad_t *q = &f->request.quad;
  texture_result_t result = {.tag = q->tag, .mask = q->mask, .failed = f->failed};
  for (uint32_t rest = q->mask; rest; rest &= rest - 1) {
    uint32_t p = (uint32_t)__builtin_ctz(rest);
    t->design->sample(t, f, p, result.sample[p]);
  }
  u->filter_free = now + cycles;
  uint64_t ready = u->filter_free + t->params.filter_latency;
  t->stats.filter_busy += cycles;
  t->stats.filter_ops += f->texels;
  if (t->design->respond) {
    t->design->respond(t, u, f, &result, ready);
  } else {
    u->results[tex_ring_push(&u->result_ring)] = (tex_result_t){.result = result, .ready = ready};
    tex_latency(t, ready - f->request.accepted);
  }
  tex_ring_pop(&u->flight_ring);
  if (u->flight_ring.count) {
    cycle_earliest(next, u->filter_free);
  }
}

// Takes a quad into flight, if one waits and there is room.
static bool take(texture_units_t *t, tex_unit_t *u) {
  return u->flight_ring.count < u->flight_ring.size && t->design->take(t, u);
}

static uint64_t step_unit(texture_units_t *t, tex_unit_t *u, uint32_t unit, uint64_t now) {
  uint64_t next = TEXTURE_NEVER;
  filter_step(t, u, now, &next);
  if ((u->addressing || take(t, u)) && tex_address(t, u, unit, now)) {
    next = now + 1;
  }
  if (t->design->send) {
    t->design->send(t, u, unit, now, &next);
  }
  return next;
}

void texture_units_memory_done(texture_units_t *t, uint64_t now, uint32_t tag) {
  t->design->read_done(t, now, tag);
}

void texture_units_link_arrived(texture_units_t *t, uint64_t now, texture_message_t m) {
  t->design->arrived(t, now, &m);
}

void texture_units_offload(texture_units_t *t, uint64_t now, const offload_unit_out_t *out,
                           offload_unit_in_t *in) {
  t->design->offload(t, now, out, in);
}

bool texture_units_offers(const texture_units_t *t) { return t->offering != 0; }

uint64_t texture_units_step(texture_units_t *t, uint64_t now) {
  uint64_t next = TEXTURE_NEVER;
  tex_events(t, now, &next);
  for (uint32_t i = 0; i < t->params.units; i++) {
    tex_unit_t *u = &t->units[i];
    if (u->wake <= now) {
      u->wake = step_unit(t, u, i, now);
    }
    cycle_earliest(&next, u->wake);
  }
  if (t->l2_waiting) {
    t->design->fetch(t, now, &next);
    if (t->event_ring.count) {
      cycle_earliest(&next, t->events[t->event_ring.head].cycle);
    }
  }
  return next;
}

uint64_t texture_units_pending(const texture_units_t *t) { return t->pending; }

const texture_stats_t *texture_units_stats(const texture_units_t *t) { return &t->stats; }

void texture_units_describe(const texture_units_t *t, uint32_t unit, text_t *text) {
  const tex_unit_t *u = &t->units[unit];
  const tex_flight_t *f = u->flight_ring.count ? &u->flights[u->flight_ring.head] : NULL;
  text_format(text,
              "texture unit %u: %u quads queued, %u in flight, %u results; oldest awaits %u; lines "
              "under way %d, packages offered %u%s%s",
              unit, u->request_ring.count, u->flight_ring.count, u->result_ring.count,
              f ? f->awaited : 0, (int)t->params.l1_misses - __builtin_popcountll(u->miss_free),
              u->offload_ring.count, u->stalled != TEXTURE_NEVER ? "; no room for a miss" : "",
              u->held ? "; told to stall" : "");
}
