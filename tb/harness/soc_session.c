// SPDX-License-Identifier: Apache-2.0
#include "soc_session.h"

#include <string.h>

static bool is_named(const harness_options_t *o) {
  return o->waves_unit && strcmp(o->waves_unit, dash_scheduler_info.name) == 0;
}

void soc_session_leave(const soc_session_t *s, harness_options_t *o) {
  o->waves = is_named(o) ? NULL : o->waves;
  if (s->watched) {
    o->log = o->system_waves = NULL;
  }
}

bool soc_session_make(soc_session_t *s, const harness_options_t *options,
                      const machine_params_t *params, err_t *err) {
  harness_options_t h = *options;
  h.clock = &s->clock;
  h.behind = true;
  h.waves = is_named(options) ? options->waves : NULL;
  s->watched = params->soc.scheduler > SocFrfcfs && (!options->waves_unit || is_named(options));
  if (!s->watched) {
    h.log = h.system_waves = NULL;
  }
  h.activity = NULL;
  s->harness = harness_create(&h);
  if (!s->harness) {
    return err_set(err, ErrMachine, "out of memory");
  }
  const soc_units_t units = {s->harness, harness_dash_scheduler};
  s->soc = soc_create(&params->soc, &params->texturing.gddr5, &units, h.seed, params->limit,
                      &s->clock, err);
  if (!s->soc && harness_failure(s->harness)) {
    err->status = harness_lacking(s->harness) ? ErrMachine : ErrCheck;
  }
  return s->soc;
}

harness_unit_stats_t soc_session_stats(const soc_session_t *s) {
  harness_unit_stats_t all = {0};
  if (harness_stats(s->harness, 0, &all)) {
    all.steps -= s->before.steps;
    all.cycles_compared -= s->before.cycles_compared;
    all.mismatches -= s->before.mismatches;
    all.skips_checked -= s->before.skips_checked;
  }
  return all;
}

void soc_session_next(soc_session_t *s) {
  s->before = (harness_unit_stats_t){0};
  harness_stats(s->harness, 0, &s->before);
}

void soc_session_end(soc_session_t *s) {
  soc_destroy(s->soc);
  harness_destroy(s->harness);
}
