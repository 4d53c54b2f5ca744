// SPDX-License-Identifier: Apache-2.0
// Reserves, adds and takes parents out as the units around the buffer do, in every order
// that keeps the ring, and now and then in one that does not. Every parent that leaves is
// compared with the sums that were given for it.
#include <string.h>

#include "stimulus.h"

enum { MaxEntries = 256 };

typedef struct {
  uint8_t id;
  uint32_t left;  // children that are still to come
  bool failed;
  uint16_t value[4];
} parent_t;

typedef struct {
  rng_t rng;
  parent_texel_buffer_params_t p;
  uint32_t alloc_rate, update_rate, ready_rate, error_rate, peek_rate, most;
  uint32_t head, used, sweep;
  bool newest_first, sweeping;
  parent_t parent[MaxEntries];
} traffic_t;

const stimulus_choice_t ParentTexelBufferChoices[] = {
    STIMULUS_CHOICE(alloc_rate, "alloc", "steps in which a parent is allocated",
                    1000, 1000, 900, 500, 100),
    STIMULUS_CHOICE(update_rate, "update", "steps in which a sum is added",
                    1000, 1000, 900, 500, 100),
    STIMULUS_CHOICE(ready_rate, "ready", "steps in which a whole parent is taken",
                    1000, 1000, 900, 500, 100),
    STIMULUS_CHOICE(error_rate, "errors", "allocations and updates out of sequence",
                    0, 0, 0, 0, 4, 4),
    {0}};

static uint32_t at(const traffic_t *t, uint32_t i) { return (t->head + i) % t->p.entries; }

// A live parent that waits for children, or Entries.
static uint32_t choose(traffic_t *t) {
  uint32_t first = t->newest_first ? t->used : rng_below(&t->rng, t->used + 1);
  for (uint32_t n = 0; n < t->used; n++) {
    uint32_t i = at(t, (first + t->used - 1 - n) % t->used);
    if (t->parent[i].left > 0) {
      return i;
    }
  }
  return t->p.entries;
}

static void reserve(traffic_t *t, parent_texel_buffer_in_t *in) {
  rng_t *r = &t->rng;
  in->alloc_valid = rng_chance(r, t->alloc_rate) && t->used < t->most;
  uint32_t tail = at(t, t->used);
  in->alloc = (texel_generator_alloc_t){(uint8_t)tail, (uint8_t)rng_u64(r),
                              (uint8_t)(rng_chance(r, 300) ? 15 : rng_below(r, 16))};
  if (rng_chance(r, t->error_rate)) {
    in->alloc_valid = true;
    in->alloc.index = (uint8_t)rng_u64(r);
  }
}

static void add(traffic_t *t, parent_texel_buffer_in_t *in) {
  rng_t *r = &t->rng;
  uint32_t i = rng_chance(r, t->update_rate) ? choose(t) : t->p.entries;
  in->update_valid = i < t->p.entries;
  if (in->update_valid) {
    uint32_t n = rng_chance(r, 300) ? t->parent[i].left : 1 + rng_below(r, t->parent[i].left);
    in->update = (parent_texel_buffer_update_t){.index = (uint8_t)i, .count = (uint8_t)(n - 1),
                                  .failed = rng_chance(r, 30)};
  }
  if (rng_chance(r, t->error_rate)) {
    in->update_valid = true;
    in->update.index = (uint8_t)rng_u64(r);
    in->update.count = (uint8_t)rng_below(r, 16);
  }
  uint32_t most = t->p.exact ? 255u * (in->update.count + 1u) : 255;
  bool full = rng_chance(r, 100);
  for (uint32_t c = 0; c < 4; c++) {
    in->update.sum[c] = (uint16_t)(full ? most : rng_below(r, most + 1));
    if (rng_chance(r, t->error_rate)) {
      in->update.sum[c] = (uint16_t)rng_below(r, 4096);
    }
  }
}

