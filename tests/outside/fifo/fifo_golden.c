// SPDX-License-Identifier: Apache-2.0
// Cycle-exact reference of the FIFO, written from fifo.md.
#include <stdlib.h>
#include <string.h>

#include "unit/fifo/fifo.h"

typedef struct {
  fifo_params_t p;
  uint32_t data[16];
  uint32_t oldest, count;
  bool error;
} golden_t;

const uint64_t fifo_golden_page = fifo_page;

void *fifo_golden_create(const fifo_params_t *params) {
  golden_t *g = calloc(1, sizeof *g);
  if (g) {
    g->p = *params;
  }
  return g;
}

void fifo_golden_destroy(void *self) { free(self); }

static void outputs(const golden_t *g, const fifo_in_t *in, fifo_out_t *out) {
  memset(out, 0, sizeof *out);
  out->pop_valid = g->count > 0;
  out->pop_data = g->count > 0 ? g->data[g->oldest] : 0;
  out->error = g->error;
  out->quiescent = !in->push_valid && !(in->pop_ready && out->pop_valid);
}

unit_status_e fifo_golden_step(void *self, const fifo_in_t *in, fifo_out_t *out) {
  golden_t *g = self;
  const bool has_room = g->count < g->p.depth;
  if (in->pop_ready && g->count > 0) {
    g->oldest = (g->oldest + 1) % g->p.depth;
    g->count--;
  }
  if (in->push_valid && !has_room) {
    g->error = true;
  } else if (in->push_valid) {
    g->data[(g->oldest + g->count) % g->p.depth] = in->push_data;
    g->count++;
  }
  outputs(g, in, out);
  return UnitOk;
}

void fifo_golden_reset(void *self, fifo_out_t *out) {
  static const fifo_in_t idle;
  golden_t *g = self;
  *g = (golden_t){.p = g->p};
  outputs(g, &idle, out);
}

void fifo_golden_observe(void *self, fifo_state_t *state) {
  memset(state, 0, sizeof *state);
  state->count = (uint8_t)((golden_t *)self)->count;
}
