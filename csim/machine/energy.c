#include "energy.h"

#include "machine.h"

enum { Channels = 4, LaneComponents = 4 };

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
    .key = "energy", .prefix = "energy", .initial = "horowitz",
    .source = "Horowitz, ISSCC 2014; A-TFIM, VI; supply currents of GDDR5",
    .meaning = "energy of an event each", .entries = Entries, .count = sizeof Entries / sizeof *Entries};

static const config_key_t Gone[] = {
    CONFIG_GONE("gddr5.activate_energy", "gddr5_activate in a file that energy names"),
    CONFIG_GONE("gddr5.read_energy", "gddr5_read in a file that energy names"),
    CONFIG_GONE("gddr5.write_energy", "gddr5_write in a file that energy names"),
    CONFIG_GONE("gddr5.background", "gddr5_background in a file that energy names"),
    CONFIG_GONE("hmc.link_energy", "link in a file that energy names"),
    CONFIG_GONE("hmc.dram_energy", "dram in a file that energy names"),
};

bool energy_config_add(config_t *config, void *params, char error[ConfigErrorSize]) {
  return config_add_set(config, &Set, params, error) &&
         config_add(config, "", Gone, sizeof Gone / sizeof *Gone, params, error);
}

static double joules(double pj) { return pj * 1e-12; }

static double gddr5_pj(const energy_params_t *p, const gddr5_stats_t *s) {
  double accesses = (double)s->read_bytes / Gddr5Access * p->gddr5_read +
                    (double)s->write_bytes / Gddr5Access * p->gddr5_write;
  // A milliwatt is a picojoule a cycle of 1 ns.
  return (double)s->activates * p->gddr5_activate + accesses +
         (double)s->channel_cycles * p->gddr5_background;
}

void energy_of(const energy_params_t *p, machine_t *m, energy_t *e) {
  *e = (energy_t){0};
  double mac = p->multiply + p->add;
  for (uint32_t g = 0; g < machine_gpu_count(m); g++) {
    const gpu_stats_t *gpu = gpu_stats(machine_gpu(m, g));
    texturing_stats_t t;
    texturing_stats(machine_texturing(m, g), &t);
    // An issue slot of an SM: one instruction on all of its lanes, of four components each.
    double lanes = gpu_lanes(machine_gpu(m, g));
    e->shader += joules((double)gpu->busy_shading *
                        (p->instruction + lanes * LaneComponents * mac));
    e->caches += joules((double)t.units.l1_lookups * p->l1 + (double)t.units.l2_lookups * p->l2);
    e->texture_units += joules((double)t.units.address_ops * (p->integer + mac) +
                               (double)t.units.filter_ops * Channels * mac);
    e->cube += joules((double)t.atfim.children * (2 * p->integer + Channels * mac));
    e->link += joules(t.cube ? (double)t.hmc.link_bits * p->link : 0);
    e->dram += joules(t.cube ? (double)t.hmc.dram_bits * p->dram : gddr5_pj(p, &t.gddr5));
  }
  e->total = e->link + e->dram + e->shader + e->texture_units + e->caches + e->cube;
  e->leakage = e->total * p->leakage;
  e->total += e->leakage;
}
