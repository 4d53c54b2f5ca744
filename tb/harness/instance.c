// SPDX-License-Identifier: Apache-2.0
#include "instance.h"

#include <stdio.h>

static void *zeroed(size_t size) { return calloc(1, size ? size : 1); }

bool instance_open(instance_t *u, const unit_model_t *model, uint32_t number, const void *params,
                   engine_e engine, void *golden, err_t *err) {
  const unit_info_t *info = model->info;
  *u = (instance_t){.info = info,
                    .model = model,
                    .number = number,
                    .engine = engine,
                    .golden = golden,
                    .has_golden = engine != EngineRtl,
                    .has_rtl = engine != EngineGolden};
  unit_params_text(info, params, u->params);
  info->dims(params, u->dims);
  u->rtl_out = zeroed(info->out_size);
  u->rtl_state = zeroed(info->state_size);
  u->golden_state = zeroed(info->state_size);
  u->last_in = zeroed(info->in_size);
  u->last_out = zeroed(info->out_size);
  err_set(err, ErrMachine, "out of memory");
  return step_log_create(&u->log, info->in_size, info->out_size) && u->rtl_out && u->rtl_state &&
         u->golden_state && u->last_in && u->last_out;
}

bool instance_open_rtl(instance_t *u, const char *kind, uint64_t seed, bool *lacking, err_t *err) {
  u->context = (dpi_context_t){u->last_in, u->rtl_out, u->rtl_state};
  return rtl_model_open(&u->rtl, u->info->name, u->params, kind, seed, &u->context, lacking, err);
}

void instance_close(instance_t *u) {
  rtl_model_close(&u->rtl);
  if (u->golden) {
    u->model->destroy(u->golden);
    free(u->golden);
  }
  free(u->rtl_out);
  free(u->rtl_state);
  free(u->golden_state);
  free(u->last_in);
  free(u->last_out);
  step_log_free(&u->log);
}

void instance_reset(instance_t *u, uint32_t clocks, void *out) {
  memset(u->last_in, 0, u->info->in_size);
  u->was_quiescent = false;
  u->reset_clocks = clocks;
  if (u->has_rtl) {
    u->rtl.reset(u->rtl.model, 1);
    for (uint32_t i = 0; i < clocks; i++) {
      instance_clock_rtl(u, u->last_in, u->cycle);
    }
    u->rtl.reset(u->rtl.model, 0);
    memcpy(out, u->rtl_out, u->info->out_size);
  }
  if (u->has_golden) {
    u->info->reset(u->golden, out);
    if (u->info->observe) {
      u->info->observe(u->golden, u->golden_state);
    }
  }
}

void instance_observe(const instance_t *u, void *state) {
  if (u->has_golden) {
    u->info->observe(u->golden, state);
  } else {
    memcpy(state, u->rtl_state, u->info->state_size);
  }
}