static bool is_right(const traffic_t *t, const parent_texel_buffer_out_t *out,
                     char error[HarnessErrorSize]) {
  const parent_t *p = &t->parent[t->head];
  bool due = t->used > 0 && p->left == 0;
  bool same = out->parent_valid == due;
  if (due && same) {
    same = out->parent.id == p->id && out->parent.failed == p->failed &&
           memcmp(out->parent.value, p->value, sizeof p->value) == 0;
  }
  if (!same) {
    snprintf(error, HarnessErrorSize, "parent_texel_buffer: parent %u at entry %u: valid %u, "
             "expected %u, or its value is wrong", p->id, t->head, out->parent_valid, due);
  }
  return same;
}

// What a cycle does, told in the stimulus' own terms.
static void follow(traffic_t *t, const parent_texel_buffer_in_t *in,
                   const parent_texel_buffer_out_t *out) {
  uint32_t used = t->used, head = t->head;
  uint32_t tail = at(t, used);
  if (out->parent_valid && in->parent_ready) {
    t->head = (t->head + 1) % t->p.entries;
    t->used--;
  }
  uint32_t i = in->update.index;
  if (in->update_valid && i < t->p.entries && (i + t->p.entries - head) % t->p.entries < used &&
      in->update.count < t->parent[i].left) {
    parent_t *p = &t->parent[i];
    p->left -= in->update.count + 1u;
    p->failed |= in->update.failed;
    for (uint32_t c = 0; c < 4; c++) {
      p->value[c] = (uint16_t)((p->value[c] + in->update.sum[c]) % (t->p.exact ? 4096 : 256));
    }
  }
  if (in->alloc_valid && used < t->p.entries && in->alloc.index == tail) {
    t->parent[tail] = (parent_t){.id = in->alloc.id, .left = in->alloc.ratio + 1u};
    t->used++;
  }
}

bool stimulus_parent_texel_buffer(const stimulus_t *s, harness_t *harness,
                                  char error[HarnessErrorSize]) {
  static const parent_texel_buffer_params_t sets[] = {
      {256, true, true}, {16, false, true}, {64, true, false}, {256, false, true}};
  _Static_assert(sizeof sets / sizeof *sets == ParentTexelBufferSets,
                 "stimulus.h has their number");
  static traffic_t t;
  memset(&t, 0, sizeof t);
  rng_seed(&t.rng, s->seed);
  rng_t *r = &t.rng;
  static const uint32_t numbers[] = {0, 1, 2, 3};
  uint32_t set = stimulus_choose(s, r, "params", numbers, 4);
  t.p = sets[s->busy ? 0 : set];
  parent_texel_buffer_t unit;
  if (!harness_parent_texel_buffer(harness, &t.p, &unit, error)) {
    return false;
  }
  stimulus_draw(s, r, ParentTexelBufferChoices, &t);
  t.peek_rate = s->busy ? 0 : 100;
  t.most = s->busy || rng_chance(r, 500) ? t.p.entries : 1 + rng_below(r, t.p.entries);
  t.newest_first = !s->busy && rng_chance(r, 300);
  parent_texel_buffer_in_t in;
  parent_texel_buffer_out_t out;
  memset(&in, 0, sizeof in);
  memset(&out, 0, sizeof out);
  unit.reset(unit.self, &out);
  for (uint64_t c = 0; c < s->cycles; c++, (*s->clock)++) {
    reserve(&t, &in);
    add(&t, &in);
    in.parent_ready = rng_chance(r, t.ready_rate);
    t.sweeping = t.peek_rate && (t.sweeping || rng_below(r, 3000) == 0);
    in.peek_valid = t.sweeping || rng_chance(r, t.peek_rate);
    in.peek_index = (uint8_t)(t.sweeping ? t.sweep++ : rng_u64(r));
    t.sweeping &= in.peek_index != 255;
    follow(&t, &in, &out);
    if (unit.step(unit.self, &in, &out) != UnitOk || !is_right(&t, &out, error)) {
      return false;
    }
    if (!s->busy && rng_below(r, 4000) == 0) {
      unit.reset(unit.self, &out);
      t.head = t.used = 0;
    }
  }
  if (t.error_rate == 0 && out.error) {
    snprintf(error, HarnessErrorSize, "parent_texel_buffer: error %u without a fault", out.error);
    return false;
  }
  return true;
}
