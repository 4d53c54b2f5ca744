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

typedef enum { EngineGolden, EngineRtl, EngineLockstep, EngineGates } engine_e;

enum { HarnessErrorSize = 256 };

typedef struct {
  engine_e engine;
  uint64_t seed;           // of the RTL's initial register values and of the skip checks
  const char *command;     // that reproduces this run, for reports
  const uint64_t *clock;   // the machine's cycle, or NULL: each unit counts its own steps
  const char *waves;       // FST file, or NULL
  const char *waves_unit;  // NULL: the first unit made
  uint32_t waves_instance;
  const char *system_waves;  // VCD file of all units together, or NULL
  uint64_t from, to;       // cycles of the waves; to 0: no end
  uint64_t before, after;  // cycles of the waves around a failure; 0, 0: 200 and 20
  const char *record;      // folder for the units' vectors, or NULL
  const char *log;         // file for the transactions of all units, or NULL (docs/harness.md)
  uint64_t keep_steps;      // inputs to keep in memory for harness_speed; 0: none
  bool behind;              // lockstep: the RTL is clocked and compared on a second thread, some
                            // thousand steps behind the golden model at most; a mismatch ends the
                            // run later, with the same report. Not with waves or a record.
} harness_options_t;

typedef struct {
  const char *name;
  uint64_t instances, steps, cycles_compared, mismatches, skips_checked;
} harness_unit_stats_t;

typedef struct harness harness_t;

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

// Plays a file of recorded vectors (docs/harness.md): makes the unit that it names and gives it
// the same inputs. Outputs that differ from the record count in *differing, the first one in
// text. False with one line in error: a broken file, or no simulator.
bool harness_play_vectors(harness_t *harness, const char *path, uint64_t *clock,
                          uint64_t *differing, char text[HarnessErrorSize],
                          char error[HarnessErrorSize]);

// After a failure of the first unit, with keep_steps large enough: cuts its inputs since the
// last reset down to a shortest stimulus with the same failure (no step can be left out, no
// field cleared), and writes it as vectors. False with one line in error.
typedef struct {
  uint64_t before, after;  // steps
  uint64_t trials;
} harness_shrunk_t;
bool harness_shrink(harness_t *harness, const char *path, harness_shrunk_t *shrunk,
                    char error[HarnessErrorSize]);

typedef struct {
  double lockstep_hz, bare_hz;  // steps a second
  double valid_share;           // of the steps in which any input was valid
} harness_speed_t;

// Drives the kept inputs of the first unit again and again: through lockstep, state
// comparison included, and through the bare Verilated unit, without DPI and comparison.
bool harness_speed(harness_t *harness, double seconds, harness_speed_t *speed,
                   char error[HarnessErrorSize]);

// Whether the machine is lacking (a tool or a library), as opposed to a failed check.
bool harness_lacking(const harness_t *harness);

const char *engine_name(engine_e engine);

#endif
