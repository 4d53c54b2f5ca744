// SPDX-License-Identifier: Apache-2.0
#include "own.h"

#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "csim/base/keep.h"
#include "csim/base/place.h"
#include "csim/base/text.h"
#include "guard.h"
#include "outside.h"
#include "own_driver.h"
#include "own_page.h"
#include "units.h"

// A unit of the user's.
typedef struct {
  char name[64], failure[PATH_MAX + 200], hash[BaseSha256Text];
  char *library;  // its golden model
  outside_golden_t golden;
  unit_model_t model;
} unit_t;

// An instance of one.
typedef struct {
  unit_t *unit;
  void *self;
} instance_own_t;

// The units and the driver of a process.
static struct {
  unit_t units[OwnMaxUnits];
  harness_own_t engines[OwnMaxUnits];
} own;

// ---- Calls ----

typedef struct {
  const unit_t *unit;
  void *self;
  const void *in;
  void *out;
} call_t;

static void fail_call(unit_t *u, const char *function, const char *why) {
  snprintf(u->failure, sizeof u->failure, "%s: %s_golden_%s %s", u->library, u->name, function,
           why);
}

static void call_create(void *context) {
  call_t *c = context;
  c->self = c->unit->golden.create(c->in);
}

static void call_destroy(void *context) {
  call_t *c = context;
  c->unit->golden.destroy(c->self);
}

static void call_step(void *context) {
  call_t *c = context;
  c->unit->golden.engine.step(c->self, c->in, c->out);
}

static void call_reset(void *context) {
  call_t *c = context;
  c->unit->golden.engine.reset(c->self, c->out);
}

static void call_observe(void *context) {
  call_t *c = context;
  c->unit->golden.engine.observe(c->self, c->out);
}

// Returns false after the first failure, with nothing done.
static bool call(const instance_own_t *i, const char *name, void (*function)(void *),
                 const void *in, void *out) {
  if (i->unit->failure[0]) {
    return false;
  }
  call_t c = {i->unit, i->self, in, out};
  const char *why = guard_call(function, &c);
  if (why) {
    fail_call(i->unit, name, why);
  }
  return !why;
}

// A value that its port does not hold would be taken by nobody, or beyond an array.
static bool check_widths(unit_t *u, const void *out) {
  for (const unit_field_t *f = u->model.info->out; f->name; f++) {
    const uint64_t most = f->bits < 64 ? (UINT64_C(1) << f->bits) - 1 : UINT64_MAX;
    for (uint32_t i = 0; f->bits < UnitDim && i < f->count; i++) {
      if (unit_element(out, f, i) > most) {
        snprintf(u->failure, sizeof u->failure, "%s: %s = 0x%llx, expected %u bits", u->library,
                 f->name, (unsigned long long)unit_element(out, f, i), f->bits);
        return false;
      }
    }
  }
  return true;
}

static unit_status_e step(void *self, const void *in, void *out) {
  const instance_own_t *i = self;
  return call(i, "step", call_step, in, out) && check_widths(i->unit, out) ? UnitOk : UnitStopped;
}

static void reset(void *self, void *out) { call(self, "reset", call_reset, NULL, out); }

static void observe(void *self, void *state) { call(self, "observe", call_observe, NULL, state); }

static void destroy(void *self) {
  call(self, "destroy", call_destroy, NULL, NULL);
  free(self);
}

static bool create(void *context, const void *params, uint32_t instance, unit_engine_t *engine) {
  unit_t *u = context;
  instance_own_t *i = calloc(1, sizeof *i);
  call_t c = {.unit = u, .in = params};
  (void)instance;
  const char *why = guard_call(call_create, &c);
  if (why) {
    fail_call(u, "create", why);
  }
  if (!i || why || !c.self) {
    free(i);
    return false;
  }
  *i = (instance_own_t){u, c.self};
  *engine = (unit_engine_t){i, step, reset, observe};
  return true;
}

// ---- Files ----

// NAME=DIR. The caller frees both.
static bool read_unit(const char *given, char **name, char **folder, err_t *err) {
  const char *equals = strchr(given, '=');
  *name = *folder = NULL;
  if (!equals || equals == given || !equals[1]) {
    return err_set(err, ErrInput, "--unit %s: expected NAME=DIR", given);
  }
  *name = strndup(given, (size_t)(equals - given));
  *folder = strdup(equals + 1);
  return (*name && *folder) || err_memory(err, "--unit");
}

// Adds what a unit consists of: its page, its golden model, its RTL.
static bool add_unit(base_sha256_t *sha, const char *name, const char *folder, err_t *err) {
  static const char *const Forms[] = {"%s/%s.yaml", "%s/%s.so"};
  text_t path = {0};
  bool ok = true;
  for (size_t i = 0; ok && i < sizeof Forms / sizeof *Forms; i++) {
    text_cut(&path, 0);
    text_format(&path, i ? "%s/%s.so" : "%s/%s.yaml", folder, name);
    ok = access(text_string(&path), R_OK) == 0 ||
         err_set(err, ErrInput, "--unit %s=%s: no %s there%s%s", name, folder,
                 strrchr(text_string(&path), '/') + 1, i ? "; make -C " : "", i ? folder : "");
    keep_add_content(sha, text_string(&path));
  }
  for (int i = 0; i < 2; i++) {
    glob_t found = {0};
    text_cut(&path, 0);
    text_format(&path, i ? "%s/*.svh" : "%s/*.sv", folder);
    glob(text_string(&path), 0, NULL, &found);
    for (size_t k = 0; k < found.gl_pathc; k++) {
      keep_add_text(sha, strrchr(found.gl_pathv[k], '/') + 1);
      keep_add_content(sha, found.gl_pathv[k]);
    }
    globfree(&found);
  }
  text_free(&path);
  return ok;
}

