// SPDX-License-Identifier: Apache-2.0
#include "relation.h"

#include <stdlib.h>
#include <string.h>

#include "lanes.h"

enum {
  Cycles = 1000,
  FewRounds = 16,  // of 64 states each, which tell equal guesses apart
  Rounds = 256,    // where these do not
  Turns = 4,       // of choosing among
  FewGuesses = 8,
  MostProducts = 1000,  // bits of golden state, of which products are tried
};

typedef struct {
  transition_t *t;
  lanes_t lanes;
  word64_t *past;     // of golden state, then RTL registers, cycle after cycle
  uint32_t *by_past;  // bits of golden state, sorted by what they were
} find_t;

typedef struct {
  related_t *list;
  uint32_t count, room, chosen;
} guesses_t;

static const word64_t *past(const find_t *f, uint32_t state) {
  return f->past + (size_t)state * Cycles;
}

static word64_t flip(const word64_t *w) { return w[0] & 1 ? ~UINT64_C(0) : 0; }

// Compares what two were, but for an inversion of all.
static int compare(const word64_t *a, const word64_t *b) {
  const word64_t p = flip(a), q = flip(b);
  for (uint32_t c = 0; c < Cycles; c++) {
    if ((a[c] ^ p) != (b[c] ^ q)) {
      return (a[c] ^ p) < (b[c] ^ q) ? -1 : 1;
    }
  }
  return 0;
}

static int by_past(const void *a, const void *b, void *context) {
  const find_t *f = context;
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  const int order = compare(past(f, x), past(f, y));
  return order ? order : (x > y) - (x < y);
}

static bool is_constant(const word64_t *w) {
  for (uint32_t c = 0; c < Cycles; c++) {
    if (w[c] != flip(w)) {
      return false;
    }
  }
  return true;
}

static void run(find_t *f) {
  const transition_t *t = f->t;
  f->past = lanes_watch(&f->lanes, Cycles);
  f->by_past = fault_calloc(t->state_count, sizeof *f->by_past);
  for (uint32_t i = 0; i < t->state_count; i++) {
    f->by_past[i] = i;
  }
  qsort_r(f->by_past, t->state_count, sizeof *f->by_past, by_past, f);
}

// ---- Guesses ----

static void add(guesses_t *g, const related_t *one) {
  if (g->count == g->room) {
    g->room = g->room ? g->room * 2 : 4;
    g->list = fault_realloc(g->list, g->room, sizeof *g->list);
  }
  g->list[g->count++] = *one;
}

