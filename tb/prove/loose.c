// SPDX-License-Identifier: Apache-2.0
#include "loose.h"

#include <stdlib.h>
#include <string.h>

#include "csim/base/rng.h"
#include "fault.h"

enum {
  Batches = 64,  // of 64 recorded states
  Passes = 6,    // over these, with other inputs each
  Rounds = 2,    // of conditions that are asked about
  MostTurns = 200,
};
static const uint64_t Seed = 1;

// ---- Guesses: 64 recorded states at once ----

// kept: by first register of a word, a bit for each condition that is left. holds: by batch and
// condition, the states before the clock in which it holds; holds_after: of one batch, after it.
// value, after: by node, before and after the clock; flipped: with another value of a word.
typedef struct {
  loose_t *l;
  const facts_t *facts;
  const aiger_t *a;
  uint32_t batches, words;
  uint64_t *kept, *holds, *holds_after;
  uint64_t *value, *after, *flipped, *flipped_after;
  rng_t rng;
} guesses_t;

static uint64_t literal(const uint64_t *value, uint32_t l) {
  return value[l / 2] ^ (l & 1 ? ~UINT64_C(0) : 0);
}

static void run(const aiger_t *a, uint64_t *value) {
  const uint32_t first = aiger_first_and(a);
  for (uint32_t k = 0; k < a->ands; k++) {
    value[first + k] = literal(value, a->operands[k][0]) & literal(value, a->operands[k][1]);
  }
}

static void clock(const aiger_t *a, const uint64_t *value, uint64_t *after) {
  memcpy(after, value, aiger_first_latch(a) * sizeof *after);
  for (uint32_t i = 0; i < a->latches; i++) {
    after[aiger_first_latch(a) + i] = literal(value, a->next[i]);
  }
  run(a, after);
}

static void look_at_conditions(const guesses_t *g, const uint64_t *value, uint64_t *holds) {
  for (uint32_t i = 0; i < g->l->seen.count; i++) {
    const while_t w = g->l->seen.whiles[i];
    holds[i] = literal(value, w.a) & literal(value, w.b);
  }
}

static bool is_kept(const guesses_t *g, uint32_t word, uint32_t i) {
  return g->kept[(size_t)word * g->words + i / 64] >> i % 64 & 1;
}

// The states in which a word may differ.
static uint64_t allowed(const guesses_t *g, uint32_t word, const uint64_t *holds) {
  uint64_t lanes = 0;
  for (uint32_t i = 0; i < g->l->seen.count && ~lanes; i++) {
    lanes |= is_kept(g, word, i) ? holds[i] : 0;
  }
  return lanes;
}

static void start_batch(guesses_t *g, uint32_t batch) {
  const aiger_t *a = g->a;
  const uint32_t most = FactsStates / 64, seen = g->facts->states / 64;
  const uint32_t from = (uint32_t)((uint64_t)batch * seen / g->batches);
  for (uint32_t i = 0; i < a->inputs; i++) {
    const uint32_t bit = a->input_bit[i];
    g->value[1 + i] = bit == AigerReset ? ~UINT64_C(0) : bit == AigerClock ? 0 : rng_u64(&g->rng);
  }
  for (uint32_t i = 0; i < a->latches; i++) {
    g->value[aiger_first_latch(a) + i] = g->facts->seen[(size_t)i * most + from];
  }
  run(a, g->value);
  clock(a, g->value, g->after);
  look_at_conditions(g, g->value, g->holds + (size_t)batch * g->l->seen.count);
  look_at_conditions(g, g->after, g->holds_after);
}

