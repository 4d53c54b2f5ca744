// SPDX-License-Identifier: Apache-2.0
#include "golden.h"

#include <stdlib.h>
#include <string.h>
#include "../atfim/package.h"

enum {
  DataDepth = 4,
  TakeDepth = 2,
  RefusedDepth = 2,
  ResponseDepth = 4,
  MaxSlots = 64,
  Texels = 16,
  Columns = 4,
  Channels = 4,
  MaxExtent = 4,
};

typedef struct {
  uint32_t head, count;
} ring_t;  // depths are powers of two

typedef struct {
  bool failed;
  uint32_t data[Texels];
} line_t;

// A package in process.
typedef struct {
  bool open;
  uint8_t epoch, extent;
  uint16_t id, mask;
} package_t;

typedef struct {
  combination_unit_params_t p;
  line_t lines[DataDepth];
  uint16_t tags[TakeDepth];
  package_t packages[MaxSlots];
  atfim_response_t refused[RefusedDepth];
  uint32_t responses[ResponseDepth][AtfimResponseWords];
  ring_t line_ring, tag_ring, refused_ring, response_ring;
  bool a_valid;
  child_consolidation_run_t a;  // stage A: the run and its line
  line_t a_line;
  uint64_t counters[CombinationUnitCounters];
  combination_unit_out_t out;  // of the state, without quiescent; stages B and F are in it
} golden_t;

static uint32_t push_at(ring_t *r, uint32_t depth) { return (r->head + r->count++) & (depth - 1); }
static void pop(ring_t *r, uint32_t depth) {
  r->head = (r->head + 1) & (depth - 1);
  r->count--;
}

// ---- Children ----

static void take_line(golden_t *g, const combination_unit_in_t *in) {
  const combination_unit_data_t *d = &in->data;
  if (d->epoch != in->epoch) {
    g->counters[CombinationUnitCounterDropped]++;
    return;
  }
  line_t *line = &g->lines[push_at(&g->line_ring, DataDepth)];
  line->failed = d->failed;
  memcpy(line->data, d->data, sizeof line->data);
  g->tags[push_at(&g->tag_ring, TakeDepth)] = d->tag;
  g->counters[CombinationUnitCounterLines]++;
  g->counters[CombinationUnitCounterFailed] += d->failed;
}

static void take_run(golden_t *g, const child_consolidation_run_t *run) {
  if (run->is_void) {
    g->counters[CombinationUnitCounterVoid]++;
    pop(&g->line_ring, DataDepth);
    return;
  }
  g->a_valid = true;
  g->a = *run;
  g->a_line = g->lines[g->line_ring.head];
  g->counters[CombinationUnitCounterRuns]++;
  g->counters[CombinationUnitCounterTexels] += (uint32_t)__builtin_popcount(run->texel);
  if (run->last) {
    pop(&g->line_ring, DataDepth);
  }
}

// The texels that a run gives to each parent: at most one of each column.
typedef struct {
  uint32_t texel[Columns][Texels];  // by column and parent; 0 where there is none
  uint16_t parents;
  bool is_bad;  // a parent takes two of a column
} taken_t;

static taken_t take_texels(const child_consolidation_run_t *run, const line_t *line) {
  taken_t taken = {.parents = 0};
  for (uint32_t c = 0; c < Columns; c++) {
    uint16_t column = 0;
    for (uint32_t i = 0; i < Texels / Columns; i++) {
      const uint32_t t = run->along_y ? 4 * c + i : 4 * i + c, p = run->parent[t] & 15u;
      if (run->texel >> t & 1) {
        taken.is_bad |= column >> p & 1;
        column |= (uint16_t)(1u << p);
        taken.texel[c][p] = line->data[t];
      }
    }
    taken.parents |= column;
  }
  return taken;
}

// Stage A to stage B. Returns whether the run is bad.
static bool sum(golden_t *g) {
  parent_texel_buffer_update_t *u = &g->out.update;
  const taken_t taken = take_texels(&g->a, &g->a_line);
  *u = (parent_texel_buffer_update_t){.slot = g->a.slot, .add = taken.parents};
  if (g->a_line.failed || taken.is_bad) {
    u->failed = u->add;
    return taken.is_bad;
  }
  for (uint32_t p = 0; p < Texels; p++) {
    for (uint32_t n = 0; n < Channels && (taken.parents >> p & 1); n++) {
      uint32_t pair[Columns / 2] = {0};
      for (uint32_t c = 0; c < Columns; c++) {
        pair[c / 2] += taken.texel[c][p] >> (8 * n) & 255;
      }
      u->sum[Channels * p + n] = (uint16_t)(pair[0] + pair[1]);
    }
  }
  return false;
}

// ---- Packages ----

static bool open_package(golden_t *g, const texel_generator_request_t *q) {
  if (q->refused) {
    g->refused[push_at(&g->refused_ring, RefusedDepth)] =
        (atfim_response_t){.id = q->id, .epoch = q->epoch, .refused = true};
    return true;
  }
  package_t *p = &g->packages[q->slot & (MaxSlots - 1)];
  if (q->slot >= g->p.slots || p->open || q->extent < 1 || q->extent > MaxExtent) {
    return false;
  }
  *p = (package_t){true, q->epoch, q->extent, q->id, q->mask};
  return true;
}

static void respond(golden_t *g, const atfim_response_t *response) {
  atfim_response_pack(response, g->responses[push_at(&g->response_ring, ResponseDepth)]);
}

static uint32_t texel_of(const uint16_t value[Channels], uint32_t extent) {
  uint32_t texel = 0;
  for (uint32_t c = 0; c < Channels; c++) {
    const uint32_t mean = (value[c] + (1u << (extent - 1))) >> extent;
    texel |= (mean & 255) << (8 * c);
  }
  return texel;
}

