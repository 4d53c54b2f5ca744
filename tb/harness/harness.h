// The engines behind the units' interfaces.
//
//   golden    the C reference alone
//   rtl       the Verilated RTL alone
//   lockstep  both; every output compared in every cycle, and the observed state
//   gates     lockstep with the synthesized netlist (rtl/synth) in the RTL's place
//
// harness_create, then one harness_... call for each unit that the machine wants (they
// fit machine_units_t), harness_destroy at the end. A mismatch makes step return
// UnitMismatch; harness_failure then has the report. docs/harness.md shows one.
#ifndef NOCTURNE_HARNESS_H
#define NOCTURNE_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "csim/unit/atfim.h"
#include "csim/unit/child_consolidation.h"
#include "csim/unit/combination_unit.h"
#include "csim/unit/composition_scheduler.h"
#include "csim/unit/draw_scheduler.h"
#include "csim/unit/offload_unit.h"
#include "csim/unit/parent_texel_buffer.h"
#include "csim/unit/pixel_distributor.h"
#include "csim/unit/texel_generator.h"
#include "engine.h"

typedef struct {
  const char *name;
  uint64_t instances, steps, cycles_compared, mismatches, skips_checked;
} harness_unit_stats_t;

harness_t *harness_create(const harness_options_t *options);
void harness_destroy(harness_t *harness);

// context is the harness. False with one line in error: no simulator, a build that
// failed, out of memory.
bool harness_draw_scheduler(void *context, const draw_scheduler_params_t *params,
                            draw_scheduler_t *engine, char error[HarnessErrorSize]);
bool harness_composition_scheduler(void *context, const composition_scheduler_params_t *params,
                                   composition_scheduler_t *engine, char error[HarnessErrorSize]);
bool harness_pixel_distributor(void *context, const pixel_distributor_params_t *params,
                               uint32_t instance, pixel_distributor_t *engine,
                               char error[HarnessErrorSize]);
bool harness_parent_texel_buffer(void *context, const parent_texel_buffer_params_t *params,
                                 parent_texel_buffer_t *engine, char error[HarnessErrorSize]);
bool harness_combination_unit(void *context, const combination_unit_params_t *params,
                              combination_unit_t *engine, char error[HarnessErrorSize]);
bool harness_atfim(void *context, const atfim_params_t *params, uint32_t instance,
                   atfim_t *engine, char error[HarnessErrorSize]);

bool harness_texel_generator(void *context, const texel_generator_params_t *params,
                             texel_generator_t *engine, char error[HarnessErrorSize]);
bool harness_child_consolidation(void *context, const child_consolidation_params_t *params,
                                 child_consolidation_t *engine, char error[HarnessErrorSize]);
bool harness_offload_unit(void *context, const offload_unit_params_t *params, uint32_t instance,
                          offload_unit_t *engine, char error[HarnessErrorSize]);

// Waits for the second thread (harness_options_t.behind); false if anything failed. Call it
// before reading statistics or the failure.
bool harness_settle(harness_t *harness);

// Sums over the instances of each unit; returns how many units there are (at most max).
uint32_t harness_stats(const harness_t *harness, harness_unit_stats_t *stats, uint32_t max);

// The report of the first failure, or NULL.
const char *harness_failure(const harness_t *harness);

// The command that repeats the run with waves around the first failure, or NULL.
const char *harness_waves_command(const harness_t *harness);

// Ends waves, vectors and the log, after the last step; one line if they are missing or incomplete,
// or NULL.
const char *harness_output_error(harness_t *harness);

// What each unit waits for, for a hang: its valid interfaces without ready, its outputs,
// its last clocked cycle. Returns the length of the text, cut to size.
size_t harness_describe(const harness_t *harness, char *text, size_t size);

// Whether the machine is lacking (a tool or a library), as opposed to a failed check.
bool harness_lacking(const harness_t *harness);

#endif
