// SPDX-License-Identifier: Apache-2.0
#include "combination_unit_golden.h"

#include "../unit/atfim_package.h"
#include <stdlib.h>
#include <string.h>

enum {
  DataDepth = 4, TakeDepth = 2, ResponseDepth = 4, MaxRequests = 256,
  Shares = 255 + AtfimMaxRatio,  // values of a texel plus a child's number
};

typedef struct { uint32_t head, count; } ring_t;  // depths are powers of two

typedef struct {
  bool failed;
  uint32_t data[AtfimLineWords];
} line_t;

// A request or parent on its way to the assembly.
typedef struct {
  bool valid, last, placed, refused, failed;
  uint8_t k, divisor, epoch, mask;
  uint16_t id, value[4];
} compose_t;

typedef struct {
  combination_unit_params_t p;
  uint32_t texel_mask;
  uint16_t share[AtfimMaxRatio][Shares];  // without Exact: texel plus child's number over R
  line_t lines[DataDepth];
  uint16_t tags[TakeDepth];
  texel_generator_request_t requests[MaxRequests];
  uint32_t responses[ResponseDepth][AtfimResponseWords];
  ring_t line_ring, tag_ring, request_ring, response_ring;
  bool a_valid, b_valid;
  parent_texel_buffer_update_t a, b;  // their sums are made with stage A
  compose_t d1, d2;
  uint32_t seen;
  uint8_t taken;
  atfim_response_t assembly;
  uint64_t counters[CombinationUnitCounters];
  uint8_t error;
  bool empty_leaves;           // the first request is empty, and there is room for its response
  combination_unit_out_t out;  // of the state, without quiescent
} golden_t;

static uint32_t push_at(ring_t *r, uint32_t depth) { return (r->head + r->count++) & (depth - 1); }
static void pop(ring_t *r, uint32_t depth) {
  r->head = (r->head + 1) & (depth - 1);
  r->count--;
}

static const texel_generator_request_t *first_request(const golden_t *g) {
  return g->request_ring.count ? &g->requests[g->request_ring.head] : NULL;
}

bool combination_unit_golden_quiescent(const void *self, const combination_unit_in_t *in) {
  const golden_t *g = self;
  const combination_unit_out_t *out = &g->out;
  return !(g->a_valid || g->b_valid || g->d1.valid || g->d2.valid || g->empty_leaves ||
           (in->data_valid && out->data_ready) || (out->take_valid && in->take_ready) ||
           (in->run_valid && out->run_ready) || (in->request_valid && out->request_ready) ||
           (in->parent_valid && out->parent_ready) ||
           (out->response_valid && in->response_ready) || (in->peek_valid && g->p.observe));
}

// ---- Children ----

static void add_exact(const golden_t *g, const child_consolidation_run_t *run, const line_t *line,
                      uint32_t end, uint16_t sum[4]) {
  uint32_t red_blue = 0, green_alpha = 0;  // 16 x 255 fits 16 bits
  for (uint32_t i = run->first; i < end; i++) {
    uint32_t t = line->data[run->texel[i] & g->texel_mask];
    red_blue += t & 0x00ff00ff;
    green_alpha += t >> 8 & 0x00ff00ff;
  }
  sum[0] = red_blue & 0xfff;
  sum[1] = green_alpha & 0xfff;
  sum[2] = red_blue >> 16;
  sum[3] = green_alpha >> 16;
}

static void add_shares(const golden_t *g, const child_consolidation_run_t *run, const line_t *line,
                       uint32_t end, uint16_t sum[4]) {
  const uint16_t *share = g->share[run->ratio & 15];
  for (uint32_t i = run->first; i < end; i++) {
    uint32_t t = line->data[run->texel[i] & g->texel_mask];
    for (uint32_t c = 0; c < 4; c++) {
      sum[c] = (uint16_t)(sum[c] + share[(t >> (8 * c) & 255) + i]);
    }
  }
  for (uint32_t c = 0; c < 4; c++) {
    sum[c] &= 0xfff;
  }
}

static void take_run(golden_t *g, const child_consolidation_run_t *run) {
  const line_t *line = &g->lines[g->line_ring.head];
  if (run->is_void) {
    g->counters[CombinationUnitCounterVoid]++;
    pop(&g->line_ring, DataDepth);
    return;
  }
  uint32_t end = run->first + run->count + 1u;
  end = end < AtfimMaxRatio ? end : AtfimMaxRatio;
  g->a_valid = true;
  g->a = (parent_texel_buffer_update_t){
      .index = run->parent, .count = run->count, .failed = line->failed};
  if (!line->failed) {
    (g->p.exact ? add_exact : add_shares)(g, run, line, end, g->a.sum);
  }
  g->counters[CombinationUnitCounterRuns]++;
  g->counters[CombinationUnitCounterChildren] += run->count + 1u;
  if (run->last) {
    pop(&g->line_ring, DataDepth);
  }
}

