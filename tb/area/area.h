// SPDX-License-Identifier: Apache-2.0
// Measures the cost of units: storage by table and field, cells, flip-flops, area, clock, energy.
// docs/hardware/area.md says how each figure is made.
#ifndef NOCTURNE_AREA_AREA_H
#define NOCTURNE_AREA_AREA_H

#include <stdbool.h>
#include <stdint.h>

#include "csim/base/err.h"
#include "fields.h"
#include "fpga.h"
#include "liberty.h"
#include "macros.h"
#include "modules.h"
#include "netlist.h"
#include "request.h"
#include "timing.h"
#include "unit_energy.h"

// A memory of the netlist; without a macro its area is the cell model's.
typedef struct {
  const macro_t *macro;  // or NULL
  uint32_t count;
  double area;
} area_memory_t;

typedef struct {
  const area_request_t *request;
  netlist_t netlist;
  area_fields_t fields;
  uint64_t memory_bits;  // of the memories that stay memories
  // ..._own: in the library's process, 0.18 um unless the user gave a library.
  double memory_own, memory_28nm;  // square micrometres, as memories
  double memory_as_flip_flops;     // of the library's cells
  double area_own, area_28nm;      // cells and memories
  double period_own, period_28nm;  // ps
  bool own_cells;                  // a library of the user's: nothing is scaled to 28 nm
  const liberty_t *library;
  timing_t timing;          // without a period: the clock is abc's
  area_memory_t *memories;  // of the netlist's
  modules_t modules;        // empty: not asked for
  bool has_energy;
  unit_energy_t energy;
  bool has_fpga;
  fpga_t fpga;
} area_result_t;

typedef struct {
  uint32_t jobs;         // syntheses at a time
  const char *liberty;   // the user's (NOCTURNE_LIBERTY has it), or NULL: OSU 0.18 um
  const char *sdc;       // constraints, by the RTL's port names, or NULL
  const char *memories;  // a table of macros, or NULL
  bool fpga;
  bool no_search;         // without abc's search for structures: faster, a lower clock
  bool modules;           // measure each module, too
  const char *schematic;  // only draw each unit: a folder for UNIT.dot, or NULL
  const char *activity;   // vectors of the first request's unit, or NULL
  uint64_t steps;         // of them at most; 0: all
} area_options_t;

typedef struct {
  area_result_t *all;  // in the order of the requests
  uint32_t count;
  liberty_t liberty;
  macros_t macros;
} area_results_t;

// Measures all requests, which must outlive the results. Free the results in any case.
bool area_measure(area_results_t *results, const area_requests_t *requests,
                  const area_options_t *options, err_t *err);
void area_free(area_results_t *results);

// Returns the papers' figure for the fields of a request's unit, bytes; 0: none, or not for its
// parameters.
double area_paper_figure(const area_request_t *request);

#endif
