// SPDX-License-Identifier: Apache-2.0
// Energy of a unit: its netlist runs the vectors that a run recorded (`nocturne run --record`),
// what toggles is weighed with the library's figures. docs/area.md says what is left out.
#ifndef NOCTURNE_AREA_UNIT_ENERGY_H
#define NOCTURNE_AREA_UNIT_ENERGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate_sim.h"
#include "liberty.h"

// A cycle's mean, pJ at 0.18 um and 1.8 V.
typedef struct {
  uint64_t cycles;             // of the vectors, resets left out
  uint64_t nets, toggles;
  uint64_t read_bits, written_bits;  // of memories
  double switching;            // of the nets' pins: half C V^2 a transition
  double internal;             // inside the cells, their outputs' transitions and those of D
  double clock;                // clock pins and inside the registers, both edges
  double memory, memory_28nm;  // accesses (scaling.h)
  double leakage;              // nW, of the cells
} energy_t;

// The first line of a file of vectors: its unit and the parameters, "NumGpus=8 ...".
bool energy_read_header(const char *path, char unit[64], char params[256], char *error,
                        size_t size);

// folder holds netlist.json and wrapper.json (rtl/synth/wrapper.sh). steps: at most so many
// vectors; 0: all. False with one line in error, also where the netlist answers otherwise than
// recorded.
bool energy_measure(energy_t *energy, const liberty_t *liberty, const char *unit,
                    const char *folder, const char *path, uint64_t steps, char *error, size_t size);

// Weighs what a simulation counted.
void energy_weigh(energy_t *energy, const liberty_t *liberty, const gate_sim_t *sim);

#endif
