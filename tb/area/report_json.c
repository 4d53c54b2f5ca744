// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "report.h"
#include "scaling.h"
#include "tb/harness/json_file.h"

// Rounds a figure to its meaning.
static json_t *rounded(double value, double step) {
  return json_real((double)(int64_t)(value / step + 0.5) * step);
}

static void set(json_t *object, const char *key, double value, double step) {
  json_object_set_new(object, key, rounded(value, step));
}

static void set_int(json_t *object, const char *key, uint64_t value) {
  json_object_set_new(object, key, json_integer((json_int_t)value));
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

// ---- parts of a unit ------------------------------------------------------------------

static json_t *modules_json(const modules_t *modules) {
  json_t *rows = json_array();
  for (uint32_t m = 0; m < modules->count; m++) {
    const module_cost_t *x = &modules->rows[m];
    json_t *row = json_pack("{s:s, s:s}", "instance", x->instance, "module", x->module);
    set_int(row, "depth", x->depth);
    set_int(row, "instances", x->instances);
    set_int(row, "cells", x->cells);
    set_int(row, "flip_flops", x->flip_flops);
    set_int(row, "memory_bits", x->memory_bits);
    set(row, "area_um2_osu018", x->area_osu018, 1);
    set(row, "area_um2_28nm", x->area_28nm, 1);
    set(row, "share", x->area_28nm / modules->rows[0].area_28nm, 1e-4);
    json_array_append_new(rows, row);
  }
  return rows;
}

static json_t *storage_json(const area_result_t *r) {
  json_t *storage = json_array();
  for (uint32_t f = 0; f < r->fields.count; f++) {
    const area_field_t *x = &r->fields.field[f];
    json_array_append_new(storage, json_pack("{s:s, s:s, s:s, s:I}", "table", x->table, "field",
                                             x->field, "rtl", x->rtl, "bits", (json_int_t)x->bits));
  }
  return storage;
}

static json_t *other_json(const area_result_t *r) {
  json_t *other = json_object();
  for (uint32_t s = 0; s < r->netlist.storage_count; s++) {
    const netlist_storage_t *x = &r->netlist.storage[s];
    uint64_t bits = area_other_bits(&r->fields, x);
    if (bits) {
      set_int(other, x->name, bits);
    }
  }
  return other;
}

static json_t *memories_json(const area_result_t *r) {
  json_t *memories = json_array();
  for (uint32_t m = 0; m < r->netlist.memory_count; m++) {
    const netlist_memory_t *x = &r->netlist.memories[m];
    const area_memory_t *cost = &r->memories[m];
    json_t *row = json_pack("{s:s}", "name", x->name);
    set_int(row, "words", x->words);
    set_int(row, "width", x->width);
    set_int(row, "reads", x->reads);
    set_int(row, "writes", x->writes);
    if (r->own_cells) {
      set(row, "area_um2", cost->area, 1);
    }
    if (r->own_cells && cost->macro) {
      json_object_set_new(row, "macro", json_string(cost->macro->name));
      set_int(row, "macros", cost->count);
      json_object_set_new(row, "access_ns", json_real(cost->macro->access));
    }
    json_array_append_new(memories, row);
  }
  return memories;
}

static json_t *fpga_json(const fpga_t *fpga) {
  static const struct {
    const char *family, *key;
  } Keys[FpgaCounts] = {
      [Ice40Luts] = {"ice40", "luts"},           [Ice40Ffs] = {"ice40", "flip_flops"},
      [Ice40Brams] = {"ice40", "block_rams"},    [XilinxLuts] = {"xilinx7", "luts"},
      [XilinxFfs] = {"xilinx7", "flip_flops"},   [XilinxBrams] = {"xilinx7", "block_rams"},
      [XilinxLutrams] = {"xilinx7", "lut_rams"}, [XilinxDsps] = {"xilinx7", "dsps"}};
  json_t *all = json_pack("{s:{}, s:{}}", "ice40", "xilinx7");
  for (size_t i = 0; i < FpgaCounts; i++) {
    set_int(json_object_get(all, Keys[i].family), Keys[i].key, fpga->count[i]);
  }
  return all;
}

static json_t *energy_json(const area_result_t *r, uint64_t cycles) {
  const unit_energy_t *e = &r->energy;
  unit_power_t here = unit_energy_power(e, cycles, 1e6 / r->period_own, false);
  unit_power_t there = unit_energy_power(e, cycles, 1000, true);
  json_t *object = json_object();
  set_int(object, "cycles", e->cycles);
  set_int(object, "run_cycles", cycles > e->cycles ? cycles : e->cycles);
  set_int(object, "nets", e->nets);
  set_int(object, "toggles", e->toggles);
  set_int(object, "memory_read_bits", e->read_bits);
  set_int(object, "memory_written_bits", e->written_bits);
  set(object, "toggles_per_net_and_cycle", (double)e->toggles / (double)(e->nets * e->cycles),
      1e-6);
  set(object, "switching_pj_per_cycle_osu018", e->switching, 1e-3);
  set(object, "internal_pj_per_cycle_osu018", e->internal, 1e-3);
  set(object, "clock_pj_per_cycle_osu018", e->clock, 1e-3);
  set(object, "memory_pj_per_cycle_osu018", e->memory, 1e-3);
  set(object, "memory_pj_per_cycle_28nm", e->memory_28nm, 1e-3);
  set(object, "power_mw_osu018", here.active, 1e-4);
  set(object, "average_power_mw_osu018", here.average, 1e-4);
  set(object, "leakage_mw_osu018", here.leakage, 1e-9);
  set(object, "power_mw_28nm_1ghz", there.active, 1e-4);
  set(object, "average_power_mw_28nm_1ghz", there.average, 1e-4);
  return object;
}

// ---- area and clock -------------------------------------------------------------------

// On the OSU cells, scaled to 28 nm.
static void add_scaled(json_t *unit, const area_result_t *r) {
  set(unit, "area_um2_osu018", r->area_own, 1);
  set(unit, "area_um2_28nm", r->area_28nm, 1);
  set(unit, "cells_um2_osu018", r->netlist.area, 1);
  set(unit, "memory_um2_osu018", r->memory_own, 1);
  set(unit, "memory_um2_28nm", r->memory_28nm, 1);
  set(unit, "memory_as_flip_flops_um2_osu018", r->memory_as_flip_flops, 1);
  set(unit, "memory_as_flip_flops_um2_28nm", r->memory_as_flip_flops / scaling_area(), 1);
  set(unit, "clock_mhz_osu018", 1e6 / r->period_own, 0.1);
  set(unit, "clock_mhz_28nm", 1e6 / r->period_28nm, 1);
  set(unit, "leakage_nw_osu018", r->netlist.leakage, 0.1);
}

// On cells of the user's.
static void add_own(json_t *unit, const area_result_t *r) {
  set(unit, "area_um2", r->area_own, 1);
  set(unit, "cells_um2", r->netlist.area, 1);
  set(unit, "memory_um2", r->memory_own, 1);
  set(unit, "memory_as_flip_flops_um2", r->memory_as_flip_flops, 1);
  set(unit, "clock_mhz", 1e6 / r->period_own, 0.1);
  if (r->timing.wanted > 0) {
    set(unit, "sdc_clock_ns", 1e-3 * r->timing.wanted, 1e-4);
    json_object_set_new(unit, "slack_ns", json_real(1e-3 * r->timing.slack));
  }
  if (r->timing.has_power) {
    json_object_set_new(unit, "power_mw",
                        json_pack("{s:f, s:f, s:f, s:f}", "internal", r->timing.internal,
                                  "switching", r->timing.switching, "leakage", r->timing.leakage,
                                  "input_activity", TimingActivity));
  }
}

static json_t *result_json(const area_result_t *r, uint64_t cycles) {
  const netlist_t *n = &r->netlist;
  json_t *unit = json_object();
  json_object_set_new(unit, "name", json_string(r->request->unit));
  json_object_set_new(unit, "parameters", parameters(r->request->params));
  json_object_set_new(unit, "storage_bytes", json_real((double)r->fields.paper_bits / 8));
  if (area_paper_figure(r->request) > 0) {
    json_object_set_new(unit, "paper_storage_bytes", json_real(area_paper_figure(r->request)));
  }
  json_object_set_new(unit, "storage", storage_json(r));
  json_object_set_new(unit, "other_bits", other_json(r));
  set_int(unit, "storage_bits_all", n->storage_bits);
  set_int(unit, "cells", n->cells);
  set_int(unit, "flip_flops", n->flip_flops);
  set_int(unit, "depth", n->depth);
  json_object_set_new(unit, "memories", memories_json(r));
  set_int(unit, "memory_bits", r->memory_bits);
  if (r->own_cells) {
    add_own(unit, r);
  } else {
    add_scaled(unit, r);
  }
  json_object_set_new(unit, "clock_by", json_string(r->timing.has_period ? "OpenSTA" : "abc"));
  if (r->timing.from) {
    json_object_set_new(unit, "longest_path",
                        json_pack("{s:s, s:s}", "from", r->timing.from, "to", r->timing.to));
  }
  if (r->modules.count) {
    json_object_set_new(unit, "modules", modules_json(&r->modules));
  }
  if (r->has_fpga) {
    json_object_set_new(unit, "fpga", fpga_json(&r->fpga));
  }
  if (r->has_energy && !r->own_cells) {
    json_object_set_new(unit, "energy", energy_json(r, cycles));
  }
  return unit;
}

bool area_write_json(const area_results_t *results, const char *liberty, uint64_t cycles,
                     const char *path, err_t *err) {
  const liberty_t *l = &results->liberty;
  json_t *units = json_array(), *root;
  for (uint32_t i = 0; i < results->count; i++) {
    json_array_append_new(units, result_json(&results->all[i], cycles));
  }
  if (liberty) {
    root = json_pack("{s:o, s:{s:s, s:s, s:s, s:f, s:f, s:f}}", "units", units, "library", "file",
                     liberty, "name", l->name, "corner", l->corner, "process", l->process,
                     "voltage_v", l->voltage, "temperature_c", l->temperature);
  } else {
    root = json_pack("{s:o, s:{s:f, s:f, s:f}}", "units", units, "scaling_to_28nm", "area",
                     scaling_area(), "delay", scaling_delay(), "energy", scaling_energy());
  }
  bool ok = json_file_write(root, path, JSON_INDENT(1) | JSON_REAL_PRECISION(12), err);
  json_decref(root);
  return ok;
}
