// SPDX-License-Identifier: Apache-2.0
// Cycle-exact reference of the reorder buffer, written from reorder_buffer.md.
#include <stdlib.h>
#include <string.h>

#include "unit/reorder_buffer/reorder_buffer.h"

typedef struct {
  reorder_buffer_params_t p;
  struct {
    bool begun, done;
    uint32_t data;
  } slot[16];
  uint32_t oldest, next;
  reorder_buffer_error_e error;
} golden_t;

const uint64_t reorder_buffer_golden_page = reorder_buffer_page;

void *reorder_buffer_golden_create(const reorder_buffer_params_t *params) {
  golden_t *g = calloc(1, sizeof *g);
  if (g) {
    g->p = *params;
  }
  return g;
}

void reorder_buffer_golden_destroy(void *self) { free(self); }

static void outputs(const golden_t *g, const reorder_buffer_in_t *in, reorder_buffer_out_t *out) {
  memset(out, 0, sizeof *out);
  out->begin_ready = !g->slot[g->next].begun;
  out->leave_valid = g->slot[g->oldest].done;
  out->leave_data = out->leave_valid ? g->slot[g->oldest].data : 0;
  out->error = g->error;
  out->quiescent = !in->result_valid && !(in->begin_valid && out->begin_ready) &&
                   !(in->leave_ready && out->leave_valid);
}

static void refuse(golden_t *g, reorder_buffer_error_e error) {
  g->error = g->error ? g->error : error;
}

unit_status_e reorder_buffer_golden_step(void *self, const reorder_buffer_in_t *in,
                                         reorder_buffer_out_t *out) {
  golden_t *g = self;
  const bool begins = in->begin_valid && !g->slot[g->next].begun;
  if (in->leave_ready && g->slot[g->oldest].done) {
    g->slot[g->oldest].begun = g->slot[g->oldest].done = false;
    g->oldest = (g->oldest + 1) % g->p.slots;
  }
  if (in->result_valid && (in->result_slot >= g->p.slots || !g->slot[in->result_slot].begun)) {
    refuse(g, ReorderBufferErrorNotBegun);
  } else if (in->result_valid && g->slot[in->result_slot].done) {
    refuse(g, ReorderBufferErrorTwice);
  } else if (in->result_valid) {
    g->slot[in->result_slot].done = true;
    g->slot[in->result_slot].data = in->result_data;
  }
  if (begins) {
    g->slot[g->next].begun = true;
    g->next = (g->next + 1) % g->p.slots;
  }
  outputs(g, in, out);
  return UnitOk;
}

void reorder_buffer_golden_reset(void *self, reorder_buffer_out_t *out) {
  static const reorder_buffer_in_t idle;
  golden_t *g = self;
  *g = (golden_t){.p = g->p};
  outputs(g, &idle, out);
}

void reorder_buffer_golden_observe(void *self, reorder_buffer_state_t *state) {
  memset(state, 0, sizeof *state);
  state->next = (uint8_t)((golden_t *)self)->next;
}
