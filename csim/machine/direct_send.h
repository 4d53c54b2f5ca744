// SPDX-License-Identifier: Apache-2.0
// Naive direct-send (CHOPIN, IV-C): without a scheduler a GPU sends to the others in ascending
// order, from GPU 0 or from own + 1 (direct.order), whether they are ready or not, and blocks at
// the head. It merges what has arrived, transparent sub-images only next to what it already has.
#ifndef NOCTURNE_MACHINE_DIRECT_SEND_H
#define NOCTURNE_MACHINE_DIRECT_SEND_H

#include "exchange.h"

typedef struct direct_send direct_send_t;

// NULL: out of memory.
direct_send_t *direct_send_create(const site_t *site, exchange_t *exchange);
void direct_send_destroy(direct_send_t *direct);

// GPU g's composition begins.
void direct_send_begin(direct_send_t *direct, uint32_t g, bool transparent);
// The sub-image of source has been merged at g.
void direct_send_merged(direct_send_t *direct, uint32_t g, uint32_t source);
// Gives GPU g its orders of this cycle. True: it has sent to and merged from all others.
bool direct_send_step(direct_send_t *direct, uint32_t g, uint64_t now);
// The next cycle at which there may be more to order.
uint64_t direct_send_next(const direct_send_t *direct, uint32_t g, uint64_t now);

uint64_t direct_send_starts(const direct_send_t *direct);

#endif
