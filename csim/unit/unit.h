// SPDX-License-Identifier: Apache-2.0
// Shared parts of the interfaces of all hardware units.
//
// A unit is reached through one C function, step(in, out), one clock a call. Its
// boundary outputs depend on state only, so a caller reads the outputs of cycle
// t, builds the inputs of cycle t from them, and calls step, which applies the
// inputs, clocks once and writes the outputs of cycle t + 1. `quiescent` is the
// one exception: it says that another clock under the same inputs would change
// nothing, so the caller need not call step until an input changes.
#ifndef NOCTURNE_UNIT_UNIT_H
#define NOCTURNE_UNIT_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UnitMaxGpus = 64 };

// The status of a step. Anything but UnitOk ends the run; the engine behind the
// unit holds the report.
typedef enum {
  UnitOk = 0,
  UnitMismatch,  // lockstep: golden and RTL differ
  UnitStopped,   // the simulator stopped: an assertion or a fatal error
} unit_status_e;

#endif
