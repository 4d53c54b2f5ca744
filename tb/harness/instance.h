// SPDX-License-Identifier: Apache-2.0
// One unit instance: its golden model and its hardware, and what they showed last.
//
// instance_open, then instance_reset before the first clock; instance_close frees all. golden is
// clocked by instance_clock_golden, the hardware by instance_clock_rtl, in that order in a step.
#ifndef NOCTURNE_HARNESS_INSTANCE_H
#define NOCTURNE_HARNESS_INSTANCE_H

#include "csim/unit/table.h"
#include "engine.h"
#include "rtl_model.h"
#include "step_log.h"

typedef struct {
  const unit_info_t *info;
  const unit_model_t *model;
  uint32_t number;
  char params[UnitParamsText];  // the RTL's, "NumGpus=8 ..."
  uint32_t dims[UnitMaxDims];
  engine_e engine;
  bool has_golden, has_rtl;
  void *golden;  // the typed engine, owned
  rtl_model_t rtl;
  dpi_context_t context;
  void *rtl_out, *rtl_state, *golden_state;
  void *last_in, *last_out;  // of the last quiescent step, and scratch
  step_log_t log;
  uint64_t cycle;  // of the step in work
  uint64_t steps;
  bool was_quiescent;
} instance_t;

// params: the unit's parameter struct. Takes golden, which may be NULL with the rtl engine, also
// where it fails. False with one line in error: out of memory. The hardware is opened by
// instance_open_rtl.
bool instance_open(instance_t *unit, const unit_model_t *model, uint32_t number, const void *params,
                   engine_e engine, void *golden, err_t *err);

// kind as for rtl_model_open. False with one line in error.
bool instance_open_rtl(instance_t *unit, const char *kind, uint64_t seed, bool *lacking,
                       err_t *err);

void instance_close(instance_t *unit);

static inline uint32_t instance_dim(const instance_t *unit, uint32_t number) {
  return unit_dim(unit->dims, number);
}

// The hardware is the synthesized netlist, not the RTL.
static inline bool instance_has_netlist(const instance_t *unit) {
  return unit->engine == EngineGates;
}

// Resets both; out: the outputs after it.
void instance_reset(instance_t *unit, void *out);

// One clock of golden; its state is read where it is compared.
static inline void instance_clock_golden(instance_t *unit, const void *in, void *out) {
  unit->info->step(unit->golden, in, out);
  if (unit->info->observe && unit->has_rtl) {
    unit->info->observe(unit->golden, unit->golden_state);
  }
}

// One clock of the hardware, into rtl_out and rtl_state.
static inline void instance_clock_rtl(instance_t *unit, const void *in, uint64_t cycle) {
  unit->context.in = in;
  unit->rtl.step(unit->rtl.model, cycle);
}

void instance_observe(const instance_t *unit, void *state);

#endif
