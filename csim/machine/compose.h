// SPDX-License-Identifier: Apache-2.0
// Image composition: a GPU whose sub-image is complete reports ready, the composition
// scheduler starts transfers, the distribution units send and merge over the links,
// and a GPU that has exchanged with all others goes on (CHOPIN, IV-C, IV-E).
//
// Who gives the orders: composer.h, or direct_send.h. What carries them out: exchange.h, or
// ideal.h.
#ifndef NOCTURNE_MACHINE_COMPOSE_H
#define NOCTURNE_MACHINE_COMPOSE_H

#include "dispatch.h"
#include "distribution_unit.h"

typedef struct {
  uint64_t bytes;         // beats, side-band included; without distribution units: pixels
  uint64_t header_bytes;  // of those: headers, side-band, end beats
  uint64_t message_bytes;
  uint64_t starts, releases;
  uint64_t early_bytes, early_transfers;  // sent while the group was drawn
  uint64_t cycles;                        // summed over GPUs: ready to release
} compose_stats_t;

// When each composition was where; all NULL with composition in no time.
typedef struct {
  const uint64_t *ready, *released;  // cycle; [composed index * gpus + GPU]
  const uint32_t *beats;             // [(composed index * gpus + source) * gpus + destination]
  uint32_t beat_bytes;
  const link_params_t *link;
} compose_record_t;

typedef struct compose compose_t;

// distributors: one for each GPU, with these parameters; NULL: composition in no time.
// dispatch is told to flush a GPU's progress once that waits to compose. NULL with one line in
// error.
compose_t *compose_create(const site_t *site, dispatch_t *dispatch, const machine_units_t *units,
                          const pixel_distributor_params_t *params,
                          distribution_unit_t *distributors, err_t *err);
part_t compose_part(compose_t *compose);

compose_record_t compose_record(const compose_t *compose);
compose_stats_t compose_stats(const compose_t *compose);

#endif
