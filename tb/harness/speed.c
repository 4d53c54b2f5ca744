// SPDX-License-Identifier: Apache-2.0
#include "speed.h"

#include <stdlib.h>
#include <string.h>

#include "activity.h"
#include "csim/base/seconds.h"
#include "lockstep.h"

// Seconds for the kept steps; 0 if one failed.
static double lockstep_pass(lockstep_t *l, uint8_t *out) {
  const double start = seconds_cpu();
  lockstep_reset(l, out);
  for (uint64_t i = 0; i < l->kept_count; i++) {
    if (lockstep_step(l, l->kept + i * l->unit.info->in_size, out) != UnitOk) {
      return 0;
    }
  }
  return seconds_cpu() - start;
}

static double bare_pass(const rtl_model_t *bare, void *ports, uint64_t count) {
  const double start = seconds_cpu();
  bare->reset(bare->model, 1);
  bare->run(bare->model, ports, 0, 2);
  bare->reset(bare->model, 0);
  bare->run(bare->model, ports, 1, count);
  return seconds_cpu() - start;
}

// The machine is shared: both take turns, and the best of each is the least disturbed one.
static bool take_turns(lockstep_t *l, const rtl_model_t *bare, double seconds, speed_t *speed) {
  uint8_t *out = calloc(1, l->unit.info->out_size);
  void *ports = bare->ports(l->kept, l->kept_count);
  const double end = seconds_cpu() + seconds;
  double best = 1e9, best_bare = 1e9;
  bool ok = out != NULL;
  while (ok && seconds_cpu() < end) {
    const double pass = lockstep_pass(l, out), bare_time = bare_pass(bare, ports, l->kept_count);
    ok = pass > 0;
    best = pass < best ? pass : best;
    best_bare = bare_time < best_bare ? bare_time : best_bare;
  }
  bare->ports_free(ports);
  free(out);
  speed->lockstep_hz = (double)l->kept_count / best;
  speed->bare_hz = (double)l->kept_count / best_bare;
  return ok;
}

bool speed_measure(harness_t *h, double seconds, speed_t *speed, err_t *err) {
  lockstep_t *l = harness_unit(h, 0);
  err_set(err, ErrInput, "no inputs were kept");
  if (!l || !l->kept_count) {
    return false;
  }
  uint64_t valid = 0;
  for (uint64_t i = 0; i < l->kept_count; i++) {
    valid += activity_any_valid(l->unit.info, l->kept + i * l->unit.info->in_size);
  }
  speed->valid_share = (double)valid / (double)l->kept_count;
  rtl_model_t bare = {0};
  dpi_context_t none = {0};
  bool lacking;
  if (!rtl_model_open(&bare, l->unit.info->name, l->unit.params, "bare", 1, &none, &lacking, err)) {
    return false;
  }
  err_set(err, ErrInput, "the replay failed");
  const bool ok = take_turns(l, &bare, seconds, speed);
  rtl_model_close(&bare);
  return ok;
}
