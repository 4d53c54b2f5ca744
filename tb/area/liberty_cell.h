// SPDX-License-Identifier: Apache-2.0
// A cell of a liberty file, as liberty.h reads it.
#ifndef NOCTURNE_AREA_LIBERTY_CELL_H
#define NOCTURNE_AREA_LIBERTY_CELL_H

#include <stdbool.h>
#include <stdint.h>

enum { LibertyMaxPins = 24, LibertyMaxInputs = 6 };

typedef struct {
  const char *name;
  bool is_output;
  double capacitance;    // pF, of an input
  double most_load;      // pF, max_capacitance of an output; 0: none given
  bool has_table;        // an output whose function is of at most LibertyMaxInputs inputs alone
  uint64_t table;        // its value by those of the inputs, in the pins' order, the first lowest
  bool inverts;          // an output of a register: the complement of what it keeps
  bool is_tied, tie;     // sets or clears a register asynchronously; the level at which it does not
  const char *function;  // as the file has it, "" without one
} liberty_pin_t;

typedef struct {
  const char *name;
  double area;           // square micrometres
  double leakage;        // nW
  double energy;         // pJ inside the cell, each transition of an output
  double clock_energy;   // pJ inside the cell, each transition of the clock
  double data_energy;    // pJ inside a register, each transition of its data
  bool is_avoided;       // dont_use
  bool is_register;      // a flip-flop that the flow can use: of one pin's rising edge, keeps one
                         // pin's value, is neither set nor cleared; with such pins (is_tied) only
                         // where the library has no other
  bool is_other;         // state or drive that is none of these: latch, three-state, scan, macro
  bool has_timing;       // a table of delays
  uint32_t clock, data;  // of a register: which pins
  bool data_inverts;     // it keeps the complement of its data
  uint32_t pin_count;
  liberty_pin_t *pins;
} liberty_cell_t;

#endif
