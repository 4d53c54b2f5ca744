// SPDX-License-Identifier: Apache-2.0
// Units alone.
#include <stdlib.h>
#include <string.h>

#include "library.h"
#include "tb/harness/lockstep.h"
#include "tb/harness/units.h"

struct nocturne_unit {
  harness_t *harness;
  lockstep_t *unit;
  const unit_info_t *info;
  nocturne_engine_t engine;
  harness_own_t own;
};

const char *nocturne_unit_name(uint32_t index) {
  const unit_model_t *model = unit_at(index);
  return model ? model->info->name : NULL;
}

// Makes the instance. Returns false with the error filled.
static bool open_unit(nocturne_unit_t *u, const char *params, const harness_options_t *options,
                      nocturne_error_t *error) {
  unit_params_t values;
  err_auto_t err = {0};
  if (!unit_params_read(u->info, params ? params : "", &values, &err)) {
    library_take(error, &err);
    return false;
  }
  u->harness = harness_create(options);
  if (!u->harness) {
    library_fail(error, NocturneLacking, "out of memory");
    return false;
  }
  if (!harness_unit_create(u->harness, u->info, &values, 0, NULL, &err)) {
    err.status = harness_lacking(u->harness) ? ErrMachine : err.status;
    library_take(error, &err);
    return false;
  }
  u->unit = harness_unit(u->harness, 0);
  return true;
}

nocturne_unit_t *nocturne_unit_create(const char *name, const char *params, const char *engine,
                                      uint64_t seed, const nocturne_engine_t *own,
                                      nocturne_error_t *error) {
  LIBRARY_NEEDS(name, error, NULL);
  const unit_model_t *model = unit_find(name);
  nocturne_unit_t *u = model ? calloc(1, sizeof *u) : NULL;
  if (!u) {
    library_fail(error, model ? NocturneLacking : NocturneWrong,
                 model ? "%s: out of memory" : "%s: no such unit", name);
    return NULL;
  }
  u->info = model->info;
  harness_options_t options = {.seed = seed, .unreported = true, .own = &u->own};
  bool ok = library_engine(engine, &options.engine, error);
  if (ok && own) {
    u->engine = *own;
    ok = library_own(&u->engine, &u->own, error);
    options.own_count = 1;
  }
  if (!ok || !open_unit(u, params, &options, error)) {
    nocturne_unit_destroy(u);
    return NULL;
  }
  return u;
}

void nocturne_unit_destroy(nocturne_unit_t *unit) {
  if (unit) {
    harness_destroy(unit->harness);
  }
  free(unit);
}

size_t nocturne_unit_size(const nocturne_unit_t *unit, nocturne_side_e side) {
  if (!unit) {
    return 0;
  }
  const unit_info_t *i = unit->info;
  return side == NocturneIn ? i->in_size : side == NocturneOut ? i->out_size : i->state_size;
}

void nocturne_unit_reset(nocturne_unit_t *unit, void *out) {
  if (unit && out) {
    lockstep_reset(unit->unit, out);
  }
}

nocturne_status_e nocturne_unit_step(nocturne_unit_t *unit, const void *in, void *out,
                                     nocturne_error_t *error) {
  LIBRARY_NEEDS(unit, error, NocturneWrong);
  LIBRARY_NEEDS(in, error, NocturneWrong);
  LIBRARY_NEEDS(out, error, NocturneWrong);
  if (lockstep_step(unit->unit, in, out) == UnitOk) {
    return NocturneOk;
  }
  const char *report = harness_failure(unit->harness);
  return library_fail(error, NocturneFailed, "%s", report ? report : "the unit has stopped");
}

void nocturne_unit_observe(const nocturne_unit_t *unit, void *state) {
  if (unit && state && unit->info->observe) {
    lockstep_observe(unit->unit, state);
  }
}

// ---- Fields ----

const nocturne_field_t *nocturne_unit_field(const nocturne_unit_t *unit, nocturne_side_e side,
                                            const char *name) {
  if (!unit || !name) {
    return NULL;
  }
  const unit_info_t *i = unit->info;
  return (const nocturne_field_t *)unit_find_field(side == NocturneIn    ? i->in
                                                   : side == NocturneOut ? i->out
                                                                         : i->state,
                                                   name);
}

static const unit_field_t *of(const nocturne_field_t *field) { return (const unit_field_t *)field; }

uint32_t nocturne_field_bits(const nocturne_unit_t *unit, const nocturne_field_t *field) {
  return unit && field ? unit_dim(unit->unit->unit.dims, of(field)->bits) : 0;
}

uint32_t nocturne_field_elements(const nocturne_unit_t *unit, const nocturne_field_t *field) {
  return unit && field ? unit_dim(unit->unit->unit.dims, of(field)->elements) : 0;
}

uint64_t nocturne_field_get(const nocturne_field_t *field, const void *values, uint32_t element) {
  const bool exists = field && values && element < of(field)->count;
  return exists ? unit_element(values, of(field), element) : 0;
}

void nocturne_field_set(const nocturne_field_t *field, void *values, uint32_t element,
                        uint64_t value) {
  if (field && values && element < of(field)->count) {
    unit_set_element(values, of(field), element, value);
  }
}
