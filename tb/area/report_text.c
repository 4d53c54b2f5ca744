// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdio.h>

#include "report.h"
#include "scaling.h"

static const char *shown_params(const area_result_t *r) {
  return r->request->params[0] ? r->request->params : "default";
}

static const char *shown_clock(const area_result_t *r) {
  return r->timing.has_period ? "" : "  (clock by abc)";
}

// Prints where to look first for a faster clock.
static void print_path(const area_result_t *r) {
  if (r->timing.from) {
    printf("%s: longest path from %s to %s\n", r->request->unit, r->timing.from, r->timing.to);
  }
}

// ---- on the OSU cells, scaled to 28 nm ------------------------------------------------

static void print_scaled_row(const area_result_t *r) {
  double paper = area_paper_figure(r->request);
  char shown[24] = "-";
  if (paper > 0) {
    snprintf(shown, sizeof shown, "%.0f", paper);
  }
  printf("%-22s %-14s %9s %9.0f %9" PRIu64 " %7" PRIu64 " %7" PRIu64 " %9" PRIu64
         " %9.4f %9.5f %7.1f %7.0f %5u%s\n",
         r->request->unit, shown_params(r), shown, (double)r->fields.paper_bits / 8,
         r->netlist.storage_bits - r->fields.paper_bits, r->netlist.cells, r->netlist.flip_flops,
         r->memory_bits, 1e-6 * r->area_own, 1e-6 * r->area_28nm, 1e6 / r->period_own,
         1e6 / r->period_28nm, r->netlist.depth, shown_clock(r));
}

static void print_scaled_notes(const area_result_t *r) {
  const uint32_t *fpga = r->fpga.count;
  if (r->memory_bits) {
    printf(
        "%s: memories %.4f mm2 as memories, %.4f as flip-flops (0.18 um); "
        "%.5f and %.5f (28 nm)\n",
        r->request->unit, 1e-6 * r->memory_own, 1e-6 * r->memory_as_flip_flops,
        1e-6 * r->memory_28nm, 1e-6 * r->memory_as_flip_flops / scaling_area());
  }
  if (r->has_fpga) {
    printf(
        "%s: iCE40 %u LUTs, %u FFs, %u block RAMs; Xilinx 7 %u LUTs, %u FFs, %u block RAMs, "
        "%u LUT RAMs, %u DSPs\n",
        r->request->unit, fpga[Ice40Luts], fpga[Ice40Ffs], fpga[Ice40Brams], fpga[XilinxLuts],
        fpga[XilinxFfs], fpga[XilinxBrams], fpga[XilinxLutrams], fpga[XilinxDsps]);
  }
}

static void print_scaled(const area_results_t *results) {
  printf("%-22s %-14s %9s %9s %9s %7s %7s %9s %9s %9s %7s %7s %5s\n", "unit", "parameters",
         "paper B", "fields B", "other bit", "cells", "FFs", "mem bits", "0.18 mm2", "28nm mm2",
         "0.18MHz", "28nmMHz", "depth");
  for (uint32_t i = 0; i < results->count; i++) {
    print_scaled_row(&results->all[i]);
  }
  for (uint32_t i = 0; i < results->count; i++) {
    print_scaled_notes(&results->all[i]);
  }
  for (uint32_t i = 0; i < results->count; i++) {
    print_path(&results->all[i]);
  }
}

static void print_scaled_energy(const area_result_t *r, uint64_t cycles) {
  const unit_energy_t *e = &r->energy;
  unit_power_t here = unit_energy_power(e, cycles, 1e6 / r->period_own, false);
  unit_power_t there = unit_energy_power(e, cycles, 1000, true);
  printf("%s: %" PRIu64 " cycles, %.4f toggles a net and cycle\n", r->request->unit, e->cycles,
         (double)e->toggles / (double)(e->nets * e->cycles));
  printf("  pJ a cycle at 0.18 um: nets %.2f, cells %.2f, clock %.2f, memories %.2f\n",
         e->switching, e->internal, e->clock, e->memory);
  printf("  mW at 0.18 um and %.1f MHz: %.3f (%.3f over the run), leakage %.6f\n",
         1e6 / r->period_own, here.active, here.average, here.leakage);
  printf("  mW at 28 nm and 1 GHz: %.3f (%.3f over the run)\n", there.active, there.average);
}

// ---- on cells of the user's -----------------------------------------------------------

