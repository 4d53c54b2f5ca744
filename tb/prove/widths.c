// SPDX-License-Identifier: Apache-2.0
#include "widths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lanes.h"

enum {
  Cycles = 1000,
  MostRounds = 64,
  MostRangeBits = 5,
  Tries = 64,  // cycles of runs that a full word is tried in
  ByteBits = 8,
  WordBits = 32,
};

// A bit that a clock or a reset changes and that is no state yet.
typedef struct {
  uint32_t object, bit;
  lit_t made, stepped, reset;
} changed_t;

typedef struct {
  changed_t *list;
  uint32_t count;
} changes_t;

static bool is_state(uint8_t *const *state, uint32_t object, uint64_t bit) {
  return state[object][bit / ByteBits] >> bit % ByteBits & 1;
}

static void add_state(transition_t *t, uint8_t *const *state, uint32_t object, uint32_t bit) {
  transition_add(t, object, bit);
  state[object][bit / ByteBits] |= (uint8_t)(1u << bit % ByteBits);
}

static changes_t find_changes(const transition_t *t, uint8_t *const *state) {
  changes_t c = {0};
  uint32_t room = 0;
  for (uint32_t o = 1; o < t->created.memory.count; o++) {
    const object_t *made = &t->created.memory.objects[o];
    const lit_t *stepped = t->stepped.memory.objects[o].bits;
    const lit_t *reset = t->reset.memory.objects[o].bits;
    for (uint64_t b = 0; transition_lasts(t, o) && b < made->size * ByteBits; b++) {
      if (is_state(state, o, b) || (stepped[b] == made->bits[b] && reset[b] == made->bits[b])) {
        continue;
      }
      if (c.count == room) {
        room = room ? room * 2 : 256;
        c.list = fault_realloc(c.list, room, sizeof *c.list);
      }
      c.list[c.count++] = (changed_t){o, (uint32_t)b, made->bits[b], stepped[b], reset[b]};
    }
  }
  return c;
}

// Makes state of those of the changed bits that runs change; returns how many. A run is reset where
// it goes on with what is no state yet.
static uint32_t add_seen(transition_t *t, uint8_t *const *state, const changes_t *c) {
  lanes_t lanes;
  uint32_t added = 0;
  bool *seen = fault_calloc(c->count + 1, sizeof *seen);
  lit_t *more = fault_calloc(2 * (size_t)c->count + 1, sizeof *more);
  for (uint32_t i = 0; i < c->count; i++) {
    more[2 * i] = c->list[i].stepped;
    more[2 * i + 1] = c->list[i].reset;
  }
  lanes_create(&lanes, t, more, 2 * c->count);
  for (uint32_t cycle = 0; cycle < Cycles; cycle++) {
    const word64_t reset = lanes_cycle_or_reels(&lanes, cycle);
    word64_t left = 0;
    for (uint32_t i = 0; i < c->count; i++) {
      const word64_t is = (lanes_get(&lanes, c->list[i].stepped) & ~reset) |
                          (lanes_get(&lanes, c->list[i].reset) & reset);
      const word64_t differs = c->list[i].made == AigTrue ? ~is : is;
      left |= differs;
      seen[i] |= differs != 0;
    }
    lanes_clock(&lanes, reset | left);
  }
  for (uint32_t i = 0; i < c->count; i++) {
    added += seen[i];
    if (seen[i]) {
      add_state(t, state, c->list[i].object, c->list[i].bit);
    }
  }
  lanes_destroy(&lanes);
  free(seen);
  free(more);
  return added;
}

// ---- Counters that runs do not fill ----

// RTL registers and golden state as they were in runs.
typedef struct {
  const transition_t *t;
  uint32_t states;  // of the golden model
  word64_t *past;   // of golden state, then RTL registers, cycle after cycle
} watch_t;

static const word64_t *past(const watch_t *w, uint32_t state) {
  return w->past + (size_t)state * Cycles;
}

static void watch(watch_t *w, const transition_t *t) {
  lanes_t lanes;
  w->t = t;
  w->states = t->state_count;
  lanes_create(&lanes, t, NULL, 0);
  w->past = lanes_watch(&lanes, Cycles);
  lanes_destroy(&lanes);
}

static bool was_zero(const watch_t *w, uint32_t state) {
  for (uint32_t c = 0; c < Cycles; c++) {
    if (past(w, state)[c]) {
      return false;
    }
  }
  return true;
}

// Bit k + 1 of the register whose bit k the latch is, or -1.
static int64_t next_latch(const aiger_t *rtl, uint32_t latch) {
  const char *name = rtl->latch_name[latch], *from = strrchr(name, '[');
  char *end = NULL;
  const uint32_t bit = from ? (uint32_t)strtoul(from + 1, &end, 10) : 0;
  if (!from || strcmp(end, "]") != 0) {
    return -1;
  }
  enum { NameSize = 256 };
  char vector[NameSize];
  snprintf(vector, sizeof vector, "%.*s", (int)(from - name), name);
  return aiger_latch(rtl, vector, 0, 2, 1, bit + 1);
}

