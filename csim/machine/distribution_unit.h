// SPDX-License-Identifier: Apache-2.0
// A pixel-distribution unit with its pins, for those that drive it.
#ifndef NOCTURNE_MACHINE_DISTRIBUTION_UNIT_H
#define NOCTURNE_MACHINE_DISTRIBUTION_UNIT_H

#include "halt.h"
#include "machine_params.h"
#include "machine_units.h"

typedef struct {
  pixel_distributor_t engine;
  pixel_distributor_in_t in;
  pixel_distributor_out_t out;
} distribution_unit_t;

// Large enough for every surface of the frame.
pixel_distributor_params_t distribution_unit_params(const machine_params_t *machine,
                                                    const frame_t *frame);

// GPU g's, reset. False with one line in error.
bool distribution_unit_create(distribution_unit_t *d, const pixel_distributor_params_t *params,
                              uint32_t g, const machine_units_t *units, err_t *err);

// Sets the inputs of a configuration, but for its valid.
void distribution_unit_configure(distribution_unit_t *d, const machine_params_t *machine,
                                 uint32_t width, uint32_t height);

// One clock. False: it failed, or raised its error output.
bool distribution_unit_step(distribution_unit_t *d, uint64_t now, halt_t *halt);

#endif