static bool hash_unit(const char *given, char text[BaseSha256Text], err_t *err) {
  char *name, *folder;
  base_sha256_t sha;
  base_sha256_begin(&sha);
  bool ok = read_unit(given, &name, &folder, err) && add_unit(&sha, name, folder, err);
  base_sha256_end(&sha, text);
  free(name);
  free(folder);
  return ok;
}

static bool hash_driver(const char *path, char text[BaseSha256Text], err_t *err) {
  base_sha256_t sha;
  base_sha256_begin(&sha);
  keep_add_content(&sha, path);
  base_sha256_end(&sha, text);
  return access(path, R_OK) == 0 || err_set(err, ErrInput, "--driver %s: no such file", path);
}

bool own_hash(const own_options_t *o, char text[BaseSha256Text], err_t *err) {
  char part[BaseSha256Text];
  base_sha256_t sha;
  base_sha256_begin(&sha);
  text[0] = '\0';
  for (uint32_t i = 0; i < o->unit_count; i++) {
    if (!hash_unit(o->units[i], part, err)) {
      return false;
    }
    base_sha256_add(&sha, o->units[i], strcspn(o->units[i], "="));
    base_sha256_add(&sha, part, sizeof part);
  }
  if (o->driver) {
    if (!hash_driver(o->driver, part, err)) {
      return false;
    }
    base_sha256_add(&sha, part, sizeof part);
  }
  if (o->unit_count || o->driver) {
    base_sha256_end(&sha, text);
  }
  return true;
}

uint32_t own_words(const own_options_t *o, const char **words, uint32_t count) {
  for (uint32_t i = 0; i < o->unit_count; i++) {
    words[count++] = "--unit";
    words[count++] = o->units[i];
  }
  if (o->driver) {
    words[count++] = "--driver";
    words[count++] = o->driver;
  }
  return count;
}

// ---- Loading ----

// The page of the unit in whose place it stands; NULL: there is none.
static page_t *tree_page(const char *name, err_t *err) {
  char *path = text_make("csim/units/%s/page.yaml", name);
  char *found = path && unit_find(name) ? place_find(path) : NULL;
  page_t *page = found ? page_read(found, err) : NULL;
  if (!found) {
    err_set(err, ErrInput, "--unit %s=...: no such unit, expected one of a machine's", name);
  }
  free(path);
  free(found);
  return page;
}

// Products are apart for each folder: two of them may be in work at once.
static char *out_folder(const char *folder) {
  char absolute[PATH_MAX], hash[BaseSha256Text];
  const char *path = realpath(folder, absolute) ? absolute : folder;
  base_sha256_hex(path, strlen(path), hash);
  return text_make("build/outside/own-%.12s", hash);
}

static bool open_unit(unit_t *u, const char *name, const char *folder, engine_e engine,
                      err_t *err) {
  char *page_path = text_make("%s/%s.yaml", folder, name), *out = out_folder(folder);
  u->library = text_make("%s/%s.so", folder, name);
  outside_t o = {page_path, folder, u->library};
  page_t *page = page_path ? page_read(page_path, err) : NULL;
  page_t *tree = page ? tree_page(name, err) : NULL;
  bool lacking = false, has_rtl = false, ok = tree && out && u->library;
  if (ok && strcmp(page->name, name) != 0) {
    ok = err_set(err, ErrInput, "%s: the page of %s, expected that of %s", page_path, page->name,
                 name);
  }
  ok = ok && own_page_fits(page, tree, err);
  const unit_info_t *info = ok ? outside_open(&o, page, out, &u->golden, &lacking, err) : NULL;
  ok = info && outside_find_rtl(&o, page, out, &has_rtl, err);
  if (ok && engine != EngineGolden && !has_rtl) {
    ok = err_set(err, ErrInput, "--unit %s=%s: no %s.sv there, so that only --engine golden runs",
                 name, folder, name);
  }
  u->model = (unit_model_t){.info = info};
  page_free(page);
  page_free(tree);
  free(page_path);
  free(out);
  return ok;
}

bool own_load(const own_options_t *o, harness_options_t *options, err_t *err) {
  for (uint32_t i = 0; i < o->unit_count; i++) {
    unit_t *u = &own.units[i];
    char *name = NULL, *folder = NULL;
    bool ok = hash_unit(o->units[i], u->hash, err) && read_unit(o->units[i], &name, &folder, err);
    for (uint32_t k = 0; ok && k < i; k++) {
      ok = strcmp(own.units[k].name, name) != 0 ||
           err_set(err, ErrInput, "--unit %s: given twice, expected once", name);
    }
    ok = ok && open_unit(u, name, folder, options->engine, err);
    if (ok) {
      snprintf(u->name, sizeof u->name, "%s", name);
      unit_add(&u->model);
      own.engines[i] = (harness_own_t){u->name, u, create, destroy, u->hash, u->failure};
    }
    free(name);
    free(folder);
    if (!ok) {
      return false;
    }
    guard_begin();
  }
  options->own = own.engines;
  options->own_count = o->unit_count;
  if (o->driver) {
    static char hash[BaseSha256Text];
    options->driver = hash_driver(o->driver, hash, err) ? own_driver_load(o->driver, err) : NULL;
    if (!options->driver) {
      return false;
    }
    options->driver->hash = hash;
  }
  return true;
}
