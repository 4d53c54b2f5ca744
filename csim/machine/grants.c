// SPDX-License-Identifier: Apache-2.0
#include "grants.h"

#include <stdlib.h>

typedef struct {
  uint8_t gpu[UnitMaxGpus];
  bool front[UnitMaxGpus];
  uint32_t count;
} queue_t;

typedef struct {
  bool transparent;
  queue_t sends, receives;
  uint32_t issued, merged;  // sends passed to the unit, merges over
  bool tells;               // the ending of the send under way is still to be told
  uint8_t destination;      // of it
} lane_t;

struct grants {
  uint32_t gpus, window, most;
  exchange_t *exchange;
  lane_t *lanes;
};

grants_t *grants_create(const site_t *site, exchange_t *exchange) {
  grants_t *c = calloc(1, sizeof *c);
  if (!c) {
    return NULL;
  }
  *c = (grants_t){.gpus = site->params->gpus,
                  .window = 2 * site->params->message_latency,
                  .most = machine_lookahead(site->params),
                  .exchange = exchange};
  c->lanes = calloc(c->gpus, sizeof *c->lanes);
  if (!c->lanes) {
    free(c);
    return NULL;
  }
  return c;
}

void grants_destroy(grants_t *c) {
  if (c) {
    free(c->lanes);
    free(c);
  }
}

uint32_t grants_depth(const grants_t *c, uint32_t g) {
  uint64_t mean = exchange_foreign_beats(c->exchange, g) / (c->gpus - 1);
  uint64_t depth = 1 + c->window / (mean + 1);
  return depth < c->most ? (uint32_t)depth : c->most;
}

void grants_begin(grants_t *c, uint32_t g, bool transparent) {
  c->lanes[g] = (lane_t){.transparent = transparent};
}

static void push(queue_t *q, uint32_t gpu, bool front) {
  q->gpu[q->count] = (uint8_t)gpu;
  q->front[q->count++] = front;
}

static void take(queue_t *q, uint32_t at) {
  for (q->count--; at < q->count; at++) {
    q->gpu[at] = q->gpu[at + 1];
    q->front[at] = q->front[at + 1];
  }
}

void grants_send(grants_t *c, uint32_t g, uint32_t destination) {
  push(&c->lanes[g].sends, destination, false);
}

void grants_receive(grants_t *c, uint32_t g, uint32_t source, bool front) {
  push(&c->lanes[g].receives, source, front);
}

void grants_merged(grants_t *c, uint32_t g) { c->lanes[g].merged++; }

static void order_merge(grants_t *c, lane_t *l, uint32_t g, uint64_t now) {
  queue_t *q = &l->receives;
  uint32_t at = 0;
  while (!l->transparent && at < q->count && !exchange_offered(c->exchange, q->gpu[at], g, now)) {
    at++;
  }
  if (at < q->count) {
    exchange_receive(c->exchange, g, q->gpu[at], q->front[at]);
    take(q, at);
  }
}

bool grants_step(grants_t *c, uint32_t g, uint64_t now) {
  lane_t *l = &c->lanes[g];
  bool sending = exchange_sending(c->exchange, g);
  if (!sending && l->sends.count > 0) {
    l->destination = l->sends.gpu[0];
    l->tells = true;
    l->issued++;
    exchange_send(c->exchange, g, l->destination);
    take(&l->sends, 0);
    sending = true;
  }
  if (!exchange_receiving(c->exchange, g)) {
    order_merge(c, l, g, now);
  }
  return l->issued == c->gpus - 1 && !sending && l->merged == c->gpus - 1;
}

int grants_ending(grants_t *c, uint32_t g) {
  lane_t *l = &c->lanes[g];
  if (!l->tells || exchange_beats_left(c->exchange, g) > c->window) {
    return ExchangeNone;
  }
  l->tells = false;
  return l->destination;
}

uint64_t grants_next(const grants_t *c, uint32_t g, uint64_t now) {
  const queue_t *q = &c->lanes[g].receives;
  uint64_t next = UINT64_MAX;
  // While it receives, the exchange says when to go on.
  for (uint32_t i = 0; i < q->count && !exchange_receiving(c->exchange, g); i++) {
    cycle_earliest(&next, exchange_offer_next(c->exchange, q->gpu[i], g, now));
  }
  return next;
}
