// SPDX-License-Identifier: Apache-2.0
#include "stages.h"

static uint8_t stage_of(gpu_t *gpu, const dispatch_t *dispatch, uint32_t g, uint64_t now,
                        uint64_t *until) {
  uint32_t token;
  switch (gpu_activity(gpu, now, until)) {
    case GpuIsHeld:
      return gpu_held(gpu, &token) && token == HOLD_COMPOSE ? MachineInComposition : MachineInSync;
    case GpuInProjection: return MachineInProjection;
    case GpuInGeometry: return MachineInGeometry;
    case GpuInRaster: return MachineInRaster;
    case GpuInFragments: return MachineInFragments;
    default: return dispatch_waits(dispatch, g) ? MachineInDistribution : MachineIdle;
  }
}

void stages_step(stages_t *s, const node_t *nodes, const dispatch_t *dispatch, uint64_t gpus,
                 uint64_t now) {
  agenda_go(&s->looks, now);
  for (uint64_t left = gpus | agenda_due(&s->looks); left; left &= left - 1) {
    const uint32_t g = (uint32_t)__builtin_ctzll(left);
    uint64_t until;
    s->spent[s->stage[g]] += now - s->since[g];
    s->since[g] = now;
    s->stage[g] = stage_of(nodes[g].gpu, dispatch, g, now, &until);
    agenda_set(&s->looks, g, until);
  }
}
