// SPDX-License-Identifier: Apache-2.0
// Scouts: the positions of small draws, projected before their group begins, so that the driver
// knows their area in the present frame (docs/model/driver.md, "Scouts"). GPU g projects every N-th
// of them; an adder behind setup sums the areas, and the sum goes to the driver.
#ifndef NOCTURNE_DRIVER_SCOUTS_H
#define NOCTURNE_DRIVER_SCOUTS_H

#include <stdbool.h>
#include <stdint.h>

#include "../frame/frame.h"
#include "driver_memory.h"
#include "plan.h"

typedef struct {
  uint32_t triangles;  // most of a draw that is scouted; 0: no scouts
  uint32_t share;      // by all only from so much of a GPU's share of what is expected of the rest
                       // of the group on: permille; 0: by area alone
  uint32_t cycles;     // expected of a triangle of a draw that is not scouted
  driver_hint_params_t area;
  // The driver's knowledge of its GPUs.
  uint32_t gpus, lanes, texture_units, texture_cycles;  // lanes and units of all SMs of a GPU
  uint32_t draw_cycles, triangle_rate, geometry_latency, message_latency;
} scout_params_t;

// Tells if a draw of a composed opaque group is scouted.
bool scout_takes(const scout_params_t *params, const frame_cmd_t *command);

// Returns the pixels of a draw before depth: of each triangle its area, at most that of its box
// within the scissor.
uint64_t scout_area(const frame_t *frame, const frame_cmd_t *command);

// Returns the cycles that a draw is expected to take, scouted or not.
uint64_t scout_expects(const scout_params_t *params, const frame_t *frame,
                       const frame_cmd_t *command);

// Tells if a scouted draw goes to all GPUs. left: what is expected of the rest of its group, the
// draw included.
bool scout_by_all(const scout_params_t *params, const frame_t *frame, const frame_cmd_t *command,
                  uint64_t left);

// Returns the cycles from the start of the group with scouts before until those of this group have
// reported; 0: it has none.
uint64_t scout_wait(const scout_params_t *params, const frame_t *frame, const plan_group_t *group);

#endif
