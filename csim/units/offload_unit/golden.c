// SPDX-License-Identifier: Apache-2.0
#include "golden.h"

#include <stdlib.h>
#include <string.h>
#include "../atfim/package.h"

enum { PackageDepth = 4, ResponseDepth = 2, MaxSlots = 32 };

typedef struct {
  uint16_t id;
  uint8_t epoch;
} stage_t;

typedef struct {
  stage_t from;
  uint32_t request[AtfimRequestWords];
} package_t;

// An answer on its way to its texture unit.
typedef struct {
  uint8_t unit, slot;
  uint16_t failed;
  bool refused;
  uint32_t texel[AtfimParents];
} answer_t;

typedef struct {
  uint64_t free_units;     // with a free slot
  uint64_t pending_units;  // with a pending one
  uint32_t units, slots, slots_log2, package_flits;
  uint64_t counter_mask;
  bool observe;
  uint32_t last;                 // unit picked last
  uint32_t packages, responses;  // entries of the queues
  uint32_t package_head;         // the other queue's head is entry 0
  bool staged;
  uint8_t error;
  stage_t stage;
  uint64_t peek_data;
  uint64_t counters[OffloadUnitCounters];
  offload_unit_state_t slot;
  uint8_t next[OffloadUnitMaxUnits];
  answer_t answer[ResponseDepth];
  package_t package[PackageDepth];
  uint32_t request[OffloadUnitMaxUnits][MaxSlots][AtfimRequestWords];
} golden_t;

static void count(golden_t *g, offload_unit_counter_e counter, uint32_t n) {
  g->counters[counter] = (g->counters[counter] + n) & g->counter_mask;
}

// The lowest bit of a mask from `from` on, upwards and around; the mask is not 0.
static uint32_t first_from(uint64_t mask, uint32_t from) {
  uint64_t above = mask & ~((UINT64_C(1) << from) - 1);
  return (uint32_t)__builtin_ctzll(above ? above : mask);
}

static void note(golden_t *g, offload_unit_error_e error) {
  if (g->error == OffloadUnitErrorNone) {
    g->error = (uint8_t)error;
  }
}

// ---- What is due, by the state at the start of the cycle ----

static bool picks(const golden_t *g) {
  return g->pending_units && g->packages + g->staged < PackageDepth;
}

static bool gives(const golden_t *g, const offload_unit_in_t *in) {
  return g->responses > 0 && (in->answer_ready >> g->answer[0].unit & 1);
}

// ---- Parts of a cycle ----

static void accept_requests(golden_t *g, const offload_unit_in_t *in, uint64_t accepted) {
  for (uint64_t rest = accepted; rest; rest &= rest - 1) {
    uint32_t u = (uint32_t)__builtin_ctzll(rest), s = (uint32_t)__builtin_ctz(g->slot.free[u]);
    memcpy(g->request[u][s], in->request[u], sizeof g->request[u][s]);
    g->slot.free[u] &= g->slot.free[u] - 1;
    g->slot.pending[u] |= 1u << s;
    g->pending_units |= UINT64_C(1) << u;
    if (!g->slot.free[u]) {
      g->free_units &= ~(UINT64_C(1) << u);
    }
    count(g, OffloadUnitCounterRequests, 1);
  }
}

static void pick(golden_t *g) {
  uint32_t u = first_from(g->pending_units, (g->last + 1) % g->units);
  uint32_t s = first_from(g->slot.pending[u], g->next[u]);
  g->slot.pending[u] &= ~(1u << s);
  g->slot.waiting[u] |= 1u << s;
  if (!g->slot.pending[u]) {
    g->pending_units &= ~(UINT64_C(1) << u);
  }
  g->stage = (stage_t){(uint16_t)(u << g->slots_log2 | s), g->slot.epoch};
  g->next[u] = (uint8_t)((s + 1) & (g->slots - 1));
  g->last = u;
}

static void send(golden_t *g) {
  package_t *p = &g->package[(g->package_head + g->packages++) % PackageDepth];
  p->from = g->stage;
  memcpy(p->request, g->request[g->stage.id >> g->slots_log2][g->stage.id & (g->slots - 1)],
         sizeof p->request);
  count(g, OffloadUnitCounterPackages, 1);
}

// is_waiting: its slot was so at the start of the cycle.
static void respond(golden_t *g, const atfim_response_t *r, bool is_waiting) {
  uint32_t u = r->id >> g->slots_log2, s = r->id & (g->slots - 1);
  if (r->epoch != g->slot.epoch) {
    count(g, OffloadUnitCounterDropped, 1);
    return;
  }
  if (!is_waiting) {
    note(g, OffloadUnitErrorResponse);
    return;
  }
  g->slot.waiting[u] &= ~(1u << s);
  answer_t *a = &g->answer[g->responses++];
  *a = (answer_t){
      .unit = (uint8_t)u, .slot = (uint8_t)s, .failed = r->failed, .refused = r->refused};
  memcpy(a->texel, r->texel, sizeof a->texel);
  count(g, OffloadUnitCounterResponses, 1);
}

static void give(golden_t *g) {
  const answer_t *a = &g->answer[0];
  g->slot.free[a->unit] |= 1u << a->slot;
  g->free_units |= UINT64_C(1) << a->unit;
  g->answer[0] = g->answer[1];
  g->responses--;
}

