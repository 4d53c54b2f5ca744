// SPDX-License-Identifier: Apache-2.0
// The part of a liberty file with NLDM tables that the flow needs: each cell's area, pins,
// functions, leakage and energy per transition, and the library's corner. Other groups (timing,
// test cells, wire loads) are read over, because OpenSTA reads them. Units become pF, ns, nW and
// pJ.
//
// Energies are the internal_power tables' second row and second column (12.5 fF, 0.18 ns in
// osu018), averaged over all related pins, rise and fall.
#ifndef NOCTURNE_AREA_LIBERTY_H
#define NOCTURNE_AREA_LIBERTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "csim/base/err.h"
#include "csim/base/strings.h"
#include "liberty_cell.h"

typedef struct {
  const char *name;    // of the library
  const char *corner;  // the operating conditions' name; "nominal" where there are none
  double process, voltage, temperature;  // of the corner; V, C
  double time_unit;                      // ns
  uint32_t cell_count;
  liberty_cell_t *cells;  // in the file's order
  liberty_cell_t **by_name;
  strings_t names;  // owns all names and functions
} liberty_t;

// Reads a file. liberty_free is needed only after success.
bool liberty_load(liberty_t *liberty, const char *path, err_t *err);
void liberty_free(liberty_t *liberty);

const liberty_cell_t *liberty_cell(const liberty_t *liberty, const char *name);  // or NULL
const liberty_pin_t *liberty_pin(const liberty_cell_t *cell, const char *name);  // or NULL

// Returns the cell that the flow takes for a purpose, NULL where the library has none: the smallest
// one, and of buffers the smallest that drives five times LibertyFanout pins of an average gate.
enum { LibertyFanout = 16 };
typedef enum {
  LibertyInverter,
  LibertyBuffer,
  LibertyGate,
  LibertyMux,
  LibertyRegister
} liberty_use_e;
const liberty_cell_t *liberty_for(const liberty_t *liberty, liberty_use_e use);

// Checks that the library maps any unit: it needs a register, an inverter, a buffer, and a gate of
// two inputs (and, or, nand, nor), each with tables of delays. The error says what to add.
bool liberty_check(const liberty_t *liberty, const char *path, err_t *err);

#endif
