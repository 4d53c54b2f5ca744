// SPDX-License-Identifier: Apache-2.0
#include "outside.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "csim/base/place.h"
#include "csim/base/text.h"
#include "csim/unit/generate.h"
#include "csim/unit/page.h"
#include "dpi/generate_simulator.h"
#include "guard.h"
#include "rtl_model.h"
#include "units.h"

// One unit from outside a process, beside those in place of the tree's.
static outside_golden_t library;
static char library_path[PATH_MAX];
static unit_model_t model;

// ---- Calls ----

// An instance; what it is called with.
typedef struct {
  void *self;
  const void *in;
  void *out;
  unit_status_e status;
  uint64_t steps;
} instance_t;

static void call_create(void *context) {
  instance_t *i = context;
  i->self = library.create(i->in);
}

static void call_step(void *context) {
  instance_t *i = context;
  i->status = library.engine.step(i->self, i->in, i->out);
}

static void call_reset(void *context) {
  instance_t *i = context;
  library.engine.reset(i->self, i->out);
}

static void call_observe(void *context) {
  instance_t *i = context;
  library.engine.observe(i->self, i->out);
}

// A library that crashed or hung has left its state in pieces, so the process ends.
static void call(instance_t *i, const char *name, void (*function)(void *), const void *in,
                 void *out) {
  i->in = in;
  i->out = out;
  const char *why = guard_call(function, i);
  if (why) {
    fflush(NULL);
    fprintf(stderr, "LIBRARY: %s, step %" PRIu64 ": %s: %s_golden_%s %s\n", model.info->name,
            i->steps, library_path, model.info->name, name, why);
    _exit(1);
  }
}

static unit_status_e step(void *self, const void *in, void *out) {
  instance_t *i = self;
  i->steps++;
  call(i, "step", call_step, in, out);
  return i->status;
}

static void reset(void *self, void *out) { call(self, "reset", call_reset, NULL, out); }

static void observe(void *self, void *state) { call(self, "observe", call_observe, NULL, state); }

// The engine that the typed one is bound to; that begins with its address.
static bool create(const void *params, void *typed) {
  unit_engine_t *engine = malloc(sizeof *engine);
  instance_t *i = calloc(1, sizeof *i);
  guard_begin();
  if (engine && i) {
    call(i, "create", call_create, params, NULL);
  }
  if (!engine || !i || !i->self) {
    free(i);
    free(engine);
    return false;
  }
  *engine = (unit_engine_t){i, step, reset, library.engine.observe ? observe : NULL};
  model.info->bind(typed, engine);
  return true;
}

static void destroy(void *typed) {
  unit_engine_t *engine;
  memcpy(&engine, typed, sizeof engine);
  instance_t *i = engine->self;
  library.destroy(i->self);
  free(i);
  free(engine);
}

// ---- Making and loading ----

