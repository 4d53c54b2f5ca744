// SPDX-License-Identifier: Apache-2.0
#include "report_cells.h"

#include <inttypes.h>
#include <stdio.h>

#include "scaling.h"

static double mhz(const area_result_t *r) { return 1e6 / r->period_own; }

static double power_mw(const area_result_t *r) {
  return r->timing.internal + r->timing.switching + r->timing.leakage;
}

static void print_row(const area_result_t *r) {
  printf("%-22s %-14s %9" PRIu64 " %7" PRIu64 " %7" PRIu64 " %9" PRIu64
         " %9.4f %9.4f %8.1f %9.3f %5u%s\n",
         r->request->unit, r->request->params[0] ? r->request->params : "default",
         r->netlist.storage_bits, r->netlist.cells, r->netlist.flip_flops, r->memory_bits,
         1e-6 * r->area_own, 1e-6 * r->memory_own, mhz(r), power_mw(r), r->netlist.depth,
         r->timing.has_period ? "" : "  (clock by abc)");
}

static void print_memories(const area_result_t *r) {
  for (uint32_t m = 0; m < r->netlist.memory_count; m++) {
    const netlist_memory_t *x = &r->netlist.memories[m];
    printf("%s: %s, %u words of %u bits, %u read and %u write ports: ", r->request->unit, x->name,
           x->words, x->width, x->reads, x->writes);
    if (r->memories[m].macro) {
      printf("%u %s, %.4f mm2, access %g ns\n", r->memories[m].count, r->memories[m].macro->name,
             1e-6 * r->memories[m].area, r->memories[m].macro->access);
    } else {
      printf("cell model, %.4f mm2, access time not counted\n", 1e-6 * r->memories[m].area);
    }
  }
}

void report_cells_print(const area_result_t *results, uint32_t count) {
  const liberty_t *l = results[0].library;
  printf("library %s, corner %s: process %g, %g V, %g C; no wires, nothing scaled\n", l->name,
         l->corner, l->process, l->voltage, l->temperature);
  printf("%-22s %-14s %9s %7s %7s %9s %9s %9s %8s %9s %5s\n", "unit", "parameters", "bits",
         "cells", "FFs", "mem bits", "mm2", "memories", "MHz", "mW", "depth");
  for (uint32_t i = 0; i < count; i++) {
    print_row(&results[i]);
  }
  for (uint32_t i = 0; i < count; i++) {
    const area_result_t *r = &results[i];
    print_memories(r);
    if (r->timing.wanted > 0) {
      printf("%s: clock of %.3f ns, slack %.3f ns%s\n", r->request->unit, 1e-3 * r->timing.wanted,
             1e-3 * r->timing.slack, r->timing.slack < 0 ? ", VIOLATED" : "");
    }
    if (r->timing.has_power) {
      printf("%s: mW internal %.4f, switching %.4f, leakage %.6f; inputs change in %g of the "
             "cycles\n",
             r->request->unit, r->timing.internal, r->timing.switching, r->timing.leakage,
             TimingActivity);
    }
    if (r->timing.from[0]) {
      printf("%s: longest path from %s to %s\n", r->request->unit, r->timing.from, r->timing.to);
    }
  }
}

void report_cells_print_energy(const area_result_t *r) {
  const energy_t *e = &r->energy;
  double memory = e->memory * scaling_access(liberty_for(r->library, LibertyGate)->area,
                                             r->library->voltage);
  double all = e->switching + e->internal + e->clock + memory;
  printf("%s: %" PRIu64 " recorded cycles, %.4f toggles a net and cycle\n", r->request->unit,
         e->cycles, (double)e->toggles / (double)(e->nets * e->cycles));
  printf("  pJ a cycle: nets %.2f, cells %.2f, clock %.2f, memories %.2f\n", e->switching,
         e->internal, e->clock, memory);
  printf("  mW at %.1f MHz: %.3f, leakage %.6f\n", mhz(r), 1e-3 * mhz(r) * all, 1e-6 * e->leakage);
}

static json_t *rounded(double value, double step) {
  return json_real((double)(int64_t)(value / step + 0.5) * step);
}

json_t *report_cells_library(const area_result_t *r, const char *path) {
  const liberty_t *l = r->library;
  return json_pack("{s:s, s:s, s:s, s:f, s:f, s:f}", "file", path, "name", l->name, "corner",
                   l->corner, "process", l->process, "voltage_v", l->voltage, "temperature_c",
                   l->temperature);
}

void report_cells_json(json_t *unit, const area_result_t *r) {
  json_t *memories = json_object_get(unit, "memories");
  for (uint32_t m = 0; m < r->netlist.memory_count; m++) {
    json_t *row = json_array_get(memories, m);
    json_object_set_new(row, "area_um2", rounded(r->memories[m].area, 1));
    if (r->memories[m].macro) {
      json_object_set_new(row, "macro", json_string(r->memories[m].macro->name));
      json_object_set_new(row, "macros", json_integer(r->memories[m].count));
      json_object_set_new(row, "access_ns", json_real(r->memories[m].macro->access));
    }
  }
  json_object_set_new(unit, "area_um2", rounded(r->area_own, 1));
  json_object_set_new(unit, "cells_um2", rounded(r->netlist.area, 1));
  json_object_set_new(unit, "memory_um2", rounded(r->memory_own, 1));
  json_object_set_new(unit, "memory_as_flip_flops_um2", rounded(r->memory_as_flip_flops, 1));
  json_object_set_new(unit, "clock_mhz", rounded(mhz(r), 0.1));
  if (r->timing.wanted > 0) {
    json_object_set_new(unit, "sdc_clock_ns", rounded(1e-3 * r->timing.wanted, 1e-4));
    json_object_set_new(unit, "slack_ns", json_real(1e-3 * r->timing.slack));
  }
  if (r->timing.has_power) {
    json_object_set_new(
        unit, "power_mw",
        json_pack("{s:f, s:f, s:f, s:f}", "internal", r->timing.internal, "switching",
                  r->timing.switching, "leakage", r->timing.leakage, "input_activity",
                  TimingActivity));
  }
}

bool report_cells_csv(const char *path, const area_result_t *results, uint32_t count) {
  FILE *f = fopen(path, "w");
  if (!f) {
    return false;
  }
  fprintf(f, "unit,parameters,library,corner,paper_bits,storage_bits,cells,flip_flops,memory_bits,"
             "depth,area_um2,memory_um2,clock_mhz,power_mw\n");
  for (uint32_t i = 0; i < count; i++) {
    const area_result_t *r = &results[i];
    fprintf(f,
            "%s,%s,%s,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
            ",%u,%.0f,%.0f,%.1f,%.4f\n",
            r->request->unit, r->request->params, r->library->name, r->library->corner,
            r->fields.paper_bits, r->netlist.storage_bits, r->netlist.cells,
            r->netlist.flip_flops, r->memory_bits, r->netlist.depth, r->area_own, r->memory_own,
            mhz(r), power_mw(r));
  }
  return fclose(f) == 0;
}
