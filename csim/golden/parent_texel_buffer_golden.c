// SPDX-License-Identifier: Apache-2.0
#include "parent_texel_buffer_golden.h"

#include <stdlib.h>
#include <string.h>

enum { MaxEntries = 256 };

typedef struct {
  uint8_t id, remaining;  // remaining: unfetched children - 1, 0 when done
  bool done, failed;
  uint16_t value[4];
} entry_t;

typedef struct {
  uint32_t entries;
  uint16_t channel_mask;
  bool observe;
  uint32_t head, used;
  entry_t entry[MaxEntries];
  parent_texel_buffer_out_t out;  // of the present state, without quiescent
} golden_t;

static bool is_live(const golden_t *g, uint32_t index) {
  return index < g->entries && ((index - g->head) & (g->entries - 1)) < g->used;
}

static uint64_t word_of(const entry_t *e) {
  uint64_t word = e->id | (uint64_t)e->done << 8 | (uint64_t)e->remaining << 9 |
                  (uint64_t)e->failed << 13 | 1u << 14;
  for (uint32_t c = 0; c < 4; c++) {
    word |= (uint64_t)e->value[c] << (15 + 12 * c);
  }
  return word;
}

static bool reserve(golden_t *g, const texel_generator_alloc_t *a) {
  uint32_t tail = (g->head + g->used) & (g->entries - 1);
  if (g->used == g->entries || a->index != tail) {
    return false;
  }
  g->entry[tail] = (entry_t){.id = a->id, .remaining = a->ratio};
  return true;
}

static bool update(golden_t *g, const parent_texel_buffer_update_t *u) {
  entry_t *e = &g->entry[u->index & (MaxEntries - 1)];
  if (!is_live(g, u->index) || e->done || u->count > e->remaining) {
    return false;
  }
  for (uint32_t c = 0; c < 4; c++) {
    e->value[c] = (e->value[c] + u->sum[c]) & g->channel_mask;
  }
  e->failed |= u->failed;
  e->done = u->count == e->remaining;
  e->remaining = e->done ? 0 : (uint8_t)(e->remaining - u->count - 1);
  return true;
}

bool parent_texel_buffer_golden_quiescent(const void *self,
                                          const parent_texel_buffer_in_t *in) {
  const golden_t *g = self;
  return !(in->alloc_valid || in->update_valid || (g->out.parent_valid && in->parent_ready) ||
           (in->peek_valid && g->observe) || g->out.alloc_write_valid || g->out.update_write_valid);
}

static void show_parent(golden_t *g) {
  const entry_t *e = &g->entry[g->head];
  g->out.parent_valid = g->used > 0 && e->done;
  g->out.parent = (parent_texel_buffer_parent_t){0};
  if (g->out.parent_valid) {
    g->out.parent.id = e->id;
    g->out.parent.failed = e->failed;
    memcpy(g->out.parent.value, e->value, sizeof e->value);
  }
}

static void show_writes(golden_t *g, const parent_texel_buffer_in_t *in, bool updates,
                        bool reserves) {
  parent_texel_buffer_out_t *out = &g->out;
  if (!g->observe) {
    return;
  }
  out->update_write_valid = updates;
  out->update_write_index = updates ? in->update.index : 0;
  out->update_write_word = updates ? word_of(&g->entry[in->update.index]) : 0;
  out->alloc_write_valid = reserves;
  out->alloc_write_index = reserves ? in->alloc.index : 0;
  out->alloc_write_id = reserves ? in->alloc.id : 0;
  out->alloc_write_ratio = reserves ? in->alloc.ratio : 0;
}

void parent_texel_buffer_golden_advance(void *self, const parent_texel_buffer_in_t *in) {
  golden_t *g = self;
  if (parent_texel_buffer_golden_quiescent(g, in)) {
    return;
  }
  bool leaves = g->out.parent_valid && in->parent_ready;
  if (in->peek_valid && g->observe) {
    g->out.peek_data = is_live(g, in->peek_index) ? word_of(&g->entry[in->peek_index]) : 0;
  }
  // The entry that is reserved is not live, the one that leaves is done: the order of the
  // three does not matter.
  const bool updates = in->update_valid && update(g, &in->update);
  const bool reserves = in->alloc_valid && reserve(g, &in->alloc);
  show_writes(g, in, updates, reserves);
  g->used += reserves;
  if (leaves) {
    g->head = (g->head + 1) & (g->entries - 1);
    g->used--;
  }
  if (g->out.error == ParentTexelBufferErrorNone) {
    g->out.error = in->alloc_valid && !reserves     ? ParentTexelBufferErrorAlloc
                   : in->update_valid && !updates ? ParentTexelBufferErrorUpdate
                                                          : ParentTexelBufferErrorNone;
  }
  show_parent(g);
}

const parent_texel_buffer_out_t *parent_texel_buffer_golden_out(const void *self) {
  return &((const golden_t *)self)->out;
}

static unit_status_e step(void *self, const parent_texel_buffer_in_t *in,
                          parent_texel_buffer_out_t *out) {
  golden_t *g = self;
  parent_texel_buffer_golden_advance(g, in);
  *out = g->out;
  out->quiescent = parent_texel_buffer_golden_quiescent(g, in);
  return UnitOk;
}

static void reset(void *self, parent_texel_buffer_out_t *out) {
  golden_t *g = self;
  g->head = g->used = 0;
  memset(&g->out, 0, sizeof g->out);
  *out = g->out;
  out->quiescent = true;
}

bool parent_texel_buffer_golden_create(const parent_texel_buffer_params_t *params,
                                       parent_texel_buffer_t *engine) {
  uint32_t n = params->entries;
  golden_t *g = n >= 16 && n <= MaxEntries && (n & (n - 1)) == 0 ? calloc(1, sizeof *g) : NULL;
  if (!g) {
    return false;
  }
  g->entries = n;
  g->channel_mask = params->exact ? 0xfff : 0xff;
  g->observe = params->observe;
  *engine = (parent_texel_buffer_t){g, step, reset};
  return true;
}

void parent_texel_buffer_golden_destroy(parent_texel_buffer_t *engine) {
  free(engine->self);
  engine->self = NULL;
}
