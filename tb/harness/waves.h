// SPDX-License-Identifier: Apache-2.0
// Writes waves of one instance as FST. The file is opened at the first cycle of the window, and
// closed after its last or when a signal ends the program.
#ifndef NOCTURNE_HARNESS_WAVES_H
#define NOCTURNE_HARNESS_WAVES_H

#include "failure.h"

typedef struct {
  const char *path;          // kept
  uint64_t from, to;         // to 0: no end
  instance_t *unit;          // NULL: no waves
  const failure_t *failure;  // the first one of the run; its class is NULL before
  bool is_wanted;            // the window is not past
  bool is_open;
  err_t err;  // why the file is missing or incomplete
} waves_t;

// Call it before the hardware is clocked in unit->cycle.
void waves_step(waves_t *waves);

// Ends the file and writes its save file; a second call does nothing.
void waves_close(waves_t *waves);

void waves_make_folder(void);  // build/waves

#endif
