// SPDX-License-Identifier: Apache-2.0
// Composition with lookahead: the queues of granted transfers at each GPU, in front of its
// distribution unit (docs/units/lookahead_scheduler.md).
//
// A sender serves its grants in order, and says once when the one under way will soon end. A
// receiver merges one source at a time: opaque, the oldest grant of which something has come;
// transparent, in order. A GPU that has sent to all others and merged all of them is released.
#ifndef NOCTURNE_MACHINE_GRANTS_H
#define NOCTURNE_MACHINE_GRANTS_H

#include "exchange.h"

typedef struct grants grants_t;

// NULL: out of memory.
grants_t *grants_create(const site_t *site, exchange_t *exchange);
void grants_destroy(grants_t *grants);

// The transfers that GPU g should have outstanding at once, by how long they will be: 1 to the
// machine's lookahead. Its composition has not begun.
uint32_t grants_depth(const grants_t *grants, uint32_t g);

void grants_begin(grants_t *grants, uint32_t g, bool transparent);
void grants_send(grants_t *grants, uint32_t g, uint32_t destination);
void grants_receive(grants_t *grants, uint32_t g, uint32_t source, bool front);
void grants_merged(grants_t *grants, uint32_t g);

// GPU g's cycle: orders to its unit. True: it has exchanged with all.
bool grants_step(grants_t *grants, uint32_t g, uint64_t now);
// After the exchange's step: the receiver of a transfer that will soon end, once for each, or
// ExchangeNone.
int grants_ending(grants_t *grants, uint32_t g);
// The next cycle at which something that it waits for may have come.
uint64_t grants_next(const grants_t *grants, uint32_t g, uint64_t now);

#endif
