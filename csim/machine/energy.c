// SPDX-License-Identifier: Apache-2.0
#include "energy.h"

enum { Channels = 4, LaneComponents = 4 };

static double joules(double pj) { return pj * 1e-12; }

static double gddr5_pj(const energy_params_t *p, const gddr5_stats_t *s) {
  double accesses = (double)s->read_bytes / Gddr5Access * p->gddr5_read +
                    (double)s->write_bytes / Gddr5Access * p->gddr5_write;
  // A milliwatt is a picojoule a cycle of 1 ns.
  return (double)s->activates * p->gddr5_activate + accesses +
         (double)s->channel_cycles * p->gddr5_background;
}

void energy_of(const energy_params_t *p, const machine_t *m, energy_t *e) {
  *e = (energy_t){0};
  double mac = p->multiply + p->add;
  for (uint32_t g = 0; g < machine_gpu_count(m); g++) {
    const gpu_stats_t *gpu = gpu_stats(machine_gpu(m, g));
    texturing_stats_t t;
    texturing_stats(machine_texturing(m, g), &t);
    // An issue slot of an SM: one instruction on all of its lanes, of four components each.
    double lanes = gpu_lanes(machine_gpu(m, g));
    e->shader +=
        joules((double)gpu->busy_shading * (p->instruction + lanes * LaneComponents * mac));
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
