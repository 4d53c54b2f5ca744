// SPDX-License-Identifier: Apache-2.0
// Plays the texel generator's beats, the combination unit's updates and what takes rows, in every
// order that a package allows, and now and then in one that it does not. Every row that leaves
// is compared with the sums that were given for it, so that one which keeps something of the
// package before is found.
#include <string.h>

#include "tb/stimulus/corners.h"
#include "tb/stimulus/stimulus.h"

enum { MaxSlots = 64, Parents = 16, Values = 64, MostLeft = 255 };

typedef struct {
  uint32_t to_come;  // beats of its package, not issued yet
  uint32_t left;
  bool begun, seen;  // a package is under way; its last beat was issued
  uint16_t failed, value[Values];
} row_t;

typedef struct {
  rng_t rng;
  parent_texel_buffer_params_t p;
  uint32_t beat_rate, update_rate, ready_rate, error_rate, fail_rate, most_beats, hold_rate;
  uint32_t peek_rate, most;  // packages at a time
  uint32_t last_update, sweep;
  bool sweeping;
  row_t row[MaxSlots];
  uint8_t complete[MaxSlots];
  uint32_t head, count;
} traffic_t;

static const stimulus_choice_t Choices[] = {
    STIMULUS_CHOICE(beat_rate, "beat", "steps in which a beat is counted", 1000, 1000, 900, 500,
                    100),
    STIMULUS_CHOICE(update_rate, "update", "steps in which children are added", 1000, 1000, 900,
                    500, 100),
    STIMULUS_CHOICE(ready_rate, "ready", "steps in which a complete row is taken", 1000, 1000, 900,
                    500, 100),
    STIMULUS_CHOICE(error_rate, "errors", "beats and updates out of sequence", 0, 0, 0, 0, 4, 4),
    STIMULUS_CHOICE(fail_rate, "fails", "updates with failed parents", 0, 0, 20, 300),
    STIMULUS_CHOICE(most_beats, "beats", "beats of a package, at most", 8, 1, 4, 16, 160, 400),
    STIMULUS_CHOICE(hold_rate, "again", "updates of the row that the last one was of", 500, 0, 200,
                    900),
    {0}};

// A slot of those that `wanted` is true for, begun at random; or MaxSlots.
static uint32_t find(traffic_t *t, bool (*wanted)(const row_t *row)) {
  const uint32_t first = rng_below(&t->rng, t->p.slots);
  for (uint32_t n = 0; n < t->p.slots; n++) {
    const uint32_t slot = (first + n) % t->p.slots;
    if (wanted(&t->row[slot])) {
      return slot;
    }
  }
  return MaxSlots;
}

static bool has_beats(const row_t *row) {
  return row->begun && !row->seen && row->to_come > 0 && row->left < MostLeft;
}
static bool has_updates(const row_t *row) { return row->left > 0; }
static bool is_idle(const row_t *row) { return !row->begun && !row->seen && row->left == 0; }

static void begin_package(traffic_t *t) {
  uint32_t under_way = 0;
  for (uint32_t s = 0; s < t->p.slots; s++) {
    under_way += t->row[s].begun;
  }
  const uint32_t slot = under_way < t->most ? find(t, is_idle) : MaxSlots;
  if (slot < MaxSlots) {
    t->row[slot].begun = true;
    t->row[slot].to_come = 1 + rng_below(&t->rng, t->most_beats);
  }
}

static void beat(traffic_t *t, parent_texel_buffer_in_t *in) {
  rng_t *r = &t->rng;
  const uint32_t slot = rng_chance(r, t->beat_rate) ? find(t, has_beats) : MaxSlots;
  in->beat_valid = slot < MaxSlots;
  in->beat.slot = (uint8_t)(in->beat_valid ? slot : rng_below(r, MaxSlots));
  in->beat.last = in->beat_valid ? t->row[slot].to_come == 1 : rng_below(r, 2);
  if (rng_chance(r, t->error_rate)) {
    in->beat_valid = true;
    in->beat.slot = (uint8_t)rng_below(r, rng_chance(r, 700) ? t->p.slots : MaxSlots);
    in->beat.last = rng_below(r, 2);
  } else if (in->beat_valid) {
    t->row[slot].to_come--;
  }
}

static void update(traffic_t *t, parent_texel_buffer_in_t *in) {
  rng_t *r = &t->rng;
  uint32_t slot = rng_chance(r, t->update_rate) ? find(t, has_updates) : MaxSlots;
  if (slot < MaxSlots && rng_chance(r, t->hold_rate) && t->row[t->last_update].left > 0) {
    slot = t->last_update;
  }
  in->update_valid = slot < MaxSlots;
  in->update.slot = (uint8_t)(in->update_valid ? slot : rng_below(r, MaxSlots));
  in->update.add = (uint16_t)(rng_chance(r, 300) ? 0xffff : rng_u64(r) & rng_u64(r));
  in->update.failed = rng_chance(r, t->fail_rate) ? (uint16_t)rng_u64(r) : 0;
  const uint32_t most = rng_chance(r, 900) ? 255 : 1023;
  for (uint32_t v = 0; v < Values; v++) {
    in->update.sum[v] = (uint16_t)(rng_chance(r, 100) ? most : rng_below(r, most + 1));
  }
  if (rng_chance(r, t->error_rate)) {
    in->update_valid = true;
    in->update.slot = (uint8_t)rng_below(r, rng_chance(r, 700) ? t->p.slots : MaxSlots);
  }
}

