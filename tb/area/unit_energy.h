// SPDX-License-Identifier: Apache-2.0
// Energy of a unit: its netlist runs the vectors that a run recorded (`nocturne run --record`), and
// the toggles are weighed with the library's figures. docs/hardware/area.md says what is left out.
#ifndef NOCTURNE_AREA_UNIT_ENERGY_H
#define NOCTURNE_AREA_UNIT_ENERGY_H

#include <stdbool.h>
#include <stdint.h>

#include "csim/base/err.h"
#include "gate_sim.h"
#include "liberty.h"

// Means per cycle, pJ at 0.18 um and 1.8 V.
typedef struct {
  uint64_t cycles;  // of the vectors, without resets
  uint64_t nets, toggles;
  uint64_t read_bits, written_bits;  // of memories
  double switching;                  // of the nets' pins: half C V^2 per transition
  double internal;                   // inside the cells, their outputs' transitions and those of D
  double clock;                      // clock pins and inside the registers, both edges
  double memory, memory_28nm;        // accesses (scaling.h)
  double leakage;                    // nW, of the cells
} unit_energy_t;

// Reads the first line of a file of vectors: its unit and the parameters, "NumGpus=8 ...". The
// caller frees both.
bool unit_energy_header(const char *path, char **unit, char **params, err_t *err);

// Runs the first steps vectors (0: all) of a file through the netlist. folder holds netlist.json
// and wrapper.json (rtl/synth/wrapper.sh). Fails, too, when the netlist answers otherwise than
// recorded.
bool unit_energy_measure(unit_energy_t *energy, const liberty_t *liberty, const char *unit,
                         const char *folder, const char *path, uint64_t steps, err_t *err);

// Weighs what a simulation counted.
void unit_energy_weigh(unit_energy_t *energy, const liberty_t *liberty, const gate_sim_t *sim);

// Power at a clock, mW.
typedef struct {
  double active;   // in the vectors' cycles
  double average;  // over a longer run, in which the unit idles without a vector
  double leakage;
} unit_power_t;
unit_power_t unit_energy_power(const unit_energy_t *energy, uint64_t cycles, double mhz,
                               bool is_28nm);

#endif
