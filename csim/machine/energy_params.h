// SPDX-License-Identifier: Apache-2.0
// The energy of an event each (A-TFIM, VI), and the configuration's set of them.
// docs/results/texture-designs.md has the sources.
#ifndef NOCTURNE_MACHINE_ENERGY_PARAMS_H
#define NOCTURNE_MACHINE_ENERGY_PARAMS_H

#include "../base/config.h"

// pJ, unless said otherwise
typedef struct {
  double multiply, add;                            // 32-bit floating point, one
  double integer;                                  // 32-bit integer operation
  double instruction;                              // fetch, decode and control, of an SM's issue
  double l1, l2;                                   // a line of 64 bytes
  double link, dram;                               // of the cube, a bit
  double gddr5_activate, gddr5_read, gddr5_write;  // a row cycle; 32 bytes
  double gddr5_background;                         // mW, a channel
  double leakage;                                  // share of the dynamic energy
} energy_params_t;

// Registers the set of *params, an energy_params_t: energy.
bool energy_config_add(config_t *config, void *params, err_t *err);

#endif
