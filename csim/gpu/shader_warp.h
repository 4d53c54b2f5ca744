// SPDX-License-Identifier: Apache-2.0
// A warp's way through the skeleton of its program: which lanes are active, which operation is
// next, and what that one waits for. Branches by a stack of masks.
#ifndef NOCTURNE_GPU_SHADER_WARP_H
#define NOCTURNE_GPU_SHADER_WARP_H

#include "../base/cycle.h"
#include "shader_params.h"

// Needs of a warp's next operation.
typedef enum { NeedAlu, NeedSfu, NeedTexture, NeedEnd, Needs } need_e;

// States of a lane in an operation.
typedef enum { LaneActive, LaneHelper, LaneDiverged, LaneKilled, LaneEmpty, LaneKinds } lane_e;

enum { ShaderMaxStack = 2 * ProgramMaxDepth };

typedef struct {
  uint16_t to;  // where it goes on: an ELSE or an ENDIF
  uint32_t mask;
} branch_t;

typedef struct {
  const program_t *program;
  uint32_t lanes;          // as launched
  uint32_t alive, active;  // lanes that no KILL ended; of them, on this side of the branches
  uint16_t at;             // operation
  uint16_t depth;
  uint32_t repeats;                      // of a counting operation, done
  uint64_t result;                       // cycle at which all results are there
  uint64_t earliest;                     // the scoreboard holds the next operation until then
  uint64_t seen;                         // it does nothing before that others see
  uint64_t sampled[ShaderMaxStages];     // cycle at which the stage is there; 0: nothing is read
  uint32_t wait_after[ShaderMaxStages];  // operations until it is waited for
  uint64_t sequence;                     // launch order
  uint8_t need;                          // need_e
  uint8_t reading;                       // stages that were read, one bit each
  uint8_t counted[LaneKinds];            // lanes, as they are now
  branch_t *stack;                       // ShaderMaxStack places
} warp_t;

// Begins the program.
void warp_start(warp_t *warp, const shader_launch_t *launch);

// Counts the lanes, after every change of masks.
void warp_recount(warp_t *warp);

// Goes past everything that takes no slot: the ends of sides, and sides without a lane.
void warp_settle(const shader_params_t *params, warp_t *warp);

// Takes an IF with the lanes for which its predicate holds. Returns true if lanes are on both
// sides.
bool warp_branch(const shader_params_t *params, warp_t *warp, uint32_t taken);

// Returns the stamps with a lane in the mask.
uint32_t warp_stamps(uint32_t lanes);

// Returns the cycle from which samples let the warp go on; SHADER_LATER: not known yet.
uint64_t warp_sampled_at(const warp_t *warp);

// Returns the earliest cycle at which a warp that goes on at `from` does what others see: computing
// operations take a cycle each, or their latency if the next one needs the result.
uint64_t warp_seen_from(const shader_params_t *params, const warp_t *warp, uint64_t from);

static inline bool warp_ended(const warp_t *w) {
  return w->at >= w->program->count || w->alive == 0;
}

// Returns the next operation of a warp that has not ended.
static inline const program_op_t *warp_op(const warp_t *w) { return &w->program->op[w->at]; }

static inline bool warp_counts(const program_op_t *op) {
  return op->kind == ProgramAlu || op->kind == ProgramSfu;
}

// Tells if the next operation needs the result of the one before. Dependent ones are spread evenly.
static inline bool warp_dependent(const shader_params_t *p, const warp_t *w) {
  const program_op_t *op = warp_op(w);
  if (!warp_counts(op)) {
    return op->kind != ProgramTex;
  }
  uint64_t permille = op->dependent == ProgramDependentUnknown ? p->dependent : op->dependent;
  return (w->repeats + 1) * permille / 1000 != w->repeats * permille / 1000;
}

static inline uint64_t warp_sampled(const warp_t *w) { return w->reading ? warp_sampled_at(w) : 0; }

static inline uint8_t warp_need(const warp_t *w) {
  if (warp_ended(w)) {
    return NeedEnd;
  }
  uint8_t kind = warp_op(w)->kind;
  return kind == ProgramSfu ? NeedSfu : kind == ProgramTex ? NeedTexture : NeedAlu;
}

#endif
