// SPDX-License-Identifier: Apache-2.0
#include "rendering.h"

#include <string.h>

#include "csim/units/pixel_distributor/golden.h"

void rendering_end(rendering_t *r) {
  check_destroy(r->check);
  machine_destroy(r->machine);
  harness_destroy(r->harness);
}

bool rendering_make(rendering_t *r, const harness_options_t *options,
                    const machine_params_t *params, const frame_t *frame,
                    const driver_memory_t *memory, err_t *err) {
  harness_options_t h = *options;
  h.clock = &r->clock;
  h.behind = true;
  r->harness = harness_create(&h);
  if (!r->harness) {
    return err_set(err, ErrMachine, "out of memory");
  }
  machine_units_t units = {r->harness,
                           harness_draw_scheduler,
                           harness_composition_scheduler,
                           harness_lookahead_scheduler,
                           harness_pixel_distributor_at,
                           harness_coarse_depth_at,
                           {r->harness, harness_offload_unit_at, harness_atfim_at},
                           pixel_merge_all};
  r->machine = machine_create(params, frame, memory, &units, err);
  if (!r->machine) {
    harness_settle(r->harness);
    if (harness_failure(r->harness)) {
      err_free(err);
    } else if (err->status != ErrMachine) {
      err->status = harness_lacking(r->harness) ? ErrMachine : ErrCheck;
    }
    return false;
  }
  machine_watch_clock(r->machine, &r->clock);
  if (r->unjudged) {
    return true;
  }
  r->check =
      check_create(frame, machine_plan(r->machine), machine_gpu_count(r->machine),
                   texturing_sampling(&params->texturing), texturing_reuses(&params->texturing));
  if (!r->check) {
    return err_set(err, ErrMachine, "out of memory for the reference picture");
  }
  check_start(r->check, r->hashed);
  return true;
}

machine_status_e rendering_run(rendering_t *r, machine_progress_t progress, void *context) {
  machine_status_e status = machine_run(r->machine, progress, context);
  return harness_settle(r->harness) ? status : MachineUnitFailed;
}

void rendering_failure(const rendering_t *r, machine_status_e status, text_t *text) {
  static const char *const Classes[] = {"", "MISMATCH", "HANG", "PROTOCOL"};
  const char *report = harness_failure(r->harness);
  if (report) {
    text_put(text, report);
    return;
  }
  text_format(text, "%s: %s\n", Classes[status], machine_report(r->machine));
  if (status == MachineHang) {
    harness_describe(r->harness, text);
  }
}
