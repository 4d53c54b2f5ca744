// SPDX-License-Identifier: Apache-2.0
// How the run of a machine ended, and what failed, in words.
#ifndef NOCTURNE_MACHINE_FAILURE_H
#define NOCTURNE_MACHINE_FAILURE_H

#include <stdbool.h>
#include <stdint.h>

#include "../unit/table.h"

typedef enum {
  MachineDone,
  MachineUnitFailed,   // an engine reported a mismatch or a stop
  MachineHang,
  MachineProtocol,     // a unit raised its error output
} machine_status_e;

// The first failure stands; all zero: none.
typedef struct {
  machine_status_e status;
  char text[1 << 16];  // a hang: what each unit and GPU waits for
} failure_t;

// False always. now: the cycle, which the text starts with.
bool failure_set(failure_t *failure, machine_status_e status, uint64_t now, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// After a unit's step: its status and its error output. False if either is a failure. instance: of
// the unit, or FailureOnly.
enum { FailureOnly = -1 };
bool failure_check(failure_t *failure, uint64_t now, const unit_info_t *unit, int instance,
                   unit_status_e status, uint8_t error);

#endif
