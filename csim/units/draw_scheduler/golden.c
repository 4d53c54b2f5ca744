// SPDX-License-Identifier: Apache-2.0
#include "golden.h"

#include <stdlib.h>
#include <string.h>

enum {
  QueueDepth = 2,
  DividerCycles = 32,  // PrimWidth
  FieldMask = 3,       // op, kind and policy are two bits wide
  ProgressMask = 0x7ff,
  OpIllegal = 3,
  KindIllegal = 3,
};

typedef struct {
  uint32_t id, first, count;
  uint16_t weight;
  uint8_t op, kind;
  bool by_all;
} command_t;

// The action of the command queue's head in a cycle.
typedef enum {
  HeadWaits,
  HeadSequence,  // popped, refused
  HeadWrap,
  HeadRange,
  HeadMode,
  HeadOpens,     // group start
  HeadCopies,    // draw to all GPUs
  HeadChooses,   // opaque draw to the chosen GPU
  HeadCuts,      // piece of a transparent draw
  HeadVanishes,  // transparent draw without triangles
  HeadCloses,    // end of a duplicated group
  HeadComposes,  // end of any other group
} head_e;

typedef struct {
  // Fields that every step touches come first.
  uint64_t all;  // mask of the GPUs
  uint64_t piece_valid, todo;
  uint64_t has_credit;  // credits[g] > 0
  uint64_t near;        // may be given an opaque draw: fewer than opaque_ahead outstanding
  uint64_t full;        // credits[g] == the parameter
  uint64_t max_count;
  uint32_t gpus;
  uint32_t last;
  uint32_t queued;
  uint32_t divider;  // cycles it is still busy
  bool open, is_cut, tie_lowest;
  bool by_all, weights, eligible;  // built
  bool weighted;                   // the table counts weights
  bool is_choice_known;
  uint8_t kind, policy, error;
  uint16_t credit_limit, opaque_ahead;
  uint32_t choice;
  command_t queue[QueueDepth];  // the head is entry 0; when cut it holds the rest
  // Ranges of a transparent group.
  uint32_t range_base, range_longer;  // GPUs below range_longer get one more
  uint32_t range_gpu, range_rest, left;
  // Payload.
  uint32_t piece_id, piece_first, piece_count;
  uint16_t piece_weight;
  bool piece_compose, piece_by_all;
  uint8_t piece_kind;
  uint16_t credits[UnitMaxGpus];
  uint64_t remaining[UnitMaxGpus];  // scheduled - processed, never negative
  uint64_t scheduled[UnitMaxGpus];
  uint64_t reset_below;  // of both counters
} golden_t;

static uint64_t bit(uint32_t gpu) { return UINT64_C(1) << gpu; }

static uint32_t next_gpu(const golden_t *golden, uint32_t gpu) {
  return gpu + 1 == golden->gpus ? 0 : gpu + 1;
}

static uint32_t least_remaining(const golden_t *golden) {
  uint64_t may = golden->has_credit & golden->near;
  uint64_t among = golden->eligible && may ? may : golden->all;
  uint32_t start = golden->tie_lowest ? 0 : next_gpu(golden, golden->last);
  uint32_t best = golden->gpus;
  uint64_t least = 0;
  for (uint32_t i = 0, gpu = start; i < golden->gpus; i++, gpu = next_gpu(golden, gpu)) {
    if ((among & bit(gpu)) && (best == golden->gpus || golden->remaining[gpu] < least)) {
      least = golden->remaining[gpu];
      best = gpu;
    }
  }
  return best;
}

// A policy of the user's own includes this file and defines the choice
// (docs/how-to/your-own-policy.md).
#ifdef DRAW_SCHEDULER_CHOICE
static uint32_t DRAW_SCHEDULER_CHOICE(const golden_t *golden);
#else
#define DRAW_SCHEDULER_CHOICE least_remaining
#endif

// The choice is remembered: a draw that waits asks again in every cycle, and the
// answer changes only with the table, with `last` and, with eligible, with credits.
static uint32_t choose(golden_t *golden) {
  if (golden->policy == DrawSchedulerPolicyRoundRobin) {
    return next_gpu(golden, golden->last);
  }
  if (!golden->is_choice_known) {
    golden->choice = DRAW_SCHEDULER_CHOICE(golden);
    golden->is_choice_known = true;
  }
  return golden->choice;
}

static bool is_drained(const golden_t *golden) {
  uint64_t left = 0;
  for (uint32_t gpu = 0; gpu < golden->gpus; gpu++) {
    left |= golden->remaining[gpu];
  }
  return left == 0;
}

