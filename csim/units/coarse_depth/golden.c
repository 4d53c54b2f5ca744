// SPDX-License-Identifier: Apache-2.0
#include "golden.h"

#include <stdlib.h>
#include <string.h>

enum { WordBlocks = 16, QueueDepth = 2 };

typedef struct {
  uint32_t block, depth;
} entry_t;

typedef struct {
  entry_t entry[QueueDepth];
  uint32_t count;
} queue_t;

typedef enum { NoOperation, Hear, Tell, WalkStep } operation_e;

typedef struct {
  coarse_depth_params_t params;
  uint32_t all_ones;
  uint64_t lanes;  // one bit for each lane of send
  // The tables; due has a bit for each block of a word
  uint32_t *hidden, *told;
  uint16_t *due;
  uint32_t base, blocks;
  uint32_t sweep_left;  // cycles
  queue_t hears, tells;
  bool hear_last;  // of the queues' heads, a hear went last
  operation_e operation;
  entry_t entry;  // of the operation, but of a step
  bool epoch;
  uint32_t epoch_left;  // cycles in which the epoch cannot end
  bool walk;
  uint32_t word;
  uint64_t send;  // lanes that have not taken the message
  entry_t message;
  uint32_t message_base;
  bool seen;
  uint32_t seen_depth;
  uint8_t error;
} golden_t;

static void raise_error(uint8_t *error, uint8_t code) {
  if (*error == CoarseDepthErrorNone || code < *error) {
    *error = code;
  }
}

static uint32_t words_of(uint32_t blocks) { return (blocks + WordBlocks - 1) / WordBlocks; }

static void append(queue_t *q, uint32_t block, uint32_t depth) {
  q->entry[q->count++] = (entry_t){block, depth};
}

static entry_t take(queue_t *q) {
  const entry_t head = q->entry[0];
  q->entry[0] = q->entry[1];
  q->count--;
  return head;
}

// ---- The operation under way -------------------------------------------------------------------

// The step's write, by the tables as they are. False: none.
static bool hides(const golden_t *g, entry_t *written) {
  const uint16_t due = g->due[g->word];
  if (g->operation == Hear) {
    *written = g->entry;
  } else if (g->operation == WalkStep && due != 0) {
    written->block = g->word * WordBlocks + (uint32_t)__builtin_ctz(due);
    written->depth = g->told[written->block];
  } else {
    return false;
  }
  return written->depth < g->hidden[written->block];
}

static bool tells(const golden_t *g) {
  return g->operation == Tell && g->entry.depth < g->told[g->entry.block] &&
         g->entry.depth < g->hidden[g->entry.block];
}

static void walk_step(golden_t *g) {
  uint16_t *due = &g->due[g->word];
  if (*due != 0) {
    const uint32_t block = g->word * WordBlocks + (uint32_t)__builtin_ctz(*due);
    g->message = (entry_t){block, g->told[block]};
    g->message_base = g->base;
    g->send = g->lanes;
    *due &= (uint16_t)(*due - 1);
  }
  if (*due == 0) {
    g->word++;
    if (g->word == words_of(g->blocks)) {
      g->walk = false;
      g->word = 0;
    }
  }
}

// Returns true if a tell made its block due.
static bool operate(golden_t *g) {
  entry_t written;
  const bool is_due = tells(g);
  if (hides(g, &written)) {
    g->hidden[written.block] = written.depth;
  }
  if (is_due) {
    g->told[g->entry.block] = g->entry.depth;
    g->due[g->entry.block / WordBlocks] |= (uint16_t)(1u << g->entry.block % WordBlocks);
  }
  if (g->operation == WalkStep) {
    walk_step(g);
  }
  return is_due;
}

// ---- A cycle -----------------------------------------------------------------------------------

