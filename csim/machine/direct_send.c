// SPDX-License-Identifier: Apache-2.0
#include "direct_send.h"

#include <stdlib.h>

typedef struct {
  bool transparent;
  uint32_t sends;   // transfers ordered
  uint64_t merged;  // mask
  uint8_t source;   // of the last merge
} lane_t;

struct direct_send {
  uint32_t gpus, order;  // machine_order_e
  exchange_t *exchange;
  lane_t *lanes;
  uint64_t starts;
};

direct_send_t *direct_send_create(const site_t *site, exchange_t *exchange) {
  direct_send_t *d = calloc(1, sizeof *d);
  if (d) {
    d->gpus = site->params->gpus;
    d->order = site->params->direct_order;
    d->exchange = exchange;
    d->lanes = calloc(d->gpus, sizeof *d->lanes);
    if (!d->lanes) {
      free(d);
      return NULL;
    }
  }
  return d;
}

void direct_send_destroy(direct_send_t *d) {
  if (d) {
    free(d->lanes);
    free(d);
  }
}

void direct_send_begin(direct_send_t *d, uint32_t g, bool transparent) {
  d->lanes[g].transparent = transparent;
  d->lanes[g].sends = 0;
  d->lanes[g].merged = 0;
}

void direct_send_merged(direct_send_t *d, uint32_t g, uint32_t source) {
  d->lanes[g].merged |= 1ull << source;
}

// Returns true if the sub-image of `source` may be merged at g now.
static bool mergeable(const lane_t *l, uint32_t g, uint32_t source) {
  if (source == g || l->merged >> source & 1) {
    return false;
  }
  if (!l->transparent) {
    return true;
  }
  uint64_t have = l->merged | 1ull << g;
  return source > g ? have >> (source - 1) & 1 : have >> (source + 1) & 1;
}

static void order_merge(direct_send_t *d, lane_t *l, uint32_t g, uint64_t now) {
  for (uint32_t k = 1; k <= d->gpus; k++) {
    uint32_t source = (l->source + k) % d->gpus;
    if (mergeable(l, g, source) && exchange_offered(d->exchange, source, g, now)) {
      exchange_receive(d->exchange, g, source, source > g);
      l->source = (uint8_t)source;
      return;
    }
  }
}

// The GPU that g sends to as its n-th, from 0.
static uint32_t receiver(const direct_send_t *d, uint32_t g, uint32_t n) {
  return d->order == MachineOrderOwn ? (g + 1 + n) % d->gpus : n + (n >= g);
}

bool direct_send_step(direct_send_t *d, uint32_t g, uint64_t now) {
  lane_t *l = &d->lanes[g];
  bool sending = exchange_sending(d->exchange, g);
  bool all_sent = l->sends == d->gpus - 1 && !sending;
  if (l->sends < d->gpus - 1 && !sending) {
    exchange_send(d->exchange, g, receiver(d, g, l->sends));
    l->sends++;
    d->starts++;
  }
  if (!exchange_receiving(d->exchange, g)) {
    order_merge(d, l, g, now);
  }
  return all_sent && !exchange_receiving(d->exchange, g) &&
         (uint32_t)__builtin_popcountll(l->merged) == d->gpus - 1;
}

uint64_t direct_send_next(const direct_send_t *d, uint32_t g, uint64_t now) {
  uint64_t next = UINT64_MAX;
  // While it receives, the exchange says when to go on.
  for (uint32_t s = 0; s < d->gpus && !exchange_receiving(d->exchange, g); s++) {
    if (mergeable(&d->lanes[g], g, s)) {
      cycle_earliest(&next, exchange_offer_next(d->exchange, s, g, now));
    }
  }
  return next;
}

uint64_t direct_send_starts(const direct_send_t *d) { return d->starts; }
