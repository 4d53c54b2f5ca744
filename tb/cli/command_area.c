// SPDX-License-Identifier: Apache-2.0
// nocturne area: what the units cost.
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "csim/base/place.h"
#include "liberty_option.h"
#include "outside_options.h"
#include "tb/area/area.h"
#include "tb/area/budget.h"
#include "tb/area/report.h"
#include "tb/harness/units.h"
#include "tb/regress/terminal.h"

enum {
  MaxUnits = 32,
  MaxGpus = 16,
  MaxSet = 16,
  KeyJson = 256,
  KeyFpga,
  KeyFields,
  KeyCheck,
  KeyCsv,
  KeyActivity,
  KeySteps,
  KeyCycles,
  KeyModules,
  KeyNoSearch,
  KeySchematic,
  KeyLiberty,
  KeySdc,
  KeyMemories
};

typedef struct {
  const char *units[MaxUnits];
  uint32_t unit_count;
  uint32_t gpus[MaxGpus], gpus_count;
  const char *set[MaxSet];
  uint32_t set_count;
  const char *json, *csv, *check;
  bool fields;
  uint64_t cycles;  // of the frame that the vectors are of; 0: as many as vectors
  area_options_t area;
  liberty_option_t liberty;
  outside_options_t outside;
} options_t;

static const struct argp_option Options[] = {
    {"gpus", 'g', "N,N,...", 0, "NumGpus, 2 to 64, of the units that have it", 0},
    {"set", 's', "PARAM=V,V,...", 0, "a parameter of the RTL; several lists: each with each", 0},
    {"jobs", 'j', "N", 0, "syntheses at a time (as many as there are processors)", 0},
    {"fields", KeyFields, NULL, 0, "list every register and memory", 0},
    {"fpga", KeyFpga, NULL, 0, "also iCE40 and Xilinx 7", 0},
    {"modules", KeyModules, NULL, 0, "also what each module costs by itself", 0},
    {"no-search", KeyNoSearch, NULL, 0, "without abc's search for structures: a large unit ends",
     0},
    {"schematic", KeySchematic, "DIR", 0, "only write DIR/UNIT.dot, blocks for graphviz", 0},
    {"activity", KeyActivity, "FILE.vec", 0, "energy: the netlist runs these recorded vectors", 0},
    {"steps", KeySteps, "N", 0, "the first N of them (all)", 0},
    {"cycles", KeyCycles, "N", 0, "of the run; the unit idles in those without a vector", 0},
    {"liberty", KeyLiberty, "FILE.lib", 0,
     "cells of your own, nothing scaled (docs/hardware/area.md); once per file of a kit", 0},
    {"sdc", KeySdc, "FILE", 0, "constraints for OpenSTA, by the RTL's ports; of --liberty", 0},
    {"memories", KeyMemories, "TABLE.yaml", 0, "macros for the memories; of --liberty", 0},
    {"check", KeyCheck, "DIR", 0, "fail where a figure exceeds its limit in DIR/UNIT/unit.yaml", 0},
    {"csv", KeyCsv, "FILE", 0, "write the table as CSV", 0},
    {"json", KeyJson, "FILE", 0, "write the result; - is standard output", 0},
    {"page", KeyPage, "P.yaml", 0, "a unit of your own (docs/how-to/add-a-unit.md): its page", 1},
    {"rtl", KeyRtl, "DIR", 0, "the folder of its RTL (that of the page)", 1},
    {0}};

static void read_gpus(options_t *o, const char *text, struct argp_state *state) {
  for (const char *p = text; p;) {
    char *end;
    unsigned long n = strtoul(p, &end, 10);
    if (end == p || n < 2 || n > 64 || (*end && *end != ',') || o->gpus_count == MaxGpus) {
      argp_error(state, "--gpus %s: expected numbers of 2 to 64 with commas, at most %d", text,
                 MaxGpus);
      return;
    }
    o->gpus[o->gpus_count++] = (uint32_t)n;
    p = *end ? end + 1 : NULL;
  }
}