static head_e judge_group_start(const golden_t *golden, bool weighted) {
  if (golden->open || golden->queue[0].kind == KindIllegal) {
    return HeadSequence;
  }
  bool changes = golden->weights && weighted != golden->weighted;
  return changes && !is_drained(golden) ? HeadMode : HeadOpens;
}

// Returns the amount that the draw adds to the table.
static uint32_t amount_of(const golden_t *golden, const command_t *draw) {
  return golden->weighted ? draw->weight : draw->count;
}

static bool goes_to_all(const golden_t *golden, const command_t *draw) {
  return golden->kind == DrawSchedulerGroupDuplicated ||
         (golden->by_all && golden->kind == DrawSchedulerGroupOpaque && draw->by_all);
}

static head_e judge_opaque(golden_t *golden, bool is_free, uint32_t *chosen) {
  uint32_t gpu = choose(golden);
  if (amount_of(golden, &golden->queue[0]) > golden->max_count - golden->scheduled[gpu]) {
    return HeadWrap;
  }
  *chosen = gpu;
  return is_free && (golden->has_credit & golden->near & bit(gpu)) ? HeadChooses : HeadWaits;
}

// Depends on the state, on weighted and, through is_free, on the pieces accepted in this cycle.
static head_e judge_head(golden_t *golden, bool is_free, bool weighted, uint32_t *chosen) {
  if (golden->queued == 0) {
    return HeadWaits;
  }
  const command_t *head = &golden->queue[0];
  if (head->op == DrawSchedulerOpGroupStart) {
    return judge_group_start(golden, weighted);
  }
  if (head->op == OpIllegal || !golden->open) {
    return HeadSequence;
  }
  if (golden->divider > 0) {
    return HeadWaits;  // busy only in a transparent group
  }
  if (head->op == DrawSchedulerOpGroupEnd) {
    if (golden->kind == DrawSchedulerGroupDuplicated) {
      return HeadCloses;
    }
    return is_free ? HeadComposes : HeadWaits;
  }
  if (goes_to_all(golden, head)) {
    return is_free ? HeadCopies : HeadWaits;
  }
  if (golden->kind == DrawSchedulerGroupOpaque) {
    return judge_opaque(golden, is_free, chosen);
  }
  if (!golden->is_cut && head->count > golden->left) {
    return HeadRange;
  }
  if (head->count == 0) {
    return HeadVanishes;
  }
  *chosen = golden->range_gpu;
  return is_free && (golden->has_credit & bit(golden->range_gpu)) ? HeadCuts : HeadWaits;
}

static void pop(golden_t *golden) {
  golden->queued--;
  golden->queue[0] = golden->queue[1];
  golden->is_cut = false;
}

// A draw, or `count` primitives of it.
static void set_payload(golden_t *golden, const command_t *draw, uint32_t count) {
  golden->piece_compose = false;
  golden->piece_kind = golden->kind;
  golden->piece_id = draw->id;
  golden->piece_first = draw->first;
  golden->piece_count = count;
  golden->piece_by_all = golden->kind == DrawSchedulerGroupOpaque && goes_to_all(golden, draw);
  golden->piece_weight = golden->weights ? draw->weight : 0;
}

static void set_compose(golden_t *golden) {
  static const command_t None;
  set_payload(golden, &None, 0);
  golden->piece_compose = true;
}

static void open_group(golden_t *golden, uint8_t policy, bool weighted) {
  const command_t *head = &golden->queue[0];
  golden->open = true;
  golden->policy = policy;
  golden->weighted = golden->weights && weighted;
  golden->kind = policy == DrawSchedulerPolicyDuplicateAll ? (uint8_t)DrawSchedulerGroupDuplicated
                                                           : head->kind;
  if (golden->kind == DrawSchedulerGroupTransparent) {
    golden->divider = DividerCycles;
    golden->range_base = head->count / golden->gpus;
    golden->range_longer = head->count % golden->gpus;
    golden->range_gpu = 0;
    golden->range_rest = golden->range_base + (golden->range_longer > 0);
    golden->left = head->count;
  }
}

static void cut(golden_t *golden) {
  command_t *head = &golden->queue[0];
  uint32_t count = head->count < golden->range_rest ? head->count : golden->range_rest;
  set_payload(golden, head, count);
  head->first += count;
  head->count -= count;
  golden->is_cut = true;
  golden->left -= count;
  golden->range_rest -= count;
  if (golden->range_rest == 0) {
    golden->range_gpu++;
    golden->range_rest = golden->range_base + (golden->range_gpu < golden->range_longer);
  }
  if (head->count == 0) {
    pop(golden);
  }
}

