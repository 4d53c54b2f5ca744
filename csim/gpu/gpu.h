// SPDX-License-Identifier: Apache-2.0
// One GPU: a timed pipeline that renders (CHOPIN, II-A, Table II; rates and their
// source in docs/reference/configuration.md).
//
//   command queue -> geometry -> raster -> early depth -> shading -> ROP
//
// Each stage is a part of its own (gpu_part.h); a part has a throughput and a latency, and stops
// the one before it when it is full. Work is done at the simulated cycle at which its stage does
// it, in blocks of 8x8 pixels of one triangle. Time is discrete: gpu_advance does all that is due
// at a cycle and says when it wants to be called again, so a caller may skip the cycles in which
// nothing happens without changing any result.
//
// Call order: gpu_create, gpu_set_owners for each surface, then any number of
// gpu_push and gpu_advance with time never going back, gpu_destroy. No function
// but gpu_create, gpu_set_owners and gpu_make_subimage allocates.
#ifndef NOCTURNE_GPU_GPU_H
#define NOCTURNE_GPU_GPU_H

#include "gpu_types.h"

typedef struct gpu gpu_t;

// Makes GPU number `index`. The frame and what texturing refers to must outlive it. units: where
// the parameters ask for some. NULL: out of memory, or with one line in error.
gpu_t *gpu_create(const gpu_params_t *params, const frame_t *frame, uint32_t index,
                  const gpu_texturing_t *texturing, const gpu_units_t *units, err_t *err);
void gpu_destroy(gpu_t *gpu);

// Says which GPU owns each tile of a surface of this size: tiles_x * tiles_y entries,
// row-major, borrowed. A draw uses the map of its colour target's size, or of its
// depth buffer's if it has no colour target. Until set, every tile is owned by all.
void gpu_set_owners(gpu_t *gpu, uint32_t width, uint32_t height, const uint8_t *owners);

// Makes room for the sub-images of a target, before the first command with `subimage` that draws
// to it. False: out of memory.
bool gpu_make_subimage(gpu_t *gpu, uint32_t target);

// Makes room for the costs of more than the frame's commands: gpu_command_t.cost is below `count`.
// False: out of memory.
bool gpu_make_costs(gpu_t *gpu, uint32_t count);

// Gives the GPU shared coarse depth, before its first command; borrowed.
void gpu_set_coarse(gpu_t *gpu, gpu_coarse_t *coarse);
// Answers the look under way.
void gpu_answer_look(gpu_t *gpu, uint32_t depth);

// Gives the GPU what keeps merges away from blocks that it draws, before its first command;
// borrowed.
void gpu_set_guard(gpu_t *gpu, gpu_guard_t *guard);

// Takes memory bandwidth for pixels that a distribution unit reads and writes while the GPU draws.
void gpu_take_memory(gpu_t *gpu, uint64_t now, uint32_t read_bytes, uint32_t write_bytes);

// Tells if nothing from before this composition group is between raster and ROP any more, once
// something of the group has left the ROP.
bool gpu_draws_group(const gpu_t *gpu, uint32_t group);

// Appends a command. False if the queue is full (gpu_params_t.queue entries).
bool gpu_push(gpu_t *gpu, const gpu_command_t *command);

// Returns the number of commands that left the queue since the last call: credits to give back.
uint32_t gpu_take_credits(gpu_t *gpu);

// Gives, for draws with `sorted`, a mask of GPUs for each of the frame's triangles, and how many
// culled ones come with it and are passed by geometry; borrowed.
void gpu_set_destinations(gpu_t *gpu, const uint64_t *destinations, const uint32_t *culled);

// Returns the number of projection commands that left geometry since creation.
uint32_t gpu_projections(const gpu_t *gpu);

// Returns what holds the GPU up at a cycle at which gpu_advance has run. It stays until cycle
// *until, if the GPU does not advance and nobody gives it anything before.
gpu_activity_e gpu_activity(const gpu_t *gpu, uint64_t now, uint64_t *until);

// Counts the triangles of commands with `report` that left geometry since the last call; for
// commands with a weight, the weights that left the ROP.
uint32_t gpu_take_progress(gpu_t *gpu);

// Does all that is due at cycle `now`; returns the next cycle at which something is
// due without new commands, or GPU_NEVER.
uint64_t gpu_advance(gpu_t *gpu, uint64_t now);

// Tells if a hold has been reached and everything before it has left the ROP
// (touches included); *token is the command's.
bool gpu_held(const gpu_t *gpu, uint32_t *token);

// Ends the hold at cycle `now`. With background_command other than UINT32_MAX the
// GPU first composes the sub-image of that draw's target into the target, over the
// tiles that it owns, with that draw's operator; this takes its time in the ROP.
void gpu_release(gpu_t *gpu, uint64_t now, uint32_t background_command);

// Returns the oldest touched block not yet taken, or NULL. The ROP stalls when more than
// gpu_params_t.touch_queue wait.
const gpu_touch_t *gpu_touch(const gpu_t *gpu);
void gpu_touch_pop(gpu_t *gpu);

// Tells if a stage computes, or its data are on their way: something will be done at a cycle
// that is known already.
bool gpu_busy(const gpu_t *gpu, uint64_t now);

// Tells if no command is queued and nothing is in flight.
bool gpu_idle(const gpu_t *gpu);

// Clears of whole tiles may wait in these (surface_touch); gpu_settle does all of them, for who
// reads without asking.
void gpu_settle(gpu_t *gpu);
surface_t *gpu_target(gpu_t *gpu, uint32_t index);
surface_t *gpu_depth(gpu_t *gpu, uint32_t index);
const gpu_stats_t *gpu_stats(const gpu_t *gpu);
// Returns the statistics of the shader cores; NULL: shading is a rate.
const shader_stats_t *gpu_shader_stats(const gpu_t *gpu);
// NULL: no static map, or shading is a rate.
const gpu_dispatch_stats_t *gpu_dispatch_stats(const gpu_t *gpu);
// Returns the costs, by gpu_command_t.cost.
const gpu_draw_cost_t *gpu_draw_costs(const gpu_t *gpu);

// Returns the first failure of a unit; its unit is NULL while none has failed.
const gpu_fault_t *gpu_fault(const gpu_t *gpu);

// Returns the lanes of an SM.
uint32_t gpu_lanes(const gpu_t *gpu);

// Adds one line for a hang report: what each stage waits for.
void gpu_describe(const gpu_t *gpu, text_t *text);

#endif
