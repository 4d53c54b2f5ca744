// SPDX-License-Identifier: Apache-2.0
// Runs one unit instance behind an engine: clocks the golden model and the hardware, compares them
// in every step, and calls the observers.
#ifndef NOCTURNE_HARNESS_LOCKSTEP_H
#define NOCTURNE_HARNESS_LOCKSTEP_H

#include "csim/base/rng.h"
#include "engine.h"
#include "observer.h"
#include "spans.h"

enum { LockstepMaxObservers = 4, LockstepMaxReset = 3 };

typedef struct lockstep {
  harness_t *harness;
  instance_t unit;
  unit_engine_t engine;  // the unit's typed engine calls it
  bool is_tracing;       // it writes the waves, whose window has not ended
  bool failed;
  failure_t failure;  // the first one
  uint64_t cycles_compared, mismatches, skips_checked;
  rng_t rng, resets;
  const observer_t *observers[LockstepMaxObservers];
  uint32_t observer_count;
  observer_t recorder;             // writes its vectors
  bool quiet;                      // failures are noted and not reported: trials of shrink
  uint8_t *kept;                   // inputs of the steps so far, at most keep_steps of them
  uint64_t kept_count, kept_from;  // kept_from: the first after the last reset
  spans_t in_spans, out_spans;
  uint8_t *in, *out;            // of the step that the second thread checks
  uint8_t *sent_in, *sent_out;  // of the step that was handed over last
} lockstep_t;

// Makes an instance and records its vectors if the options say so. params: the unit's parameter
// struct. The instance owns golden from here on, also on failure; NULL with the rtl engine. Returns
// NULL on failure.
lockstep_t *lockstep_create(harness_t *harness, const unit_model_t *model, uint32_t instance,
                            const void *params, void *golden, err_t *err);

void lockstep_destroy(lockstep_t *l);

unit_status_e lockstep_step(lockstep_t *l, const void *in, void *out);

// Resets both, for 1 to LockstepMaxReset clocks, which the seed draws; or for these.
void lockstep_reset(lockstep_t *l, void *out);
void lockstep_reset_for(lockstep_t *l, uint32_t clocks, void *out);

// Returns the cycle in which the unit is: the machine's, or its own.
uint64_t lockstep_clock(const lockstep_t *l);

// Reports what is wrong with a user's unit, in the cycle in work. Returns UnitStopped.
unit_status_e lockstep_refuse(lockstep_t *l, const char *class, const char *what);

void lockstep_observe(lockstep_t *l, void *state);

// Records the steps as vectors from here on.
bool lockstep_record(lockstep_t *l, const char *path, err_t *err);

// Ends the vectors; fails if they are incomplete.
bool lockstep_end_record(lockstep_t *l, err_t *err);

// Checks a step that golden has done; lockstep_step hands it over to the second thread.
void lockstep_check_record(const void *record);

engine_e harness_engine(const harness_t *harness);
// Returns the user's engine in place of a unit, or NULL.
const harness_own_t *harness_own(const harness_t *harness, const char *unit);
lockstep_t *harness_unit(const harness_t *harness, uint32_t index);  // NULL beyond the last

#endif