static void take_line(golden_t *g, const combination_unit_in_t *in) {
  const combination_unit_data_t *d = &in->data;
  if (d->epoch != in->epoch) {
    g->counters[CombinationUnitCounterDropped]++;
    return;
  }
  line_t *line = &g->lines[push_at(&g->line_ring, DataDepth)];
  line->failed = d->failed;
  memcpy(line->data, d->data, g->p.line_bytes);
  g->tags[push_at(&g->tag_ring, TakeDepth)] = d->tag;
  g->counters[CombinationUnitCounterLines]++;
  g->counters[CombinationUnitCounterFailed] += d->failed;
}

// ---- Parents ----

// D2 into the assembly.
static void assemble(golden_t *g) {
  const compose_t *d = &g->d2;
  atfim_response_t *r = &g->assembly;
  if (d->placed && d->failed) {
    r->failed |= (uint8_t)(1u << d->k);
    r->texel[d->k] = 0;
  } else if (d->placed) {
    r->texel[d->k] = d->value[0] | (uint32_t)d->value[1] << 8 | (uint32_t)d->value[2] << 16 |
                     (uint32_t)d->value[3] << 24;
  }
  if (d->last) {
    r->id = d->id;
    r->epoch = d->epoch;
    r->mask = d->mask;
    r->refused = d->refused;
    atfim_response_pack(r, g->responses[push_at(&g->response_ring, ResponseDepth)]);
    memset(r, 0, sizeof *r);
    g->counters[CombinationUnitCounterResponses]++;
  }
}

// D1 into D2. The quotients are made in floating point, which is faster here and exact: one that
// is not whole lies 1/32 or more from the next whole number.
static void divide(golden_t *g) {
  g->d2 = g->d1;
  float n = g->d1.divisor;
  for (uint32_t c = 0; c < 4; c++) {
    uint16_t s = g->d1.value[c];
    int32_t q = g->p.exact ? (int32_t)((2 * s + n) / (2 * n)) : s & 255;
    g->d2.value[c] = (uint16_t)(q < 255 ? q : 255);
  }
}

// The head of the requests, with the parent given or without one, into D1.
static void compose(golden_t *g, const parent_texel_buffer_parent_t *parent) {
  const texel_generator_request_t *h = first_request(g);
  compose_t *d = &g->d1;
  *d = (compose_t){.valid = true, .last = true, .id = h->id, .epoch = h->epoch, .mask = h->mask,
                   .refused = h->refused, .divisor = (uint8_t)((h->ratio & 15) + 1)};
  if (parent) {
    d->k = parent->id & 7;
    d->failed = parent->failed;
    memcpy(d->value, parent->value, sizeof d->value);
    d->placed = (h->mask & ~g->taken) >> d->k & 1;
    if (d->placed) {
      g->taken |= (uint8_t)(1u << d->k);
    } else if (g->error == CombinationUnitErrorNone) {
      g->error = CombinationUnitErrorParent;
    }
    d->last = ++g->seen == (uint32_t)__builtin_popcount(h->mask);
  }
  if (d->last) {
    pop(&g->request_ring, g->p.requests);
    g->seen = g->taken = 0;
  }
}

// ---- The cycle ----

static void show_requests(golden_t *g) {
  const texel_generator_request_t *h = first_request(g);
  uint32_t coming = (g->d1.valid && g->d1.last) + (g->d2.valid && g->d2.last);
  bool is_due = h && g->response_ring.count + coming < ResponseDepth;
  g->empty_leaves = is_due && (h->refused || h->mask == 0);
  g->out.parent_ready = is_due && !g->empty_leaves;
  g->out.request_ready = g->request_ring.count < g->p.requests;
}

static void show_response(golden_t *g) {
  g->out.response_valid = g->response_ring.count > 0;
  if (g->out.response_valid) {
    memcpy(g->out.response, g->responses[g->response_ring.head], sizeof g->out.response);
  } else {
    memset(g->out.response, 0, sizeof g->out.response);
  }
}

