// SPDX-License-Identifier: Apache-2.0
#include "golden.h"

#include <stdlib.h>
#include <string.h>

#include "pairs.h"

typedef struct {
  composition_scheduler_params_t params;
  composition_scheduler_state_t table;
  uint64_t all;          // one bit for each GPU
  uint64_t transparent;  // kind of each GPU's group
  uint8_t peer[UnitMaxGpus];
  bool start_valid, start_front;
  uint8_t start_source, start_destination, start_cgid;
  uint64_t release;
  uint32_t last;
  uint8_t error;
} golden_t;

// Receivers to which s may send, by the state at the start of the cycle.
static uint64_t eligible(const golden_t *g, uint32_t s) {
  const composition_scheduler_state_t *t = &g->table;
  if (!pairs_bit(t->ready, s) || pairs_bit(t->sending, s)) {
    return 0;
  }
  uint64_t found = 0;
  uint64_t same_kind = pairs_bit(g->transparent, s) ? g->transparent : ~g->transparent;
  uint64_t candidates = t->ready & ~t->receiving & ~t->sent[s] & same_kind & g->all;
  candidates &= ~(1ull << s);
  for (uint64_t rest = candidates; rest; rest &= rest - 1) {
    uint32_t d = (uint32_t)__builtin_ctzll(rest);
    if (t->cgid[d] != t->cgid[s] || pairs_bit(t->received[d], s)) {
      continue;
    }
    if (pairs_bit(g->transparent, s) && !pairs_adjacent(t->received[d], s, d)) {
      continue;
    }
    found |= 1ull << d;
  }
  return found;
}

// The first of a set in s + 1, s + 2, ... going around.
static uint32_t first_after(uint64_t set, uint32_t s) {
  uint64_t above = s == 63 ? 0 : set >> (s + 1) << (s + 1);
  return (uint32_t)__builtin_ctzll(above ? above : set);
}

// A source with a receiver, and the receiver; false if there is none.
static bool choose(const golden_t *g, uint32_t *source, uint32_t *destination) {
  uint64_t sources = g->table.ready & ~g->table.sending;
  if (!sources || !(g->table.ready & ~g->table.receiving)) {
    return false;
  }
  for (uint32_t tried = 0, s = g->last; tried < g->params.gpus; tried++) {
    s = s + 1 == g->params.gpus ? 0 : s + 1;
    if (!pairs_bit(sources, s)) {
      continue;
    }
    uint64_t set = eligible(g, s);
    if (set) {
      *source = s;
      *destination = g->params.lowest_first ? (uint32_t)__builtin_ctzll(set) : first_after(set, s);
      return true;
    }
  }
  return false;
}

static uint64_t complete(const golden_t *g) {
  return pairs_complete(g->table.ready, g->all, g->table.sent, g->table.received);
}

static bool kinds_differ(const golden_t *g) {
  return pairs_kinds_differ(g->table.ready, g->transparent, g->table.cgid);
}

static void message(golden_t *g, const composition_scheduler_state_t *before, uint32_t i,
                    uint8_t op, uint8_t *error) {
  composition_scheduler_state_t *t = &g->table;
  uint64_t me = 1ull << i;
  switch (op) {
    case CompositionSchedulerMessageReadyOpaque:
    case CompositionSchedulerMessageReadyTransparent:
      if ((before->ready | g->release) & me) {
        pairs_raise(error, CompositionSchedulerErrorReady);
        return;
      }
      t->ready |= me;
      t->cgid[i]++;
      g->transparent = op == CompositionSchedulerMessageReadyTransparent ? g->transparent | me
                                                                         : g->transparent & ~me;
      return;
    case CompositionSchedulerMessageDone: {
      if (!(before->receiving & me)) {
        pairs_raise(error, CompositionSchedulerErrorDone);
        return;
      }
      uint32_t s = g->peer[i];
      t->receiving &= ~me;
      t->sending &= ~(1ull << s);
      t->received[i] |= 1ull << s;
      t->sent[s] |= me;
      return;
    }
    default: pairs_raise(error, CompositionSchedulerErrorMessage);
  }
}