// The states in which it matters what a word is.
static uint64_t matters(guesses_t *g, uint32_t word, const uint64_t *may) {
  const aiger_t *a = g->a;
  const uint32_t first = aiger_first_latch(a);
  uint64_t lanes = 0;
  memcpy(g->flipped, g->value, aiger_first_and(a) * sizeof *g->flipped);
  for (uint32_t i = word; i < a->latches; i++) {
    g->flipped[first + i] ^= g->l->word[i] == word ? rng_u64(&g->rng) : 0;
  }
  run(a, g->flipped);
  clock(a, g->flipped, g->flipped_after);
  for (uint32_t i = 0; i < a->latches; i++) {
    const uint64_t differ =
        g->l->twin->is_free[i] ? 0 : g->flipped_after[first + i] ^ g->after[first + i];
    lanes |= differ & ~may[g->l->word[i]];
  }
  for (uint32_t i = 0; i < a->out_bits; i++) {
    const uint32_t out = a->output[a->output_of[i]];
    lanes |= literal(g->flipped_after, out) ^ literal(g->after, out);
  }
  return lanes;
}

static bool is_word(const loose_t *l, uint32_t latch) {
  return l->word[latch] == latch && !l->twin->is_free[latch];
}

static bool any_kept(const guesses_t *g, uint32_t word) {
  bool any = false;
  for (uint32_t i = 0; i < g->words; i++) {
    any |= g->kept[(size_t)word * g->words + i] != 0;
  }
  return any;
}

static bool pass(guesses_t *g) {
  const uint32_t count = g->l->seen.count;
  uint64_t *may = fault_calloc(g->a->latches + 1, sizeof *may);
  bool changed = false;
  for (uint32_t b = 0; b < g->batches; b++) {
    const uint64_t *holds = g->holds + (size_t)b * count;
    start_batch(g, b);
    for (uint32_t w = 0; w < g->a->latches; w++) {
      may[w] = is_word(g->l, w) ? allowed(g, w, g->holds_after) : 0;
    }
    for (uint32_t w = 0; w < g->a->latches; w++) {
      const uint64_t lanes = is_word(g->l, w) && any_kept(g, w) ? matters(g, w, may) : 0;
      for (uint32_t i = 0; i < count && lanes; i++) {
        if (is_kept(g, w, i) && holds[i] & lanes) {
          g->kept[(size_t)w * g->words + i / 64] &= ~(UINT64_C(1) << i % 64);
          changed = true;
        }
      }
    }
  }
  free(may);
  return changed;
}

// Takes the conditions that hold in most states in which none of those taken before does. Returns
// true if it takes any.
static bool choose(const guesses_t *g, uint32_t word) {
  const uint32_t count = g->l->seen.count;
  conditions_t *c = &g->l->conditions[word];
  uint64_t covered[Batches] = {0};
  const uint32_t before = c->count;
  for (uint32_t k = 0; k < c->count; k++) {
    for (uint32_t b = 0; b < g->batches; b++) {
      covered[b] |= g->holds[(size_t)b * count + c->list[k]];
    }
  }
  while (c->count < LooseConditions) {
    uint32_t best = 0, most = 0;
    for (uint32_t i = 0; i < count; i++) {
      uint32_t states = 0;
      for (uint32_t b = 0; b < g->batches && is_kept(g, word, i); b++) {
        states += (uint32_t)__builtin_popcountll(g->holds[(size_t)b * count + i] & ~covered[b]);
      }
      best = states > most ? i : best;
      most = states > most ? states : most;
    }
    if (!most) {
      break;
    }
    for (uint32_t b = 0; b < g->batches; b++) {
      covered[b] |= g->holds[(size_t)b * count + best];
    }
    c->list[c->count++] = best;
  }
  return c->count > before;
}

static void guesses_create(guesses_t *g, loose_t *l, const facts_t *facts) {
  const aiger_t *a = &l->twin->proof->t->rtl;
  const uint32_t nodes = aiger_first_and(a) + a->ands, seen = facts->states / 64;
  *g = (guesses_t){.l = l, .facts = facts, .a = a, .words = l->seen.count / 64 + 1};
  g->batches = seen < Batches ? seen : Batches;
  g->kept = fault_calloc((size_t)a->latches * g->words + 1, sizeof *g->kept);
  g->holds = fault_calloc((size_t)Batches * l->seen.count + 1, sizeof *g->holds);
  g->holds_after = fault_calloc(l->seen.count + 1, sizeof *g->holds_after);
  uint64_t **const values[] = {&g->value, &g->after, &g->flipped, &g->flipped_after};
  for (uint32_t i = 0; i < 4; i++) {
    *values[i] = fault_calloc(nodes, sizeof(uint64_t));
  }
  rng_seed(&g->rng, Seed);
  // A condition reads no free register: a state may have any value there.
  bool *reads_free = seen_depends(&l->seen, l->twin->is_free);
  for (uint32_t w = 0; w < a->latches; w++) {
    for (uint32_t i = 0; i < l->seen.count && is_word(l, w); i++) {
      g->kept[(size_t)w * g->words + i / 64] |= (uint64_t)!reads_free[i] << i % 64;
    }
  }
  free(reads_free);
}

