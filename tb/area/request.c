// SPDX-License-Identifier: Apache-2.0
#include "request.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tb/harness/units.h"
#include "unit_energy.h"

enum { MaxSets = 16, MaxRequests = 128 };

static const unit_param_t *find_param(const unit_info_t *unit, const char *name, size_t length) {
  for (const unit_param_t *p = unit->params; p->name; p++) {
    if (strlen(p->rtl) == length && memcmp(p->rtl, name, length) == 0) {
      return p;
    }
  }
  return NULL;
}

// ResetBelow is a parameter of the bench, not of the RTL.
static bool has_param(const unit_info_t *unit, const char *name, size_t length) {
  return find_param(unit, name, length) && !(length == 10 && !memcmp(name, "ResetBelow", length));
}

// Refuses what the unit description's ranges exclude, and what the golden model does not build.
static bool is_possible(const unit_info_t *unit, const char *params, err_t *err) {
  unit_params_t values;
  if (!unit_params_read(unit, params, &values, err)) {
    return false;
  }
  if (!unit_find(unit->name)->create) {
    return unit_params_allowed(unit, &values, err);
  }
  void *golden = calloc(1, unit->engine_size);
  bool ok = golden && unit_find(unit->name)->create(&values, golden);
  if (ok) {
    unit_find(unit->name)->destroy(golden);
  }
  free(golden);
  return ok ||
         err_set(err, ErrInput, "%s %s: beyond the parameters' ranges, which docs/units/%s.md has",
                 unit->name, params, unit->name);
}

// Returns the parameters that are not the unit's defaults. What only the benches look at is left
// out unless params asks for it.
static const char *find_changed(strings_t *texts, const unit_info_t *unit, const char *params) {
  text_t changed = {0};
  if (has_param(unit, "Observe", 7) && !strstr(params, "Observe=")) {
    text_put(&changed, "Observe=0");
  }
  for (const char *text = params; *text; text += strspn(text, " ")) {
    size_t length = strcspn(text, " "), name = strcspn(text, "=");
    const unit_param_t *p = find_param(unit, text, name);
    uint64_t usual = 0, value = name < length ? strtoull(text + name + 1, NULL, 10) : 0;
    if (p) {
      memcpy(&usual, (const uint8_t *)unit->defaults + p->offset, p->size);
    }
    if (p && usual != value) {
      text_format(&changed, "%s%s=%" PRIu64, changed.length ? " " : "", p->rtl, value);
    }
    text += length;
  }
  const char *out = strings_put(texts, text_string(&changed));
  text_free(&changed);
  return out;
}

// Adds the request, whose params is taken over.
static bool add(area_requests_t *r, const unit_info_t *unit, char *params, err_t *err) {
  area_request_t *grown = realloc(r->all, (r->count + 1) * sizeof *grown);
  r->all = grown ? grown : r->all;
  const char *own = strings_own(&r->texts, params);
  const char *changed = find_changed(&r->texts, unit, own);
  if (!grown || r->texts.failed) {
    return err_memory(err, unit->name);
  }
  r->all[r->count++] = (area_request_t){unit->name, own, changed};
  return is_possible(unit, own, err);
}

// ---- lists of values ------------------------------------------------------------------

// Which value of each list a request has: the lists as the digits of a number, the last the
// lowest.
typedef struct {
  uint32_t at[MaxSets];
} pick_t;

// Returns the value that pick has of a list: its text and its length.
static const char *picked_value(const char *set, uint32_t at, size_t *length) {
  const char *value = strchr(set, '=') + 1;
  for (uint32_t i = 0; i < at; i++) {
    value += strcspn(value, ",") + 1;
  }
  *length = strcspn(value, ",");
  return value;
}

// False: all that concern the unit were picked.
static bool next_pick(const area_wanted_t *w, const unit_info_t *unit, pick_t *pick) {
  for (uint32_t s = w->set_count; s-- > 0;) {
    size_t length;
    if (!has_param(unit, w->sets[s], strcspn(w->sets[s], "="))) {
      continue;
    }
    if (picked_value(w->sets[s], pick->at[s], &length)[length]) {
      pick->at[s]++;
      return true;
    }
    pick->at[s] = 0;
  }
  return false;
}

