// SPDX-License-Identifier: Apache-2.0
// What the estimates need of a liberty file: area, pins, functions, leakage and the energy of a
// transition of each cell. Reads the OSU libraries of qflow; not a general liberty reader.
// Energies are the tables' second row and second column (12.5 fF, 0.18 ns in osu018), the mean of
// all related pins, rise and fall.
#ifndef NOCTURNE_AREA_LIBERTY_H
#define NOCTURNE_AREA_LIBERTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LibertyMaxCells = 64, LibertyMaxPins = 6, LibertyName = 16 };

typedef struct {
  char name[LibertyName];
  bool is_output;
  double capacitance;  // pF, of an input
  bool has_table;      // an output whose function is of the inputs alone
  uint16_t table;  // its value by those of the inputs, in the order of the pins, the first lowest
} liberty_pin_t;

typedef struct {
  char name[LibertyName];
  double area;      // square micrometres
  double leakage;   // nW
  double energy;    // pJ inside the cell, each transition of an output
  double clock_energy;  // pJ inside the cell, each transition of the clock
  double data_energy;   // pJ inside a register, each transition of D
  bool is_register;
  uint32_t pin_count;
  liberty_pin_t pins[LibertyMaxPins];
} liberty_cell_t;

typedef struct {
  double voltage;  // V
  uint32_t cell_count;
  liberty_cell_t cells[LibertyMaxCells];
} liberty_t;

// False with one line in error.
bool liberty_load(liberty_t *liberty, const char *path, char *error, size_t size);

const liberty_cell_t *liberty_cell(const liberty_t *liberty, const char *name);  // or NULL
const liberty_pin_t *liberty_pin(const liberty_cell_t *cell, const char *name);  // or NULL

#endif
