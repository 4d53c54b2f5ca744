// SPDX-License-Identifier: Apache-2.0
// How the run of a machine ended.
#ifndef NOCTURNE_MACHINE_HALT_H
#define NOCTURNE_MACHINE_HALT_H

#include "../base/text.h"
#include "../unit/table.h"

typedef enum {
  MachineDone,
  MachineUnitFailed,  // an engine reported a mismatch or a stop
  MachineHang,
  MachineProtocol,  // a unit raised its error output
} machine_status_e;

// A halt_t of zeros has not failed. The first failure stands; later ones are ignored.
typedef struct {
  machine_status_e status;
  text_t text;  // owned: what failed; after a hang, what each unit and GPU waits for
} halt_t;

// Sets a failure. The text starts with the cycle, `now`. Returns false.
bool halt_set(halt_t *halt, machine_status_e status, uint64_t now, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// Judges a unit's step by its status and its error output. Returns false if either is a failure.
// instance: the unit's number, or HaltOnly.
enum { HaltOnly = -1 };
bool halt_check(halt_t *halt, uint64_t now, const unit_info_t *unit, int instance,
                unit_status_e status, uint8_t error);

#endif