static void print_own_row(const area_result_t *r) {
  printf("%-22s %-14s %9" PRIu64 " %7" PRIu64 " %7" PRIu64 " %9" PRIu64
         " %9.4f %9.4f %8.1f %9.3f %5u%s\n",
         r->request->unit, shown_params(r), r->netlist.storage_bits, r->netlist.cells,
         r->netlist.flip_flops, r->memory_bits, 1e-6 * r->area_own, 1e-6 * r->memory_own,
         1e6 / r->period_own, r->timing.internal + r->timing.switching + r->timing.leakage,
         r->netlist.depth, shown_clock(r));
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

static void print_own_notes(const area_result_t *r) {
  print_memories(r);
  if (r->timing.wanted > 0) {
    printf("%s: clock of %.3f ns, slack %.3f ns%s\n", r->request->unit, 1e-3 * r->timing.wanted,
           1e-3 * r->timing.slack, r->timing.slack < 0 ? ", VIOLATED" : "");
  }
  if (r->timing.has_power) {
    printf(
        "%s: mW internal %.4f, switching %.4f, leakage %.6f; inputs change in %g of the "
        "cycles\n",
        r->request->unit, r->timing.internal, r->timing.switching, r->timing.leakage,
        TimingActivity);
  }
  print_path(r);
}

static void print_own(const area_results_t *results) {
  const liberty_t *l = &results->liberty;
  printf("library %s, corner %s: process %g, %g V, %g C; no wires, nothing scaled\n", l->name,
         l->corner, l->process, l->voltage, l->temperature);
  printf("%-22s %-14s %9s %7s %7s %9s %9s %9s %8s %9s %5s\n", "unit", "parameters", "bits", "cells",
         "FFs", "mem bits", "mm2", "memories", "MHz", "mW", "depth");
  for (uint32_t i = 0; i < results->count; i++) {
    print_own_row(&results->all[i]);
  }
  for (uint32_t i = 0; i < results->count; i++) {
    print_own_notes(&results->all[i]);
  }
}

static void print_own_energy(const area_result_t *r) {
  const unit_energy_t *e = &r->energy;
  double mhz = 1e6 / r->period_own;
  double memory =
      e->memory * scaling_access(liberty_for(r->library, LibertyGate)->area, r->library->voltage);
  double all = e->switching + e->internal + e->clock + memory;
  printf("%s: %" PRIu64 " recorded cycles, %.4f toggles a net and cycle\n", r->request->unit,
         e->cycles, (double)e->toggles / (double)(e->nets * e->cycles));
  printf("  pJ a cycle: nets %.2f, cells %.2f, clock %.2f, memories %.2f\n", e->switching,
         e->internal, e->clock, memory);
  printf("  mW at %.1f MHz: %.3f, leakage %.6f\n", mhz, 1e-3 * mhz * all, 1e-6 * e->leakage);
}

// ---- parts of a unit ------------------------------------------------------------------

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

static void print_modules(const area_result_t *r) {
  printf(
      "\n%s: modules, each synthesized by itself, with what is inside\n"
      "  %7s %7s %9s %9s %9s %6s\n",
      r->request->unit, "cells", "FFs", "mem bits", "0.18 mm2", "28nm mm2", "share");
  for (uint32_t m = 0; m < r->modules.count; m++) {
    const module_cost_t *x = &r->modules.rows[m];
    char times[24] = "";
    if (x->instances > 1) {
      snprintf(times, sizeof times, ", %u times", x->instances);
    }
    printf("  %7" PRIu64 " %7" PRIu64 " %9" PRIu64 " %9.4f %9.5f %5.1f%%  %*s%s (%s%s)\n", x->cells,
           x->flip_flops, x->memory_bits, 1e-6 * x->area_osu018, 1e-6 * x->area_28nm,
           100 * x->area_28nm / r->modules.rows[0].area_28nm, 2 * (int)x->depth, "", x->instance,
           x->module, times);
  }
}

void area_print(const area_results_t *results, bool with_table, bool with_fields, uint64_t cycles) {
  const area_result_t *first = &results->all[0];
  if (with_table) {
    (first->own_cells ? print_own : print_scaled)(results);
  }
  if (first->has_energy && first->own_cells) {
    print_own_energy(first);
  } else if (first->has_energy) {
    print_scaled_energy(first, cycles);
  }
  for (uint32_t i = 0; i < results->count; i++) {
    if (results->all[i].modules.count) {
      print_modules(&results->all[i]);
    }
  }
  for (uint32_t i = 0; with_fields && i < results->count; i++) {
    print_fields(&results->all[i]);
  }
}
