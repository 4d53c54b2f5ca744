// SPDX-License-Identifier: Apache-2.0
// The assembly of several GPUs, their links, the driver and the hardware units, and
// the clock that they share (CHOPIN, IV, V).
//
// machine_create builds everything, machine_run renders one frame to its end; what is shown is in
// the surfaces of each pixel's owner (check.h puts the picture together). The machine reaches a
// hardware unit only through its interface, and cannot tell which engine is behind it.
// docs/model/machine.md has its parts.
#ifndef NOCTURNE_MACHINE_MACHINE_H
#define NOCTURNE_MACHINE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "../driver/driver_memory.h"
#include "../driver/plan.h"
#include "../frame/frame_work.h"
#include "../gpu/gpu.h"
#include "coarse.h"
#include "compose.h"
#include "stages.h"
#include "sync.h"
#include "texturing.h"

typedef struct {
  uint64_t cycles;                    // first command to last write
  uint64_t cycles_evaluated;          // cycles in which anything was done
  uint64_t spent[MachineStageCount];  // each cycle of each GPU counts in one
  // Statistics of the parts after the run; zeros without the part.
  dispatch_stats_t dispatch;
  sync_stats_t sync;
  distribute_stats_t distribute;
  compose_stats_t compose;
  coarse_stats_t coarse;
} machine_stats_t;

typedef struct machine machine_t;

// Returns true if the machine takes on a frame: its geometry and pixels (frame_work.h) are at most
// params->frame_work, its surfaces in all GPUs and in the reference at most params->frame_memory.
// Otherwise returns false with one line in error, which names the key.
bool machine_check_frame(const machine_params_t *params, const frame_t *frame, err_t *err);

// Checks frames that run one after the other, each by itself and their work together.
bool machine_check_frames(const machine_params_t *params, frame_t *const *frames, uint32_t count,
                          err_t *err);

// Builds a machine; NULL with one line in error. memory: what the driver remembers of the frame
// before (machine_remember); NULL: nothing.
machine_t *machine_create(const machine_params_t *params, const frame_t *frame,
                          const driver_memory_t *memory, const machine_units_t *units, err_t *err);
void machine_destroy(machine_t *machine);

// Called now and then with the share of work items that have been taken, 0 to 1.
typedef void (*machine_progress_t)(void *context, double share, uint64_t cycle);

// Renders the frame to its end.
machine_status_e machine_run(machine_t *machine, machine_progress_t progress, void *context);

// Makes the driver remember the frame that has been run to its end, in place of the one before.
// Returns false if memory runs out.
bool machine_remember(const machine_t *machine, driver_memory_t *memory);

// Returns what failed, in words; after a hang, what each unit and GPU waits for. Valid until
// machine_destroy.
const char *machine_report(const machine_t *machine);

const machine_stats_t *machine_stats(const machine_t *machine);
// Returns the parameters in force: one GPU with scheme single, no message latency with ideal ones.
const machine_params_t *machine_params(const machine_t *machine);
const frame_t *machine_frame(const machine_t *machine);
const plan_t *machine_plan(const machine_t *machine);
// Returns the driver's hints for each command; NULL if it had no frame before.
const driver_hint_t *machine_hints(const machine_t *machine);
// Returns what the driver gives out of each command.
const pieces_t *machine_pieces(const machine_t *machine);
// Returns the number of GPUs at work: 1 with scheme single, whatever gpus says.
uint32_t machine_gpu_count(const machine_t *machine);
gpu_t *machine_gpu(const machine_t *machine, uint32_t index);
// Returns a GPU's texture units; NULL with texture.design=rate.
const texturing_t *machine_texturing(const machine_t *machine, uint32_t index);
// Returns the composition (compose.h); NULL if the scheme has none.
const compose_t *machine_compose(const machine_t *machine);
// Returns the GPU that owns pixel (x, y) of a target.
uint32_t machine_owner(const machine_t *machine, uint16_t target, uint32_t x, uint32_t y);
// Returns the GPU that owns pixel (x, y) of a depth buffer drawn with this target, or with none
// (FrameNone); beyond the target, where all GPUs have the same, GPU 0.
uint32_t machine_depth_owner(const machine_t *machine, uint16_t target, uint16_t depth, uint32_t x,
                             uint32_t y);

// Lists the CHOPIN units without a part in this scheme's run, at most 3; NULL ends the list.
void machine_units_outside(const machine_t *machine, const char *names[4]);

// Makes the machine write its cycle to *clock as it goes.
void machine_watch_clock(machine_t *machine, uint64_t *clock);

#endif
