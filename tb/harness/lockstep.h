// SPDX-License-Identifier: Apache-2.0
// One unit instance behind an engine: clocks the golden model and the hardware, compares them in
// every step, and tells the observers.
#ifndef NOCTURNE_HARNESS_LOCKSTEP_H
#define NOCTURNE_HARNESS_LOCKSTEP_H

#include "csim/base/rng.h"
#include "engine.h"
#include "observer.h"

enum { LockstepMaxObservers = 4 };

typedef struct lockstep {
  harness_t *harness;
  instance_t unit;
  unit_engine_t engine;  // what the unit's typed engine calls
  bool is_tracing;  // it has the waves, and their window is not past
  bool failed;
  failure_t failure;  // the first one
  uint64_t cycles_compared, mismatches, skips_checked;
  rng_t rng;
  const observer_t *observers[LockstepMaxObservers];
  uint32_t observer_count;
  observer_t recorder;  // of vectors, its own
  bool quiet;           // a failure is noted, not reported: trials of shrink
  uint8_t *kept;        // inputs of the steps so far, at most keep_steps of them
  uint64_t kept_count, kept_from;  // kept_from: the first after the last reset
} lockstep_t;

// params: the unit's parameter struct. golden may be NULL with the rtl engine; it is owned by the
// instance from here on, also where it fails. Its vectors are recorded, if that is wanted. NULL
// with one line in error.
lockstep_t *lockstep_create(harness_t *harness, const unit_model_t *model, uint32_t instance,
                            const void *params, void *golden, err_t *err);

void lockstep_destroy(lockstep_t *l);

unit_status_e lockstep_step(lockstep_t *l, const void *in, void *out);
void lockstep_reset(lockstep_t *l, void *out);
void lockstep_observe(lockstep_t *l, void *state);

// Records its steps as vectors from here on. False with one line in error.
bool lockstep_record(lockstep_t *l, const char *path, err_t *err);

// Ends its vectors. False with one line in error: they are incomplete.
bool lockstep_end_record(lockstep_t *l, err_t *err);

// A step that golden has done, handed over by lockstep_step to the second thread.
void lockstep_check_record(const void *record);

engine_e harness_engine(const harness_t *harness);
lockstep_t *harness_unit(const harness_t *harness, uint32_t index);  // NULL beyond the last

#endif