static void guesses_destroy(guesses_t *g) {
  free(g->kept);
  free(g->holds);
  free(g->holds_after);
  free(g->value);
  free(g->after);
  free(g->flipped);
  free(g->flipped_after);
}

// Returns false if there is nothing new to guess.
static bool guess(guesses_t *g) {
  bool any = false;
  for (uint32_t w = 0; w < g->a->latches && g->batches; w++) {
    any |= is_word(g->l, w) && choose(g, w);
  }
  return any;
}

// ---- What of that the solver keeps ----

// The two units' registers at a point, and the conditions, of the unit's.
typedef struct {
  const lit_t *unit;
  lit_t *other, *whiles;
} point_t;

typedef struct {
  const loose_t *l;
  const transition_t *t;
  aiger_t rtl;       // of the other unit
  lit_t *variables;  // by register: what it may be instead; AigFalse: not made yet
  point_t before, base, reset, step;
  lit_t *any;
} pair_t;

static lit_t is_allowed(const pair_t *p, const point_t *at, uint32_t word) {
  lit_t allowed = AigFalse;
  for (uint32_t i = 0; i < p->l->conditions[word].count; i++) {
    allowed = aig_or(p->t->aig, allowed, at->whiles[p->l->conditions[word].list[i]]);
  }
  return allowed;
}

// That a register differs where it may not.
static lit_t is_broken(const pair_t *p, const point_t *at) {
  aig_t *aig = p->t->aig;
  const uint32_t n = p->t->rtl.latches;
  lit_t *allowed = fault_calloc(n + 1, sizeof *allowed);
  for (uint32_t r = 0; r < n; r++) {
    const uint32_t word = p->l->word[r];
    allowed[r] = word == r ? is_allowed(p, at, r) : allowed[word];
    p->any[r] = p->l->twin->is_free[r]
                    ? AigFalse
                    : aig_and(aig, aig_xor(aig, at->unit[r], at->other[r]), aig_not(allowed[r]));
  }
  free(allowed);
  return aig_or_all(aig, p->any, n);
}

// The other unit's registers before a clock: any value where they may differ.
static void let_differ(pair_t *p) {
  aig_t *aig = p->t->aig;
  for (uint32_t r = 0; r < p->t->rtl.latches; r++) {
    const lit_t allowed =
        p->l->twin->is_free[r] ? AigFalse : is_allowed(p, &p->before, p->l->word[r]);
    if (allowed != AigFalse && p->variables[r] == AigFalse) {
      p->variables[r] = aig_variable(aig);
    }
    p->before.other[r] = aig_mux(aig, allowed, p->variables[r], p->before.unit[r]);
  }
}

static void pair_create(pair_t *p, const loose_t *l, const crowd_t *crowd) {
  const transition_t *t = l->twin->proof->t;
  const uint32_t n = t->rtl.latches;
  *p = (pair_t){.l = l, .t = t, .rtl = t->rtl};
  p->rtl.crowd = crowd;
  p->variables = fault_calloc(n + 1, sizeof *p->variables);
  p->any = fault_calloc(n + 1, sizeof *p->any);
  point_t *const points[] = {&p->base, &p->reset, &p->step, &p->before};
  for (uint32_t k = 0; k < 4; k++) {
    const lit_t *unit = k < TwinMoments ? l->twin->unit[k].next : l->twin->proof->latches;
    *points[k] =
        (point_t){unit, fault_calloc(n + 1, sizeof(lit_t)), seen_whiles(&l->seen, t->aig, unit)};
  }
}

