// SPDX-License-Identifier: Apache-2.0
// nocturne cover LIST.yaml...: what a regression covered, against the plans and the thresholds.
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "csim/base/place.h"
#include "csim/unit/page.h"
#include "tb/regress/cover.h"

enum {
  KeyPlans = 256,
  KeyExclusions,
  KeyData,
  KeyResults,
  KeyC,
  KeyFolder,
  KeyCheck,
  KeyPrepare,
  KeyMissed,
  KeyPage,
  KeyRtl
};

typedef struct {
  cli_lists_t lists;
  const char *folder;
  uint32_t missed;
  cover_options_t cover;
  bool only_check, only_prepare;
  const char *page, *rtl;  // of a unit from outside the tree, or NULL
} options_t;

static const struct argp_option Options[] = {
    {"plans", KeyPlans, "DIR", 0, "folder of UNIT/plan.yaml (tests/units)", 0},
    {"exclusions", KeyExclusions, "FILE", 0, "what is left out (tests/coverage/exclusions.yaml)",
     0},
    {"data", KeyData, "DIR", 0, "points of the units (build/cover/data)", 0},
    {"results", KeyResults, "FILE", 0, "of the regression (build/cover/regress/results.json)", 0},
    {"c", KeyC, "FILE.info", 0, "lcov's tracefile of the C; without it the C is not judged", 0},
    {"folder", KeyFolder, "DIR", 0, "summary.json, plan.json, coverage.info (build/cover)", 0},
    {"missed", KeyMissed, "N", 0, "print at most N missed points of a unit (20)", 0},
    {"check", KeyCheck, NULL, 0, "only read plans and exclusions", 0},
    {"page", KeyPage, "P.yaml", 0,
     "a unit from outside the tree; its plan.yaml and exclusions.yaml stand beside, or nowhere", 0},
    {"rtl", KeyRtl, "DIR", 0, "folder of its RTL (that of the page)", 0},
    {"prepare", KeyPrepare, NULL, 0, "write what the harness needs to know, DIR/toggle", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state) {
  options_t *o = state->input;
  switch (key) {
    case KeyPlans: o->cover.plans = arg; return 0;
    case KeyExclusions: o->cover.exclusions = arg; return 0;
    case KeyData: o->cover.data = arg; return 0;
    case KeyResults: o->cover.results = arg; return 0;
    case KeyC: o->cover.c = arg; return 0;
    case KeyFolder: o->folder = arg; return 0;
    case KeyPage: o->page = arg; return 0;
    case KeyRtl: o->rtl = arg; return 0;
    case KeyMissed:
      o->missed = (uint32_t)cli_number(state, "--missed", arg, 0, UINT32_MAX);
      return 0;
    case KeyCheck: o->only_check = true; return 0;
    case KeyPrepare: o->only_prepare = true; return 0;
    case ARGP_KEY_ARG: cli_add_list(state, &o->lists, arg); return 0;
    case ARGP_KEY_END:
      if (o->rtl && !o->page) argp_error(state, "--rtl: of a unit with --page only");
      return 0;
    case ARGP_KEY_NO_ARGS: argp_error(state, "expected the test lists of the regression"); return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

// Writes the parameter sets in which toggles are measured, for the harness.
static bool prepare(const cover_t *c, const char *folder, err_t *err) {
  text_t path = {0};
  FILE *file = fopen(text_set(&path, "%s/toggle", folder), "w");
  for (size_t i = 0; file && i < c->plans.count; i++) {
    for (size_t k = 0; c->plans.plans[i].toggle[k]; k++) {
      fprintf(file, "%s %s\n", c->plans.plans[i].unit, c->plans.plans[i].toggle[k]);
    }
  }
  bool ok = (file && fclose(file) == 0) || err_set(err, ErrCheck, "%s: cannot be written: %s",
                                                   text_string(&path), strerror(errno));
  text_free(&path);
  return ok;
}

// The names that stand for a unit from outside the tree.
typedef struct {
  coverage_outside_t unit;
  char *folder, *base, *points, *top, *plan, *exclusions;  // owned
  page_t *page;
} outside_files_t;

static void free_outside(outside_files_t *f) {
  free(f->folder);
  free(f->base);
  free(f->points);
  free(f->top);
  free(f->plan);
  free(f->exclusions);
  page_free(f->page);
}

// Finds what belongs to the unit of a page. free_outside in any case.
static bool find_outside(options_t *o, outside_files_t *f, err_t *err) {
  const char *work = place_work(err), *slash = strrchr(o->page, '/');
  f->page = work ? page_read(o->page, err) : NULL;
  if (!f->page) return false;
  const char *name = f->page->name;
  f->folder = slash ? text_make("%.*s", (int)(slash - o->page), o->page) : text_make(".");
  f->base = f->folder ? realpath(f->folder, NULL) : NULL;
  f->points = text_make("%s/cover_%s.svh", o->rtl ? o->rtl : f->folder, name);
  f->top = text_make("%s/build/outside/unit/%s/tb_%s.sv", work, name, name);
  f->plan = text_make("%s/plan.yaml", f->folder);
  f->exclusions = text_make("%s/exclusions.yaml", f->folder);
  if (!f->base || !f->points || !f->top || !f->plan || !f->exclusions)
    return err_memory(err, o->page);
  f->unit = (coverage_outside_t){.unit = name,
                                 .base = f->base,
                                 .plan = access(f->plan, F_OK) == 0 ? f->plan : NULL,
                                 .points = f->points,
                                 .top = f->top};
  o->cover.outside = &f->unit;
  o->cover.exclusions = access(f->exclusions, F_OK) == 0 ? f->exclusions : NULL;
  return true;
}

int cli_cover(int argc, char **argv) {
  static const struct argp Parser = {
      Options, parse, "LIST.yaml...", "Measures what a regression covered.", NULL, NULL, NULL};
  static options_t o;
  err_t err = {0};
  test_list_t list = {0};
  test_seeds_t seeds = {0};
  cover_t cover = {0};
  outside_files_t outside = {0};
  o = (options_t){.folder = "build/cover",
                  .missed = 20,
                  .cover = {.plans = "tests/units",
                            .exclusions = "tests/coverage/exclusions.yaml",
                            .data = "build/cover/data",
                            .results = "build/cover/regress/results.json"}};
  cli_parse(&Parser, argc, argv, &o);
  bool only_files = o.only_check || o.only_prepare;
  bool ok = cli_load_lists(&o.lists, &seeds, &list, &err) &&
            (!o.page || find_outside(&o, &outside, &err)) &&
            (only_files ? cover_check(&cover, &o.cover, &list, &err)
                        : cover_measure(&cover, &o.cover, &list, &err));
  int status = ExitPassed;
  if (ok && o.only_prepare) {
    ok = prepare(&cover, o.cover.data, &err);
  } else if (ok && !only_files) {
    cover_print(&cover, o.missed);
    status = json_array_size(cover.complaints) ? ExitFailed : ExitPassed;
    ok = cover_write(&cover, o.folder, &err);
  }
  if (!ok) status = cli_fail(&err);
  cover_free(&cover);
  free_outside(&outside);
  test_list_free(&list);
  return status;
}
