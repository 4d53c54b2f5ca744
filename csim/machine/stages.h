// SPDX-License-Identifier: Apache-2.0
// The time of the GPUs by stage. A GPU is asked what it does when that may have changed, not in
// every cycle.
#ifndef NOCTURNE_MACHINE_STAGES_H
#define NOCTURNE_MACHINE_STAGES_H

#include "dispatch.h"

// Stages that share a GPU's time. A cycle counts for the last stage that has work and that no
// later one stops.
typedef enum {
  MachineInGeometry,
  MachineInProjection,    // GPUpd
  MachineInDistribution,  // GPUpd: nothing to do until a batch has been distributed
  MachineInRaster,
  MachineInFragments,    // early depth, shading, ROP
  MachineInComposition,  // own draws done, until release
  MachineInSync,         // barrier and broadcast
  MachineIdle,           // nothing to do
  MachineStageCount,
} machine_stage_e;

// One of zeros begins at cycle 0.
typedef struct {
  agenda_t looks;  // when the stage of a GPU may be another
  uint64_t since[UnitMaxGpus];
  uint8_t stage[UnitMaxGpus];  // machine_stage_e
  uint64_t spent[MachineStageCount];
} stages_t;

// After a cycle: asks the GPUs of a mask and those whose stage ends by itself.
void stages_step(stages_t *stages, const node_t *nodes, const dispatch_t *dispatch, uint64_t gpus,
                 uint64_t now);

#endif