static void pair_destroy(pair_t *p) {
  point_t *const points[] = {&p->base, &p->reset, &p->step, &p->before};
  for (uint32_t k = 0; k < 4; k++) {
    free(points[k]->other);
    free(points[k]->whiles);
  }
  free(p->variables);
  free(p->any);
}

static lit_t differs(const pair_t *p, twin_moment_e moment, const point_t *at) {
  return aig_or(p->t->aig, is_broken(p, at), twin_differs(p->l->twin, &p->rtl, moment, at->other));
}

// After a first reset, and after a later one or a clock.
static lit_t ask_base(pair_t *p) {
  twin_apply(p->l->twin, &p->rtl, TwinBase, p->t->latches, p->base.other);
  return differs(p, TwinBase, &p->base);
}

static lit_t ask_next(pair_t *p) {
  aig_t *aig = p->t->aig;
  let_differ(p);
  twin_apply(p->l->twin, &p->rtl, TwinReset, p->before.other, p->reset.other);
  twin_apply(p->l->twin, &p->rtl, TwinStep, p->before.other, p->step.other);
  return aig_or(aig, differs(p, TwinReset, &p->reset),
                aig_and(aig, p->t->stepped.legal, differs(p, TwinStep, &p->step)));
}

// Drops the conditions of a word that hold in these values, taken or not.
static void drop(guesses_t *g, const pair_t *p, uint32_t word, const uint8_t *value) {
  conditions_t *c = &g->l->conditions[word];
  uint32_t left = 0;
  for (uint32_t i = 0; i < g->l->seen.count; i++) {
    if (aig_value(value, p->before.whiles[i])) {
      g->kept[(size_t)word * g->words + i / 64] &= ~(UINT64_C(1) << i % 64);
    }
  }
  for (uint32_t k = 0; k < c->count; k++) {
    if (is_kept(g, word, c->list[k])) {
      c->list[left++] = c->list[k];
    }
  }
  c->count = left;
}

static bool differs_in(const pair_t *p, uint32_t word, const uint8_t *value) {
  bool does = false;
  for (uint32_t r = word; r < p->t->rtl.latches; r++) {
    does |= p->l->word[r] == word &&
            aig_value(value, p->before.unit[r]) != aig_value(value, p->before.other[r]);
  }
  return does;
}

// Returns a bit for each of the words, which differ in these values, that breaks something alone;
// or together with all before it.
static uint64_t breaks(const pair_t *p, const uint8_t *value, lit_t broken, const uint32_t *words,
                       uint32_t count, bool is_alone) {
  const uint32_t nodes = aig_count(p->t->aig), n = p->t->rtl.latches;
  uint64_t *word = fault_calloc(nodes, sizeof *word), *keeps = fault_calloc(n + 1, sizeof *keeps);
  for (uint32_t i = 0; i < nodes; i++) {
    word[i] = value[i] ? ~UINT64_C(0) : 0;
  }
  for (uint32_t k = 0; k < count; k++) {
    keeps[words[k]] = is_alone ? UINT64_C(1) << k : ~UINT64_C(0) << k;
  }
  for (uint32_t r = 0; r < n; r++) {
    if (p->variables[r] != AigFalse) {
      const uint64_t kept = keeps[p->l->word[r]], unit = aig_value(value, p->before.unit[r]);
      word[p->variables[r] / 2] = (word[p->variables[r] / 2] & kept) | (unit ? ~kept : 0);
    }
  }
  products_evaluate_words(p->t->products, 0, word);
  const uint64_t lanes = aig_word(word, broken);
  free(word);
  free(keeps);
  return count < 64 ? lanes & ((UINT64_C(1) << count) - 1) : lanes;
}

// Leaves the words that break something alone, or the one that does together with those before it.
// Returns how many.
static uint32_t blame(const pair_t *p, const uint8_t *value, lit_t broken, uint32_t *words,
                      uint32_t count) {
  const uint32_t most = count < 64 ? count : 64;
  uint64_t lanes = breaks(p, value, broken, words, most, true);
  if (!lanes) {
    lanes = breaks(p, value, broken, words, most, false);
    lanes &= ~lanes + 1;
  }
  uint32_t found = 0;
  for (uint32_t k = 0; k < most; k++) {
    words[found] = words[k];
    found += lanes >> k & 1;
  }
  return found ? found : count;  // no: by products that no multiplication has, or many words
}