// A word of golden state from `first` on, whose top bit was an RTL register's, which has `more`
// bits that runs did not set.
typedef struct {
  uint32_t first, bits, more;  // first: of the state, sorted by place
} unfilled_t;

typedef struct {
  unfilled_t *list;
  uint32_t count, room;
} unfilled_list_t;

static bool is_next(const state_bit_t *a, const state_bit_t *b) {
  return a->object == b->object && a->bit + 1 == b->bit;
}

static void add_word(unfilled_list_t *u, const watch_t *w, uint32_t top, uint32_t more) {
  const transition_t *t = w->t;
  uint32_t bits = 1;
  // Bits that were seen before, in other runs.
  for (; top + 1 < w->states && is_next(&t->state[top], &t->state[top + 1]); top++, more--) {
    if (more == 0 || !was_zero(w, top + 1)) {
      return;
    }
  }
  while (bits <= top && is_next(&t->state[top - bits], &t->state[top - bits + 1])) {
    bits++;
  }
  if (u->count == u->room) {
    u->room = u->room ? u->room * 2 : 16;
    u->list = fault_realloc(u->list, u->room, sizeof *u->list);
  }
  u->list[u->count++] = (unfilled_t){top + 1 - bits, bits, more};
}

// Golden words that end where an RTL register's seen bits end.
static unfilled_list_t find_unfilled(const watch_t *w) {
  const transition_t *t = w->t;
  unfilled_list_t u = {0};
  for (uint32_t latch = 0; latch < t->rtl.latches; latch++) {
    const word64_t *was = past(w, t->state_count + latch);
    int64_t next = next_latch(&t->rtl, latch);
    uint32_t more = 0;
    if (next < 0 || was_zero(w, t->state_count + latch)) {
      continue;
    }
    for (; next >= 0 && was_zero(w, t->state_count + (uint32_t)next); more++) {
      next = next_latch(&t->rtl, (uint32_t)next);
    }
    for (uint32_t i = 0; i < t->state_count && more; i++) {
      if (memcmp(past(w, i), was, Cycles * sizeof *was) == 0) {
        add_word(&u, w, i, more);
      }
    }
  }
  return u;
}

// A bit above a word, by the RTL's register no further than that.
static lit_t *above(const transition_t *t, const moment_t *m, const unfilled_t *u, uint32_t k) {
  const state_bit_t *s = &t->state[u->first];
  const uint64_t bit = s->bit + u->bits + k;
  object_t *o = &m->memory.objects[s->object];
  return bit < o->size * ByteBits ? &o->bits[bit] : NULL;
}

// States of runs in a cycle of them. State that is new since then may be anything.
static void set_states(lanes_t *lanes, const watch_t *w, uint32_t cycle) {
  const transition_t *t = w->t;
  for (uint32_t i = 0; i < t->state_count; i++) {
    lanes->value[t->state[i].variable / 2] =
        i < w->states ? past(w, i)[cycle] : rng_u64(&lanes->rng);
  }
}

// Whether a clock sets the bit above a word that is full.
static bool carries(lanes_t *lanes, const watch_t *w, const unfilled_t *u) {
  const transition_t *t = w->t;
  const lit_t *bit = above(t, &t->stepped, u, 0);
  bool found = false;
  for (uint32_t cycle = 0; cycle < Cycles && bit && !found; cycle += Cycles / Tries) {
    set_states(lanes, w, cycle);
    for (uint32_t i = 0; i < u->bits; i++) {
      lanes->value[t->state[u->first + i].variable / 2] = ~UINT64_C(0);
    }
    lanes_try(lanes);
    found = lanes_get(lanes, *bit) != 0;
  }
  return found;
}

static uint32_t add_above(transition_t *t, uint8_t *const *state, const unfilled_t *u, uint32_t k) {
  const state_bit_t s = t->state[u->first];
  const uint32_t bit = s.bit + u->bits + k;
  if (!above(t, &t->stepped, u, k) || is_state(state, s.object, bit)) {
    return 0;
  }
  add_state(t, state, s.object, bit);
  return 1;
}

// The lanes of a clock with all bits that stand above words.
static void begin(lanes_t *lanes, const transition_t *t, const unfilled_list_t *u) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < u->count; i++) {
    count += u->list[i].more;
  }
  lit_t *more = fault_calloc(count + 1, sizeof *more);
  count = 0;
  for (uint32_t i = 0; i < u->count; i++) {
    for (uint32_t k = 0; k < u->list[i].more; k++) {
      const lit_t *bit = above(t, &t->stepped, &u->list[i], k);
      more[count] = bit ? *bit : (lit_t)AigFalse;
      count++;
    }
  }
  lanes_create(lanes, t, more, count);
  free(more);
}

