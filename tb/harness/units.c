// SPDX-License-Identifier: Apache-2.0
#include "units.h"

#include <stdlib.h>
#include <string.h>

#include "lockstep.h"

extern const unit_model_t UnitModels[];  // build/unit/units.c, from the units' pages

static const unit_model_t *added;

void unit_add(const unit_model_t *model) { added = model; }

const unit_model_t *unit_find(const char *name) {
  if (added && strcmp(added->info->name, name) == 0) {
    return added;
  }
  for (const unit_model_t *m = UnitModels; m->info; m++) {
    if (strcmp(m->info->name, name) == 0) {
      return m;
    }
  }
  return NULL;
}

static unit_status_e engine_step(void *self, const void *in, void *out) {
  return lockstep_step(self, in, out);
}
static void engine_reset(void *self, void *out) { lockstep_reset(self, out); }
static void engine_observe(void *self, void *state) { lockstep_observe(self, state); }

// The golden model behind its typed engine, or NULL with one line in error.
static void *make_golden(const unit_model_t *model, const void *params,
                         char error[HarnessErrorSize]) {
  void *golden = calloc(1, model->info->engine_size);
  snprintf(error, HarnessErrorSize, "out of memory, or a parameter beyond its range");
  if (golden && !model->create(params, golden)) {
    free(golden);
    golden = NULL;
  }
  return golden;
}

bool harness_unit_create(harness_t *h, const unit_info_t *info, const void *params,
                         uint32_t instance, void *typed, char error[HarnessErrorSize]) {
  _Static_assert((int)HarnessErrorSize == (int)UnitErrorSize, "one size of errors");
  const unit_model_t *model = unit_find(info->name);
  void *golden = NULL;
  if (!model || !unit_is_covered(info, error) || !unit_params_allowed(info, params, error)) {
    return false;
  }
  if (harness_engine(h) != EngineRtl && !model->create) {
    snprintf(error, HarnessErrorSize, "%s has no golden model: --golden LIB.so, or --engine rtl",
             info->name);
    return false;
  }
  if (harness_engine(h) != EngineRtl && !(golden = make_golden(model, params, error))) {
    return false;
  }
  lockstep_t *l = lockstep_create(h, model, instance, params, golden, error);
  if (!l) {
    return false;
  }
  l->engine = (unit_engine_t){l, engine_step, engine_reset, engine_observe};
  if (typed) {
    info->bind(typed, &l->engine);
  }
  return true;
}
