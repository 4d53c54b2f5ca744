// SPDX-License-Identifier: Apache-2.0
// nocturne area: what the units cost.
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tb/area/report_cells.h"
#include "cli.h"
#include "outside_options.h"
#include "csim/base/place.h"
#include "tb/area/area.h"
#include "tb/area/budget.h"
#include "tb/regress/terminal.h"
#include "tb/area/scaling.h"
#include "tb/harness/json_file.h"
#include "tb/harness/units.h"

enum {
  MaxUnits = 32,
  MaxGpus = 16,
  MaxSet = 16,
  MaxRequests = 128,
  KeyJson = 256,
  KeyFpga,
  KeyFields,
  KeyCheck,
  KeyCsv,
  KeyActivity,
  KeySteps,
  KeyCycles,
  KeyModules, KeyNoSearch,
  KeySchematic,
  KeyLiberty, KeySdc, KeyMemories
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
  outside_options_t outside;
} options_t;

static const struct argp_option Options[] = {
    {"gpus", 'g', "N,N,...", 0, "NumGpus, 2 to 64, of the units that have it", 0},
    {"set", 's', "PARAM=V,V,...", 0, "a parameter of the RTL; several lists: each with each", 0},
    {"jobs", 'j', "N", 0, "syntheses at a time (as many as there are processors)", 0},
    {"fields", KeyFields, NULL, 0, "list every register and memory", 0},
    {"fpga", KeyFpga, NULL, 0, "also iCE40 and Xilinx 7", 0},
    {"modules", KeyModules, NULL, 0, "also what each module costs by itself", 0},
    {"no-search", KeyNoSearch, NULL, 0,
     "without abc's search for structures: a large unit ends", 0},
    {"schematic", KeySchematic, "DIR", 0, "only write DIR/UNIT.dot, blocks for graphviz", 0},
    {"activity", KeyActivity, "FILE.vec", 0, "energy: the netlist runs these recorded vectors", 0},
    {"steps", KeySteps, "N", 0, "the first N of them (all)", 0},
    {"cycles", KeyCycles, "N", 0, "of the run; the unit idles in those without a vector", 0},
    {"liberty", KeyLiberty, "FILE.lib", 0, "cells of your own, nothing scaled (docs/area.md)", 0},
    {"sdc", KeySdc, "FILE", 0, "constraints for OpenSTA, by the RTL's ports; of --liberty", 0},
    {"memories", KeyMemories, "TABLE.yaml", 0, "macros for the memories; of --liberty", 0},
    {"check", KeyCheck, "DIR", 0, "fail where a figure exceeds its limit in DIR/UNIT/unit.yaml", 0},
    {"csv", KeyCsv, "FILE", 0, "write the table as CSV", 0},
    {"json", KeyJson, "FILE", 0, "write the result; - is standard output", 0},
    {"page", KeyPage, "P.yaml", 0, "a unit of your own (docs/add-a-unit.md): its page", 1},
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

static error_t parse(int key, char *arg, struct argp_state *state) {
  options_t *o = state->input;
  switch (key) {
    case 'g': read_gpus(o, arg, state); return 0;
    case 's':
      if (!strchr(arg, '=') || o->set_count == MaxSet) {
        argp_error(state, "--set %s: expected PARAM=NUMBER or PARAM=NUMBER,NUMBER,...", arg);
      }
      o->set[o->set_count++] = arg;
      return 0;
    case 'j': o->area.jobs = (uint32_t)cli_number(state, "--jobs", arg, 1, 64); return 0;
    case KeyModules: o->area.modules = true; return 0;
    case KeyNoSearch: o->area.no_search = true; return 0;
    case KeySchematic: o->area.schematic = arg; return 0;
    case KeyActivity: o->area.activity = arg; return 0;
    case KeySteps: o->area.steps = cli_number(state, "--steps", arg, 1, UINT64_MAX); return 0;
    case KeyCycles: o->cycles = cli_number(state, "--cycles", arg, 1, UINT64_MAX); return 0;
    case KeyLiberty: o->area.liberty = arg; return 0;
    case KeySdc: o->area.sdc = arg; return 0;
    case KeyMemories: o->area.memories = arg; return 0;
    case KeyFields: o->fields = true; return 0;
    case KeyFpga: o->area.fpga = true; return 0;
    case KeyCheck: o->check = arg; return 0;
    case KeyCsv: o->csv = arg; return 0;
    case KeyJson: o->json = arg; return 0;
    case ARGP_KEY_END:
      if (!o->area.liberty && (o->area.sdc || o->area.memories)) {
        argp_error(state, "--sdc, --memories: of --liberty");
      }
      if (o->area.liberty && (o->check || o->area.modules || o->area.fpga || o->area.schematic)) {
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
    default:
      return outside_option(&o->outside, key, arg) ? 0 : ARGP_ERR_UNKNOWN;
  }
}

// ---- requests -------------------------------------------------------------------------

static bool has_param(const unit_info_t *unit, const char *name, size_t length) {
  for (const unit_param_t *p = unit->params; p->name; p++) {
    if (strlen(p->rtl) == length && memcmp(p->rtl, name, length) == 0) {
      return strcmp(p->rtl, "ResetBelow") != 0;  // of the bench, not of the RTL
    }
  }
  return false;
}

// The page knows the ranges, the golden model what goes together.
static bool is_possible(const unit_info_t *unit, const char *params, char *error) {
  unit_params_t values;
  if (!unit_params_read(unit, params, &values, error)) {
    return false;
  }
  if (!unit_find(unit->name)->create) {
    return unit_params_allowed(unit, &values, error);
  }
  uint64_t clock = 0;
  harness_options_t options = {.engine = EngineGolden, .seed = 1, .clock = &clock};
  harness_t *h = harness_create(&options);
  bool ok = h && harness_unit_create(h, unit, &values, 0, NULL, error);
  harness_destroy(h);
  if (!ok) {
    snprintf(error, HarnessErrorSize,
             "%s %s: beyond the parameters' ranges, which docs/units/%s.md "
             "has",
             unit->name, params, unit->name);
  }
  return ok;
}

// The parameters of r->params that are not the unit's defaults. What only the benches look at is
// left out unless r->params asks for it.
static void find_changed(const unit_info_t *unit, area_request_t *r) {
  size_t length = 0;
  char name[64];
  unsigned long long value;
  const char *text = r->params;
  if (has_param(unit, "Observe", 7) && !strstr(text, "Observe=")) {
    length += (size_t)snprintf(r->changed, sizeof r->changed, "Observe=0");
  }
  for (int n = 0; sscanf(text, " %63[A-Za-z0-9]=%llu%n", name, &value, &n) == 2; text += n) {
    for (const unit_param_t *p = unit->params; p->name; p++) {
      uint64_t usual = 0;
      memcpy(&usual, (const uint8_t *)unit->defaults + p->offset, p->size);
      if (strcmp(p->rtl, name) == 0 && usual != value) {
        length += (size_t)snprintf(r->changed + length, sizeof r->changed - length, "%s%s=%llu",
                                   length ? " " : "", name, value);
      }
    }
  }
}

// Which value of each --set a request has: the lists as the digits of a number, the last the
// lowest.
typedef struct {
  uint32_t at[MaxSet];
} pick_t;

// The value that pick has of --set number s: its text and its length.
static const char *picked_value(const options_t *o, const pick_t *pick, uint32_t s,
                                size_t *length) {
  const char *value = strchr(o->set[s], '=') + 1;
  for (uint32_t i = 0; i < pick->at[s]; i++) {
    value += strcspn(value, ",") + 1;
  }
  *length = strcspn(value, ",");
  return value;
}

// False: all that concern the unit were picked.
static bool next_pick(const options_t *o, const unit_info_t *unit, pick_t *pick) {
  for (uint32_t s = o->set_count; s-- > 0;) {
    size_t length;
    if (!has_param(unit, o->set[s], strcspn(o->set[s], "="))) {
      continue;
    }
    if (picked_value(o, pick, s, &length)[length]) {
      pick->at[s]++;
      return true;
    }
    pick->at[s] = 0;
  }
  return false;
}

static bool make_request(const options_t *o, const unit_info_t *unit, uint32_t gpus,
                         const pick_t *pick, area_request_t *r, bool used[MaxSet], char *error) {
  size_t length = 0;
  *r = (area_request_t){.unit = unit->name};
  if (gpus && has_param(unit, "NumGpus", 7)) {
    length += (size_t)snprintf(r->params, sizeof r->params, "NumGpus=%u", gpus);
  }
  for (uint32_t s = 0; s < o->set_count; s++) {
    size_t name_length = strcspn(o->set[s], "="), value_length;
    if (has_param(unit, o->set[s], name_length)) {
      used[s] = true;
      const char *value = picked_value(o, pick, s, &value_length);
      length += (size_t)snprintf(r->params + length, sizeof r->params - length, "%s%.*s=%.*s",
                                 length ? " " : "", (int)name_length, o->set[s], (int)value_length,
                                 value);
    }
    if (length >= sizeof r->params) {
      snprintf(error, HarnessErrorSize, "--set: too long");
      return false;
    }
  }
  find_changed(unit, r);
  return is_possible(unit, r->params, error);
}

// The request that a file of vectors names.
static bool read_activity(options_t *o, area_request_t *r, char *error) {
  char name[64], *all = o->area.activity_params;
  int n = 0;
  if (!energy_read_header(o->area.activity, name, all, error, HarnessErrorSize)) {
    return false;
  }
  const unit_model_t *model = unit_find(name);
  const unit_info_t *unit = model ? model->info : NULL;
  if (!unit || (o->unit_count && strcmp(o->units[0], name) != 0)) {
    snprintf(error, HarnessErrorSize, "%.100s: vectors of %s%s%s", o->area.activity, name,
             unit ? ", not of " : ": no such unit", unit ? o->units[0] : "");
    return false;
  }
  *r = (area_request_t){.unit = unit->name};
  // The recording run observes; the netlist need not.
  char one[128], *observe = strstr(all, "Observe=1");
  size_t length = 0;
  if (observe) {
    memcpy(observe, "Observe=0", 9);
  }
  for (const char *p = all; sscanf(p, " %127s%n", one, &n) == 1; p += n) {
    if (has_param(unit, one, strcspn(one, "=")) && strncmp(one, "Observe=", 8) != 0) {
      length += (size_t)snprintf(r->params + length, sizeof r->params - length, "%s%s",
                                 length ? " " : "", one);
    }
  }
  find_changed(unit, r);
  return is_possible(unit, r->params, error);
}

// False with one line in error.
static bool make_requests(const options_t *o, area_request_t *requests, uint32_t *count,
                          char *error) {
  bool used[MaxSet] = {false}, any_scales = false;
  *count = 0;
  for (uint32_t u = 0; u < o->unit_count; u++) {
    const unit_info_t *unit = unit_find(o->units[u])->info;
    bool scales = has_param(unit, "NumGpus", 7);
    any_scales = any_scales || scales;
    for (uint32_t g = 0; g == 0 || (scales && g < o->gpus_count); g++) {
      pick_t pick = {{0}};
      do {
        if (*count == MaxRequests) {
          snprintf(error, HarnessErrorSize, "more than %d syntheses", MaxRequests);
          return false;
        }
        if (!make_request(o, unit, o->gpus_count ? o->gpus[g] : 0, &pick, &requests[(*count)++],
                          used, error)) {
          return false;
        }
      } while (next_pick(o, unit, &pick));
    }
  }
  if (o->gpus_count && !any_scales) {
    snprintf(error, HarnessErrorSize, "--gpus: %s has no NumGpus",
             o->unit_count == 1 ? o->units[0] : "no unit named");
    return false;
  }
  for (uint32_t s = 0; s < o->set_count; s++) {
    if (!used[s]) {
      snprintf(error, HarnessErrorSize, "--set %s: %s has no such parameter", o->set[s],
               o->unit_count == 1 ? o->units[0] : "no unit named");
      return false;
    }
  }
  return true;
}

// ---- JSON -----------------------------------------------------------------------------

// Figures are rounded to what they mean.
static json_t *rounded(double value, double step) {
  return json_real((double)(int64_t)(value / step + 0.5) * step);
}

static json_t *parameters(const char *params) {
  json_t *object = json_object();
  char name[64];
  long long value;
  for (int n = 0; sscanf(params, " %63[A-Za-z0-9]=%lld%n", name, &value, &n) == 2; params += n) {
    json_object_set_new(object, name, json_integer(value));
  }
  return object;
}

static json_t *modules_json(const area_result_t *r) {
  json_t *rows = json_array();
  for (uint32_t m = 0; m < r->module_count; m++) {
    const module_cost_t *x = &r->modules[m];
    json_t *row = json_pack("{s:s, s:s, s:i, s:i, s:I, s:I, s:I}", "instance", x->instance,
                            "module", x->module, "depth", (int)x->depth, "instances",
                            (int)x->instances, "cells", (json_int_t)x->cells, "flip_flops",
                            (json_int_t)x->flip_flops, "memory_bits", (json_int_t)x->memory_bits);
    json_object_set_new(row, "area_um2_osu018", rounded(x->area_osu018, 1));
    json_object_set_new(row, "area_um2_28nm", rounded(x->area_28nm, 1));
    json_object_set_new(row, "share", rounded(x->area_28nm / r->modules[0].area_28nm, 1e-4));
    json_array_append_new(rows, row);
  }
  return rows;
}

static void scaled_json(json_t *unit, const area_result_t *r) {
  json_object_set_new(unit, "area_um2_osu018", rounded(r->area_own, 1));
  json_object_set_new(unit, "area_um2_28nm", rounded(r->area_28nm, 1));
  json_object_set_new(unit, "cells_um2_osu018", rounded(r->netlist.area, 1));
  json_object_set_new(unit, "memory_um2_osu018", rounded(r->memory_own, 1));
  json_object_set_new(unit, "memory_um2_28nm", rounded(r->memory_28nm, 1));
  json_object_set_new(unit, "memory_as_flip_flops_um2_osu018",
                      rounded(r->memory_as_flip_flops, 1));
  json_object_set_new(unit, "memory_as_flip_flops_um2_28nm",
                      rounded(r->memory_as_flip_flops / scaling_area(), 1));
  json_object_set_new(unit, "clock_mhz_osu018", rounded(1e6 / r->period_own, 0.1));
  json_object_set_new(unit, "clock_mhz_28nm", rounded(1e6 / r->period_28nm, 1));
  json_object_set_new(unit, "leakage_nw_osu018", rounded(r->netlist.leakage, 0.1));
}

static json_t *result_json(const area_result_t *r) {
  const netlist_t *n = &r->netlist;
  json_t *storage = json_array(), *other = json_object(), *memories = json_array();
  for (uint32_t f = 0; f < r->fields.count; f++) {
    const area_field_t *x = &r->fields.field[f];
    json_array_append_new(storage, json_pack("{s:s, s:s, s:s, s:I}", "table", x->table, "field",
                                             x->field, "rtl", x->rtl, "bits",
                                             (json_int_t)x->bits));
  }
  for (uint32_t s = 0; s < n->storage_count; s++) {
    uint64_t bits = area_other_bits(&r->fields, &n->storage[s]);
    if (bits) {
      json_object_set_new(other, n->storage[s].name, json_integer((json_int_t)bits));
    }
  }
  for (uint32_t m = 0; m < n->memory_count; m++) {
    json_array_append_new(memories, json_pack("{s:s, s:I, s:I, s:I, s:I}", "name",
                                              n->memories[m].name, "words",
                                              (json_int_t)n->memories[m].words, "width",
                                              (json_int_t)n->memories[m].width, "reads",
                                              (json_int_t)n->memories[m].reads, "writes",
                                              (json_int_t)n->memories[m].writes));
  }
  json_t *unit = json_object();
  json_object_set_new(unit, "name", json_string(r->request->unit));
  json_object_set_new(unit, "parameters", parameters(r->request->params));
  json_object_set_new(unit, "storage_bytes", json_real((double)r->fields.paper_bits / 8));
  if (area_paper_figure(r->request) > 0) {
    json_object_set_new(unit, "paper_storage_bytes", json_real(area_paper_figure(r->request)));
  }
  json_object_set_new(unit, "storage", storage);
  json_object_set_new(unit, "other_bits", other);
  json_object_set_new(unit, "storage_bits_all", json_integer((json_int_t)n->storage_bits));
  json_object_set_new(unit, "cells", json_integer((json_int_t)n->cells));
  json_object_set_new(unit, "flip_flops", json_integer((json_int_t)n->flip_flops));
  json_object_set_new(unit, "depth", json_integer(n->depth));
  json_object_set_new(unit, "memories", memories);
  json_object_set_new(unit, "memory_bits", json_integer((json_int_t)r->memory_bits));
  if (r->own_cells) {
    report_cells_json(unit, r);
  } else {
    scaled_json(unit, r);
  }
  json_object_set_new(unit, "clock_by", json_string(r->timing.has_period ? "OpenSTA" : "abc"));
  if (r->timing.from[0]) {
    json_object_set_new(unit, "longest_path",
                        json_pack("{s:s, s:s}", "from", r->timing.from, "to", r->timing.to));
  }
  if (r->module_count) {
    json_object_set_new(unit, "modules", modules_json(r));
  }
  if (r->has_fpga) {
    json_object_set_new(
        unit, "fpga",
        json_pack("{s:{s:i, s:i, s:i}, s:{s:i, s:i, s:i, s:i, s:i}}", "ice40", "luts",
                  (int)r->ice40_luts, "flip_flops", (int)r->ice40_ffs, "block_rams",
                  (int)r->ice40_brams, "xilinx7", "luts", (int)r->xilinx_luts, "flip_flops",
                  (int)r->xilinx_ffs, "block_rams", (int)r->xilinx_brams, "lut_rams",
                  (int)r->xilinx_lutrams, "dsps", (int)r->xilinx_dsps));
  }
  return unit;
}

// Power at a clock, mW: the vectors' cycles, and idle ones where the run was longer.
typedef struct {
  double active, average, leakage;
} power_t;

static power_t power(const energy_t *e, uint64_t cycles, double mhz, bool is_28nm) {
  double by = is_28nm ? scaling_energy() : 1;
  double memory = is_28nm ? e->memory_28nm : e->memory;
  double share = cycles > e->cycles ? (double)e->cycles / (double)cycles : 1;
  double moving = (e->switching + e->internal) / by + memory;  // pJ
  return (power_t){1e-3 * mhz * (moving + e->clock / by),
                   1e-3 * mhz * (share * moving + e->clock / by), 1e-6 * e->leakage};
}

static json_t *energy_json(const area_result_t *r, uint64_t cycles) {
  const energy_t *e = &r->energy;
  power_t here = power(e, cycles, 1e6 / r->period_own, false);
  power_t there = power(e, cycles, 1000, true);
  json_t *object = json_pack(
      "{s:I, s:I, s:I, s:I, s:I, s:I}", "cycles", (json_int_t)e->cycles, "run_cycles",
      (json_int_t)(cycles > e->cycles ? cycles : e->cycles), "nets", (json_int_t)e->nets, "toggles",
      (json_int_t)e->toggles, "memory_read_bits", (json_int_t)e->read_bits, "memory_written_bits",
      (json_int_t)e->written_bits);
  json_object_set_new(object, "toggles_per_net_and_cycle",
                      rounded((double)e->toggles / (double)(e->nets * e->cycles), 1e-6));
  json_object_set_new(object, "switching_pj_per_cycle_osu018", rounded(e->switching, 1e-3));
  json_object_set_new(object, "internal_pj_per_cycle_osu018", rounded(e->internal, 1e-3));
  json_object_set_new(object, "clock_pj_per_cycle_osu018", rounded(e->clock, 1e-3));
  json_object_set_new(object, "memory_pj_per_cycle_osu018", rounded(e->memory, 1e-3));
  json_object_set_new(object, "memory_pj_per_cycle_28nm", rounded(e->memory_28nm, 1e-3));
  json_object_set_new(object, "power_mw_osu018", rounded(here.active, 1e-4));
  json_object_set_new(object, "average_power_mw_osu018", rounded(here.average, 1e-4));
  json_object_set_new(object, "leakage_mw_osu018", rounded(here.leakage, 1e-9));
  json_object_set_new(object, "power_mw_28nm_1ghz", rounded(there.active, 1e-4));
  json_object_set_new(object, "average_power_mw_28nm_1ghz", rounded(there.average, 1e-4));
  return object;
}

static bool write_json(const options_t *o, const area_result_t *results, uint32_t count) {
  json_t *units = json_array();
  for (uint32_t i = 0; i < count; i++) {
    json_t *unit = result_json(&results[i]);
    if (results[i].has_energy && !results[i].own_cells) {
      json_object_set_new(unit, "energy", energy_json(&results[i], o->cycles));
    }
    json_array_append_new(units, unit);
  }
  json_t *root = json_pack("{s:o, s:{s:f, s:f, s:f}}", "units", units, "scaling_to_28nm", "area",
                           scaling_area(), "delay", scaling_delay(), "energy", scaling_energy());
  if (o->area.liberty) {
    json_object_del(root, "scaling_to_28nm");
    json_object_set_new(root, "library", report_cells_library(&results[0], o->area.liberty));
  }
  char error[512];
  bool ok = json_file_write_cut(root, o->json, JSON_INDENT(1) | JSON_REAL_PRECISION(12), error,
                            sizeof error);
  if (!ok) {
    fprintf(stderr, "nocturne: %s\n", error);
  }
  json_decref(root);
  return ok;
}

static bool write_csv(const char *path, const area_result_t *results, uint32_t count) {
  if (results[0].own_cells) {
    bool ok = report_cells_csv(path, results, count);
    if (!ok) {
      fprintf(stderr, "nocturne: %s: cannot be written: %s\n", path, strerror(errno));
    }
    return ok;
  }
  FILE *f = fopen(path, "w");
  if (f) {
    fprintf(f, "unit,parameters,gpus,paper_bits,storage_bits,cells,flip_flops,memory_bits,depth,"
               "area_um2_osu018,area_um2_28nm,clock_mhz_osu018,clock_mhz_28nm,"
               "memory_um2_osu018,memory_as_flip_flops_um2_osu018,ice40_luts,ice40_ffs,ice40_brams,"
               "xilinx_luts,xilinx_ffs,xilinx_brams,xilinx_lutrams,xilinx_dsps\n");
  }
  for (uint32_t i = 0; f && i < count; i++) {
    const area_result_t *r = &results[i];
    unsigned gpus = 0;
    sscanf(r->request->params, "NumGpus=%u", &gpus);
    fprintf(f,
            "%s,%s,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
            ",%u,%.0f,%.0f,%.1f,%.0f,%.0f,%.0f",
            r->request->unit, r->request->params, gpus, r->fields.paper_bits,
            r->netlist.storage_bits, r->netlist.cells, r->netlist.flip_flops, r->memory_bits,
            r->netlist.depth, r->area_own, r->area_28nm, 1e6 / r->period_own,
            1e6 / r->period_28nm, r->memory_own, r->memory_as_flip_flops);
    if (r->has_fpga) {
      fprintf(f, ",%u,%u,%u,%u,%u,%u,%u,%u\n", r->ice40_luts, r->ice40_ffs, r->ice40_brams,
              r->xilinx_luts, r->xilinx_ffs, r->xilinx_brams, r->xilinx_lutrams, r->xilinx_dsps);
    } else {
      fprintf(f, ",,,,,,,,\n");
    }
  }
  if (!f || fclose(f) != 0) {
    fprintf(stderr, "nocturne: %s: cannot be written: %s\n", path, strerror(errno));
    return false;
  }
  return true;
}

// ---- table ----------------------------------------------------------------------------

static void print_fields(const area_result_t *r) {
  printf("\n%s %s: bits of storage\n", r->request->unit, r->request->params);
  for (uint32_t f = 0; f < r->fields.count; f++) {
    const area_field_t *x = &r->fields.field[f];
    printf("  %8" PRIu64 "  %s: %s (%s)\n", x->bits, x->table, x->field, x->rtl);
  }
  for (uint32_t s = 0; s < r->netlist.storage_count; s++) {
    const netlist_storage_t *x = &r->netlist.storage[s];
    if (area_other_bits(&r->fields, x)) {
      printf("  %8" PRIu64 "  %s%s\n", area_other_bits(&r->fields, x), x->name,
             area_other_bits(&r->fields, x) < x->bits ? ", beyond the paper's field" : "");
    }
  }
}

static void print_table(const area_result_t *results, uint32_t count) {
  printf("%-22s %-14s %9s %9s %9s %7s %7s %9s %9s %9s %7s %7s %5s\n", "unit", "parameters",
         "paper B", "fields B", "other bit", "cells", "FFs", "mem bits", "0.18 mm2", "28nm mm2",
         "0.18MHz", "28nmMHz", "depth");
  for (uint32_t i = 0; i < count; i++) {
    const area_result_t *r = &results[i];
    char paper[24] = "-";
    if (area_paper_figure(r->request) > 0) {
      snprintf(paper, sizeof paper, "%.0f", area_paper_figure(r->request));
    }
    printf("%-22s %-14s %9s %9.0f %9" PRIu64 " %7" PRIu64 " %7" PRIu64 " %9" PRIu64
           " %9.4f %9.5f %7.1f %7.0f %5u%s\n",
           r->request->unit, r->request->params[0] ? r->request->params : "default", paper,
           (double)r->fields.paper_bits / 8, r->netlist.storage_bits - r->fields.paper_bits,
           r->netlist.cells, r->netlist.flip_flops, r->memory_bits, 1e-6 * r->area_own,
           1e-6 * r->area_28nm, 1e6 / r->period_own, 1e6 / r->period_28nm, r->netlist.depth,
           r->timing.has_period ? "" : "  (clock by abc)");
  }
  for (uint32_t i = 0; i < count; i++) {
    const area_result_t *r = &results[i];
    if (r->memory_bits) {
      printf("%s: memories %.4f mm2 as memories, %.4f as flip-flops (0.18 um); "
             "%.5f and %.5f (28 nm)\n",
             r->request->unit, 1e-6 * r->memory_own, 1e-6 * r->memory_as_flip_flops,
             1e-6 * r->memory_28nm, 1e-6 * r->memory_as_flip_flops / scaling_area());
    }
    if (r->has_fpga) {
      printf("%s: iCE40 %u LUTs, %u FFs, %u block RAMs; Xilinx 7 %u LUTs, %u FFs, %u block RAMs, "
             "%u LUT RAMs, %u DSPs\n",
             r->request->unit, r->ice40_luts, r->ice40_ffs, r->ice40_brams, r->xilinx_luts,
             r->xilinx_ffs, r->xilinx_brams, r->xilinx_lutrams, r->xilinx_dsps);
    }
  }
}

// Where to look first for a faster clock.
static void print_paths(const area_result_t *results, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    if (results[i].timing.from[0]) {
      printf("%s: longest path from %s to %s\n", results[i].request->unit, results[i].timing.from,
             results[i].timing.to);
    }
  }
}

static void print_modules(const area_result_t *r) {
  printf("\n%s: modules, each synthesized by itself, with what is inside\n"
         "  %7s %7s %9s %9s %9s %6s\n", r->request->unit, "cells", "FFs", "mem bits", "0.18 mm2",
         "28nm mm2", "share");
  for (uint32_t m = 0; m < r->module_count; m++) {
    const module_cost_t *x = &r->modules[m];
    char times[24] = "";
    if (x->instances > 1) {
      snprintf(times, sizeof times, ", %u times", x->instances);
    }
    printf("  %7" PRIu64 " %7" PRIu64 " %9" PRIu64 " %9.4f %9.5f %5.1f%%  %*s%s (%s%s)\n", x->cells,
           x->flip_flops, x->memory_bits, 1e-6 * x->area_osu018, 1e-6 * x->area_28nm,
           100 * x->area_28nm / r->modules[0].area_28nm, 2 * (int)x->depth, "", x->instance,
           x->module, times);
  }
}

static void print_energy(const area_result_t *r, uint64_t cycles) {
  const energy_t *e = &r->energy;
  power_t here = power(e, cycles, 1e6 / r->period_own, false);
  power_t there = power(e, cycles, 1000, true);
  printf("%s: %" PRIu64 " cycles, %.4f toggles a net and cycle\n", r->request->unit, e->cycles,
         (double)e->toggles / (double)(e->nets * e->cycles));
  printf("  pJ a cycle at 0.18 um: nets %.2f, cells %.2f, clock %.2f, memories %.2f\n",
         e->switching, e->internal, e->clock, e->memory);
  printf("  mW at 0.18 um and %.1f MHz: %.3f (%.3f over the run), leakage %.6f\n",
         1e6 / r->period_own, here.active, here.average, here.leakage);
  printf("  mW at 28 nm and 1 GHz: %.3f (%.3f over the run)\n", there.active, there.average);
}

// Said before all units are taken, which nobody may have meant to wait for.
static void announce(const options_t *o) {
  enum { Seconds = 500 };  // of processor time that the synthesis of all units takes, docs/area.md
  char time[32];
  if (o->area.schematic) {
    fprintf(stderr, "nocturne area: draws the %u units; UNIT... takes some of them\n",
            o->unit_count);
    return;
  }
  fprintf(stderr, "nocturne area: synthesizes the %u units, %u at a time: about %s, less for what "
          "build/area keeps; UNIT... takes some of them\n", o->unit_count, o->area.jobs,
          terminal_time((double)Seconds / o->area.jobs, time));
}

// The scripts run where RTL is built: names that the user gave stay those of his folder.
static bool go_to_work(options_t *o) {
  static char names[5][PlaceSize];
  const char **given[] = {&o->json, &o->csv, &o->check, &o->area.activity, &o->area.schematic};
  char here[PATH_MAX], error[PlaceErrorSize];
  const char *work = place_work(error);
  if (!work || !getcwd(here, sizeof here)) {
    fprintf(stderr, "nocturne: %s\n", work ? strerror(errno) : error);
    return false;
  }
  for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
    const char *name = *given[i];
    if (name && name[0] != '/' && strcmp(name, "-") != 0) {
      snprintf(names[i], PlaceSize, "%.2048s/%.1024s", here, name);
      *given[i] = names[i];
    }
  }
  if (chdir(work) != 0) {
    fprintf(stderr, "nocturne: %s: %s\n", work, strerror(errno));
    return false;
  }
  return true;
}

