// SPDX-License-Identifier: Apache-2.0
#include "loose.h"

#include <stdlib.h>
#include <string.h>

#include "fault.h"

enum {
  Rounds = 2,  // of conditions that are settled
  MostTurns = 1000,
  TellTurns = 50,
  FreshTurns = 10,   // of one solver
  LeastStates = 32,  // in which a condition holds that is taken for what the solver comes up with
  NearRarity = 8,    // of states like one that the solver came up with
};

// The two units' registers at a point, and the conditions, of the unit's. broken: by register, that
// it differs where it may not.
typedef struct {
  const lit_t *unit;
  lit_t *other, *whiles, *broken;
} point_t;

typedef struct {
  const loose_t *l;
  const transition_t *t;
  aiger_t rtl;       // of the other unit
  lit_t *variables;  // by register: what it may be instead; AigFalse: not made yet
  point_t before, base, reset, step;
  lit_t lost;  // something differs in which no condition after the clock lets it
} pair_t;

static lit_t is_allowed(const pair_t *p, const point_t *at, uint32_t word) {
  lit_t allowed = AigFalse;
  for (uint32_t i = 0; i < p->l->conditions[word].count; i++) {
    allowed = aig_or(p->t->aig, allowed, at->whiles[p->l->conditions[word].list[i]]);
  }
  return allowed;
}

static lit_t is_broken(const pair_t *p, const point_t *at) {
  aig_t *aig = p->t->aig;
  const uint32_t n = p->t->rtl.latches;
  lit_t *allowed = fault_calloc(n + 1, sizeof *allowed);
  for (uint32_t r = 0; r < n; r++) {
    const uint32_t word = p->l->word[r];
    allowed[r] = word == r ? is_allowed(p, at, r) : allowed[word];
    const lit_t differs = aig_xor(aig, at->unit[r], at->other[r]);
    at->broken[r] = p->l->twin->is_free[r] ? AigFalse : aig_and(aig, differs, aig_not(allowed[r]));
  }
  free(allowed);
  return aig_or_all(aig, at->broken, n);
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
  point_t *const points[] = {&p->base, &p->reset, &p->step, &p->before};
  for (uint32_t k = 0; k < 4; k++) {
    const lit_t *unit = k < TwinMoments ? l->twin->unit[k].next : l->twin->proof->latches;
    *points[k] = (point_t){unit, fault_calloc(n + 1, sizeof(lit_t)),
                           seen_whiles(&l->seen, t->aig, unit), fault_calloc(n + 1, sizeof(lit_t))};
  }
}

static void pair_destroy(pair_t *p) {
  point_t *const points[] = {&p->base, &p->reset, &p->step, &p->before};
  for (uint32_t k = 0; k < 4; k++) {
    free(points[k]->other);
    free(points[k]->whiles);
    free(points[k]->broken);
  }
  free(p->variables);
}

static lit_t shown(const pair_t *p, twin_moment_e moment, const point_t *at) {
  return twin_differs(p->l->twin, &p->rtl, moment, at->other);
}

// After a first reset, and after a later one or a clock.
static lit_t ask_base(pair_t *p) {
  twin_apply(p->l->twin, &p->rtl, TwinBase, p->t->latches, p->base.other);
  return aig_or(p->t->aig, is_broken(p, &p->base), shown(p, TwinBase, &p->base));
}

static lit_t ask_next(pair_t *p) {
  aig_t *aig = p->t->aig;
  let_differ(p);
  twin_apply(p->l->twin, &p->rtl, TwinReset, p->before.other, p->reset.other);
  twin_apply(p->l->twin, &p->rtl, TwinStep, p->before.other, p->step.other);
  p->lost = aig_or(aig, is_broken(p, &p->reset), shown(p, TwinReset, &p->reset));
  p->lost = aig_or(aig, p->lost, aig_and(aig, p->t->stepped.legal, shown(p, TwinStep, &p->step)));
  return aig_or(aig, p->lost, aig_and(aig, p->t->stepped.legal, is_broken(p, &p->step)));
}

// Leaves a word the conditions that are guesses still. Returns true if some are not.
static bool prune(const guesses_t *g, uint32_t word) {
  conditions_t *c = &g->conditions[word];
  const uint32_t before = c->count;
  c->count = 0;
  for (uint32_t k = 0; k < before; k++) {
    if (guesses_has(g, word, c->list[k])) {
      c->list[c->count++] = c->list[k];
    }
  }
  return c->count < before;
}

// Drops the conditions of a word that hold in these values, taken or not.
static void drop(guesses_t *g, const pair_t *p, uint32_t word, const uint8_t *value) {
  for (uint32_t i = 0; i < g->seen->count; i++) {
    if (aig_value(value, p->before.whiles[i])) {
      guesses_drop(g, word, i);
    }
  }
  prune(g, word);
}

// Shows the state of these values to the guesses, and states like it that the proof allows: there
// a word is looked at alone. Returns true if some condition is none for that.
static bool show(guesses_t *g, const pair_t *p, const uint8_t *value) {
  static const uint32_t Rarities[] = {TwinSame, NearRarity};
  uint64_t *word = fault_calloc(aig_count(p->t->aig), sizeof *word);
  bool any = false;
  for (uint32_t round = 0; round < 2; round++) {
    twin_near(p->t, value, Rarities[round], word);
    const uint64_t lanes =
        aig_word(word, p->l->twin->proof->assumed) & aig_word(word, p->t->stepped.legal);
    guesses_see(g, word, p->t->in, p->before.unit, lanes);
  }
  free(word);
  for (uint32_t w = 0; w < p->t->rtl.latches; w++) {
    any |= prune(g, w);
  }
  return any;
}