static bool make_one(area_requests_t *r, const area_wanted_t *w, const unit_info_t *unit,
                     uint32_t gpus, const pick_t *pick, bool used[MaxSets], err_t *err) {
  text_t params = {0};
  if (r->count == MaxRequests) {
    return err_set(err, ErrInput, "more than %d syntheses", MaxRequests);
  }
  if (gpus && has_param(unit, "NumGpus", 7)) {
    text_format(&params, "NumGpus=%u", gpus);
  }
  for (uint32_t s = 0; s < w->set_count; s++) {
    size_t name_length = strcspn(w->sets[s], "="), length;
    if (has_param(unit, w->sets[s], name_length)) {
      used[s] = true;
      const char *value = picked_value(w->sets[s], pick->at[s], &length);
      text_format(&params, "%s%.*s=%.*s", params.length ? " " : "", (int)name_length, w->sets[s],
                  (int)length, value);
    }
  }
  return add(r, unit, params.length ? text_take(&params) : strdup(""), err);
}

bool area_requests_make(area_requests_t *r, const area_wanted_t *w, err_t *err) {
  bool used[MaxSets] = {false}, any_scales = false;
  const char *whose = w->unit_count == 1 ? w->units[0] : "no unit named";
  *r = (area_requests_t){0};
  if (w->set_count > MaxSets) {
    return err_set(err, ErrInput, "--set: more than %d lists", MaxSets);
  }
  for (uint32_t u = 0; u < w->unit_count; u++) {
    const unit_info_t *unit = unit_find(w->units[u])->info;
    bool scales = has_param(unit, "NumGpus", 7);
    any_scales = any_scales || scales;
    for (uint32_t g = 0; g == 0 || (scales && g < w->gpus_count); g++) {
      pick_t pick = {{0}};
      do {
        if (!make_one(r, w, unit, w->gpus_count ? w->gpus[g] : 0, &pick, used, err)) {
          return false;
        }
      } while (next_pick(w, unit, &pick));
    }
  }
  if (w->gpus_count && !any_scales) {
    return err_set(err, ErrInput, "--gpus: %s has no NumGpus", whose);
  }
  for (uint32_t s = 0; s < w->set_count; s++) {
    if (!used[s]) {
      return err_set(err, ErrInput, "--set %s: %s has no such parameter", w->sets[s], whose);
    }
  }
  return true;
}

// ---- vectors --------------------------------------------------------------------------

// Returns the parameters of the RTL without Observe: the recording run observes, the netlist need
// not.
static char *without_observe(const unit_info_t *unit, const char *all) {
  text_t params = {0};
  for (const char *text = all; *text; text += strspn(text, " ")) {
    size_t length = strcspn(text, " ");
    if (has_param(unit, text, strcspn(text, "=")) && strncmp(text, "Observe=", 8) != 0) {
      text_format(&params, "%s%.*s", params.length ? " " : "", (int)length, text);
    }
    text += length;
  }
  return params.length ? text_take(&params) : strdup("");
}

bool area_requests_read(area_requests_t *r, const char *vectors, const char *expected, err_t *err) {
  char *name, *all;
  *r = (area_requests_t){0};
  if (!unit_energy_header(vectors, &name, &all, err)) {
    return false;
  }
  const unit_model_t *model = unit_find(name);
  const unit_info_t *unit = model ? model->info : NULL;
  char *observe = strstr(all, "Observe=1");
  if (observe) {
    memcpy(observe, "Observe=0", 9);
  }
  r->activity_params = strings_own(&r->texts, all);
  bool ok = true;
  if (!unit) {
    ok = err_set(err, ErrInput, "%s: vectors of %s: no such unit", vectors, name);
  } else if (expected && strcmp(expected, name) != 0) {
    ok = err_set(err, ErrInput, "%s: vectors of %s, not of %s", vectors, name, expected);
  }
  free(name);
  return ok && add(r, unit, without_observe(unit, r->activity_params), err);
}

void area_requests_free(area_requests_t *r) {
  free(r->all);
  strings_free(&r->texts);
  *r = (area_requests_t){0};
}
