// SPDX-License-Identifier: Apache-2.0
#include "energy_params.h"

typedef energy_params_t P;

#define ENTRY(field, high, unit, meaning) \
  CONFIG_ENTRY_DOUBLE(P, field, #field, 0, high, unit, meaning)

static const config_key_t Entries[] = {
    ENTRY(multiply, 1000, "pJ", "32-bit floating point"),
    ENTRY(add, 1000, "pJ", "32-bit floating point"),
    ENTRY(integer, 1000, "pJ", "32-bit addition"),
    ENTRY(instruction, 10000, "pJ", "fetch, decode and control of an SM's instruction"),
    ENTRY(l1, 100000, "pJ", "a line of the 16 KB texture cache"),
    ENTRY(l2, 100000, "pJ", "a line of the 128 KB texture cache"),
    ENTRY(link, 1000, "pJ/bit", "of the cube's links"),
    ENTRY(dram, 1000, "pJ/bit", "of the cube's DRAM"),
    ENTRY(gddr5_activate, 1000000, "pJ", "a row cycle"),
    ENTRY(gddr5_read, 1000000, "pJ", "32 bytes"),
    ENTRY(gddr5_write, 1000000, "pJ", "32 bytes"),
    ENTRY(gddr5_background, 1000000, "mW", "a channel"),
    ENTRY(leakage, 10, "", "share of the dynamic energy"),
};

static const config_set_t Set = {
    .key = "energy",
    .prefix = "energy",
    .initial = "horowitz",
    .source = "Horowitz, ISSCC 2014; A-TFIM, VI; supply currents of GDDR5",
    .meaning = "energy of an event each",
    .entries = Entries,
    .count = sizeof Entries / sizeof *Entries};

static const config_key_t Gone[] = {
    CONFIG_GONE("gddr5.activate_energy", "gddr5_activate in a file that energy names"),
    CONFIG_GONE("gddr5.read_energy", "gddr5_read in a file that energy names"),
    CONFIG_GONE("gddr5.write_energy", "gddr5_write in a file that energy names"),
    CONFIG_GONE("gddr5.background", "gddr5_background in a file that energy names"),
    CONFIG_GONE("hmc.link_energy", "link in a file that energy names"),
    CONFIG_GONE("hmc.dram_energy", "dram in a file that energy names"),
};

bool energy_config_add(config_t *config, void *params, err_t *err) {
  return config_add_set(config, &Set, params, err) &&
         config_add(config, "", Gone, sizeof Gone / sizeof *Gone, params, err);
}