// Returns true if the inputs of this cycle leave nothing to do, for quiescence.
static bool idle(const golden_t *g, const composition_scheduler_in_t *in) {
  if ((in->message_valid & g->all) || (g->start_valid && in->start_ready) ||
      (g->release & in->release_ready)) {
    return false;
  }
  uint32_t s, d;
  return !(g->table.ready && (complete(g) || (!g->start_valid && choose(g, &s, &d)) ||
                              (g->error == 0 && kinds_differ(g))));
}

static void outputs(const golden_t *g, const composition_scheduler_in_t *in,
                    composition_scheduler_out_t *out) {
  out->quiescent = idle(g, in);
  out->error = g->error;
  out->start_valid = g->start_valid;
  out->start_front = g->start_front;
  out->start_source = g->start_source;
  out->start_destination = g->start_destination;
  out->start_cgid = g->start_cgid;
  out->release_valid = g->release;
}

static unit_status_e step(void *self, const composition_scheduler_in_t *in,
                          composition_scheduler_out_t *out) {
  golden_t *g = self;
  const composition_scheduler_state_t before = g->table;
  uint8_t error = CompositionSchedulerErrorNone;
  // All choices are made on the state before the cycle.
  uint32_t s = 0, d = 0;
  bool free = !g->start_valid || in->start_ready;
  bool start = free && choose(g, &s, &d);
  uint64_t done = complete(g);
  if (g->error == 0 && before.ready && kinds_differ(g)) {
    pairs_raise(&error, CompositionSchedulerErrorKind);
  }
  bool front = start && pairs_bit(g->transparent, s) && s > d;
  uint64_t release_kept = g->release & ~in->release_ready;
  for (uint64_t rest = in->message_valid & g->all; rest; rest &= rest - 1) {
    uint32_t i = (uint32_t)__builtin_ctzll(rest);
    message(g, &before, i, in->message[i], &error);
  }
  for (uint64_t rest = done; rest; rest &= rest - 1) {
    uint32_t i = (uint32_t)__builtin_ctzll(rest);
    g->table.ready &= ~(1ull << i);
    g->table.sent[i] = g->table.received[i] = 0;
  }
  g->release = release_kept | done;
  if (free) {
    g->start_valid = start;
  }
  if (start) {
    g->start_source = (uint8_t)s;
    g->start_destination = (uint8_t)d;
    g->start_cgid = before.cgid[s];
    g->start_front = front;
    g->table.sending |= 1ull << s;
    g->table.receiving |= 1ull << d;
    g->peer[d] = (uint8_t)s;
    g->last = s;
  }
  if (g->error == CompositionSchedulerErrorNone) {
    g->error = error;
  }
  outputs(g, in, out);
  return UnitOk;
}

static void reset(void *self, composition_scheduler_out_t *out) {
  golden_t *g = self;
  composition_scheduler_params_t params = g->params;
  memset(g, 0, sizeof *g);
  g->params = params;
  g->all = UINT64_MAX >> (64 - params.gpus);
  g->last = params.gpus - 1;
  const composition_scheduler_in_t none = {0};
  outputs(g, &none, out);
}

static void observe(void *self, composition_scheduler_state_t *state) {
  *state = ((const golden_t *)self)->table;
}

bool composition_scheduler_golden_create(const composition_scheduler_params_t *params,
                                         composition_scheduler_t *engine) {
  golden_t *g = params->gpus >= 2 && params->gpus <= UnitMaxGpus ? calloc(1, sizeof *g) : NULL;
  if (!g) {
    return false;
  }
  g->params = *params;
  composition_scheduler_out_t out;
  reset(g, &out);
  *engine = (composition_scheduler_t){g, step, reset, observe};
  return true;
}

void composition_scheduler_golden_destroy(composition_scheduler_t *engine) {
  free(engine->self);
  engine->self = NULL;
}