// Golden words that a clock carries into the bit above: as wide as the register.
static uint32_t add_counters(transition_t *t, uint8_t *const *state, const watch_t *w,
                             const unfilled_list_t *u) {
  uint32_t added = 0;
  lanes_t lanes;
  bool *is_counter = fault_calloc(u->count + 1, sizeof *is_counter);
  begin(&lanes, t, u);
  for (uint32_t i = 0; i < u->count; i++) {
    is_counter[i] = carries(&lanes, w, &u->list[i]);
  }
  lanes_destroy(&lanes);
  for (uint32_t i = 0; i < u->count; i++) {
    for (uint32_t k = 0; is_counter[i] && k < u->list[i].more; k++) {
      added += add_above(t, state, &u->list[i], k);
    }
  }
  free(is_counter);
  return added;
}

// Counters that no run fills.
static void add_unfilled(transition_t *t, uint8_t *const *state) {
  watch_t w;
  watch(&w, t);
  unfilled_list_t u = find_unfilled(&w);
  if (add_counters(t, state, &w, &u)) {
    transition_moments(t);
  }
  free(u.list);
  free(w.past);
}

// ---- Ranges ----

static uint32_t variable_of(const transition_t *t, uint32_t object, uint32_t bit) {
  uint32_t i = 0;
  while (t->state[i].object != object || t->state[i].bit != bit) {
    i++;
  }
  return i;
}

// Bits of state from the beginning of a byte on, in 32 bits of memory; 0: bits of the last byte are
// state behind them.
static uint32_t word_bits(const transition_t *t, uint8_t *const *state, uint32_t object,
                          uint32_t bit) {
  const uint64_t size = t->created.memory.objects[object].size * ByteBits;
  uint32_t bits = 0;
  while (bit + bits < size && is_state(state, object, bit + bits)) {
    bits++;
    if ((bit + bits) % WordBits == 0) {
      break;
    }
  }
  for (uint32_t b = bits; b % ByteBits; b++) {
    if (is_state(state, object, bit + b)) {
      return 0;
    }
  }
  return bits;
}

// How many bits up to the end of a word's last byte were what the one before them was.
static uint32_t sign_bits(const watch_t *w, uint32_t first, uint32_t bits) {
  uint32_t same = 0;
  while (same + 1 < bits && memcmp(past(w, first + bits - 1), past(w, first + bits - 2 - same),
                                   Cycles * sizeof(word64_t)) == 0) {
    same++;
  }
  return bits % ByteBits ? 0 : same;
}

static uint32_t seen_values(const watch_t *w, uint32_t first, uint32_t bits) {
  uint32_t seen = 0;
  for (uint32_t c = 0; c < Cycles; c++) {
    for (uint32_t lane = 0; lane < LanesRuns; lane++) {
      uint32_t value = 0;
      for (uint32_t b = 0; b < bits; b++) {
        value |= (uint32_t)(past(w, first + b)[c] >> lane & 1) << b;
      }
      seen |= UINT32_C(1) << value;
    }
  }
  return seen;
}

static void add_range(transition_t *t, const watch_t *w, uint32_t first, uint32_t bits) {
  const state_bit_t *s = &t->state[first];
  range_t r = {s->object, s->bit, bits, 0, sign_bits(w, first, bits)};
  r.bits -= r.sign;
  // Above what runs filled nothing is known.
  if (r.bits > MostRangeBits || was_zero(w, first + bits - 1)) {
    return;
  }
  uint32_t seen = seen_values(w, first, r.bits);
  if (r.sign) {
    seen &= ~(UINT32_C(1) << ((1u << r.bits) - 1));
  }
  r.most = seen ? 31 - (uint32_t)__builtin_clz(seen) : 0;
  if ((seen & (seen + 1)) == 0 && (r.sign || r.most + 1 < 1u << r.bits)) {
    t->ranges = fault_realloc(t->ranges, t->range_count + 1, sizeof *t->ranges);
    t->ranges[t->range_count++] = r;
  }
}

