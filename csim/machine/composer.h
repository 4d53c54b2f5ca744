// SPDX-License-Identifier: Apache-2.0
// The composition scheduler and the messages between it and the GPUs (CHOPIN, IV-E): they report
// that a sub-image is complete or a transfer over, it orders transfers and releases.
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
composer_t *composer_create(const site_t *site, const machine_units_t *units, uint64_t *wakes,
                            char error[FrameErrorSize]);
void composer_destroy(composer_t *composer);

// The scheduler's cycle, if it has something to do. A failure ends the run.
void composer_step(composer_t *composer, uint64_t now, failure_t *failure);
// The next cycle at which it has something to do, UINT64_MAX if it waits for reports.
uint64_t composer_next(const composer_t *composer, uint64_t now);

// GPU g reports; kind: composition_scheduler_message_e.
void composer_report(composer_t *composer, uint32_t g, uint32_t kind, uint64_t now);
// The order that has arrived at GPU g, which is then gone. False: none.
bool composer_order(composer_t *composer, uint32_t g, uint64_t now, order_t *order);
// When the next one arrives there.
uint64_t composer_arrival(const composer_t *composer, uint32_t g, uint64_t now);

// A line for the report of a hang.
void composer_describe(const composer_t *composer, char *text, size_t size);
const composer_stats_t *composer_stats(const composer_t *composer);

#endif