// The guess that lets a word differ at a point, in these values, and does so in most recorded
// states; or none.
static bool find_guess(const guesses_t *g, const point_t *at, uint32_t word, const uint8_t *value,
                       uint32_t *found) {
  uint32_t most = 0;
  for (uint32_t i = 0; i < g->seen->count; i++) {
    if (guesses_has(g, word, i) && aig_value(value, at->whiles[i])) {
      const uint32_t states = guesses_states(g, i);
      *found = states > most ? i : *found;
      most = states > most ? states : most;
    }
  }
  return most >= LeastStates && g->conditions[word].count < GuessesMost;
}

static bool is_broken_in(const pair_t *p, uint32_t word, const uint8_t *value) {
  bool is = false;
  for (uint32_t r = word; r < p->t->rtl.latches; r++) {
    is |= p->l->word[r] == word && aig_value(value, p->step.broken[r]);
  }
  return is;
}

// Takes a guess for each word that is broken after the clock, if there is one for each, and nothing
// else is.
static bool take_more(guesses_t *g, const pair_t *p, const uint8_t *value) {
  const uint32_t n = p->t->rtl.latches;
  bool can = !aig_value(value, p->lost);
  uint32_t guess = 0;
  for (uint32_t w = 0; w < n && can; w++) {
    can = !is_broken_in(p, w, value) || find_guess(g, &p->step, w, value, &guess);
  }
  for (uint32_t w = 0; w < n && can; w++) {
    if (is_broken_in(p, w, value) && find_guess(g, &p->step, w, value, &guess)) {
      g->conditions[w].list[g->conditions[w].count++] = guess;
    }
  }
  return can;
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

// A solver that knows what the twin's does, and nothing of questions that are past.
static cnf_t *fresh(const pair_t *p, cnf_t *old) {
  uint32_t count;
  const lit_t *required = cnf_required(p->l->twin->given, &count);
  cnf_destroy(old);
  cnf_t *cnf = cnf_create(p->t->aig);
  for (uint32_t i = 0; i < count; i++) {
    cnf_require(cnf, required[i]);
  }
  return cnf;
}

// Until the solver finds nothing against the conditions that are taken. Returns false where that
// takes too many conflicts or turns.
static bool settle(const loose_t *l, guesses_t *g, uint32_t conflicts, uint32_t *turns,
                   loose_tell_t *tell, void *context) {
  pair_t p;
  pair_create(&p, l, NULL);
  uint32_t *words = fault_calloc(p.t->rtl.latches + 1, sizeof *words);
  cnf_result_e said = CnfSatisfiable;
  cnf_t *cnf = NULL;
  for (; *turns > 0 && said == CnfSatisfiable; --*turns) {
    uint8_t *value;
    uint32_t count = 0;
    const lit_t broken = ask_next(&p);
    cnf = *turns % FreshTurns && cnf ? cnf : fresh(&p, cnf);
    said = twin_solve(p.t, cnf, broken, conflicts, &value);
    if (said == CnfSatisfiable && !show(g, &p, value) && !take_more(g, &p, value)) {
      for (uint32_t w = 0; w < p.t->rtl.latches; w++) {
        if (l->conditions[w].count && differs_in(&p, w, value)) {
          words[count++] = w;
        }
      }
      count = blame(&p, value, broken, words, count);
    }
    for (uint32_t k = 0; k < count; k++) {
      drop(g, &p, words[k], value);
    }
    free(value);
    const uint32_t asked = MostTurns - *turns + 1;
    if (asked % TellTurns == 0) {
      tell(context, loose_count(l), asked);
    }
  }
  free(words);
  cnf_destroy(cnf);
  pair_destroy(&p);
  return said == CnfUnsatisfiable;
}

static uint32_t conditions_count(const loose_t *l) {
  uint32_t count = 0;
  for (uint32_t w = 0; w < l->twin->proof->t->rtl.latches; w++) {
    count += l->conditions[w].count;
  }
  return count;
}

// Conditions that are dropped make room for others. The last ones that are settled are kept.
void loose_create(loose_t *l, const facts_t *facts, uint32_t conflicts, loose_tell_t *tell,
                  void *context) {
  twin_t *twin = facts->twin;
  const uint32_t n = twin->proof->t->rtl.latches;
  *l = (loose_t){.twin = twin, .word = fault_calloc(n + 1, sizeof *l->word)};
  l->conditions = fault_calloc(n + 1, sizeof *l->conditions);
  conditions_t *settled = fault_calloc(n + 1, sizeof *settled);
  seen_create(&l->seen, &twin->proof->t->rtl, 0);
  aiger_words(&twin->proof->t->rtl, l->word);
  guesses_t g;
  guesses_create(&g, facts, &l->seen, l->word, l->conditions);
  uint32_t turns = MostTurns, count = 0;
  bool more = true;
  for (uint32_t i = 0; i < Rounds && more; i++) {
    more = guesses_take(&g) && settle(l, &g, conflicts, &turns, tell, context);
    if (more) {
      memcpy(settled, l->conditions, n * sizeof *settled);
      more = conditions_count(l) > count;
      count = conditions_count(l);
    }
  }
  free(l->conditions);
  l->conditions = settled;
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