static bool is_open(const golden_t *g, uint32_t slot) {
  return slot < g->p.slots && g->packages[slot].open;
}

// The response of a row whose slot is open.
static void compose(golden_t *g, const parent_texel_buffer_row_t *row) {
  package_t *p = &g->packages[row->slot];
  atfim_response_t response = {
      .id = p->id, .epoch = p->epoch, .failed = (uint16_t)(row->failed & p->mask)};
  for (uint32_t i = 0; i < AtfimParents; i++) {
    if ((p->mask & ~row->failed) >> i & 1) {
      response.texel[i] = texel_of(&row->value[Channels * i], p->extent);
    }
  }
  respond(g, &response);
  p->open = false;
  g->counters[CombinationUnitCounterResponses]++;
}

// ---- The cycle ----

static bool refused_leaves(const golden_t *g, const combination_unit_in_t *in) {
  return g->refused_ring.count > 0 && g->response_ring.count < ResponseDepth && !in->row_valid;
}

bool combination_unit_golden_quiescent(const void *self, const combination_unit_in_t *in) {
  const golden_t *g = self;
  const combination_unit_out_t *out = &g->out;
  return !(g->a_valid || out->update_valid || out->free_valid || refused_leaves(g, in) ||
           (in->data_valid && out->data_ready) || (out->take_valid && in->take_ready) ||
           (in->run_valid && out->run_ready) || (in->request_valid && out->request_ready) ||
           (in->row_valid && out->row_ready) || (out->response_valid && in->response_ready) ||
           (in->peek_valid && g->p.observe));
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
  out->data_ready = g->line_ring.count < DataDepth && g->tag_ring.count < TakeDepth;
  out->take_valid = g->tag_ring.count > 0;
  out->take_tag = out->take_valid ? g->tags[g->tag_ring.head] : 0;
  out->run_ready = g->line_ring.count > 0;
  out->request_ready = g->refused_ring.count < RefusedDepth;
  out->row_ready = g->response_ring.count < ResponseDepth;
}

// Stage A to B, and a run to A. Returns an error of the run that was in A.
static combination_unit_error_e advance_runs(golden_t *g, const child_consolidation_run_t *run) {
  bool is_bad = false;
  if (g->a_valid) {
    is_bad = sum(g);
  } else if (g->out.update_valid) {
    g->out.update = (parent_texel_buffer_update_t){0};
  }
  g->out.update_valid = g->a_valid;
  g->a_valid = false;
  if (run) {
    take_run(g, run);
  }
  return is_bad ? CombinationUnitErrorRun : CombinationUnitErrorNone;
}

void combination_unit_golden_advance(void *self, const combination_unit_in_t *in) {
  golden_t *g = self;
  // Inputs are accepted by the state before the cycle, which the outputs show.
  combination_unit_out_t *out = &g->out;
  const bool line = in->data_valid && out->data_ready, take = out->take_valid && in->take_ready;
  const bool run = in->run_valid && out->run_ready, row = in->row_valid && out->row_ready;
  const bool request = in->request_valid && out->request_ready;
  const bool refused = refused_leaves(g, in), response = out->response_valid && in->response_ready;
  const uint32_t responses = g->response_ring.count;
  if (in->peek_valid && g->p.observe) {
    out->peek_data = in->peek_index < CombinationUnitCounters
                         ? g->counters[in->peek_index] & ((1ull << g->p.count_width) - 1)
                         : 0;
  }
  combination_unit_error_e error = advance_runs(g, run ? &in->run : NULL);
  if (take) {
    pop(&g->tag_ring, TakeDepth);
  }
  if (line) {
    take_line(g, in);
  }
  if (response) {
    pop(&g->response_ring, ResponseDepth);
  }
  if (refused) {
    respond(g, &g->refused[g->refused_ring.head]);
    pop(&g->refused_ring, RefusedDepth);
    g->counters[CombinationUnitCounterRefused]++;
  }
  // A request and a row of one slot each find it as it was before.
  const bool composed = row && is_open(g, in->row.slot);
  if (request && !open_package(g, &in->request)) {
    error = error ? error : CombinationUnitErrorRequest;
  }
  if (composed) {
    compose(g, &in->row);
  }
  out->free_valid = composed;
  out->free_slot = composed ? in->row.slot : 0;
  if (row && !composed) {
    error = error ? error : CombinationUnitErrorRow;
  }
  out->error = out->error ? out->error : error;
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
  g->line_ring = g->tag_ring = g->refused_ring = g->response_ring = (ring_t){0, 0};
  g->a_valid = false;
  memset(g->packages, 0, sizeof g->packages);
  memset(g->counters, 0, sizeof g->counters);
  memset(&g->out, 0, sizeof g->out);
  outputs(g);
  *out = g->out;
  out->quiescent = true;
}

bool combination_unit_golden_create(const combination_unit_params_t *params,
                                    combination_unit_t *engine) {
  const uint32_t n = params->slots;
  const bool in_range = n >= 2 && n <= MaxSlots && (n & (n - 1)) == 0 &&
                        params->count_width >= 10 && params->count_width <= 48;
  golden_t *g = in_range ? calloc(1, sizeof *g) : NULL;
  if (!g) {
    return false;
  }
  g->p = *params;
  combination_unit_out_t out;
  reset(g, &out);
  *engine = (combination_unit_t){g, step, reset};
  return true;
}

void combination_unit_golden_destroy(combination_unit_t *engine) {
  free(engine->self);
  engine->self = NULL;
}