static void reissue(golden_t *g, uint8_t epoch) {
  if (epoch == g->slot.epoch) {
    note(g, OffloadUnitErrorReissue);
    return;
  }
  g->slot.epoch = epoch;
  for (uint32_t u = 0; u < g->units; u++) {
    g->slot.pending[u] |= g->slot.waiting[u];
    g->slot.waiting[u] = 0;
    if (g->slot.pending[u]) {
      g->pending_units |= UINT64_C(1) << u;
    }
  }
}

// ---- The engine ----

static void outputs(const golden_t *g, const offload_unit_in_t *in, offload_unit_out_t *out) {
  memset(out, 0, sizeof *out);
  out->quiescent = !((in->request_valid & g->free_units) || (g->packages && in->package_ready) ||
                     (in->response_valid && g->responses < ResponseDepth) || gives(g, in) ||
                     in->reissue_valid || (in->peek_valid && g->observe) || picks(g) || g->staged);
  out->error = g->error;
  out->request_ready = g->free_units;
  for (uint64_t rest = g->free_units; rest; rest &= rest - 1) {
    uint32_t u = (uint32_t)__builtin_ctzll(rest);
    out->request_slot[u] = (uint8_t)__builtin_ctz(g->slot.free[u]);
  }
  if (g->packages > 0) {
    const package_t *p = &g->package[g->package_head];
    out->package_valid = true;
    out->package[0] = AtfimPackageCommand | g->package_flits << 7 | (uint32_t)p->from.id << 12 |
                      (uint32_t)p->from.epoch << 24;
    memcpy(&out->package[1], p->request, sizeof p->request);
  }
  out->response_ready = g->responses < ResponseDepth;
  if (g->responses > 0) {
    const answer_t *a = &g->answer[0];
    out->answer_valid = UINT64_C(1) << a->unit;
    out->answer_slot = a->slot;
    out->answer_failed = a->failed;
    out->answer_refused = a->refused;
    memcpy(out->answer_texel, a->texel, sizeof a->texel);
  }
  out->peek_data = g->peek_data;
}

static unit_status_e step(void *self, const offload_unit_in_t *in, offload_unit_out_t *out) {
  golden_t *g = self;
  // All choices are made on the state before the cycle.
  uint64_t requests = in->request_valid & g->free_units;
  bool is_picked = picks(g), is_sent = g->staged;
  bool leaves = g->packages > 0 && in->package_ready;
  bool is_response = in->response_valid && g->responses < ResponseDepth;
  bool is_given = gives(g, in);
  atfim_response_t response = {0};
  bool is_waiting = false;
  if (is_response) {
    atfim_response_unpack(in->response, &response);
    uint32_t u = response.id >> g->slots_log2, s = response.id & (g->slots - 1);
    is_waiting = u < g->units && (g->slot.waiting[u] >> s & 1);
  }
  if (in->peek_valid && g->observe) {
    g->peek_data = in->peek_index < OffloadUnitCounters ? g->counters[in->peek_index] : 0;
  }
  if (leaves) {
    g->package_head = (g->package_head + 1) % PackageDepth;
    g->packages--;
  }
  if (is_sent) {
    send(g);
  }
  if (is_picked) {
    pick(g);
  }
  g->staged = is_picked;
  // Before a slot comes free: requests go into the lowest that was free at the start.
  accept_requests(g, in, requests);
  if (is_given) {
    give(g);
  }
  if (is_response) {
    respond(g, &response, is_waiting);
  }
  if (in->reissue_valid) {
    reissue(g, in->reissue_epoch);
  }
  outputs(g, in, out);
  return UnitOk;
}

static void reset(void *self, offload_unit_out_t *out) {
  golden_t *g = self;
  golden_t fresh = {.units = g->units,
                    .slots = g->slots,
                    .slots_log2 = g->slots_log2,
                    .package_flits = g->package_flits,
                    .counter_mask = g->counter_mask,
                    .observe = g->observe};
  fresh.last = g->units - 1;
  for (uint32_t u = 0; u < g->units; u++) {
    fresh.free_units |= UINT64_C(1) << u;
    fresh.slot.free[u] = UINT32_MAX >> (MaxSlots - g->slots);
  }
  *g = fresh;
  static const offload_unit_in_t Idle;
  outputs(g, &Idle, out);
}

static void observe(void *self, offload_unit_state_t *state) {
  const golden_t *g = self;
  *state = g->observe ? g->slot : (offload_unit_state_t){0};
}

bool offload_unit_golden_create(const offload_unit_params_t *params, offload_unit_t *engine) {
  uint32_t n = params->units, s = params->slots;
  if (n < 1 || n > OffloadUnitMaxUnits || s < 1 || s > MaxSlots || (s & (s - 1)) != 0 ||
      (params->package_flits != 2 && params->package_flits != 4) || params->count_width < 10 ||
      params->count_width > 48) {
    return false;
  }
  golden_t *g = calloc(1, sizeof *g);
  if (!g) {
    return false;
  }
  g->units = n;
  g->slots = s;
  g->slots_log2 = (uint32_t)__builtin_ctz(s);
  g->package_flits = params->package_flits;
  g->counter_mask = (UINT64_C(1) << params->count_width) - 1;
  g->observe = params->observe;
  offload_unit_out_t out;
  reset(g, &out);
  *engine = (offload_unit_t){g, step, reset, observe};
  return true;
}

void offload_unit_golden_destroy(offload_unit_t *engine) {
  free(engine->self);
  engine->self = NULL;
}
