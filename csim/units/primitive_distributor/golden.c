// SPDX-License-Identifier: Apache-2.0
#include "golden.h"

#include <stdlib.h>
#include <string.h>

enum { QueueDepth = 2, MaxClusters = 16, MaxBatch = 32, MaxWt = 64 };

// A primitive in the queue or in divide.
typedef struct {
  uint8_t op;
  uint16_t x0, y0, x1, y1;
} primitive_t;

typedef struct {
  primitive_distributor_params_t params;
  uint32_t all;      // clusters
  uint32_t numbers;  // the largest of a primitive
  uint32_t wt, width;
  uint32_t divider_left;  // cycles
  bool configured;
  uint32_t row_step;
  primitive_t queue[QueueDepth];
  uint32_t queued;
  bool dividing, starting, working;  // the places that hold something
  primitive_t divide;
  primitive_t start;  // the ends are in work tiles
  bool close;         // in rows
  uint32_t columns, rows, first, set;
  uint32_t bits[MaxClusters];  // of the batch
  uint32_t count, next;
  uint32_t valid;  // lanes
  uint32_t mask[MaxClusters], mask_count, mask_first;
  uint8_t error;
} golden_t;

// ---- What a cycle does --------------------------------------------------------------------------

typedef struct {
  bool configure, accept, pop, from_divide, from_start;
  bool works, over, masks;  // rows: changes; is left; all masks become valid
  bool bad;                 // in divide
  uint32_t set;             // clusters set with this cycle's row
} plan_t;

// The clusters of a row, around.
static uint32_t row_of(const golden_t *g) {
  uint32_t row = 0;
  for (uint32_t k = 0; k < g->columns; k++) {
    row |= 1u << (g->first + k) % g->params.clusters;
  }
  return row;
}

static bool is_bad(const golden_t *g) {
  const primitive_t *p = &g->divide;
  return !g->configured || p->op > PrimitiveDistributorOpClose ||
         (p->op == PrimitiveDistributorOpBox && (p->x0 > p->x1 || p->y0 > p->y1));
}

// Returns what the cycle does, by the state at its start and its inputs.
static plan_t plan(const golden_t *g, const primitive_distributor_in_t *in) {
  const bool rests = g->divider_left == 0;
  plan_t p = {.accept = in->primitive_valid && g->queued < QueueDepth && rests};
  p.configure = in->configure_valid && rests && g->queued == 0 && !g->dividing && !g->starting &&
                !g->working && g->count == 0 && g->valid == 0;
  if (g->working) {
    p.set = g->set | (g->rows > 0 ? row_of(g) : 0);
    const bool last = g->rows <= 1 || p.set == g->all;
    const bool ends = g->close ? g->count > 0 : g->count == g->params.batch - 1;
    const bool stays = last && ends && (g->valid & ~in->mask_ready) != 0;
    p.works = !stays;
    p.over = last && !stays;
    p.masks = p.over && ends;
  }
  p.from_start = g->starting && (!g->working || p.over);
  p.from_divide = g->dividing && (!g->starting || p.from_start);
  p.pop = g->queued > 0 && rests && (!g->dividing || p.from_divide);
  p.bad = g->dividing && is_bad(g);
  return p;
}

// ---- A cycle -----------------------------------------------------------------------------------

// The work tile, of one side, of a position on that side.
static uint32_t work_tile(uint32_t position, uint32_t wt) { return position / wt; }

static void pass_divider(golden_t *g) {
  if (g->divider_left == 0) {
    return;
  }
  g->divider_left--;
  if (g->divider_left == 0) {
    g->row_step = (work_tile(g->width - 1, g->wt) + 1) % g->params.clusters;
    g->configured = true;
  }
}

static bool configure(golden_t *g, const primitive_distributor_in_t *in) {
  if (in->configure_wt == 0 || in->configure_wt > MaxWt || in->configure_width == 0 ||
      in->configure_width > 1u << g->params.pos_width) {
    return false;
  }
  g->wt = in->configure_wt;
  g->width = in->configure_width;
  g->divider_left = g->params.pos_width + 9u;
  g->configured = false;
  return true;
}

// Lets a primitive that is over join the batch; masks: the batch ends.
static void finish(golden_t *g, uint32_t set, bool masks) {
  if (!g->close) {
    for (uint32_t c = 0; c < g->params.clusters; c++) {
      g->bits[c] |= (set >> c & 1) << g->count;
    }
    g->count++;
  }
  if (masks) {
    memcpy(g->mask, g->bits, sizeof g->mask);
    memset(g->bits, 0, sizeof g->bits);
    g->valid = g->all;
    g->mask_count = g->count;
    g->mask_first = g->next;
    g->next = (g->next + g->count) & g->numbers;
    g->count = 0;
  }
}

static void begin_rows(golden_t *g) {
  const primitive_t *p = &g->start;
  const uint32_t clusters = g->params.clusters;
  g->close = p->op == PrimitiveDistributorOpClose;
  g->set = g->rows = g->columns = g->first = 0;
  if (p->op == PrimitiveDistributorOpBox) {
    const uint32_t columns = p->x1 - p->x0 + 1u, rows = p->y1 - p->y0 + 1u;
    g->columns = columns < clusters ? columns : clusters;
    g->rows = rows < clusters ? rows : clusters;
    g->first = (p->y0 % clusters * g->row_step + p->x0) % clusters;
  }
}