// So that it is the same file from anywhere. False: it is not there.
static bool resolve(const char **name, char path[PATH_MAX]) {
  if (*name && !realpath(*name, path)) {
    fprintf(stderr, "nocturne: %s: %s\n", *name, strerror(errno));
    return false;
  }
  *name = *name ? path : NULL;
  return true;
}

int cli_area(int argc, char **argv) {
  static const struct argp Parser = {
      Options, parse, "[UNIT...]",
      "Storage, cells, area and clock of the units (all of them), beside the papers' figures.",
      NULL, NULL, NULL};
  static area_request_t requests[MaxRequests];
  static area_result_t results[MaxRequests];
  options_t o = {0};
  uint32_t count = 1;
  char error[HarnessErrorSize];
  o.area.jobs = cli_processors();
  cli_parse(&Parser, argc, argv, &o);
  if (o.outside.outside.page) {
    int status = ExitUsage;
    const unit_model_t *unit = outside_unit(&o.outside, &status);
    if (!unit) {
      return status;
    }
    o.units[o.unit_count++] = unit->info->name;
  }
  if (!o.unit_count && !o.area.activity) {
    for (uint32_t i = 0; unit_at(i); i++) {
      o.units[o.unit_count++] = unit_at(i)->info->name;
    }
    announce(&o);
  }
  bool known = o.area.activity ? read_activity(&o, &requests[0], error)
                               : make_requests(&o, requests, &count, error);
  if (!known) {
    fprintf(stderr, "nocturne: %s\n", error);
    return ExitUsage;
  }
  static char library[PATH_MAX], sdc[PATH_MAX], memories[PATH_MAX];
  if (!resolve(&o.area.liberty, library) || !resolve(&o.area.sdc, sdc) ||
      !resolve(&o.area.memories, memories)) {
    return ExitUsage;
  }
  if (place_data() && !go_to_work(&o)) {
    return ExitFailed;
  }
  area_status_e status = area_measure(requests, count, &o.area, results, error);
  if (status != AreaOk) {
    fprintf(stderr, "nocturne: %s\n", error);
    area_free(results, count);
    return status == AreaLacking ? ExitLacking : status == AreaUsage ? ExitUsage : ExitFailed;
  }
  if (o.area.schematic) {
    return ExitPassed;
  }
  bool to_stdout = o.json && strcmp(o.json, "-") == 0;
  budget_report_t report = {0};
  if (o.check) {
    char complaint[512];
    if (!budget_check(o.check, results, count, &report, complaint, sizeof complaint)) {
      fprintf(stderr, "nocturne: %s\n", complaint);
      area_free(results, count);
      return ExitUsage;
    }
    printf("%u figures, %u exceeded\n", report.checked, report.exceeded);
  } else if (!to_stdout && o.area.liberty) {
    report_cells_print(results, count);
  } else if (!to_stdout) {
    print_table(results, count);
    print_paths(results, count);
  }
  if (results[0].has_energy && !to_stdout) {
    if (o.area.liberty) {
      report_cells_print_energy(&results[0]);
    } else {
      print_energy(&results[0], o.cycles);
    }
  }
  for (uint32_t i = 0; o.area.modules && !to_stdout && i < count; i++) {
    print_modules(&results[i]);
  }
  for (uint32_t i = 0; o.fields && !to_stdout && i < count; i++) {
    print_fields(&results[i]);
  }
  bool ok = !o.json || write_json(&o, results, count);
  ok = (!o.csv || write_csv(o.csv, results, count)) && ok;
  area_free(results, count);
  return ok && report.exceeded == 0 ? ExitPassed : ExitFailed;
}
