// SPDX-License-Identifier: Apache-2.0
#include "shader_warp.h"

#include <string.h>

static uint32_t lanes_of(uint32_t stamps) {
  uint32_t lanes = 0;
  for (uint32_t rest = stamps; rest; rest &= rest - 1) {
    lanes |= 15u << 4 * (uint32_t)__builtin_ctz(rest);
  }
  return lanes;
}

uint32_t warp_stamps(uint32_t lanes) {
  uint32_t stamps = 0;
  for (uint32_t i = 0; i < 8; i++) {
    stamps |= (lanes >> 4 * i & 15 ? 1u : 0) << i;
  }
  return stamps;
}

static uint8_t lane_count(uint32_t lanes) { return (uint8_t)__builtin_popcount(lanes); }

void warp_start(warp_t *w, const shader_launch_t *launch) {
  w->program = launch->program;
  w->lanes = w->alive = w->active = launch->lanes;
  w->at = w->depth = 0;
  w->reading = 0;
  w->repeats = 0;
  memset(w->sampled, 0, sizeof w->sampled);
  memset(w->wait_after, 0, sizeof w->wait_after);
  warp_recount(w);
}

void warp_recount(warp_t *w) {
  uint32_t active = w->active & w->alive;
  uint32_t helper = lanes_of(warp_stamps(active)) & ~w->alive;
  uint32_t idle = ~(active | helper | w->alive);
  w->counted[LaneActive] = lane_count(active);
  w->counted[LaneHelper] = lane_count(helper);
  w->counted[LaneDiverged] = lane_count(w->alive & ~active);
  w->counted[LaneKilled] = lane_count(idle & w->lanes);
  w->counted[LaneEmpty] = lane_count(idle & ~w->lanes);
}

// Goes on where the last branch on the stack says.
static void pop(warp_t *w) {
  const branch_t *b = &w->stack[--w->depth];
  w->at = (uint16_t)(b->to + 1);
  w->active = b->mask & w->alive;
  warp_recount(w);
}

void warp_settle(const shader_params_t *p, warp_t *w) {
  while (!warp_ended(w)) {
    uint8_t kind = warp_op(w)->kind;
    bool empty = w->active == 0 && w->depth > 0 && !p->predicated;
    if (kind != ProgramElse && kind != ProgramEndif && !empty) {
      return;
    }
    // With lanes on one side only, an ELSE leads to its ENDIF: nothing else is on the stack.
    pop(w);
  }
}

bool warp_branch(const shader_params_t *p, warp_t *w, uint32_t taken) {
  const program_op_t *op = warp_op(w);
  const program_op_t *to = &w->program->op[op->to];
  uint32_t others = w->active & ~taken;
  taken &= w->active;
  uint16_t join = to->kind == ProgramElse ? to->to : op->to;
  w->stack[w->depth++] = (branch_t){join, w->active};
  if (to->kind == ProgramElse && (others || p->predicated)) {
    w->stack[w->depth++] = (branch_t){op->to, others};
  }
  w->active = taken;
  w->at++;
  warp_recount(w);
  return taken && others;
}

static bool needs_samples(const program_op_t *op) {
  return op->kind == ProgramKill || (op->kind == ProgramIf && (op->predicate == ProgramOnKill ||
                                                               op->predicate == ProgramOnTexel));
}

uint64_t warp_sampled_at(const warp_t *w) {
  const program_op_t *op = warp_ended(w) ? NULL : warp_op(w);
  bool all = !op || needs_samples(op);
  uint64_t at = 0;
  for (uint32_t k = 0; k < ShaderMaxStages; k++) {
    bool again = op && op->kind == ProgramTex && op->stage % ShaderMaxStages == k;
    if (w->sampled[k] && (all || again || w->wait_after[k] == 0)) {
      at = cycle_later(at, w->sampled[k]);
    }
  }
  return at;
}

// Tells if every operation of the entry needs the result before.
static bool always_waits(const shader_params_t *p, const program_op_t *op) {
  return (op->dependent == ProgramDependentUnknown ? p->dependent : op->dependent) == 1000;
}

uint64_t warp_seen_from(const shader_params_t *p, const warp_t *w, uint64_t from) {
  const program_op_t *op = warp_ended(w) ? NULL : warp_op(w);
  const program_op_t *end = w->program->op + w->program->count;
  uint64_t done = w->repeats;
  for (; op && op < end && warp_counts(op) && from != SHADER_LATER; op++, done = 0) {
    if (!always_waits(p, op)) {
      from += (op->count - done) / p->issue_per_warp;
      continue;
    }
    const program_op_t *after = op + 1;
    bool waits = after == end || after->kind == ProgramKill || after->kind == ProgramIf ||
                 (warp_counts(after) && always_waits(p, after));
    uint32_t latency = op->kind == ProgramSfu ? p->sfu_latency : p->alu_latency;
    from += (op->count - done - !waits) * latency;
  }
  return from;
}