static void apply_credits(golden_t *golden, uint64_t returned, uint64_t spent, uint8_t *error) {
  uint64_t changed = returned ^ spent;  // a return to a GPU that spends changes nothing
  if (changed & returned & golden->full) {
    *error = *error ? *error : (uint8_t)DrawSchedulerErrorCredit;
    changed &= ~(returned & golden->full);
  }
  golden->is_choice_known &= !(golden->eligible && changed);
  for (; changed; changed &= changed - 1) {
    uint32_t gpu = (uint32_t)__builtin_ctzll(changed);
    uint64_t one = bit(gpu);
    uint16_t credits = (uint16_t)(golden->credits[gpu] + ((returned & one) ? 1 : -1));
    golden->credits[gpu] = credits;
    golden->has_credit = credits > 0 ? golden->has_credit | one : golden->has_credit & ~one;
    golden->full = credits == golden->credit_limit ? golden->full | one : golden->full & ~one;
    if (golden->opaque_ahead > 0) {
      bool is_near = golden->credit_limit - credits < golden->opaque_ahead;
      golden->near = is_near ? golden->near | one : golden->near & ~one;
    }
  }
}

static bool is_quiescent(golden_t *golden, const draw_scheduler_in_t *in) {
  if ((in->cmd_valid && golden->queued < QueueDepth) ||
      ((in->progress_valid | in->credit | (golden->piece_valid & in->piece_ready)) & golden->all) ||
      (golden->todo & golden->has_credit) || golden->divider > 0) {
    return false;
  }
  uint32_t chosen;
  bool is_free = !(golden->piece_valid | golden->todo);
  return judge_head(golden, is_free, in->weighted, &chosen) == HeadWaits;
}

static void write_outputs(golden_t *golden, const draw_scheduler_in_t *in,
                          draw_scheduler_out_t *out) {
  out->cmd_ready = golden->queued < QueueDepth;
  out->quiescent = is_quiescent(golden, in);
  out->error = golden->error;
  out->piece_compose = golden->piece_compose;
  out->piece_kind = golden->piece_kind;
  out->piece_id = golden->piece_id;
  out->piece_first = golden->piece_first;
  out->piece_count = golden->piece_count;
  out->piece_by_all = golden->piece_by_all;
  out->piece_weight = golden->piece_weight;
  out->piece_valid = golden->piece_valid;
}

// Progress is judged by the table before this cycle's draw.
static void take_progress(golden_t *golden, const draw_scheduler_in_t *in, uint8_t *error) {
  for (uint64_t mask = in->progress_valid & golden->all; mask; mask &= mask - 1) {
    uint32_t gpu = (uint32_t)__builtin_ctzll(mask);
    uint32_t count = in->progress[gpu] & ProgressMask;
    if (count > golden->remaining[gpu]) {
      *error = DrawSchedulerErrorProgress;
    } else {
      golden->remaining[gpu] -= count;
      golden->is_choice_known = false;
    }
  }
}

// The payload goes to all GPUs: at once to those with a credit. Returns those.
static uint64_t send_to_all(golden_t *golden) {
  golden->piece_valid |= golden->has_credit;
  golden->todo = golden->all & ~golden->has_credit;
  return golden->has_credit;
}

static void schedule_on(golden_t *golden, uint32_t chosen) {
  const command_t *head = &golden->queue[0];
  uint32_t amount = amount_of(golden, head);
  set_payload(golden, head, head->count);
  golden->piece_valid |= bit(chosen);
  golden->scheduled[chosen] += amount;
  golden->remaining[chosen] += amount;
  golden->last = chosen;
  golden->is_choice_known = false;
}

// Carries out the action of the head. Returns the GPUs that spend a credit.
static uint64_t act(golden_t *golden, head_e action, uint32_t chosen, const draw_scheduler_in_t *in,
                    uint8_t *error) {
  const command_t *head = &golden->queue[0];
  uint64_t spent = 0;
  switch (action) {
    case HeadWaits: return 0;
    case HeadCuts:
      golden->piece_valid |= bit(chosen);
      cut(golden);  // pops what is used up
      return bit(chosen);
    case HeadSequence: *error = DrawSchedulerErrorSequence; break;
    case HeadWrap: *error = DrawSchedulerErrorWrap; break;
    case HeadRange: *error = DrawSchedulerErrorRange; break;
    case HeadMode:
      // The highest code: it stays only where nothing else is wrong, credits included.
      break;
    case HeadOpens: open_group(golden, in->policy & FieldMask, in->weighted); break;
    case HeadCopies:
      set_payload(golden, head, head->count);
      spent = send_to_all(golden);
      break;
    case HeadComposes:
      set_compose(golden);
      golden->open = false;
      if (golden->kind == DrawSchedulerGroupTransparent && golden->left > 0) {
        *error = DrawSchedulerErrorRange;
      }
      spent = send_to_all(golden);
      break;
    case HeadChooses:
      schedule_on(golden, chosen);
      spent = bit(chosen);
      break;
    case HeadVanishes: break;
    case HeadCloses: golden->open = false; break;
  }
  pop(golden);
  return spent;
}

