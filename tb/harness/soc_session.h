// SPDX-License-Identifier: Apache-2.0
// A system on a chip, and the engine of its scheduler, which lasts as long: from frame to frame.
#ifndef NOCTURNE_HARNESS_SOC_SESSION_H
#define NOCTURNE_HARNESS_SOC_SESSION_H

#include "csim/machine/machine_params.h"
#include "csim/machine/soc.h"
#include "harness.h"

// The SoC writes its clock here for the harness, so this may not move.
typedef struct {
  soc_t *soc;
  harness_t *harness;
  uint64_t clock;
  harness_unit_stats_t before;  // of the scheduler, when the frame before ended
  bool watched;                 // log and waves of all units are the scheduler's
} soc_session_t;

// Makes the SoC that the parameters ask for. options: as for rendering_make. Returns false with one
// line in *err, and ErrMachine if the machine lacks a tool or memory.
bool soc_session_make(soc_session_t *session, const harness_options_t *options,
                      const machine_params_t *params, err_t *err);

// Takes away from the options of a frame what is the scheduler's: waves where they name it, log and
// waves of all units where they name no other unit.
void soc_session_leave(const soc_session_t *session, harness_options_t *options);

// Returns what the scheduler's engine has counted in the frame; the name is NULL without one.
harness_unit_stats_t soc_session_stats(const soc_session_t *session);

// The frame is over: the counts begin anew.
void soc_session_next(soc_session_t *session);

void soc_session_end(soc_session_t *session);

#endif
