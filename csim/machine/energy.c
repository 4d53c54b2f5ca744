#include "energy.h"

#include "machine.h"

enum { Channels = 4, LaneComponents = 4 };

typedef energy_params_t P;

static const char Horowitz[] = "Horowitz, ISSCC 2014: 45 nm, 0.9 V";
static const char Caches[] = "Horowitz, ISSCC 2014: 64 bits of 8, 32 and 1,024 KB; between them "
                             "by the logarithm of the size";

const config_key_t energy_keys[] = {
    CONFIG_DOUBLE(P, multiply, "multiply", 3.7, 0, 1000, "pJ", Horowitz, "32-bit floating point"),
    CONFIG_DOUBLE(P, add, "add", 0.9, 0, 1000, "pJ", Horowitz, "32-bit floating point"),
    CONFIG_DOUBLE(P, integer, "integer", 0.1, 0, 1000, "pJ", Horowitz, "32-bit addition"),
    CONFIG_DOUBLE(P, instruction, "instruction", 70, 0, 10000, "pJ", Horowitz,
                  "fetch, decode and control of an SM's instruction"),
    CONFIG_DOUBLE(P, l1, "l1", 113, 0, 100000, "pJ", Caches, "a line of the 16 KB texture cache"),
    CONFIG_DOUBLE(P, l2, "l2", 304, 0, 100000, "pJ", Caches, "a line of the 128 KB texture cache"),
    CONFIG_DOUBLE(P, leakage, "leakage", 0.1, 0, 10, "", "A-TFIM, VI",
                  "share of the dynamic energy"),
};
const size_t energy_key_count = sizeof energy_keys / sizeof *energy_keys;

static double joules(double pj) { return pj * 1e-12; }

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
    e->link += joules(t.cube ? t.hmc.link_pj : 0);
    e->dram += joules(t.cube ? t.hmc.dram_pj
                             : t.gddr5.activate_pj + t.gddr5.data_pj + t.gddr5.background_pj);
  }
  e->total = e->link + e->dram + e->shader + e->texture_units + e->caches + e->cube;
  e->leakage = e->total * p->leakage;
  e->total += e->leakage;
}