static unit_status_e step(void *self, const draw_scheduler_in_t *in, draw_scheduler_out_t *out) {
  golden_t *golden = self;
  // Errors are collected from the highest code down, so that the lowest stays.
  uint8_t error = DrawSchedulerErrorNone;
  bool is_accepted = in->cmd_valid && golden->queued < QueueDepth;
  bool was_dividing = golden->divider > 0;

  golden->piece_valid &= ~in->piece_ready;
  bool is_free = !(golden->piece_valid | golden->todo);
  uint32_t chosen = 0;
  head_e action = judge_head(golden, is_free, in->weighted, &chosen);
  take_progress(golden, in, &error);

  uint64_t spent = golden->todo & golden->has_credit;
  golden->todo &= ~spent;
  golden->piece_valid |= spent;
  spent |= act(golden, action, chosen, in, &error);
  if (was_dividing) {
    golden->divider--;
  }
  apply_credits(golden, in->credit & golden->all, spent, &error);
  if (action == HeadMode && error == DrawSchedulerErrorNone) {
    error = DrawSchedulerErrorMode;
  }

  if (is_accepted) {
    golden->queue[golden->queued++] = (command_t){
        .id = in->cmd_id,
        .first = in->cmd_first,
        .count = in->cmd_count,
        .op = in->cmd_op & FieldMask,
        .kind = in->cmd_kind & FieldMask,
        .by_all = in->cmd_by_all,
        .weight = in->cmd_weight,
    };
  }
  if (golden->error == DrawSchedulerErrorNone) {
    golden->error = error;
  }
  write_outputs(golden, in, out);
  return UnitOk;
}

static void reset(void *self, draw_scheduler_out_t *out) {
  golden_t *golden = self;
  golden_t fresh = {
      .all = golden->all,
      .has_credit = golden->all,
      .near = golden->all,
      .full = golden->all,
      .max_count = golden->max_count,
      .gpus = golden->gpus,
      .last = golden->gpus - 1,
      .tie_lowest = golden->tie_lowest,
      .by_all = golden->by_all,
      .weights = golden->weights,
      .eligible = golden->eligible,
      .credit_limit = golden->credit_limit,
      .opaque_ahead = golden->opaque_ahead,
      .reset_below = golden->reset_below,
  };
  for (uint32_t gpu = 0; gpu < fresh.gpus; gpu++) {
    fresh.credits[gpu] = fresh.credit_limit;
    fresh.scheduled[gpu] = fresh.reset_below;
  }
  *golden = fresh;
  static const draw_scheduler_in_t Idle;
  write_outputs(golden, &Idle, out);
}

static void observe(void *self, draw_scheduler_state_t *state) {
  const golden_t *golden = self;
  *state = (draw_scheduler_state_t){0};
  for (uint32_t gpu = 0; gpu < golden->gpus; gpu++) {
    state->scheduled[gpu] = golden->scheduled[gpu];
    state->processed[gpu] = golden->scheduled[gpu] - golden->remaining[gpu];
  }
}

bool draw_scheduler_golden_create(const draw_scheduler_params_t *params, draw_scheduler_t *engine) {
  if (params->gpus < 2 || params->gpus > UnitMaxGpus || params->count_width < 10 ||
      params->count_width > 64 || params->credits < 1 || params->credits > 1023 ||
      params->opaque_ahead > 1023) {
    return false;
  }
  golden_t *golden = malloc(sizeof *golden);
  if (!golden) {
    return false;
  }
  uint64_t max_count = UINT64_MAX >> (64 - params->count_width);
  *golden = (golden_t){
      .all = UINT64_MAX >> (64 - params->gpus),
      .max_count = max_count,
      .gpus = params->gpus,
      .tie_lowest = params->tie_lowest,
      .by_all = params->by_all,
      .weights = params->weights,
      .eligible = params->eligible,
      .credit_limit = (uint16_t)params->credits,
      .opaque_ahead = (uint16_t)params->opaque_ahead,
      .reset_below = params->reset_below ? max_count - params->reset_below : 0,
  };
  draw_scheduler_out_t out;
  reset(golden, &out);
  *engine = (draw_scheduler_t){.self = golden, .step = step, .reset = reset, .observe = observe};
  return true;
}

void draw_scheduler_golden_destroy(draw_scheduler_t *engine) {
  free(engine->self);
  *engine = (draw_scheduler_t){0};
}
