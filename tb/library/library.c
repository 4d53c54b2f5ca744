// SPDX-License-Identifier: Apache-2.0
#include "library.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tb/harness/units.h"

nocturne_status_e library_fail(nocturne_error_t *error, nocturne_status_e status,
                               const char *format, ...) {
  if (error) {
    va_list args;
    va_start(args, format);
    vsnprintf(error->text, sizeof error->text, format, args);
    va_end(args);
    error->status = status;
  }
  return status;
}

nocturne_status_e library_take(nocturne_error_t *error, err_t *err) {
  // The statuses are the same numbers.
  const nocturne_status_e status = (nocturne_status_e)err->status;
  library_fail(error, status, "%s", err_text(err));
  err_free(err);
  return status;
}

bool library_engine(const char *name, engine_e *engine, nocturne_error_t *error) {
  for (engine_e e = EngineGolden; name && e <= EngineGates; e++) {
    if (strcmp(name, engine_name(e)) == 0) {
      *engine = e;
      return true;
    }
  }
  library_fail(error, NocturneWrong, "engine %s: expected golden, rtl, lockstep or gates",
               name ? name : "NULL");
  return false;
}

// ---- Engines of the user's own ----

// An instance of a user's engine behind the harness's functions.
typedef struct {
  const nocturne_engine_t *engine;
  void *self;
  size_t state_size;
} instance_own_t;

static unit_status_e step(void *self, const void *in, void *out) {
  const instance_own_t *i = self;
  i->engine->step(i->self, in, out);
  return UnitOk;
}

static void reset(void *self, void *out) {
  const instance_own_t *i = self;
  i->engine->reset(i->self, out);
}

static void observe(void *self, void *state) {
  const instance_own_t *i = self;
  if (i->engine->observe) {
    i->engine->observe(i->self, state);
  } else {
    memset(state, 0, i->state_size);
  }
}

static void destroy(void *self) {
  const instance_own_t *i = self;
  if (i->engine->destroy) {
    i->engine->destroy(i->self);
  }
  free(self);
}

static bool create(void *context, const void *params, uint32_t instance, unit_engine_t *engine) {
  const nocturne_engine_t *given = context;
  instance_own_t *i = calloc(1, sizeof *i);
  void *self = i ? given->create(given->context, params, instance) : NULL;
  if (!self) {
    free(i);
    return false;
  }
  *i = (instance_own_t){given, self, unit_find(given->unit)->info->state_size};
  *engine = (unit_engine_t){i, step, reset, observe};
  return true;
}

bool library_own(const nocturne_engine_t *engine, harness_own_t *own, nocturne_error_t *error) {
  const unit_model_t *model = engine->unit ? unit_find(engine->unit) : NULL;
  if (!model) {
    library_fail(error, NocturneWrong, "%s: no such unit", engine->unit ? engine->unit : "NULL");
    return false;
  }
  if (engine->page != model->info->page) {
    library_fail(error, NocturneWrong,
                 "the engine in place of %s was built from another "
                 "description of the unit; build it again",
                 engine->unit);
    return false;
  }
  if (!engine->create || !engine->reset || !engine->step) {
    library_fail(error, NocturneWrong, "the engine in place of %s lacks create, reset or step",
                 engine->unit);
    return false;
  }
  *own = (harness_own_t){
      .unit = model->info->name, .context = (void *)engine, .create = create, .destroy = destroy};
  return true;
}
