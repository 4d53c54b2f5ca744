// SPDX-License-Identifier: Apache-2.0
// The engines of a machine's hardware units, and decisions in place of its driver's, which its
// caller supplies.
#ifndef NOCTURNE_MACHINE_MACHINE_UNITS_H
#define NOCTURNE_MACHINE_MACHINE_UNITS_H

#include "../driver/policy.h"
#include "../frame/frame.h"
#include "../gpu/gpu.h"
#include "csim/base/err.h"
#include "cube.h"
#include "soc.h"
#include "unit/coarse_depth/coarse_depth.h"
#include "unit/composition_scheduler/composition_scheduler.h"
#include "unit/draw_scheduler/draw_scheduler.h"
#include "unit/lookahead_scheduler/lookahead_scheduler.h"
#include "unit/pixel_distributor/pixel_distributor.h"

// Merges pixels by the rule of a begin's fields (docs/units/pixel_distributor.md, section 8): of
// each bit p of sent, in[p] with local[p], which the group has written if bit p of written. Returns
// those to be written, and their values in result.
typedef uint32_t (*merge_pixels_t)(const pixel_distributor_in_t *begin, uint32_t sent,
                                   const uint64_t *in, const uint64_t *local, uint32_t written,
                                   uint64_t *result);

// Each maker returns false with one line in error. The maker owns what it made; it outlives the
// machine.
typedef struct {
  void *context;
  bool (*draw_scheduler)(void *context, const draw_scheduler_params_t *params,
                         draw_scheduler_t *engine, err_t *err);
  bool (*composition_scheduler)(void *context, const composition_scheduler_params_t *params,
                                composition_scheduler_t *engine, err_t *err);
  bool (*lookahead_scheduler)(void *context, const lookahead_scheduler_params_t *params,
                              lookahead_scheduler_t *engine, err_t *err);
  bool (*pixel_distributor)(void *context, const pixel_distributor_params_t *params,
                            uint32_t instance, pixel_distributor_t *engine, err_t *err);
  bool (*coarse_depth)(void *context, const coarse_depth_params_t *params, uint32_t instance,
                       coarse_depth_t *engine, err_t *err);
  cube_units_t cube;
  gpu_units_t gpu;
  merge_pixels_t merge;           // of composition in zero time, which has no distribution units
  const driver_policy_t *policy;  // decisions in place of the driver's, or NULL
  soc_t *soc;  // whose memory the GPU shares; it lasts from frame to frame; or NULL
} machine_units_t;

#endif
