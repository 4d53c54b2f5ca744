// SPDX-License-Identifier: Apache-2.0
// The shader cores of a GPU: streaming multiprocessors (SMs) that run warps of 32 lanes.
//
// A warp is eight stamps of four lanes in lockstep and runs the skeleton of its program
// (csim/frame/frame_program.h). Each SM has schedulers; each issues an operation of a ready warp,
// and is busy with it for ceil(32 / lanes of the unit) cycles, as the unit is. In order within
// a warp; a scoreboard holds what depends on a result. Branches by a stack of masks.
//
// Sources: the textbook on GPUs, 6.4.4 (masks, stack, warp schedulers of Tesla, Fermi and Volta)
// and 6.4.5 (scoreboard); the G80 study, 4 and [*1], [*3] (4 and 11 cycles). docs/model/shader.md.
//
// Time in cycles. Nothing but shader_create allocates.
#ifndef NOCTURNE_GPU_SHADER_H
#define NOCTURNE_GPU_SHADER_H

#include "shader_params.h"
#include "shader_parts.h"

// Why a scheduler issued nothing.
typedef enum {
  ShaderNoWarp,
  ShaderScoreboard,  // all wait for results of ALU or SFU, or for texture
  ShaderTexture,     // all wait for texture
  ShaderUnit,        // a warp was ready, its unit busy
  ShaderIdleCauses,
} shader_idle_e;

// Sums over all SMs since creation.
typedef struct {
  uint64_t warps;                    // launched
  uint64_t issued[ProgramKinds];     // operations, by kind; ELSE and ENDIF take no slot
  uint64_t slots;                    // cycles of schedulers taken by them
  uint64_t idle[ShaderIdleCauses];   // cycles of schedulers; ShaderNoWarp only between warps
  uint64_t active[ShaderLanes + 1];  // operations by active lanes
  // Lanes of operations that were not active: without a live fragment beside an active one of
  // their stamp; on the other side of a branch; ended by a KILL; without a fragment.
  uint64_t lanes_helper, lanes_diverged, lanes_killed, lanes_empty;
  uint64_t branches, divergent;  // IFs; with lanes on both sides
  uint64_t resident;             // cycles of warps in SMs
  uint64_t peak;                 // most warps in one SM
  shader_parts_t parts;          // the same over time
} shader_stats_t;

// The answers that a warp needs from its owner. `warp`: its place in the SM, from shader_launch.
typedef struct {
  void *self;
  // Returns the lanes for which an IF's predicate holds; for a KILL, those that fail.
  uint32_t (*lanes)(void *self, uint32_t sm, uint32_t warp, const program_op_t *op);
  // Reads a stage for the stamps of the mask; returns the cycle at which all are there, or
  // SHADER_LATER: shader_textured will say.
  uint64_t (*texture)(void *self, uint64_t now, uint32_t sm, uint32_t warp, uint32_t stage,
                      uint32_t stamps);
  // The warp has ended; its place is free. alive: lanes that no KILL ended.
  void (*end)(void *self, uint64_t now, uint32_t sm, uint32_t warp, uint32_t alive);
} shader_ports_t;

typedef struct shader shader_t;

// The groups of ALUs are at most the lanes. NULL: out of memory.
shader_t *shader_create(const shader_params_t *params, shader_ports_t ports);
void shader_destroy(shader_t *shader);

// Returns the number of warps in an SM.
uint32_t shader_resident(const shader_t *shader, uint32_t sm);

// Tells if something will happen at a cycle that is known.
bool shader_due(const shader_t *shader);

// Puts a warp into the SM, which has room for it; it issues from the next cycle on.
uint32_t shader_launch(shader_t *shader, uint64_t now, uint32_t sm, const shader_launch_t *warp);

// Says that the reads of a stage that were to come later are there.
void shader_textured(shader_t *shader, uint64_t now, uint32_t sm, uint32_t warp, uint32_t stage);

// Does all that is due at `now`; *next becomes the earliest cycle at which more is. Calls in
// between change nothing.
void shader_step(shader_t *shader, uint64_t now, uint64_t *next);

const shader_stats_t *shader_stats(const shader_t *shader);

#endif