static void guess_equal(const find_t *f, const word64_t *was, uint32_t latch, guesses_t *g) {
  uint32_t low = 0, high = f->t->state_count;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (compare(past(f, f->by_past[middle]), was) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  for (; low < f->t->state_count && compare(past(f, f->by_past[low]), was) == 0; low++) {
    const uint32_t i = f->by_past[low];
    add(g, &(related_t){latch, {i}, 1, {flip(past(f, i)) == flip(was) ? 2 : 1}});
  }
  if (is_constant(was)) {
    add(g, &(related_t){latch, {0}, 0, {was[0] & 1}});
  }
}

// The bits of golden state from `first` on that follow each other in memory.
static uint32_t word_bits(const transition_t *t, uint32_t first) {
  uint32_t count = 1;
  while (first + count < t->state_count && count <= RelationMostBits &&
         t->state[first + count].object == t->state[first].object &&
         t->state[first + count].bit == t->state[first].bit + count &&
         t->state[first + count].bit % 8) {
    count++;
  }
  return count;
}

// True if the register was a function of the bits; then its table is set, 0 where nothing was seen.
static bool is_function(const find_t *f, const word64_t *was, related_t *r) {
  uint64_t seen[2][4] = {{0}};
  for (uint32_t c = 0; c < Cycles; c++) {
    for (uint32_t lane = 0; lane < LanesRuns; lane++) {
      uint32_t k = 0;
      for (uint32_t b = 0; b < r->count; b++) {
        k |= (uint32_t)(past(f, r->bits[b])[c] >> lane & 1) << b;
      }
      seen[was[c] >> lane & 1][k / 64] |= UINT64_C(1) << k % 64;
      if (seen[0][k / 64] & seen[1][k / 64]) {
        return false;
      }
    }
  }
  memcpy(r->table, seen[1], sizeof r->table);
  return true;
}

static void guess_function(const find_t *f, const word64_t *was, uint32_t latch, guesses_t *g) {
  const transition_t *t = f->t;
  for (uint32_t i = 0, bits; i < t->state_count; i += bits) {
    related_t r = {.latch = latch};
    bits = word_bits(t, i);
    for (uint32_t b = 0; b < bits && b < RelationMostBits; b++) {
      r.bits[r.count++] = i + b;
    }
    if (bits > 1 && bits <= RelationMostBits && is_function(f, was, &r)) {
      add(g, &r);
    }
  }
}

static bool is_product(const find_t *f, const word64_t *was, related_t *r, uint32_t inverted) {
  const word64_t *a = past(f, r->bits[0]), *b = past(f, r->bits[1]);
  const word64_t p = inverted & 1 ? ~UINT64_C(0) : 0, q = inverted & 2 ? ~UINT64_C(0) : 0;
  for (uint32_t c = 0; c < Cycles; c++) {
    if (((a[c] ^ p) & (b[c] ^ q)) != was[c]) {
      return false;
    }
  }
  r->table[0] = UINT64_C(1) << (3 ^ inverted);
  return true;
}

static void guess_product(const find_t *f, const word64_t *was, uint32_t latch, guesses_t *g) {
  const uint32_t most = f->t->state_count < MostProducts ? f->t->state_count : MostProducts;
  for (uint32_t i = 0; i < most; i++) {
    for (uint32_t k = 0; k < i; k++) {
      related_t r = {latch, {i, k}, 2, {0}};
      for (uint32_t inverted = 0; inverted < 4; inverted++) {
        if (is_product(f, was, &r, inverted)) {
          add(g, &r);
        }
      }
    }
  }
}

// ---- Which of those that no run tells apart ----

static word64_t value_of(const find_t *f, const related_t *r, bool after) {
  word64_t all = 0;
  for (uint32_t k = 0; k < 1u << r->count; k++) {
    word64_t is = r->table[k / 64] >> k % 64 & 1 ? ~UINT64_C(0) : 0;
    for (uint32_t b = 0; b < r->count && is; b++) {
      const word64_t w = after ? lanes_after(&f->lanes, r->bits[b], 0)
                               : lanes_get(&f->lanes, f->t->state[r->bits[b]].variable);
      is &= k >> b & 1 ? w : ~w;
    }
    all |= is;
  }
  return all;
}

static uint32_t differing(const find_t *f) {
  const layout_t *l = &f->lanes.layout;
  uint32_t all = 0;
  for (uint32_t i = 0; i < f->t->out_bits; i++) {
    const word64_t expected = lanes_after(&f->lanes, l->expected + i, 0);
    all += (uint32_t)__builtin_popcountll(expected ^ lanes_after(&f->lanes, l->actual + i, 0));
  }
  return all;
}

// In how many of 64 states a clock makes of a register what a guess does not say, where all
// registers before are as guessed; with outputs that differ. States of runs, but for what the
// guesses are of, and in every second round for some other bits.
static uint32_t wrong(find_t *f, const guesses_t *list, uint32_t count, uint32_t number,
                      uint32_t guess, uint32_t round) {
  const transition_t *t = f->t;
  rng_t *rng = &f->lanes.rng;
  const guesses_t *g = &list[number];
  rng_seed(rng, (uint64_t)number * Rounds + round);  // the same states for each guess
  const uint64_t cycle = rng_u64(rng) % Cycles;
  for (uint32_t i = 0; i < t->state_count; i++) {
    const word64_t changed = round % 2 ? rng_u64(rng) & rng_u64(rng) & rng_u64(rng) : 0;
    f->lanes.value[t->state[i].variable / 2] = past(f, i)[cycle] ^ changed;
  }
  for (uint32_t k = 0; k < g->count; k++) {
    for (uint32_t b = 0; b < g->list[k].count; b++) {
      f->lanes.value[t->state[g->list[k].bits[b]].variable / 2] = rng_u64(rng);
    }
  }
  for (uint32_t i = 0; i < count; i++) {
    const related_t *r = &list[i].list[i == number ? guess : list[i].chosen];
    f->lanes.value[t->latches[r->latch] / 2] = value_of(f, r, false);
  }
  lanes_try(&f->lanes);
  const word64_t is = lanes_after(&f->lanes, f->lanes.layout.latches + g->list->latch, 0);
  return (uint32_t)__builtin_popcountll(is ^ value_of(f, &g->list[guess], true)) + differing(f);
}

static uint32_t least_of(const uint32_t *sum, uint32_t count, bool *is_alone) {
  uint32_t least = 0;
  for (uint32_t k = 1; k < count; k++) {
    least = sum[k] < sum[least] ? k : least;
  }
  *is_alone = true;
  for (uint32_t k = 0; k < count; k++) {
    *is_alone &= k == least || sum[k] != sum[least];
  }
  return least;
}

static uint32_t best(find_t *f, const guesses_t *list, uint32_t count, uint32_t number) {
  uint32_t sum[FewGuesses] = {0}, least = 0;
  bool is_alone = false;
  for (uint32_t round = 0; round < Rounds && !(is_alone && round >= FewRounds); round++) {
    for (uint32_t k = 0; k < list[number].count; k++) {
      sum[k] += wrong(f, list, count, number, k, round);
    }
    least = least_of(sum, list[number].count, &is_alone);
  }
  return least;
}

// The next bit of a word, both in the RTL and in the golden model.
static bool is_next(const transition_t *t, const related_t *a, const related_t *b) {
  if (a->count != 1 || b->count != 1 || a->table[0] != b->table[0]) {
    return false;
  }
  const state_bit_t *x = &t->state[a->bits[0]], *y = &t->state[b->bits[0]];
  return x->object == y->object && x->bit + 1 == y->bit;
}

// Chooses what goes on from the register before or goes before the next one. False: there is none.
static bool choose_next(const transition_t *t, guesses_t *g, const guesses_t *other,
                        bool is_before) {
  const related_t *chosen = &other->list[other->chosen];
  for (uint32_t k = 0; k < g->count; k++) {
    if (is_before ? is_next(t, chosen, &g->list[k]) : is_next(t, &g->list[k], chosen)) {
      g->chosen = k;
      return true;
    }
  }
  return false;
}

// Where there are many guesses, mostly since nothing happened: that which goes on from a neighbour.
static void choose_many(const find_t *f, guesses_t *list, uint32_t count) {
  bool *known = fault_calloc(count + 1, sizeof *known);
  for (uint32_t i = 0; i < count; i++) {
    known[i] = list[i].count <= FewGuesses;
  }
  for (uint32_t i = 1; i < count; i++) {
    known[i] |= known[i - 1] && choose_next(f->t, &list[i], &list[i - 1], true);
  }
  for (uint32_t i = count; i-- > 1;) {
    known[i - 1] |= known[i] && choose_next(f->t, &list[i - 1], &list[i], false);
  }
  free(known);
}

// A clock from any state tells more of registers than runs do: of a few guesses that is chosen
// which is wrong the least often. One that is wrong makes others seem so, too; so all are chosen
// again. To begin with a constant, the last guess, or the first one.
static void choose(find_t *f, guesses_t *list, uint32_t count) {
  bool changes = true;
  for (uint32_t i = 0; i < count; i++) {
    list[i].chosen = list[i].list[list[i].count - 1].count ? 0 : list[i].count - 1;
  }
  for (uint32_t turn = 0; turn < Turns && changes; turn++) {
    changes = false;
    choose_many(f, list, count);
    for (uint32_t i = 0; i < count; i++) {
      guesses_t *g = &list[i];
      const uint32_t was = g->chosen;
      if (g->count > 1 && g->count <= FewGuesses) {
        g->chosen = best(f, list, count, i);
      }
      changes |= g->chosen != was;
    }
  }
  choose_many(f, list, count);
}

void relation_find(relation_t *r, transition_t *t, const bool *named) {
  find_t f = {.t = t};
  guesses_t *list = fault_calloc(t->rtl.latches + 1, sizeof *list);
  uint32_t count = 0;
  lanes_create(&f.lanes, t, NULL, 0);
  run(&f);
  for (uint32_t i = 0; i < t->rtl.latches; i++) {
    const word64_t *was = past(&f, t->state_count + i);
    guesses_t *g = &list[count];
    *g = (guesses_t){.count = 0};
    if (named[i]) {
      continue;
    }
    guess_equal(&f, was, i, g);
    if (!g->count) {
      guess_function(&f, was, i, g);
    }
    if (!g->count) {
      guess_product(&f, was, i, g);
    }
    count += g->count > 0;
  }
  choose(&f, list, count);
  *r = (relation_t){fault_calloc(count + 1, sizeof *r->list), count};
  for (uint32_t i = 0; i < count; i++) {
    r->list[i] = list[i].list[list[i].chosen];
    free(list[i].list);
  }
  free(list);
  free(f.past);
  free(f.by_past);
  lanes_destroy(&f.lanes);
}

void relation_destroy(relation_t *r) { free(r->list); }

// By the lowest bits, the rest being `from`.
static lit_t choose_by(const transition_t *t, const related_t *r, const memory_t *m, uint32_t bits,
                       uint32_t from) {
  if (bits == 0) {
    return (lit_t)(r->table[from / 64] >> from % 64 & 1);
  }
  const state_bit_t *s = &t->state[r->bits[bits - 1]];
  const lit_t is = m->objects[s->object].bits[s->bit];
  return aig_mux(t->aig, is, choose_by(t, r, m, bits - 1, from | 1u << (bits - 1)),
                 choose_by(t, r, m, bits - 1, from));
}

lit_t relation_lit(const transition_t *t, const related_t *r, const memory_t *m) {
  return choose_by(t, r, m, r->count, 0);
}
