// SPDX-License-Identifier: Apache-2.0
// A GPU's offloading unit, the link to its cube, and A-TFIM in the cube's logic layer (A-TFIM, V,
// Fig. 9), 1 to CubeMaxLayers layers of it: the units' engines and what carries their packages,
// child reads and responses through the HMC (docs/units/atfim.md, "The switch").
//
// Packages go to the layers in turn; one that has no room is passed over. Each layer has its own
// path for child reads, and for their data, of one line a cycle.
//
// In a cycle the texture units set cube_requests and answer readies from cube_answers, then
// cube_step clocks the units; the memory is stepped after it by its owner.
#ifndef NOCTURNE_MACHINE_CUBE_H
#define NOCTURNE_MACHINE_CUBE_H

#include "../memory/memory_system.h"
#include "../texture/texture_map.h"
#include "csim/base/err.h"
#include "unit/atfim/atfim.h"
#include "unit/offload_unit/offload_unit.h"

enum { CubeMaxLayers = 16 };

// Makes the engines; each returns false with one line in error. instance: the GPU; of A-TFIM the
// GPU's number times the layers, and the layer's.
typedef struct {
  void *context;
  bool (*offload_unit)(void *context, const offload_unit_params_t *params, uint32_t instance,
                       offload_unit_t *engine, err_t *err);
  bool (*atfim)(void *context, const atfim_params_t *params, uint32_t instance, atfim_t *engine,
                err_t *err);
} cube_units_t;

typedef struct {
  uint64_t packages, responses;  // over the link
  uint64_t children;             // texels added to parents
  uint64_t child_reads;          // lines read in the vaults
  uint64_t resets;
  // Counters of the layers' generators and consolidations, by texel_generator_counter_e and
  // child_consolidation_counter_e
  uint64_t generator[TexelGeneratorCounters], lines[ChildConsolidationCounters];
} cube_stats_t;

typedef struct cube cube_t;

// layers: 1 to CubeMaxLayers. memory: an HMC's. The map has no more descriptors than the cube's
// table. NULL with one line in error.
cube_t *cube_create(const offload_unit_params_t *offload, const atfim_params_t *layer,
                    uint32_t layers, const texture_map_t *map, memory_system_t *memory,
                    const cube_units_t *units, uint32_t instance, err_t *err);
void cube_destroy(cube_t *cube);

// The inputs of the coming cycle that belong to the texture units: request_valid, request
// and answer_ready. They keep their values until changed.
offload_unit_in_t *cube_requests(cube_t *cube);
// The offloading unit's outputs of this cycle.
const offload_unit_out_t *cube_answers(const cube_t *cube);

// One cycle. Anything but UnitOk ends the run; *error (of all units, 0: none) too.
unit_status_e cube_step(cube_t *cube, uint32_t *error);

// The units would do nothing in the coming cycle.
bool cube_idle(const cube_t *cube);

// Reads the layers' counters and resets them, all in one cycle; what is unanswered is sent again
// under a new epoch. Anything but UnitOk ends the run.
unit_status_e cube_reset(cube_t *cube);

// After the last cycle: reads the layers' counters.
unit_status_e cube_finish(cube_t *cube);

const cube_stats_t *cube_stats(const cube_t *cube);

#endif
