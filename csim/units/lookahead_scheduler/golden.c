// SPDX-License-Identifier: Apache-2.0
#include "golden.h"

#include <stdlib.h>
#include <string.h>

#include "../composition_scheduler/pairs.h"

typedef struct {
  uint8_t source, destination;
} pair_t;

enum { NoLevel = UINT32_MAX };

typedef struct {
  lookahead_scheduler_params_t params;
  lookahead_scheduler_state_t table;
  uint64_t all;          // one bit for each GPU
  uint64_t transparent;  // kind of each GPU's group
  uint64_t pending_transparent;
  uint8_t pending_depth[UnitMaxGpus];
  bool start_valid, start_front;
  uint8_t start_source, start_destination, start_cgid;
  uint32_t level;  // of the choice, NoLevel: none
  uint32_t last;
  uint8_t error;
} golden_t;

// Whether s may be granted to d, by the state at the start of the cycle.
static bool eligible(const golden_t *g, uint32_t s, uint32_t d) {
  const lookahead_scheduler_state_t *t = &g->table;
  if (s == d || !pairs_bit(t->ready, s) || !pairs_bit(t->ready, d) || t->cgid[s] != t->cgid[d] ||
      pairs_bit(g->transparent, s) != pairs_bit(g->transparent, d) ||
      pairs_bit(t->received[d], s) || t->sending[s] >= t->depth[s] ||
      t->receiving[d] >= t->depth[d]) {
    return false;
  }
  return !pairs_bit(g->transparent, s) || pairs_adjacent(t->received[d], s, d);
}

static uint32_t busier(const golden_t *g, uint32_t s, uint32_t d) {
  uint32_t sends = g->table.sending[s], receives = g->table.receiving[d];
  return sends > receives ? sends : receives;
}

// Whether s is below its depth, so that it may be granted to somebody.
static bool may_send(const golden_t *g, uint32_t s) {
  return pairs_bit(g->table.ready, s) && g->table.sending[s] < g->table.depth[s];
}

// The fewest transfers that the busier end of an eligible pair has, NoLevel without such a pair.
static uint32_t lowest_level(const golden_t *g) {
  uint32_t lowest = NoLevel;
  for (uint32_t s = 0; s < g->params.gpus; s++) {
    for (uint32_t d = 0; may_send(g, s) && d < g->params.gpus; d++) {
      if (busier(g, s, d) < lowest && eligible(g, s, d)) {
        lowest = busier(g, s, d);
      }
    }
  }
  return lowest;
}

// The pair to be granted: eligible, of the level or below; sources from the one after the last on,
// then receivers from the one after the source on. False if there is none.
static bool choose(const golden_t *g, pair_t *pair) {
  uint32_t gpus = g->params.gpus;
  if (g->level == NoLevel) {
    return false;
  }
  for (uint32_t i = 1; i <= gpus; i++) {
    uint32_t s = (g->last + i) % gpus;
    for (uint32_t k = 1; may_send(g, s) && k < gpus; k++) {
      uint32_t d = (s + k) % gpus;
      if (busier(g, s, d) <= g->level && eligible(g, s, d)) {
        *pair = (pair_t){(uint8_t)s, (uint8_t)d};
        return true;
      }
    }
  }
  return false;
}

static uint64_t complete(const golden_t *g) {
  const lookahead_scheduler_state_t *t = &g->table;
  uint64_t done = pairs_complete(t->ready, g->all, t->sent, t->received);
  for (uint64_t rest = done; rest; rest &= rest - 1) {
    uint32_t i = (uint32_t)__builtin_ctzll(rest);
    if (t->sending[i] || t->receiving[i]) {
      done &= ~(1ull << i);
    }
  }
  return done;
}

static bool kinds_differ(const golden_t *g) {
  return pairs_kinds_differ(g->table.ready, g->transparent, g->table.cgid);
}

static void set(uint64_t *mask, uint32_t i, bool value) {
  *mask = value ? *mask | 1ull << i : *mask & ~(1ull << i);
}

static void message_ready(golden_t *g, uint32_t i, bool transparent, uint8_t depth,
                          uint8_t *error) {
  if (pairs_bit(g->table.pending, i)) {
    pairs_raise(error, LookaheadSchedulerErrorReady);
  } else if (depth == 0 || depth > g->params.max_depth) {
    pairs_raise(error, LookaheadSchedulerErrorDepth);
  } else {
    set(&g->table.pending, i, true);
    set(&g->pending_transparent, i, transparent);
    g->pending_depth[i] = depth;
  }
}

static void message_ending(golden_t *g, const lookahead_scheduler_state_t *before, uint32_t s,
                           uint32_t d, uint8_t *error) {
  if (d >= g->params.gpus || !pairs_bit(before->sent[s], d) || pairs_bit(before->ended[s], d)) {
    pairs_raise(error, LookaheadSchedulerErrorEnding);
    return;
  }
  set(&g->table.ended[s], d, true);
  g->table.sending[s]--;
  g->table.receiving[d]--;
}

