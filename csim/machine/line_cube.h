// SPDX-License-Identifier: Apache-2.0
// A GPU's offloading unit for lines of parents, the link to its cube, and A-TFIM by lines in the
// cube's logic layer: 1 to CubeMaxLayers layers (docs/units/line_atfim.md, "The switch"). What
// cube.h is for the parents of single pixels, and used like it.
//
// Packages go to the layers in turn; one that has no room is passed over. Each layer has its own
// path for child reads, and for their data, of one line a cycle.
#ifndef NOCTURNE_MACHINE_LINE_CUBE_H
#define NOCTURNE_MACHINE_LINE_CUBE_H

#include "cube.h"

typedef struct line_cube line_cube_t;

// layers: 1 to CubeMaxLayers. memory: an HMC's. The map has no more descriptors than the cube's
// table. NULL with one line in error.
line_cube_t *line_cube_create(const line_offload_params_t *offload,
                              const line_atfim_params_t *layer, uint32_t layers,
                              const texture_map_t *map, memory_system_t *memory,
                              const cube_units_t *units, uint32_t instance,
                              char error[CubeErrorSize]);
void line_cube_destroy(line_cube_t *cube);

// The inputs of the coming cycle that belong to the texture units: request_valid, request
// and answer_ready. They keep their values until changed.
line_offload_in_t *line_cube_requests(line_cube_t *cube);
// The offloading unit's outputs of this cycle.
const line_offload_out_t *line_cube_answers(const line_cube_t *cube);

// One cycle. Anything but UnitOk ends the run; *error (of all units, 0: none) too.
unit_status_e line_cube_step(line_cube_t *cube, uint32_t *error);

// The units would do nothing in the coming cycle.
bool line_cube_idle(const line_cube_t *cube);

// Reads the layers' counters and resets them, all in one cycle; what is unanswered is sent again
// under a new epoch. Anything but UnitOk ends the run.
unit_status_e line_cube_reset(line_cube_t *cube);

// After the last cycle: reads the layers' counters.
unit_status_e line_cube_finish(line_cube_t *cube);

const cube_stats_t *line_cube_stats(const line_cube_t *cube);

#endif