// Whether a clock leaves words in their ranges: from states of runs in which they have any value of
// these.
static void try_ranges(const watch_t *w, bool *is_left) {
  const transition_t *t = w->t;
  lanes_t lanes;
  lanes_create(&lanes, t, NULL, 0);
  for (uint32_t k = 0; k < t->range_count; k++) {
    const range_t *r = &t->ranges[k];
    const uint32_t first = variable_of(t, r->object, r->bit);
    for (uint32_t cycle = 0; cycle < Cycles && !is_left[k]; cycle += Cycles / Tries) {
      uint32_t value = (uint32_t)(rng_u64(&lanes.rng) % (r->most + 1));
      value = cycle % 2 ? value : r->most;
      set_states(&lanes, w, cycle);
      for (uint32_t b = 0; b < r->bits; b++) {
        lanes.value[t->state[first + b].variable / 2] = value >> b & 1 ? ~UINT64_C(0) : 0;
      }
      for (uint32_t b = 0; b < r->sign; b++) {
        lanes.value[t->state[first + r->bits + b].variable / 2] = 0;
      }
      lanes_try(&lanes);
      const uint32_t all = (1u << r->bits) - 1, most = r->most;
      for (uint32_t lane = 0; lane < LanesRuns; lane++) {
        uint32_t is = 0;
        for (uint32_t b = 0; b < r->bits; b++) {
          is |= (uint32_t)(lanes_after(&lanes, first + b, 0) >> lane & 1) << b;
        }
        is_left[k] |= is > most && !(r->sign && is == all);
      }
    }
  }
  lanes_destroy(&lanes);
}

// Bits that are a sign are no state.
static void drop_signs(transition_t *t) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < t->state_count; i++) {
    bool is_sign = false;
    for (uint32_t k = 0; k < t->range_count; k++) {
      const range_t *r = &t->ranges[k];
      const uint32_t from = r->bit + r->bits;
      is_sign |= t->state[i].object == r->object && t->state[i].bit >= from &&
                 t->state[i].bit < from + r->sign;
    }
    if (!is_sign) {
      t->state[kept++] = t->state[i];
    }
  }
  t->state_count = kept;
}

static void find_ranges(transition_t *t, uint8_t *const *state) {
  watch_t w;
  watch(&w, t);
  for (uint32_t o = 1; o < t->created.memory.count; o++) {
    const uint64_t size = t->created.memory.objects[o].size * ByteBits;
    for (uint32_t b = 0, bits; transition_lasts(t, o) && b < size;
         b += ByteBits * (1 + (bits ? bits - 1 : 0) / ByteBits)) {
      bits = word_bits(t, state, o, b);
      if (bits > 1) {
        add_range(t, &w, variable_of(t, o, b), bits);
      }
    }
  }
  bool *is_left = fault_calloc(t->range_count + 1, sizeof *is_left);
  uint32_t kept = 0;
  try_ranges(&w, is_left);
  for (uint32_t k = 0; k < t->range_count; k++) {
    if (!is_left[k]) {
      t->ranges[kept++] = t->ranges[k];
    }
  }
  t->range_count = kept;
  free(is_left);
  free(w.past);
  drop_signs(t);
}

static void find_widths(transition_t *t) {
  uint8_t **state = fault_calloc(t->created.memory.count, sizeof *state);
  uint32_t added = 1;
  for (uint32_t o = 1; o < t->created.memory.count; o++) {
    state[o] = fault_calloc(t->created.memory.objects[o].size + 1, 1);
  }
  uint32_t named;
  const width_t *widths = bitcode_widths(t->program, &named);
  for (uint32_t i = 0; i < named; i++) {
    for (uint32_t b = 0; b < widths[i].bits; b++) {
      add_state(t, state, widths[i].object, widths[i].bit + b);
    }
  }
  for (uint32_t round = 0; added; round++) {
    if (round == MostRounds) {
      fault(FaultUsage, "the golden model's state still grows after %d rounds", MostRounds);
    }
    transition_moments(t);
    changes_t changes = find_changes(t, state);
    added = add_seen(t, state, &changes);
    free(changes.list);
  }
  transition_sort(t);
  add_unfilled(t, state);
  transition_sort(t);
  find_ranges(t, state);
  t->has_widths = true;
  transition_moments(t);
  for (uint32_t o = 1; o < t->created.memory.count; o++) {
    free(state[o]);
  }
  free(state);
}

// A proof's base begins with what was made, which nothing narrows.
static void check_ranges(const transition_t *t) {
  for (uint32_t i = 0; i < t->range_count; i++) {
    if (!transition_begins_in(t, &t->ranges[i])) {
      fault(FaultUsage, "found.widths: the golden model does not begin in range %u", i);
    }
  }
}

void widths_make(transition_t *t, const transition_options_t *o) {
  const bool is_read = o->is_again && widths_read(t, o->golden, o->all);
  if (!is_read && (!o->rtl || o->is_checker)) {
    fault(FaultUsage, "%s: no found.widths beside it, which a proof writes", o->golden);
  }
  for (uint32_t i = 0; i < o->run_count && !is_read; i++) {
    transition_reel(t, o->runs[i], o->all);
  }
  if (!is_read) {
    find_widths(t);
  }
  check_ranges(t);
}
