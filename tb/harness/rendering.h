// SPDX-License-Identifier: Apache-2.0
// Renders one frame on one machine: the harness behind its units, the machine, and the judgement of
// the picture.
//
// Call rendering_make, rendering_run, then check_finish, which judges the picture; rendering_end
// frees everything that was made, whatever failed.
#ifndef NOCTURNE_HARNESS_RENDERING_H
#define NOCTURNE_HARNESS_RENDERING_H

#include "csim/machine/check.h"
#include "harness.h"
#include "soc_session.h"

// The machine writes its clock here for the harness while it runs, so this may not move.
typedef struct {
  harness_t *harness;
  machine_t *machine;
  check_t *check;
  driver_memory_t *rehearsed;  // of this frame, with driver.rehearse
  soc_session_t *soc;          // set before rendering_make: whose GPU it is; NULL: there is no SoC
  bool unjudged;  // set before rendering_make: nobody looks at the picture, so there is no check
  bool hashed;    // likewise: the check also has the frame's hash
  uint64_t clock;
} rendering_t;

// Returns the makers of a machine's units by the harness, with its engine.
machine_units_t rendering_units(harness_t *h);

// Makes everything. options: without clock and behind, which are set here. memory: the driver's of
// the frame before, or NULL. On failure either *err is set, with ErrMachine if the machine lacks a
// tool or memory and ErrCheck otherwise, or harness_failure has a report. With driver.rehearse the
// frame is rendered once before, with the golden engine.
bool rendering_make(rendering_t *rendering, const harness_options_t *options,
                    const machine_params_t *params, const frame_t *frame,
                    const driver_memory_t *memory, err_t *err);

// Renders to the end; rendering_failure describes a failure.
machine_status_e rendering_run(rendering_t *rendering, machine_progress_t progress, void *context);

// Adds what failed: a unit's report, or the machine's. status: of rendering_run.
void rendering_failure(const rendering_t *rendering, machine_status_e status, text_t *text);

void rendering_end(rendering_t *rendering);

#endif
