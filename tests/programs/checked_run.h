// SPDX-License-Identifier: Apache-2.0
// A machine that has run a frame to its end, with the picture of a single GPU.
#ifndef NOCTURNE_TESTS_CHECKED_RUN_H
#define NOCTURNE_TESTS_CHECKED_RUN_H

#include "csim/machine/check.h"
#include "csim/machine/machine.h"
#include "tests/programs/test.h"

typedef struct {
  machine_t *machine;
  check_t *check;
  check_result_t result;  // until the check is destroyed
} checked_run_t;

// memory: of the frame before, or NULL.
static inline checked_run_t checked_run(const machine_params_t *p, const frame_t *f,
                                        driver_memory_t *memory, const machine_units_t *units) {
  err_auto_t err = {0};
  machine_t *m = machine_create(p, f, memory, units, &err);
  if (!m) {
    fail_msg("%s", err_text(&err));
  }
  checked_run_t r = {
      m, check_create(f, machine_plan(m), machine_gpu_count(m), (shade_sampling_t){0}, false), {0}};
  assert_non_null(r.check);
  if (machine_run(m, NULL, NULL) != MachineDone) {
    fail_msg("%s", machine_report(m));
  }
  check_finish(r.check, m, &r.result);
  if (r.result.violations || r.result.target_violations) {
    fail_msg("%s, %s on %u GPUs: %u pixels beyond their bound, and %u of other targets or in depth",
             f->name, machine_scheme_name(p), p->gpus, (uint32_t)r.result.violations,
             (uint32_t)r.result.target_violations);
  }
  return r;
}

static inline void checked_run_free(checked_run_t *r) {
  check_destroy(r->check);
  machine_destroy(r->machine);
}

#endif
