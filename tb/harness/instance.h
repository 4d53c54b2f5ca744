// SPDX-License-Identifier: Apache-2.0
// One unit instance: its golden model, its hardware, and their last outputs.
//
// Call instance_open, then instance_reset before the first clock; instance_close frees everything.
// In a step, instance_clock_golden clocks the golden model, then instance_clock_rtl the hardware.
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
  void *last_in, *last_out;  // inputs of the last quiescent step, and scratch
  step_log_t log;
  uint64_t cycle;  // of the step in work
  uint64_t steps;
  uint32_t reset_clocks;  // of the last reset
  bool was_quiescent;
} instance_t;

// Opens an instance without its hardware, which instance_open_rtl opens. params: the unit's
// parameter struct. Owns golden from here on, also on failure; NULL with the rtl engine. Fails if
// memory runs out.
bool instance_open(instance_t *unit, const unit_model_t *model, uint32_t number, const void *params,
                   engine_e engine, void *golden, err_t *err);

// Opens the hardware. kind: as for rtl_model_open.
bool instance_open_rtl(instance_t *unit, const char *kind, uint64_t seed, bool *lacking,
                       err_t *err);

void instance_close(instance_t *unit);

static inline uint32_t instance_dim(const instance_t *unit, uint32_t number) {
  return unit_dim(unit->dims, number);
}

// Returns true if the hardware is the synthesized netlist, not the RTL.
static inline bool instance_has_netlist(const instance_t *unit) {
  return unit->engine == EngineGates;
}

// Resets both, the hardware for this many clocks; out gets the outputs after it.
void instance_reset(instance_t *unit, uint32_t clocks, void *out);

// Clocks golden once; its state is read where it is compared. Returns UnitStopped if it is a user's
// and failed.
static inline unit_status_e instance_clock_golden(instance_t *unit, const void *in, void *out) {
  const unit_status_e status = unit->info->step(unit->golden, in, out);
  if (status == UnitOk && unit->info->observe && unit->has_rtl) {
    unit->info->observe(unit->golden, unit->golden_state);
  }
  return status;
}

// Clocks the hardware once, into rtl_out and rtl_state.
static inline void instance_clock_rtl(instance_t *unit, const void *in, uint64_t cycle) {
  unit->context.in = in;
  unit->rtl.step(unit->rtl.model, cycle);
}

void instance_observe(const instance_t *unit, void *state);

#endif