// Follows a cycle in the stimulus' own state, from the state before it.
static void follow(traffic_t *t, const parent_texel_buffer_in_t *in,
                   const parent_texel_buffer_out_t *out) {
  const bool leaves = out->row_valid && in->row_ready;
  row_t *beaten = &t->row[in->beat.slot], *updated = &t->row[in->update.slot];
  const bool counts =
      in->beat_valid && in->beat.slot < t->p.slots && !beaten->seen && beaten->left < MostLeft;
  const bool adds = in->update_valid && in->update.slot < t->p.slots && updated->left > 0;
  const bool completes = adds && updated->seen && updated->left == 1;
  if (adds) {
    t->last_update = in->update.slot;
    updated->left--;
    for (uint32_t v = 0; v < Values; v++) {
      if (in->update.add >> (v / 4) & 1) {
        updated->value[v] = (uint16_t)((updated->value[v] + in->update.sum[v]) % 4096);
      }
    }
    updated->failed |= in->update.failed & in->update.add;
  }
  if (counts) {
    beaten->left++;
    beaten->seen = in->beat.last;
  }
  if (leaves) {
    memset(&t->row[t->complete[t->head]], 0, sizeof(row_t));
    t->head = (t->head + 1) % MaxSlots;
    t->count--;
  }
  if (completes) {
    t->complete[(t->head + t->count++) % MaxSlots] = in->update.slot;
  }
}

static bool is_right(const traffic_t *t, const parent_texel_buffer_out_t *out, err_t *err) {
  const uint8_t slot = t->complete[t->head];
  const bool due = t->count > 0;
  bool same = out->row_valid == due;
  if (due && same) {
    const row_t *row = &t->row[slot];
    same = out->row.slot == slot && out->row.failed == row->failed &&
           memcmp(out->row.value, row->value, sizeof row->value) == 0;
  }
  return same || corners_acted() ||
         err_set(
             err, ErrInput,
             "parent_texel_buffer: row %u of slot %u: valid %u, expected %u, or its values wrong",
             out->row.slot, slot, out->row_valid, due);
}

static void forget(traffic_t *t) {
  memset(t->row, 0, sizeof t->row);
  t->head = t->count = t->last_update = 0;
}

static bool drive(const stimulus_t *s, harness_t *harness, err_t *err) {
  static traffic_t t;
  memset(&t, 0, sizeof t);
  stimulus_seed(s, &t.rng);
  rng_t *r = &t.rng;
  stimulus_params(s, &parent_texel_buffer_info, r, &t.p);
  parent_texel_buffer_t unit;
  if (!stimulus_unit(s, harness, &parent_texel_buffer_info, &t.p, 0, &unit, err)) {
    return false;
  }
  stimulus_draw(s, r, Choices, &t);
  t.most_beats = t.most_beats > 0 ? t.most_beats : 1;
  t.peek_rate = s->busy ? 0 : 100;
  t.most = s->busy || rng_chance(r, 600) ? t.p.slots : 1 + rng_below(r, t.p.slots);
  static parent_texel_buffer_in_t in;
  static parent_texel_buffer_out_t out;
  memset(&in, 0, sizeof in);
  memset(&out, 0, sizeof out);
  unit.reset(unit.self, &out);
  for (uint64_t c = 0; c < s->cycles; c++, (*s->clock)++) {
    begin_package(&t);
    beat(&t, &in);
    update(&t, &in);
    in.row_ready = rng_chance(r, t.ready_rate);
    t.sweeping = t.peek_rate && (t.sweeping || rng_below(r, 3000) == 0);
    in.peek_valid = t.sweeping || rng_chance(r, t.peek_rate);
    in.peek_index = (uint16_t)(t.sweeping ? t.sweep++ % 1024 : rng_below(r, 1024));
    t.sweeping &= in.peek_index != 1023;
    follow(&t, &in, &out);
    if (unit.step(unit.self, &in, &out) != UnitOk || !is_right(&t, &out, err)) {
      return false;
    }
    if (t.error_rate == 0 && out.error && !corners_acted()) {
      err_set(err, ErrInput, "parent_texel_buffer: error %u without a fault", out.error);
      return false;
    }
    if (!s->busy && rng_below(r, 4000) == 0) {
      unit.reset(unit.self, &out);
      forget(&t);
    }
  }
  return true;
}

const stimulus_unit_t parent_texel_buffer_stimulus = {drive, Choices};
