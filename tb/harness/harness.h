// SPDX-License-Identifier: Apache-2.0
// The engines behind the units' interfaces.
//
//   golden    the C reference only
//   rtl       the Verilated RTL only
//   lockstep  both; every output compared in every cycle, and the observed state
//   gates     lockstep with the synthesized netlist (rtl/synth) in place of the RTL
//
// Call harness_create, then one harness_... function for each unit that the machine wants (they fit
// machine_units_t), and harness_destroy at the end. After a mismatch, step returns UnitMismatch and
// harness_failure returns the report. docs/how-to/failure.md shows one.
#ifndef NOCTURNE_HARNESS_H
#define NOCTURNE_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "csim/base/text.h"
#include "engine.h"
#include "unit/units.h"

typedef struct {
  const char *name;
  uint64_t instances, steps, cycles_compared, mismatches, skips_checked;
} harness_unit_stats_t;

harness_t *harness_create(const harness_options_t *options);
void harness_destroy(harness_t *harness);

// Makes an instance of a unit. `typed` becomes its typed engine (NAME_t), which lives as long as
// the harness; NULL: nobody calls it. Fails without a simulator, or if a build fails, a parameter
// is out of range, a table leaves out a byte of a struct, or memory runs out.
bool harness_unit_create(harness_t *harness, const unit_info_t *info, const void *params,
                         uint32_t instance, void *typed, err_t *err);

// Make a typed instance of a unit: harness_NAME, and harness_NAME_at for one of several instances.
// context is the harness.
#define HARNESS_UNIT(name)                                                                  \
  static inline bool harness_##name##_at(void *context, const name##_params_t *params,      \
                                         uint32_t instance, name##_t *engine, err_t *err) { \
    return harness_unit_create(context, &name##_info, params, instance, engine, err);       \
  }                                                                                         \
  static inline bool harness_##name(void *context, const name##_params_t *params,           \
                                    name##_t *engine, err_t *err) {                         \
    return harness_unit_create(context, &name##_info, params, 0, engine, err);              \
  }
UNITS(HARNESS_UNIT)

// Returns the options that the harness was made with.
const harness_options_t *harness_options(const harness_t *harness);

// Waits for the second thread (harness_options_t.behind); returns false if anything failed. Call it
// before reading statistics or the failure.
bool harness_settle(harness_t *harness);

// Sums the statistics of all instances of one unit. Units count from 0 in the order in which they
// were made; returns false if there are fewer.
bool harness_stats(const harness_t *harness, uint32_t number, harness_unit_stats_t *stats);

// Sums the statistics of all instances of all units; the name is NULL.
harness_unit_stats_t harness_totals(const harness_t *harness);

// Returns the report of the first failure, or NULL.
const char *harness_failure(const harness_t *harness);

// Returns the command that repeats the run with waves around the first failure, or NULL.
const char *harness_waves_command(const harness_t *harness);

// Ends waves, vectors and the log after the last step. Returns one line if they are missing or
// incomplete, or NULL.
const char *harness_output_error(harness_t *harness);

// Adds to the report of a hang what each unit waits for: its valid interfaces without ready, its
// outputs, its last clocked cycle.
void harness_describe(const harness_t *harness, text_t *text);

// Returns the seconds of building and loading the units' hardware, for rates without them.
double harness_build_seconds(const harness_t *harness);

// Returns true if the machine lacks a tool or a library, as opposed to a failed check.
bool harness_lacking(const harness_t *harness);

#endif
