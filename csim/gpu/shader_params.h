// SPDX-License-Identifier: Apache-2.0
// Parameters of the SMs (shader.h), and a warp as it is launched.
#ifndef NOCTURNE_GPU_SHADER_PARAMS_H
#define NOCTURNE_GPU_SHADER_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../frame/frame_program.h"

enum {
  ShaderLanes = 32,
  ShaderMaxSms = 64,
  ShaderMaxWarps = 128,  // resident in an SM
  ShaderMaxSchedulers = 8,
  ShaderMaxLatency = 1000,
  ShaderMaxStages = 2,  // texture stages of a draw
};
#define SHADER_LATER UINT64_MAX

typedef struct {
  uint32_t sms;                // 1 to 64
  uint32_t schedulers;         // of an SM
  uint32_t lanes, alu_groups;  // of an SM; each group has lanes / alu_groups
  uint32_t sfu_lanes;
  uint32_t alu_latency, sfu_latency;  // issue to result
  uint32_t warps;                     // resident in an SM
  uint32_t issue_per_warp;            // 2: an independent operation of another unit goes along
  uint32_t dependent;                 // permille, where a program does not know
  bool greedy;                        // the warp issued last, else the oldest; false: in turn
  bool predicated;                    // both sides of a branch are always gone through
  bool watched;                       // for tests: asks to be called for what nobody else sees, too
} shader_params_t;

typedef struct {
  const program_t *program;  // checked; must outlive the warp
  uint32_t lanes;            // with a fragment, not 0
} shader_launch_t;

#endif
