// SPDX-License-Identifier: Apache-2.0
// Energy of a run, summed over its GPUs (A-TFIM, VI): counts of events times an energy each.
// docs/results/texture-designs.md has the sources and what is left out.
#ifndef NOCTURNE_MACHINE_ENERGY_H
#define NOCTURNE_MACHINE_ENERGY_H

#include "machine.h"

// J
typedef struct {
  double link, dram;             // the cube's links; DRAM of HMC or GDDR5, with background
  double shader;                 // fragment programs
  double texture_units, caches;  // address and filtering ALUs; both levels
  double cube;                   // A-TFIM's ALUs in the logic layer
  double leakage, total;
} energy_t;

// Returns the energy of a run with a design of A-TFIM.
void energy_of(const energy_params_t *params, const machine_t *machine, energy_t *energy);

#endif