static void outputs(golden_t *g) {
  combination_unit_out_t *out = &g->out;
  out->error = g->error;
  out->data_ready = g->line_ring.count < DataDepth && g->tag_ring.count < TakeDepth;
  out->take_valid = g->tag_ring.count > 0;
  out->take_tag = out->take_valid ? g->tags[g->tag_ring.head] : 0;
  out->run_ready = g->line_ring.count > 0;
  if (g->b_valid) {
    out->update = g->b;
  } else if (out->update_valid) {
    out->update = (parent_texel_buffer_update_t){0};
  }
  out->update_valid = g->b_valid;
  show_requests(g);
}

void combination_unit_golden_advance(void *self, const combination_unit_in_t *in) {
  golden_t *g = self;
  // What is accepted, by the state before the cycle, which the outputs show.
  const combination_unit_out_t *out = &g->out;
  bool line = in->data_valid && out->data_ready, take = out->take_valid && in->take_ready;
  bool run = in->run_valid && out->run_ready, request = in->request_valid && out->request_ready;
  bool parent = in->parent_valid && out->parent_ready, empty = g->empty_leaves;
  bool response = out->response_valid && in->response_ready;
  uint32_t responses = g->response_ring.count;
  if (in->peek_valid && g->p.observe) {
    g->out.peek_data = in->peek_index < CombinationUnitCounters
                           ? g->counters[in->peek_index] & ((1ull << g->p.count_width) - 1)
                           : 0;
  }
  if (g->a_valid) {
    g->b = g->a;
  }
  g->b_valid = g->a_valid;
  g->a_valid = false;
  if (run) {
    take_run(g, &in->run);
  }
  if (take) {
    pop(&g->tag_ring, TakeDepth);
  }
  if (line) {
    take_line(g, in);
  }
  if (response) {
    pop(&g->response_ring, ResponseDepth);
  }
  if (g->d2.valid) {
    assemble(g);
  }
  g->d2.valid = false;
  if (g->d1.valid) {
    divide(g);
  }
  g->d1.valid = false;
  if (parent || empty) {
    compose(g, parent ? &in->parent : NULL);
  }
  if (request) {
    g->requests[push_at(&g->request_ring, g->p.requests)] = in->request;
  }
  if (response || (responses == 0 && g->response_ring.count > 0)) {
    show_response(g);
  }
  outputs(g);
}

const combination_unit_out_t *combination_unit_golden_out(const void *self) {
  return &((const golden_t *)self)->out;
}

static unit_status_e step(void *self, const combination_unit_in_t *in,
                          combination_unit_out_t *out) {
  golden_t *g = self;
  combination_unit_golden_advance(g, in);
  *out = g->out;
  out->quiescent = combination_unit_golden_quiescent(g, in);
  return UnitOk;
}

static void reset(void *self, combination_unit_out_t *out) {
  golden_t *g = self;
  const combination_unit_in_t none = {0};
  g->line_ring = g->tag_ring = g->request_ring = g->response_ring = (ring_t){0, 0};
  g->a_valid = g->b_valid = g->d1.valid = g->d2.valid = false;
  g->seen = g->taken = g->error = 0;
  memset(&g->assembly, 0, sizeof g->assembly);
  memset(g->counters, 0, sizeof g->counters);
  memset(&g->out, 0, sizeof g->out);
  outputs(g);
  *out = g->out;
  out->quiescent = combination_unit_golden_quiescent(g, &none);
}

bool combination_unit_golden_create(const combination_unit_params_t *params,
                                    combination_unit_t *engine) {
  uint32_t n = params->requests, bytes = params->line_bytes;
  bool in_range = n >= 2 && n <= MaxRequests && (n & (n - 1)) == 0 &&
                  (bytes == 16 || bytes == 32 || bytes == 64) && params->count_width >= 10 &&
                  params->count_width <= 48;
  golden_t *g = in_range ? calloc(1, sizeof *g) : NULL;
  if (!g) {
    return false;
  }
  g->p = *params;
  g->texel_mask = bytes / 4 - 1;
  for (uint32_t ratio = 0; ratio < AtfimMaxRatio; ratio++) {
    for (uint32_t x = 0; x < Shares; x++) {
      g->share[ratio][x] = (uint16_t)(x / (ratio + 1));
    }
  }
  combination_unit_out_t out;
  reset(g, &out);
  *engine = (combination_unit_t){g, step, reset};
  return true;
}

void combination_unit_golden_destroy(combination_unit_t *engine) {
  free(engine->self);
  engine->self = NULL;
}