// Returns false where that takes too many conflicts or turns.
static bool settle(guesses_t *g, uint32_t conflicts) {
  const loose_t *l = g->l;
  pair_t p;
  pair_create(&p, l, NULL);
  uint32_t *words = fault_calloc(p.t->rtl.latches + 1, sizeof *words);
  cnf_result_e said = CnfSatisfiable;
  for (uint32_t turn = 0; turn < MostTurns && said == CnfSatisfiable; turn++) {
    uint8_t *value;
    uint32_t count = 0;
    const lit_t broken = ask_next(&p);
    said = twin_solve(p.t, l->twin->given, broken, conflicts, &value);
    for (uint32_t w = 0; w < p.t->rtl.latches && said == CnfSatisfiable; w++) {
      if (l->conditions[w].count && differs_in(&p, w, value)) {
        words[count++] = w;
      }
    }
    const uint32_t broke = count ? blame(&p, value, broken, words, count) : 0;
    for (uint32_t k = 0; k < broke; k++) {
      drop(g, &p, words[k], value);
    }
    free(value);
  }
  free(words);
  pair_destroy(&p);
  return said == CnfUnsatisfiable;
}

void loose_create(loose_t *l, const facts_t *facts, uint32_t conflicts) {
  twin_t *twin = facts->twin;
  const uint32_t n = twin->proof->t->rtl.latches;
  *l = (loose_t){.twin = twin, .word = fault_calloc(n + 1, sizeof *l->word)};
  l->conditions = fault_calloc(n + 1, sizeof *l->conditions);
  seen_create(&l->seen, &twin->proof->t->rtl, 0);
  aiger_words(&twin->proof->t->rtl, l->word);
  guesses_t g;
  guesses_create(&g, l, facts);
  for (uint32_t i = 0; i < Passes && pass(&g); i++) {
  }
  bool is_settled = true;
  for (uint32_t i = 0; i < Rounds && is_settled && guess(&g); i++) {
    is_settled = settle(&g, conflicts);
  }
  if (!is_settled) {
    memset(l->conditions, 0, n * sizeof *l->conditions);
  }
  guesses_destroy(&g);
}

void loose_destroy(loose_t *l) {
  seen_destroy(&l->seen);
  free(l->word);
  free(l->conditions);
}

uint32_t loose_count(const loose_t *l) {
  uint32_t count = 0;
  for (uint32_t w = 0; w < l->twin->proof->t->rtl.latches; w++) {
    count += l->conditions[w].count != 0;
  }
  return count;
}

bool loose_may(const loose_t *l, const bool *differs) {
  bool may = true;
  for (uint32_t r = 0; r < l->twin->proof->t->rtl.latches && may; r++) {
    may = !differs[r] || l->twin->is_free[r] || l->conditions[l->word[r]].count;
  }
  return may;
}

void loose_ask(const loose_t *l, const flaw_t *flaws, uint32_t count, uint32_t conflicts,
               cnf_result_e *said) {
  crowd_t crowd;
  pair_t p;
  crowd_create(&crowd, &l->twin->proof->t->rtl, l->twin->proof->t->aig, flaws, count);
  for (uint32_t i = 0; i < count; i++) {
    said[i] = CnfUnknown;
  }
  pair_create(&p, l, &crowd);
  const bool all =
      twin_solve_each(l->twin, l->twin->anything, &crowd, ask_base(&p), conflicts, said, NULL,
                      NULL) &&
      twin_solve_each(l->twin, l->twin->given, &crowd, ask_next(&p), conflicts, said, NULL, NULL);
  for (uint32_t i = 0; i < count; i++) {
    said[i] = all && said[i] == CnfUnknown ? CnfUnsatisfiable : said[i];
  }
  pair_destroy(&p);
  crowd_destroy(&crowd);
}
