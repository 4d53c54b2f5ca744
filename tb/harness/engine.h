// SPDX-License-Identifier: Apache-2.0
// The engines behind a unit's interface, and the options of a run of units (harness.h).
#ifndef NOCTURNE_HARNESS_ENGINE_H
#define NOCTURNE_HARNESS_ENGINE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>  // errors are one line by snprintf

#include "csim/base/err.h"
#include "csim/driver/policy.h"
#include "csim/unit/table.h"

typedef enum { EngineGolden, EngineRtl, EngineLockstep, EngineGates } engine_e;

typedef struct harness harness_t;

// A user's engine in place of a unit's golden model. create fills *engine for an instance and
// returns false if that fails. destroy gets the engine's self.
typedef struct {
  const char *unit;
  void *context;
  bool (*create)(void *context, const void *params, uint32_t instance, unit_engine_t *engine);
  void (*destroy)(void *self);
  const char *hash;  // of its files, for the result; NULL: not known
  const char
      *failure;  // what it did wrong, once step has returned UnitStopped; NULL: it says nothing
} harness_own_t;

// A user's decisions in place of the driver's.
typedef struct {
  driver_policy_t policy;
  const char *hash;     // of its file
  const char *failure;  // what it did wrong, in one line; NULL: nothing
} harness_driver_t;

typedef struct {
  engine_e engine;
  uint64_t seed;           // for the RTL's initial register values and for the skip checks
  const char *command;     // reproduces this run; for reports
  const uint64_t *clock;   // the machine's cycle, or NULL: each unit counts its own steps
  const char *waves;       // FST file, or NULL
  const char *waves_unit;  // NULL: the first unit made
  uint32_t waves_instance;
  const char *system_waves;   // VCD file of all units together, or NULL
  uint64_t from, to;          // cycles of the waves; to 0: no end
  uint64_t before, after;     // cycles of the waves around a failure; 0, 0: 200 and 20
  const char *record;         // folder for the units' vectors, or NULL
  const char *log;            // file for all transactions, or NULL (docs/reference/stimulus.md)
  struct activity *activity;  // gets the counts of the first unit made added; or NULL
  bool unreported;            // failures are counted, but no report is stored
  const harness_own_t *own;   // own_count engines in place of golden models, or NULL
  uint32_t own_count;
  harness_driver_t *driver;  // or NULL
  uint64_t keep_steps;       // inputs to keep in memory for speed.h and shrink.h; 0: none
  const char *rtl_kind;      // build kind of the RTL (tb/unit.mk); NULL: the usual one
  bool behind;               // lockstep: the RTL is clocked and compared on a second thread, some
                             // thousand steps behind the golden model at most; a mismatch ends the
                             // run later, with the same report. Not with waves or a record.
} harness_options_t;

static inline const char *engine_name(engine_e engine) {
  static const char *const Names[] = {"golden", "rtl", "lockstep", "gates"};
  return Names[engine];
}

#endif
