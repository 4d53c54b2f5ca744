// SPDX-License-Identifier: Apache-2.0
// What a unit costs: storage by table and field, cells, flip-flops, area, clock. docs/area.md.
//
// Synthesis (rtl/synth) runs once for each unit and parameter set and is kept under build/area by
// the hash of the RTL, the flow, the library and Yosys' version.
#ifndef NOCTURNE_AREA_AREA_H
#define NOCTURNE_AREA_AREA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unit_energy.h"
#include "fields.h"
#include "liberty.h"
#include "macros.h"
#include "modules.h"
#include "netlist.h"
#include "timing.h"

enum { AreaErrorSize = 256 };

typedef struct {
  const char *unit;
  char params[256];   // of the RTL, "NumGpus=8 CountWidth=64"; empty: the defaults
  char changed[256];  // those that are not the default, and Observe=0
} area_request_t;

// A memory of the netlist; without a macro its area is the cell model's.
typedef struct {
  const macro_t *macro;  // or NULL
  uint32_t count;
  double area;
} area_memory_t;

typedef struct {
  const area_request_t *request;
  char folder[256];
  netlist_t netlist;
  area_fields_t fields;
  uint64_t memory_bits;                  // of the memories that stay memories
  // ..._own: in the library's process, 0.18 um without one of the user's.
  double memory_own, memory_28nm;        // square micrometres, as memories
  double memory_as_flip_flops;           // of the library's cells
  double area_own, area_28nm;            // cells and memories
  double period_own, period_28nm;        // ps
  bool own_cells;                        // a library of the user's: nothing is scaled to 28 nm
  const liberty_t *library;
  timing_t timing;                       // without a period: the clock is abc's
  area_memory_t *memories;               // of the netlist's
  uint32_t module_count;  // 0: not asked for
  module_cost_t *modules;
  bool has_energy;
  energy_t energy;
  bool has_fpga;
  uint32_t ice40_luts, ice40_ffs, ice40_brams;
  uint32_t xilinx_luts, xilinx_ffs, xilinx_brams, xilinx_dsps, xilinx_lutrams;
} area_result_t;

typedef enum { AreaOk, AreaFailed, AreaLacking, AreaUsage } area_status_e;

typedef struct {
  uint32_t jobs;         // syntheses at a time
  const char *liberty;   // the user's, an absolute path, or NULL: OSU 0.18 um
  const char *sdc;       // constraints, by the RTL's port names, or NULL
  const char *memories;  // a table of macros, or NULL
  bool fpga;
  bool no_search;        // without abc's search for structures: faster, a lower clock
  bool modules;          // what each module costs
  const char *schematic; // of each unit: a folder for UNIT.dot, or NULL
  const char *activity;  // vectors of the first request's unit, or NULL
  char activity_params[256];  // as their first line names them
  uint64_t steps;        // of them at most; 0: all
} area_options_t;

// Measures all requests; results in their order. On failure one line in error.
area_status_e area_measure(const area_request_t *requests, uint32_t count,
                           const area_options_t *options, area_result_t *results,
                           char error[AreaErrorSize]);
void area_free(area_result_t *results, uint32_t count);

// The papers' figure for the fields of a request's unit, bytes; 0: none, or not for its parameters.
double area_paper_figure(const area_request_t *request);

#endif