static void message(golden_t *g, const lookahead_scheduler_state_t *before, uint32_t i,
                    const lookahead_scheduler_in_t *in, uint8_t *error) {
  switch (in->message_op[i]) {
    case LookaheadSchedulerMessageReadyOpaque:
    case LookaheadSchedulerMessageReadyTransparent:
      message_ready(g, i, in->message_op[i] == LookaheadSchedulerMessageReadyTransparent,
                    in->message_depth[i], error);
      return;
    case LookaheadSchedulerMessageEnding:
      message_ending(g, before, i, in->message_peer[i], error);
      return;
    default: pairs_raise(error, LookaheadSchedulerErrorMessage);
  }
}

// Entries that are complete leave their group; pending ones whose place is free enter theirs.
static void move_on(golden_t *g, uint64_t done) {
  lookahead_scheduler_state_t *t = &g->table;
  for (uint64_t rest = done; rest; rest &= rest - 1) {
    uint32_t i = (uint32_t)__builtin_ctzll(rest);
    t->sent[i] = t->received[i] = t->ended[i] = 0;
  }
  t->ready &= ~done;
  for (uint64_t rest = t->pending & ~t->ready; rest; rest &= rest - 1) {
    uint32_t i = (uint32_t)__builtin_ctzll(rest);
    t->cgid[i]++;
    t->depth[i] = g->pending_depth[i];
    set(&g->transparent, i, pairs_bit(g->pending_transparent, i));
    set(&t->ready, i, true);
    set(&t->pending, i, false);
  }
}

// Whether something follows from the inputs of this cycle, or from the state alone.
static bool idle(const golden_t *g, const lookahead_scheduler_in_t *in) {
  if ((in->message_valid & g->all) || (g->start_valid && in->start_ready)) {
    return false;
  }
  pair_t pair;
  return (g->start_valid || !choose(g, &pair)) && lowest_level(g) == g->level && !complete(g) &&
         !(g->error == 0 && kinds_differ(g));
}

static void outputs(const golden_t *g, const lookahead_scheduler_in_t *in,
                    lookahead_scheduler_out_t *out) {
  out->quiescent = idle(g, in);
  out->error = g->error;
  out->start_valid = g->start_valid;
  out->start_front = g->start_front;
  out->start_source = g->start_source;
  out->start_destination = g->start_destination;
  out->start_cgid = g->start_cgid;
}

static void start(golden_t *g, const lookahead_scheduler_state_t *before, pair_t pair) {
  uint32_t s = pair.source, d = pair.destination;
  g->start_source = pair.source;
  g->start_destination = pair.destination;
  g->start_cgid = before->cgid[s];
  g->table.sending[s]++;
  g->table.receiving[d]++;
  set(&g->table.sent[s], d, true);
  set(&g->table.received[d], s, true);
  g->last = s;
}

static unit_status_e step(void *self, const lookahead_scheduler_in_t *in,
                          lookahead_scheduler_out_t *out) {
  golden_t *g = self;
  const lookahead_scheduler_state_t before = g->table;
  uint8_t error = LookaheadSchedulerErrorNone;
  // All choices are made on the state before the cycle.
  bool free = !g->start_valid || in->start_ready;
  pair_t pair = {0};
  bool starts = free && choose(g, &pair);
  uint32_t level = lowest_level(g);
  uint64_t done = complete(g);
  if (g->error == 0 && before.ready && kinds_differ(g)) {
    pairs_raise(&error, LookaheadSchedulerErrorKind);
  }
  if (starts) {
    g->start_front = pairs_bit(g->transparent, pair.source) && pair.source > pair.destination;
  }
  for (uint64_t rest = in->message_valid & g->all; rest; rest &= rest - 1) {
    message(g, &before, (uint32_t)__builtin_ctzll(rest), in, &error);
  }
  if (starts) {
    start(g, &before, pair);
  }
  move_on(g, done);
  g->level = level;
  if (free) {
    g->start_valid = starts;
  }
  if (g->error == LookaheadSchedulerErrorNone) {
    g->error = error;
  }
  outputs(g, in, out);
  return UnitOk;
}

static void reset(void *self, lookahead_scheduler_out_t *out) {
  golden_t *g = self;
  lookahead_scheduler_params_t params = g->params;
  memset(g, 0, sizeof *g);
  g->params = params;
  g->all = UINT64_MAX >> (64 - params.gpus);
  g->last = params.gpus - 1;
  g->level = NoLevel;
  const lookahead_scheduler_in_t none = {0};
  outputs(g, &none, out);
}

static void observe(void *self, lookahead_scheduler_state_t *state) {
  *state = ((const golden_t *)self)->table;
}

bool lookahead_scheduler_golden_create(const lookahead_scheduler_params_t *params,
                                       lookahead_scheduler_t *engine) {
  bool good = params->gpus >= 2 && params->gpus <= UnitMaxGpus && params->max_depth >= 1 &&
              params->max_depth <= 8;
  golden_t *g = good ? calloc(1, sizeof *g) : NULL;
  if (!g) {
    return false;
  }
  g->params = *params;
  lookahead_scheduler_out_t out;
  reset(g, &out);
  *engine = (lookahead_scheduler_t){g, step, reset, observe};
  return true;
}

void lookahead_scheduler_golden_destroy(lookahead_scheduler_t *engine) {
  free(engine->self);
  engine->self = NULL;
}