static bool look(golden_t *g, const coarse_depth_in_t *in) {
  g->seen = in->look_valid;
  g->seen_depth = g->all_ones;
  if (in->look_valid && in->look_block < g->blocks && g->sweep_left == 0) {
    g->seen_depth = g->hidden[in->look_block];
  }
  return !in->look_valid || in->look_block < g->blocks;
}

// Starts the next operation; what it takes from a queue leaves it.
static operation_e choose(golden_t *g, bool walk, bool lanes_free, operation_e before) {
  if (walk && before != WalkStep && lanes_free) {
    return WalkStep;
  }
  if (g->hears.count > 0 && (g->tells.count == 0 || !g->hear_last)) {
    g->entry = take(&g->hears);
    g->hear_last = true;
    return Hear;
  }
  if (g->tells.count > 0) {
    g->entry = take(&g->tells);
    g->hear_last = false;
    return Tell;
  }
  return NoOperation;
}

static void forget(golden_t *g, const coarse_depth_in_t *in) {
  g->base = in->forget_base;
  g->blocks = in->forget_blocks;
  g->hears.count = g->tells.count = 0;
  g->operation = NoOperation;
  g->walk = g->epoch = false;
  g->epoch_left = 0;
  g->word = 0;
  g->sweep_left = words_of(g->blocks);
  for (uint32_t b = 0; b < g->params.blocks; b++) {
    g->hidden[b] = g->told[b] = g->all_ones;
  }
  memset(g->due, 0, words_of(g->params.blocks) * sizeof *g->due);
}

// Whether the block of an input that is taken is in use.
static bool in_use(const golden_t *g, uint32_t block, uint8_t code, uint8_t *error) {
  if (block >= g->blocks) {
    raise_error(error, code);
  }
  return block < g->blocks;
}

static void accept(golden_t *g, const coarse_depth_in_t *in, const queue_t *hears,
                   const queue_t *tells, uint8_t *error) {
  if (in->tell_valid && tells->count < QueueDepth &&
      in_use(g, in->tell_block, CoarseDepthErrorTell, error) && g->sweep_left == 0) {
    append(&g->tells, in->tell_block, in->tell_depth);
  }
  if (in->hear_valid && hears->count < QueueDepth && in->hear_base == g->base &&
      in_use(g, in->hear_block, CoarseDepthErrorHear, error) && g->sweep_left == 0) {
    append(&g->hears, in->hear_block, in->hear_depth);
  }
}

// walk: as it was at the start of the cycle.
static void pass_epoch(golden_t *g, bool walk, bool is_due) {
  if (g->epoch && g->epoch_left > 0) {
    g->epoch_left--;
  } else if (g->epoch && !walk) {
    g->epoch = false;
    g->walk = true;
    g->word = 0;
  }
  if (is_due && !g->epoch) {
    g->epoch = true;
    g->epoch_left = g->params.epoch - 1;
  }
}

static bool is_quiescent(const golden_t *g, const coarse_depth_in_t *in) {
  return !(in->forget_valid || in->look_valid || in->tell_valid || in->hear_valid || g->seen ||
           (g->send & in->send_ready) || g->hears.count > 0 || g->tells.count > 0 ||
           g->operation != NoOperation || g->sweep_left > 0 || g->walk || g->epoch);
}

static void outputs(const golden_t *g, const coarse_depth_in_t *in, coarse_depth_out_t *out) {
  entry_t written;
  memset(out, 0, sizeof *out);
  out->quiescent = is_quiescent(g, in);
  out->error = g->error;
  out->seen_valid = g->seen;
  out->seen_depth = g->seen ? g->seen_depth : 0;
  out->tell_ready = g->tells.count < QueueDepth;
  out->hear_ready = g->hears.count < QueueDepth;
  out->send_valid = g->send;
  if (g->send != 0) {
    out->send_block = (uint16_t)g->message.block;
    out->send_depth = g->message.depth;
    out->send_base = (uint8_t)g->message_base;
  }
  if (hides(g, &written)) {
    out->hidden_write_valid = true;
    out->hidden_write_block = (uint16_t)written.block;
    out->hidden_write_depth = written.depth;
  }
  if (tells(g)) {
    out->told_write_valid = true;
    out->told_write_block = (uint16_t)g->entry.block;
    out->told_write_depth = g->entry.depth;
  }
}