static bool fail(err_t *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(err_t *err, const char *format, ...) {
  va_list args;
  va_start(args, format);
  err_vset(err, ErrInput, format, args);
  va_end(args);
  return false;
}

// OUT/unit/NAME, as the units of the tree have build/unit/NAME.
static bool write_files(const page_t *page, const char *work, const char *out, err_t *err) {
  char *folder = text_make("%s/%s/unit/%s", work, out, page->name);
  bool ok = folder && (place_make_folder(folder) ||
                       err_set(err, ErrCheck, "%s: %s", folder, strerror(errno)));
  ok = ok && generate_c(page, folder, err) && generate_simulator(page, folder, err);
  free(folder);
  return ok;
}

static void *open_library(const char *path, err_t *err) {
  char absolute[PATH_MAX];
  void *object = realpath(path, absolute) ? dlopen(absolute, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!object) {
    const char *why = access(path, R_OK) == 0 ? dlerror() : "no such file";
    fail(err, "%s: %s", path, why ? why : "cannot be loaded");
  }
  return object;
}

// The tables of the unit, compiled: its unit_info_t.
static const unit_info_t *load_tables(const page_t *page, const char *work, const char *out,
                                      bool *lacking, err_t *err) {
  char name[256], path[PATH_MAX + 256], command[PATH_MAX + 1600], symbol[128];
  const char *n = page->name;
  // A loaded object may not be overwritten: its name says from which page it is.
  snprintf(name, sizeof name, "%s/unit/%s/tables-%016llx.so", out, n,
           (unsigned long long)page->hash);
  snprintf(path, sizeof path, "%s/%s", work, name);
  snprintf(
      command, sizeof command,
      "cd '%s' && gcc -std=c11 -O2 -Wall -Wextra -fPIC -shared -Wl,-Bsymbolic -I. -I%s -Ibuild "
      "%s/unit/%s/%s_table.c -o %s.%ld && mv %s.%ld %s",
      work, out, out, n, n, name, (long)getpid(), name, (long)getpid(), name);
  const bool is_new = access(path, R_OK) != 0;
  if (is_new && system("echo '#include <string.h>' | gcc -E - >/dev/null 2>&1") != 0) {
    *lacking = true;
    char *remedy = place_remedy("gcc libc6-dev");
    err_set(err, ErrMachine, "gcc or string.h is missing; %s", remedy ? remedy : "");
    free(remedy);
    return NULL;
  }
  if (is_new && system(command) != 0) {
    fail(err, "the tables of %s cannot be compiled", n);
    return NULL;
  }
  void *object = open_library(path, err);
  snprintf(symbol, sizeof symbol, "%s_info", n);
  return object ? dlsym(object, symbol) : NULL;
}

static bool find_function(void *object, const char *unit, const char *what, void *into,
                          const char *path, err_t *err) {
  char symbol[128];
  snprintf(symbol, sizeof symbol, "%s_golden_%s", unit, what);
  void *found = dlsym(object, symbol);
  if (!found) {
    return fail(err, "%s has no %s, expected the golden model of %s", path, symbol, unit);
  }
  memcpy(into, &found, sizeof found);
  return true;
}

// NOCTURNE_GOLDEN in place of what was given: the same model built for coverage.
static bool load_golden(const char *given, const unit_info_t *info, outside_golden_t *golden,
                        err_t *err) {
  const char *other = getenv("NOCTURNE_GOLDEN"), *path = other && *other ? other : given;
  void *object = open_library(path, err);
  const uint64_t *page = NULL;
  unit_engine_t *e = &golden->engine;
  if (!object || !find_function(object, info->name, "page", &page, path, err) ||
      !find_function(object, info->name, "create", &golden->create, path, err) ||
      !find_function(object, info->name, "destroy", &golden->destroy, path, err) ||
      !find_function(object, info->name, "step", &e->step, path, err) ||
      !find_function(object, info->name, "reset", &e->reset, path, err) ||
      (info->observe && !find_function(object, info->name, "observe", &e->observe, path, err))) {
    return false;
  }
  return *page == info->page ||
         fail(err, "%s is stale: built from another page of %s; build it anew", path, info->name);
}

// Links to an RTL folder whose path has blanks, because neither make nor Yosys takes them.
// The link is relative, as seen from the working folder.
static bool link_rtl(char folder[PATH_MAX], const char *unit, const char *out, err_t *err) {
  const char *work = place_work(err);
  if (!strpbrk(folder, " \t")) {
    return true;
  }
  char *name = text_make("%s/rtl-%s", out, unit), *path = text_make("%s/%s", work, name);
  bool ok = name && path && (unlink(path) == 0 || errno == ENOENT) && symlink(folder, path) == 0;
  if (ok) {
    snprintf(folder, PATH_MAX, "%s", name);
  } else {
    fail(err, "%s: %s", path ? path : unit, strerror(errno));
  }
  free(name);
  free(path);
  return ok;
}

bool outside_find_rtl(const outside_t *o, const page_t *page, const char *out, bool *found,
                      err_t *err) {
  char folder[PATH_MAX];
  if (!realpath(o->rtl, folder)) {
    return fail(err, "--rtl %s: no such folder", o->rtl);
  }
  char *path = text_make("%s/%s.sv", folder, page->name);
  *found = path && access(path, R_OK) == 0;
  free(path);
  if (!*found || !link_rtl(folder, page->name, out, err)) {
    return !*found;
  }
  rtl_model_outside(page->name, folder, out);
  setenv("NOCTURNE_RTL", folder, 1);  // for the scripts of rtl/synth
  return true;
}

const unit_info_t *outside_open(const outside_t *o, const page_t *page, const char *out,
                                outside_golden_t *golden, bool *lacking, err_t *err) {
  const char *work = place_work(err);
  const unit_info_t *info =
      work && write_files(page, work, out, err) ? load_tables(page, work, out, lacking, err) : NULL;
  return info && (!o->golden || load_golden(o->golden, info, golden, err)) ? info : NULL;
}

const unit_model_t *outside_load(const outside_t *o, bool *lacking, err_t *err) {
  static const char Out[] = "build/outside";
  page_t *page = page_read(o->page, err);
  if (!page) {
    return NULL;
  }
  bool has_rtl = false;
  const bool is_new =
      !unit_find(page->name) ||
      fail(err, "%s: %s is a unit of the tree, expected another name", o->page, page->name);
  const unit_info_t *info = is_new ? outside_open(o, page, Out, &library, lacking, err) : NULL;
  bool ok = info && outside_find_rtl(o, page, Out, &has_rtl, err);
  if (ok && !has_rtl) {
    ok = fail(err, "--rtl %s: no %s.sv there, expected the unit's module", o->rtl, page->name);
  }
  page_free(page);
  if (!ok) {
    return NULL;
  }
  snprintf(library_path, sizeof library_path, "%s", o->golden ? o->golden : "");
  model = (unit_model_t){.info = info, .create = o->golden ? create : NULL, .destroy = destroy};
  unit_add(&model);
  return &model;
}