static void begin_start(golden_t *g) {
  const primitive_t *p = &g->divide;
  g->start = (primitive_t){.op = p->op};
  if (p->op != PrimitiveDistributorOpClose && is_bad(g)) {
    g->start.op = PrimitiveDistributorOpEmpty;
  } else if (p->op == PrimitiveDistributorOpBox) {
    g->start.x0 = (uint16_t)work_tile(p->x0, g->wt);
    g->start.y0 = (uint16_t)work_tile(p->y0, g->wt);
    g->start.x1 = (uint16_t)work_tile(p->x1, g->wt);
    g->start.y1 = (uint16_t)work_tile(p->y1, g->wt);
  }
}

// The places, from the last to the queue, so that each finds the next one as it leaves it.
static void move(golden_t *g, const plan_t *p) {
  if (p->over) {
    finish(g, p->set, p->masks);
    g->working = false;
  } else if (p->works) {
    g->set = p->set;
    g->rows--;
    g->first = (g->first + g->row_step) % g->params.clusters;
  }
  if (p->from_start) {
    begin_rows(g);
    g->working = true;
    g->starting = false;
  }
  if (p->from_divide) {
    begin_start(g);
    g->starting = true;
    g->dividing = false;
  }
  if (p->pop) {
    g->divide = g->queue[0];
    g->queue[0] = g->queue[1];
    g->queued--;
    g->dividing = true;
  }
}

static bool is_quiescent(const golden_t *g, const primitive_distributor_in_t *in) {
  const plan_t p = plan(g, in);
  return !(p.configure || p.accept || g->divider_left > 0 || (g->valid & in->mask_ready) != 0 ||
           p.works || p.from_start || p.from_divide || p.pop ||
           (p.bad && g->error == PrimitiveDistributorErrorNone));
}

static void outputs(const golden_t *g, const primitive_distributor_in_t *in,
                    primitive_distributor_out_t *out) {
  memset(out, 0, sizeof *out);
  out->quiescent = is_quiescent(g, in);
  out->error = g->error;
  out->configure_ready = g->divider_left == 0 && g->queued == 0 && !g->dividing && !g->starting &&
                         !g->working && g->count == 0 && g->valid == 0;
  out->primitive_ready = g->divider_left == 0 && g->queued < QueueDepth;
  out->mask_valid = (uint16_t)g->valid;
  for (uint32_t c = 0; c < g->params.clusters; c++) {
    if (g->valid >> c & 1) {
      out->mask_bits[c] = g->mask[c];
      out->mask_count[c] = (uint8_t)g->mask_count;
      out->mask_first[c] = g->mask_first;
    }
  }
}

static unit_status_e step(void *self, const primitive_distributor_in_t *in,
                          primitive_distributor_out_t *out) {
  golden_t *g = self;
  uint8_t error = PrimitiveDistributorErrorNone;
  const plan_t p = plan(g, in);
  if (p.bad) {
    error = PrimitiveDistributorErrorPrimitive;
  }
  pass_divider(g);
  g->valid &= ~(uint32_t)in->mask_ready;
  move(g, &p);
  if (p.accept) {
    g->queue[g->queued++] = (primitive_t){in->primitive_op, in->primitive_x0, in->primitive_y0,
                                          in->primitive_x1, in->primitive_y1};
  }
  if (p.configure && !configure(g, in)) {
    error = PrimitiveDistributorErrorConfigure;
  }
  if (g->error == PrimitiveDistributorErrorNone) {
    g->error = error;
  }
  outputs(g, in, out);
  return UnitOk;
}

static void reset(void *self, primitive_distributor_out_t *out) {
  golden_t *g = self;
  const primitive_distributor_in_t none = {0};
  *g = (golden_t){.params = g->params, .all = g->all, .numbers = g->numbers};
  outputs(g, &none, out);
}

static void observe(void *self, primitive_distributor_state_t *state) {
  const golden_t *g = self;
  memset(state, 0, sizeof *state);
  state->configured = g->configured;
  state->row_step = (uint8_t)g->row_step;
  state->next = g->next;
}

static bool in_range(const primitive_distributor_params_t *p) {
  return p->clusters >= 2 && p->clusters <= MaxClusters && p->batch >= 1 && p->batch <= MaxBatch &&
         p->pos_width >= 4 && p->pos_width <= 10 && p->prim_width >= 6 && p->prim_width <= 32;
}

bool primitive_distributor_golden_create(const primitive_distributor_params_t *params,
                                         primitive_distributor_t *engine) {
  golden_t *g = in_range(params) ? calloc(1, sizeof *g) : NULL;
  if (!g) {
    return false;
  }
  g->params = *params;
  g->all = (1u << params->clusters) - 1;
  g->numbers = UINT32_MAX >> (32 - params->prim_width);
  primitive_distributor_out_t out;
  reset(g, &out);
  *engine = (primitive_distributor_t){g, step, reset, observe};
  return true;
}

void primitive_distributor_golden_destroy(primitive_distributor_t *engine) {
  free(engine->self);
  engine->self = NULL;
}