static unit_status_e step(void *self, const coarse_depth_in_t *in, coarse_depth_out_t *out) {
  golden_t *g = self;
  uint8_t error = CoarseDepthErrorNone;
  const queue_t hears = g->hears, tells = g->tells;
  const operation_e before = g->operation;
  const bool walk = g->walk, sweeping = g->sweep_left > 0;
  const bool forgets = in->forget_valid && in->forget_blocks <= g->params.blocks;
  if (!look(g, in)) {
    raise_error(&error, CoarseDepthErrorLook);
  }
  g->send &= ~in->send_ready;
  const bool lanes_free = g->send == 0;
  const bool is_due = operate(g);
  g->operation = sweeping ? NoOperation : choose(g, walk, lanes_free, before);
  accept(g, in, &hears, &tells, &error);
  pass_epoch(g, walk, is_due);
  g->sweep_left -= sweeping;
  if (forgets) {
    forget(g, in);
  } else if (in->forget_valid) {
    raise_error(&error, CoarseDepthErrorForget);
  }
  if (g->error == CoarseDepthErrorNone) {
    g->error = error;
  }
  outputs(g, in, out);
  return UnitOk;
}

static void reset(void *self, coarse_depth_out_t *out) {
  golden_t *g = self;
  g->base = g->blocks = g->sweep_left = 0;
  g->hears = g->tells = (queue_t){0};
  g->hear_last = g->epoch = g->walk = g->seen = false;
  g->operation = NoOperation;
  g->entry = g->message = (entry_t){0};
  g->epoch_left = g->word = g->message_base = g->seen_depth = 0;
  g->send = 0;
  g->error = CoarseDepthErrorNone;
  const coarse_depth_in_t none = {0};
  outputs(g, &none, out);
}

static void observe(void *self, coarse_depth_state_t *state) {
  const golden_t *g = self;
  memset(state, 0, sizeof *state);
  state->base = (uint8_t)g->base;
  state->blocks = g->blocks;
  state->sweep = g->sweep_left > 0;
  state->walk = g->walk;
  state->due = g->epoch;
}

static bool in_range(const coarse_depth_params_t *p) {
  return p->gpus >= 2 && p->gpus <= UnitMaxGpus && p->blocks >= 32 && p->blocks <= 65536 &&
         p->depth_width >= 4 && p->depth_width <= 24 && p->base_width >= 2 && p->base_width <= 8 &&
         p->epoch >= 64 && p->epoch <= 65535;
}

static void destroy(golden_t *g) {
  free(g->hidden);
  free(g->told);
  free(g->due);
  free(g);
}

bool coarse_depth_golden_create(const coarse_depth_params_t *params, coarse_depth_t *engine) {
  golden_t *g = in_range(params) ? calloc(1, sizeof *g) : NULL;
  if (!g) {
    return false;
  }
  g->params = *params;
  g->all_ones = (1u << params->depth_width) - 1;
  g->lanes = UINT64_MAX >> (65 - params->gpus);
  g->hidden = calloc(params->blocks, sizeof *g->hidden);
  g->told = calloc(params->blocks, sizeof *g->told);
  g->due = calloc(words_of(params->blocks), sizeof *g->due);
  if (!g->hidden || !g->told || !g->due) {
    destroy(g);
    return false;
  }
  coarse_depth_out_t out;
  reset(g, &out);
  *engine = (coarse_depth_t){g, step, reset, observe};
  return true;
}

void coarse_depth_golden_destroy(coarse_depth_t *engine) {
  destroy(engine->self);
  engine->self = NULL;
}
