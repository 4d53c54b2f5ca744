// SPDX-License-Identifier: Apache-2.0
// The composition scheduler and the messages between it and the GPUs (CHOPIN, IV-E): they report
// that a sub-image is complete or a transfer over, it orders transfers and releases. With lookahead
// (docs/units/lookahead_scheduler.md) they report that a transfer will soon end, and release
// themselves.
#ifndef NOCTURNE_MACHINE_COMPOSER_H
#define NOCTURNE_MACHINE_COMPOSER_H

#include "machine_units.h"
#include "part.h"

typedef enum { OrderSend, OrderReceive, OrderRelease } order_e;

typedef struct {
  uint8_t kind;  // order_e
  uint8_t peer;  // send: to whom; receive: from whom
  bool front;    // receive: what comes lies in front
} order_t;

typedef struct {
  uint64_t starts;
  uint64_t message_bytes;
} composer_stats_t;

typedef struct composer composer_t;

// wakes: of each GPU, lowered to the arrival of what is sent there. NULL with one line in error.
composer_t *composer_create(const site_t *site, const machine_units_t *units, agenda_t *wakes,
                            err_t *err);
void composer_destroy(composer_t *composer);

// The scheduler's cycle, if it has something to do. A failure ends the run.
void composer_step(composer_t *composer, uint64_t now, halt_t *halt);
// The next cycle at which it has something to do, UINT64_MAX if it waits for reports.
uint64_t composer_next(const composer_t *composer, uint64_t now);

// GPU g's sub-image is complete. depth: transfers that it should have outstanding, with lookahead.
void composer_ready(composer_t *composer, uint32_t g, bool transparent, uint32_t depth,
                    uint64_t now);
// Reports that everything that GPU g was ordered to receive is merged; not with lookahead.
void composer_done(composer_t *composer, uint32_t g, uint64_t now);
// Its transfer to peer will soon end; with lookahead.
void composer_ending(composer_t *composer, uint32_t g, uint32_t peer, uint64_t now);
// The order that has arrived at GPU g, which is then gone. False: none.
bool composer_order(composer_t *composer, uint32_t g, uint64_t now, order_t *order);
// When the next one arrives there.
uint64_t composer_arrival(const composer_t *composer, uint32_t g, uint64_t now);

// Adds a line to the report of a hang.
void composer_describe(const composer_t *composer, text_t *text);
const composer_stats_t *composer_stats(const composer_t *composer);

#endif