static void check_set(const options_t *o, const char *arg, struct argp_state *state) {
  const char *equals = strchr(arg, '=');
  if (!equals || o->set_count == MaxSet) {
    argp_error(state, "--set %s: expected PARAM=NUMBER or PARAM=NUMBER,NUMBER,...", arg);
  } else if (strchr(equals + 1, '=')) {
    argp_error(
        state,
        "--set %s: expected one parameter and its values; another one has a --set of its own", arg);
  }
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  options_t *o = state->input;
  switch (key) {
    case 'g': read_gpus(o, arg, state); return 0;
    case 's':
      check_set(o, arg, state);
      o->set[o->set_count++] = arg;
      return 0;
    case 'j': o->area.jobs = (uint32_t)cli_number(state, "--jobs", arg, 1, 64); return 0;
    case KeyModules: o->area.modules = true; return 0;
    case KeyNoSearch: o->area.no_search = true; return 0;
    case KeySchematic: o->area.schematic = arg; return 0;
    case KeyActivity: o->area.activity = arg; return 0;
    case KeySteps: o->area.steps = cli_number(state, "--steps", arg, 1, UINT64_MAX); return 0;
    case KeyCycles: o->cycles = cli_number(state, "--cycles", arg, 1, UINT64_MAX); return 0;
    case KeyLiberty: liberty_option_add(&o->liberty, arg, state); return 0;
    case KeySdc: o->area.sdc = arg; return 0;
    case KeyMemories: o->area.memories = arg; return 0;
    case KeyFields: o->fields = true; return 0;
    case KeyFpga: o->area.fpga = true; return 0;
    case KeyCheck: o->check = arg; return 0;
    case KeyCsv: o->csv = arg; return 0;
    case KeyJson: o->json = arg; return 0;
    case ARGP_KEY_END:
      if (!o->liberty.count && (o->area.sdc || o->area.memories)) {
        argp_error(state, "--sdc, --memories: of --liberty");
      }
      if (o->liberty.count && (o->check || o->area.modules || o->area.fpga || o->area.schematic)) {
        argp_error(state, "--liberty: without --check, --modules, --fpga and --schematic");
      }
      if (o->check && o->area.no_search) {
        argp_error(state, "--check: budgets are of netlists with the search");
      }
      if (o->check && (o->gpus_count || o->set_count)) {
        argp_error(state, "--check: budgets are for the default parameters");
      }
      if (o->area.activity && (o->gpus_count || o->set_count || o->unit_count > 1)) {
        argp_error(state, "--activity: the vectors name their unit and parameters");
      }
      if (o->outside.outside.page ? o->unit_count || o->area.activity || o->check
                                  : o->outside.outside.rtl != NULL) {
        argp_error(state,
                   "--page: of a unit alone, without --activity and --check; --rtl goes with it");
      }
      if (!o->area.activity && (o->area.steps || o->cycles)) {
        argp_error(state, "--steps, --cycles: of --activity");
      }
      return 0;
    case ARGP_KEY_ARG:
      if (o->unit_count == MaxUnits) {
        argp_error(state, "%s: at most %d units", arg, MaxUnits);
      }
      o->units[o->unit_count++] = cli_unit_named(state, arg)->info->name;
      return 0;
    default: return outside_option(&o->outside, key, arg) ? 0 : ARGP_ERR_UNKNOWN;
  }
}

// Warns that all units will be synthesized, which takes minutes.
static void announce(const options_t *o) {
  enum { Seconds = 500 };  // of processor time, of all units (docs/hardware/area.md)
  char time[32];
  if (o->area.schematic) {
    fprintf(stderr, "nocturne area: draws the %u units; UNIT... takes some of them\n",
            o->unit_count);
    return;
  }
  fprintf(stderr,
          "nocturne area: synthesizes the %u units, %u at a time: about %s, less for what "
          "build/area keeps; UNIT... takes some of them\n",
          o->unit_count, o->area.jobs, terminal_time((double)Seconds / o->area.jobs, time));
}

