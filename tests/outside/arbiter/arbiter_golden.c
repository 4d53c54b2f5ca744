// SPDX-License-Identifier: Apache-2.0
// Cycle-exact reference of the arbiter, written from arbiter.md.
#include <stdlib.h>
#include <string.h>

#include "unit/arbiter/arbiter.h"

typedef struct {
  arbiter_params_t p;
  bool full[ArbiterMaxInputs];
  uint32_t data[ArbiterMaxInputs];
  uint32_t last, left;
  bool valid, error;
  uint32_t source, out;
} golden_t;

const uint64_t arbiter_golden_page = arbiter_page;

void arbiter_golden_reset(void *self, arbiter_out_t *out);

void *arbiter_golden_create(const arbiter_params_t *params) {
  golden_t *g = calloc(1, sizeof *g);
  if (g) {
    arbiter_out_t out;
    g->p = *params;
    arbiter_golden_reset(g, &out);
  }
  return g;
}

void arbiter_golden_destroy(void *self) { free(self); }

static bool any_full(const golden_t *g) {
  for (uint32_t i = 0; i < g->p.inputs; i++) {
    if (g->full[i]) {
      return true;
    }
  }
  return false;
}

static void outputs(const golden_t *g, const arbiter_in_t *in, arbiter_out_t *out) {
  bool accepts = false;
  memset(out, 0, sizeof *out);
  for (uint32_t i = 0; i < g->p.inputs; i++) {
    out->request_ready |= (uint16_t)(!g->full[i] << i);
    accepts |= !g->full[i] && (in->request_valid >> i & 1);
  }
  out->grant_valid = g->valid;
  out->grant_source = (uint8_t)g->source;
  out->grant_data = g->out;
  out->error = g->error;
  out->quiescent =
      !accepts && !in->credit && (g->valid ? !in->grant_ready : !(g->left > 0 && any_full(g)));
}

unit_status_e arbiter_golden_step(void *self, const arbiter_in_t *in, arbiter_out_t *out) {
  golden_t *g = self;
  bool accepted[ArbiterMaxInputs];
  for (uint32_t i = 0; i < g->p.inputs; i++) {
    accepted[i] = !g->full[i] && (in->request_valid >> i & 1);
  }
  if (g->valid && in->grant_ready) {
    g->valid = false;
    g->source = g->out = 0;
  }
  if (!g->valid && g->left > 0 && any_full(g)) {
    do {
      g->last = (g->last + 1) % g->p.inputs;
    } while (!g->full[g->last]);
    g->valid = true;
    g->source = g->last;
    g->out = g->data[g->last];
    g->full[g->last] = false;
    g->left--;
  }
  for (uint32_t i = 0; i < g->p.inputs; i++) {
    if (accepted[i]) {
      g->full[i] = true;
      g->data[i] = in->request_data[i];
    }
  }
  if (in->credit && g->left == g->p.credits) {
    g->error = true;
  } else if (in->credit) {
    g->left++;
  }
  outputs(g, in, out);
  return UnitOk;
}

void arbiter_golden_reset(void *self, arbiter_out_t *out) {
  static const arbiter_in_t idle;
  golden_t *g = self;
  *g = (golden_t){.p = g->p, .last = g->p.inputs - 1, .left = g->p.credits};
  outputs(g, &idle, out);
}

void arbiter_golden_observe(void *self, arbiter_state_t *state) {
  memset(state, 0, sizeof *state);
  state->left = (uint8_t)((golden_t *)self)->left;
}
