// SPDX-License-Identifier: Apache-2.0
#include "units.h"

#include <stdlib.h>
#include <string.h>

#include "lockstep.h"
#include "session.h"

extern const unit_model_t UnitModels[];  // build/unit/units.c, from the units' pages

static const unit_model_t *added[UnitMaxAdded];
static uint32_t added_count;

void unit_add(const unit_model_t *model) {
  if (added_count < UnitMaxAdded) {
    added[added_count++] = model;
  }
}

static const unit_model_t *find_in_tree(const char *name) {
  for (const unit_model_t *m = UnitModels; m->info; m++) {
    if (strcmp(m->info->name, name) == 0) {
      return m;
    }
  }
  return NULL;
}

const unit_model_t *unit_find(const char *name) {
  for (uint32_t i = 0; i < added_count; i++) {
    if (strcmp(added[i]->info->name, name) == 0) {
      return added[i];
    }
  }
  return find_in_tree(name);
}

const unit_model_t *unit_at(uint32_t index) {
  for (const unit_model_t *m = UnitModels; m->info; m++) {
    if (index-- == 0) {
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

// A user's own engine: what its typed one is bound to, and what ends it.
typedef struct {
  unit_engine_t engine;
  unit_model_t model;
  void (*destroy)(void *self);
} own_t;

static void own_destroy(void *typed) {
  own_t *own;
  memcpy(&own, typed, sizeof own);  // a typed engine begins with the address of what it calls
  own->destroy(own->engine.self);
  free(own);
}

// Stands in for the golden model, and *model for the unit's.
static bool make_own(const harness_own_t *given, const unit_model_t **model, const void *params,
                     uint32_t instance, void *typed) {
  own_t *own = calloc(1, sizeof *own);
  if (!own || !given->create(given->context, params, instance, &own->engine)) {
    free(own);
    return false;
  }
  own->model = (unit_model_t){.info = (*model)->info, .destroy = own_destroy};
  own->destroy = given->destroy;
  (*model)->info->bind(typed, &own->engine);
  *model = &own->model;
  return true;
}

// The golden model behind its typed engine, or NULL with one line in error.
static void *make_golden(const harness_t *h, const unit_model_t **model, const void *params,
                         uint32_t instance, err_t *err) {
  const harness_own_t *own = harness_own(h, (*model)->info->name);
  void *golden = calloc(1, (*model)->info->engine_size);
  if (own) {
    err_set(err, ErrInput, "the engine in place of %s cannot be made", own->unit);
  } else {
    err_set(err, ErrInput, "out of memory, or a parameter beyond its range");
  }
  if (golden &&
      !(own ? make_own(own, model, params, instance, golden) : (*model)->create(params, golden))) {
    free(golden);
    golden = NULL;
  }
  if (!golden && own && own->failure && *own->failure) {
    err_set(err, ErrCheck, "LIBRARY: %s, cycle 0: %s", own->unit, own->failure);
  }
  return golden;
}

// Fills the parameters of a unit that stands in place of the tree's: those of the same names.
static void take_params(const unit_info_t *info, const void *params, const unit_info_t *own,
                        unit_params_t *into) {
  memcpy(into, own->defaults, own->params_size);
  for (const unit_param_t *to = own->params; to->name; to++) {
    const unit_param_t *from = info->params;
    while (from->name && strcmp(from->name, to->name) != 0) {
      from++;
    }
    if (from->name && from->size == to->size) {
      memcpy((uint8_t *)into + to->offset, (const uint8_t *)params + from->offset, to->size);
    }
  }
}

// Finds the model of a unit: the user's, in a run that has one in place of the tree's.
static const unit_model_t *model_of(const harness_t *h, const unit_info_t *info) {
  const unit_model_t *m = unit_find(info->name);
  return m && m->info != info && !harness_own(h, info->name) ? find_in_tree(info->name) : m;
}

bool harness_unit_create(harness_t *h, const unit_info_t *info, const void *params,
                         uint32_t instance, void *typed, err_t *err) {
  const unit_model_t *model = model_of(h, info);
  unit_params_t others;
  void *golden = NULL;
  if (!model || !unit_is_covered(info, err) || !unit_params_allowed(info, params, err)) {
    return false;
  }
  if (model->info != info) {
    take_params(info, params, model->info, &others);
    params = &others;
    if (!unit_is_covered(model->info, err) || !unit_params_allowed(model->info, params, err)) {
      return false;
    }
  }
  if (harness_engine(h) != EngineRtl && !model->create && !harness_own(h, info->name)) {
    err_set(err, ErrInput, "%s has no golden model: --golden LIB.so, or --engine rtl", info->name);
    return false;
  }
  if (harness_engine(h) != EngineRtl && !(golden = make_golden(h, &model, params, instance, err))) {
    return false;
  }
  lockstep_t *l = lockstep_create(h, model, instance, params, golden, err);
  if (!l) {
    return false;
  }
  l->engine = (unit_engine_t){l, engine_step, engine_reset, engine_observe};
  if (typed) {
    info->bind(typed, &l->engine);
  }
  return true;
}
