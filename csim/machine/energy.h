// Energy of a run, summed over its GPUs (A-TFIM, VI): counts of events times an energy each.
// docs/energy.md has the sources and what is left out.
#ifndef NOCTURNE_MACHINE_ENERGY_H
#define NOCTURNE_MACHINE_ENERGY_H

#include "../base/config.h"

struct machine;

// pJ, unless said otherwise
typedef struct {
  double multiply, add;          // 32-bit floating point, one
  double integer;                // 32-bit integer operation
  double instruction;            // fetch, decode and control, of an SM's issue
  double l1, l2;                 // a line of 64 bytes
  double link, dram;             // of the cube, a bit
  double gddr5_activate, gddr5_read, gddr5_write;  // a row cycle; 32 bytes
  double gddr5_background;       // mW, a channel
  double leakage;                // share of the dynamic energy
} energy_params_t;

// Registers the set of *params, an energy_params_t: energy.
bool energy_config_add(config_t *config, void *params, char error[ConfigErrorSize]);

// J
typedef struct {
  double link, dram;             // the cube's links; DRAM of HMC or GDDR5, with background
  double shader;                 // fragment programs
  double texture_units, caches;  // address and filtering ALUs; both levels
  double cube;                   // A-TFIM's ALUs in the logic layer
  double leakage, total;
} energy_t;

// Of a run with a design of A-TFIM.
void energy_of(const energy_params_t *params, struct machine *machine, energy_t *energy);

#endif
