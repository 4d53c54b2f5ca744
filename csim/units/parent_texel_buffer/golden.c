// SPDX-License-Identifier: Apache-2.0
#include "golden.h"

#include <stdlib.h>
#include <string.h>

enum { MaxSlots = 64, Parents = 16, Channels = 4, MostLeft = 255, ChannelMask = 0xfff };

// A package in process.
typedef struct {
  uint8_t left;  // beats counted less updates taken
  bool seen;     // the last beat was counted
  uint16_t begun, failed;
  uint16_t value[Parents * Channels];  // 0 of parents that are not begun
} row_t;

typedef struct {
  uint32_t slots;
  bool observe;
  row_t row[MaxSlots];
  uint8_t complete[MaxSlots];  // the queue
  uint32_t head, count;
  parent_texel_buffer_out_t out;  // of the present state, without quiescent
} golden_t;

static void clear(row_t *row) { memset(row, 0, sizeof *row); }

static bool count_beat(golden_t *g, const parent_texel_buffer_beat_t *beat) {
  row_t *row = &g->row[beat->slot & (MaxSlots - 1)];
  if (beat->slot >= g->slots || row->seen || row->left == MostLeft) {
    return false;
  }
  row->left++;
  row->seen = beat->last;
  return true;
}

static void add(row_t *row, const parent_texel_buffer_update_t *u) {
  for (uint32_t p = 0; p < Parents; p++) {
    if (u->add >> p & 1) {
      uint16_t *value = &row->value[Channels * p];
      for (uint32_t c = 0; c < Channels; c++) {
        value[c] = (value[c] + u->sum[Channels * p + c]) & ChannelMask;
      }
    }
  }
  row->begun |= u->add;
  row->failed |= u->failed & u->add;
}

static bool update(golden_t *g, const parent_texel_buffer_update_t *u) {
  row_t *row = &g->row[u->slot & (MaxSlots - 1)];
  if (u->slot >= g->slots || row->left == 0) {
    return false;
  }
  add(row, u);
  row->left--;
  if (row->seen && row->left == 0) {
    g->complete[(g->head + g->count++) & (g->slots - 1)] = u->slot;
  }
  return true;
}

static uint64_t parent_word(const golden_t *g, uint32_t index) {
  const uint32_t slot = index / Parents, p = index % Parents;
  if (slot >= g->slots) {
    return 0;
  }
  const row_t *row = &g->row[slot];
  uint64_t word = 0;
  for (uint32_t c = 0; c < Channels; c++) {
    word |= (uint64_t)row->value[Channels * p + c] << (12 * c);
  }
  return word | (uint64_t)(row->failed >> p & 1) << 48 | (uint64_t)(row->begun >> p & 1) << 49 |
         (uint64_t)row->left << 50 | (uint64_t)row->seen << 58;
}

static void show_row(golden_t *g) {
  parent_texel_buffer_out_t *out = &g->out;
  out->row_valid = g->count > 0;
  out->row = (parent_texel_buffer_row_t){0};
  if (out->row_valid) {
    const uint8_t slot = g->complete[g->head];
    out->row.slot = slot;
    out->row.failed = g->row[slot].failed;
    memcpy(out->row.value, g->row[slot].value, sizeof out->row.value);
  }
}

static void show_writes(golden_t *g, const parent_texel_buffer_in_t *in, bool beats, bool updates) {
  parent_texel_buffer_out_t *out = &g->out;
  const row_t *row = &g->row[in->beat.slot & (MaxSlots - 1)];
  out->beat_write_valid = beats;
  out->beat_write_slot = beats ? in->beat.slot : 0;
  out->beat_write_left = beats ? row->left : 0;
  out->beat_write_seen = beats && row->seen;
  if (updates) {
    row = &g->row[in->update.slot];
    out->update_write_slot = in->update.slot;
    out->update_write_left = row->left;
    out->update_write_begun = row->begun;
    out->update_write_failed = row->failed;
    memcpy(out->update_write_value, row->value, sizeof out->update_write_value);
  } else if (out->update_write_valid) {
    out->update_write_slot = out->update_write_left = 0;
    out->update_write_begun = out->update_write_failed = 0;
    memset(out->update_write_value, 0, sizeof out->update_write_value);
  }
  out->update_write_valid = updates;
}

bool parent_texel_buffer_golden_quiescent(const void *self, const parent_texel_buffer_in_t *in) {
  const golden_t *g = self;
  return !(in->beat_valid || in->update_valid || (g->out.row_valid && in->row_ready) ||
           (in->peek_valid && g->observe) || g->out.beat_write_valid || g->out.update_write_valid);
}

void parent_texel_buffer_golden_advance(void *self, const parent_texel_buffer_in_t *in) {
  golden_t *g = self;
  if (parent_texel_buffer_golden_quiescent(g, in)) {
    return;
  }
  if (in->peek_valid && g->observe) {
    g->out.peek_data = parent_word(g, in->peek_index);
  }
  const bool leaves = g->out.row_valid && in->row_ready;
  const bool shown_changes = leaves || g->count == 0;
  // The update first: a beat of this cycle does not count for it, nor does it make the beat legal.
  const row_t *beaten = &g->row[in->beat.slot & (MaxSlots - 1)];
  const bool is_most = beaten->left == MostLeft;
  const bool updates = in->update_valid && update(g, &in->update);
  const bool beats = in->beat_valid && !is_most && count_beat(g, &in->beat);
  if (leaves) {
    clear(&g->row[g->complete[g->head]]);
    g->head = (g->head + 1) & (g->slots - 1);
    g->count--;
  }
  if (g->observe) {
    show_writes(g, in, beats, updates);
  }
  if (g->out.error == ParentTexelBufferErrorNone) {
    g->out.error = in->beat_valid && !beats       ? ParentTexelBufferErrorBeat
                   : in->update_valid && !updates ? ParentTexelBufferErrorUpdate
                                                  : ParentTexelBufferErrorNone;
  }
  if (shown_changes) {
    show_row(g);
  }
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
  for (uint32_t slot = 0; slot < g->slots; slot++) {
    clear(&g->row[slot]);
  }
  g->head = g->count = 0;
  memset(&g->out, 0, sizeof g->out);
  *out = g->out;
  out->quiescent = true;
}

bool parent_texel_buffer_golden_create(const parent_texel_buffer_params_t *params,
                                       parent_texel_buffer_t *engine) {
  const uint32_t n = params->slots;
  golden_t *g = n >= 2 && n <= MaxSlots && (n & (n - 1)) == 0 ? calloc(1, sizeof *g) : NULL;
  if (!g) {
    return false;
  }
  g->slots = n;
  g->observe = params->observe;
  *engine = (parent_texel_buffer_t){g, step, reset};
  return true;
}

void parent_texel_buffer_golden_destroy(parent_texel_buffer_t *engine) {
  free(engine->self);
  engine->self = NULL;
}
