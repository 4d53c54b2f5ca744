// SPDX-License-Identifier: Apache-2.0
// The exchange of sub-images over the links (CHOPIN, IV-C, VI-C): a distribution unit at each GPU,
// its touched map, its memory, and a link from each GPU to each other.
//
// For each GPU: while it draws a group, its touches go into the map. Once exchange_drained, its
// sub-image is complete; exchange_begin starts its composition, transfers are ordered with
// exchange_send and exchange_receive, and exchange_end empties the map for the next group.
#ifndef NOCTURNE_MACHINE_EXCHANGE_H
#define NOCTURNE_MACHINE_EXCHANGE_H

#include "distribution_unit.h"
#include "part.h"

typedef struct {
  uint64_t bytes;         // beats, side-band included
  uint64_t header_bytes;  // of those: headers, side-band, end beats
  uint64_t beats_taken;
  uint64_t early_bytes;  // of all: sent while the group was drawn
  uint64_t early_transfers;
} exchange_stats_t;

typedef struct exchange exchange_t;

enum { ExchangeNone = -1 };

// units: one for each GPU, with these parameters; wakes: of each GPU, lowered to the arrival of
// what is sent there. Both outlive it. NULL: out of memory.
exchange_t *exchange_create(const site_t *site, const pixel_distributor_params_t *params,
                            distribution_unit_t *units, agenda_t *wakes);
void exchange_destroy(exchange_t *exchange);

// All touches of GPU g's group are in its map, which holds nothing else.
bool exchange_drained(const exchange_t *exchange, uint32_t g, uint64_t now);
void exchange_begin(exchange_t *exchange, uint32_t g);
void exchange_end(exchange_t *exchange, uint32_t g);
// Tells if no early transfer is under way at g. That must be so once all final ones are over: those
// of a source are merged before its final one begins.
bool exchange_settled(const exchange_t *exchange, uint32_t g);

// Orders to GPU g; the one before is over.
void exchange_send(exchange_t *exchange, uint32_t g, uint32_t destination);
void exchange_receive(exchange_t *exchange, uint32_t g, uint32_t source, bool front);
bool exchange_sending(const exchange_t *exchange, uint32_t g);  // or ordered to
bool exchange_receiving(const exchange_t *exchange, uint32_t g);
// With lookahead, counted by the distribution units: beats that its transfers to all others will
// have, of the written cells; and those that are left of the send under way, UINT64_MAX before it
// has begun, 0 once it has ended.
uint64_t exchange_foreign_beats(const exchange_t *exchange, uint32_t g);
uint64_t exchange_beats_left(const exchange_t *exchange, uint32_t g);
// Something from source has arrived at g.
bool exchange_offered(const exchange_t *exchange, uint32_t source, uint32_t g, uint64_t now);
// When something more from source may.
uint64_t exchange_offer_next(const exchange_t *exchange, uint32_t source, uint32_t g, uint64_t now);

// GPU g's cycle. Returns the next cycle at which it has something to do. merged: the GPU whose
// sub-image has now been merged, or ExchangeNone. A failure ends the run.
uint64_t exchange_step(exchange_t *exchange, uint32_t g, uint64_t now, int *merged, halt_t *halt);

// Beats of each composition: [(composed index * gpus + source) * gpus + destination].
const uint32_t *exchange_beats(const exchange_t *exchange);
// As the links are: ideal ones have no bound.
const link_params_t *exchange_link(const exchange_t *exchange);

// Adds to the report of a hang what GPU g's unit does.
void exchange_describe(const exchange_t *exchange, uint32_t g, text_t *text);
const exchange_stats_t *exchange_stats(const exchange_t *exchange);

#endif
