// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report.h"

// On the OSU cells, scaled to 28 nm.
static void write_scaled(FILE *f, const area_result_t *r) {
  unsigned gpus = 0;
  sscanf(r->request->params, "NumGpus=%u", &gpus);
  fprintf(f,
          "%s,%s,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
          ",%u,%.0f,%.0f,%.1f,%.0f,%.0f,%.0f",
          r->request->unit, r->request->params, gpus, r->fields.paper_bits, r->netlist.storage_bits,
          r->netlist.cells, r->netlist.flip_flops, r->memory_bits, r->netlist.depth, r->area_own,
          r->area_28nm, 1e6 / r->period_own, 1e6 / r->period_28nm, r->memory_own,
          r->memory_as_flip_flops);
  if (!r->has_fpga) {
    fprintf(f, ",,,,,,,,\n");
    return;
  }
  for (int i = 0; i < FpgaCounts; i++) {
    fprintf(f, ",%u", r->fpga.count[i]);
  }
  fprintf(f, "\n");
}

// On cells of the user's.
static void write_own(FILE *f, const area_result_t *r) {
  fprintf(f,
          "%s,%s,%s,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
          ",%u,%.0f,%.0f,%.1f,%.4f\n",
          r->request->unit, r->request->params, r->library->name, r->library->corner,
          r->fields.paper_bits, r->netlist.storage_bits, r->netlist.cells, r->netlist.flip_flops,
          r->memory_bits, r->netlist.depth, r->area_own, r->memory_own, 1e6 / r->period_own,
          r->timing.internal + r->timing.switching + r->timing.leakage);
}

bool area_write_csv(const area_results_t *results, const char *path, err_t *err) {
  bool own = results->all[0].own_cells;
  FILE *f = fopen(path, "w");
  if (f) {
    fputs(own ? "unit,parameters,library,corner,paper_bits,storage_bits,cells,flip_flops,"
                "memory_bits,depth,area_um2,memory_um2,clock_mhz,power_mw\n"
              : "unit,parameters,gpus,paper_bits,storage_bits,cells,flip_flops,memory_bits,depth,"
                "area_um2_osu018,area_um2_28nm,clock_mhz_osu018,clock_mhz_28nm,"
                "memory_um2_osu018,memory_as_flip_flops_um2_osu018,ice40_luts,ice40_ffs,"
                "ice40_brams,xilinx_luts,xilinx_ffs,xilinx_brams,xilinx_lutrams,xilinx_dsps\n",
          f);
  }
  for (uint32_t i = 0; f && i < results->count; i++) {
    (own ? write_own : write_scaled)(f, &results->all[i]);
  }
  return (f && fclose(f) == 0) ||
         err_set(err, ErrCheck, "%s: cannot be written: %s", path, strerror(errno));
}
