// SPDX-License-Identifier: Apache-2.0
// Golden models as a GPU's units. `context` holds them until golden_units_free.
#ifndef NOCTURNE_TESTS_GOLDEN_UNITS_H
#define NOCTURNE_TESTS_GOLDEN_UNITS_H

#include "csim/gpu/gpu.h"
#include "csim/units/primitive_distributor/golden.h"
#include "csim/units/tile_coalescer/golden.h"

enum { MaxGoldenUnits = 256 };

typedef struct {
  tile_coalescer_t coalescers[MaxGoldenUnits];
  primitive_distributor_t distributors[MaxGoldenUnits];
  uint32_t coalescer_count, distributor_count;
} golden_units_t;

static inline bool golden_coalescer(void *context, const tile_coalescer_params_t *params,
                                    uint32_t instance, tile_coalescer_t *engine, err_t *err) {
  golden_units_t *u = context;
  (void)instance;
  (void)err;
  if (u->coalescer_count == MaxGoldenUnits || !tile_coalescer_golden_create(params, engine)) {
    return false;
  }
  u->coalescers[u->coalescer_count++] = *engine;
  return true;
}

static inline bool golden_distributor(void *context, const primitive_distributor_params_t *params,
                                      uint32_t instance, primitive_distributor_t *engine,
                                      err_t *err) {
  golden_units_t *u = context;
  (void)instance;
  (void)err;
  if (u->distributor_count == MaxGoldenUnits ||
      !primitive_distributor_golden_create(params, engine)) {
    return false;
  }
  u->distributors[u->distributor_count++] = *engine;
  return true;
}

static inline gpu_units_t golden_units(golden_units_t *u) {
  *u = (golden_units_t){.coalescer_count = 0};
  return (gpu_units_t){u, golden_distributor, golden_coalescer};
}

static inline void golden_units_free(golden_units_t *u) {
  while (u->coalescer_count > 0) {
    tile_coalescer_golden_destroy(&u->coalescers[--u->coalescer_count]);
  }
  while (u->distributor_count > 0) {
    primitive_distributor_golden_destroy(&u->distributors[--u->distributor_count]);
  }
}

#endif