// Adds the unit from outside the tree, or all units where none is named. False: *status says how
// to end.
static bool complete_units(options_t *o, int *status) {
  if (o->outside.outside.page) {
    const unit_model_t *unit = outside_unit(&o->outside, status);
    if (!unit) {
      return false;
    }
    o->units[o->unit_count++] = unit->info->name;
  }
  if (!o->unit_count && !o->area.activity) {
    for (uint32_t i = 0; unit_at(i) && i < MaxUnits; i++) {
      o->units[o->unit_count++] = unit_at(i)->info->name;
    }
    announce(o);
  }
  return true;
}

// ---- files ----------------------------------------------------------------------------

// Makes a name absolute, so that it is the same file from anywhere. The result is kept for the rest
// of the process.
static bool resolve(const char **name, err_t *err) {
  char *path = *name ? realpath(*name, NULL) : NULL;
  if (*name && !path) {
    return err_set(err, ErrInput, "%s: %s", *name, strerror(errno));
  }
  *name = path;
  return true;
}

// Goes to the folder where RTL is built, because the scripts run there. Names that the user gave
// stay those of his folder.
static bool go_to_work(options_t *o, err_t *err) {
  const char **given[] = {&o->json, &o->csv, &o->check, &o->area.activity, &o->area.schematic};
  char *here = getcwd(NULL, 0);
  const char *work = place_work(err);
  if (!work || !here) {
    if (work) {
      err_set(err, ErrCheck, "%s", strerror(errno));
    }
    free(here);
    return false;
  }
  for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
    if (*given[i] && (*given[i])[0] != '/' && strcmp(*given[i], "-") != 0) {
      *given[i] = text_make("%s/%s", here, *given[i]);
    }
  }
  free(here);
  return chdir(work) == 0 || err_set(err, ErrCheck, "%s: %s", work, strerror(errno));
}

// ---- all ------------------------------------------------------------------------------

static bool report(const options_t *o, const area_results_t *results, err_t *err) {
  budget_report_t budget = {0};
  bool to_stdout = o->json && strcmp(o->json, "-") == 0;
  if (o->check) {
    if (!budget_check(o->check, results, &budget, err)) {
      return false;
    }
    printf("%u figures, %u exceeded\n", budget.checked, budget.exceeded);
  }
  if (!to_stdout) {
    area_print(results, !o->check, o->fields, o->cycles);
  }
  bool ok = !o->json || area_write_json(results, o->liberty.files[0], o->cycles, o->json, err);
  ok = ok && (!o->csv || area_write_csv(results, o->csv, err));
  if (ok && budget.exceeded) {
    err->status = ErrCheck;  // said above
  }
  return ok && !budget.exceeded;
}

static bool measure(options_t *o, err_t *err) {
  area_requests_t requests = {0};
  area_results_t results = {0};
  area_wanted_t wanted = {o->units, o->unit_count, o->gpus, o->gpus_count, o->set, o->set_count};
  bool ok = o->area.activity ? area_requests_read(&requests, o->area.activity,
                                                  o->unit_count ? o->units[0] : NULL, err)
                             : area_requests_make(&requests, &wanted, err);
  ok = ok && (!o->liberty.count || liberty_option_make(&o->liberty, &o->area.liberty, err)) &&
       resolve(&o->area.sdc, err) && resolve(&o->area.memories, err) &&
       (!place_data() || go_to_work(o, err)) && area_measure(&results, &requests, &o->area, err) &&
       (o->area.schematic || report(o, &results, err));
  area_free(&results);
  area_requests_free(&requests);
  return ok;
}

int cli_area(int argc, char **argv) {
  static const struct argp Parser = {
      Options,
      parse,
      "[UNIT...]",
      "Storage, cells, area and clock of the units (all of them), beside the papers' figures.",
      NULL,
      NULL,
      NULL};
  options_t o = {0};
  err_t err = {0};
  int status = ExitUsage;
  o.area.jobs = cli_processors();
  cli_parse(&Parser, argc, argv, &o);
  if (!complete_units(&o, &status)) {
    return status;
  }
  if (measure(&o, &err)) {
    return ExitPassed;
  }
  return err.text.length ? cli_fail(&err) : (int)err.status;
}
