// SPDX-License-Identifier: Apache-2.0
#include "stray.h"

#include <stdlib.h>
#include <string.h>

#include "fault.h"

enum {
  FewRegisters = 4,
  MostFacts = 80000,
  MostTurns = 200,
  LateConditions = 128,  // for what comes to differ though no run showed it
  LeastNear = 4,         // rarity of the first values near an answer
};

// The register is not so in the unit and in the flawed unit under a condition, one of `whiles`; or
// no bit of its word differs then.
typedef struct {
  uint32_t latch, at;
  bool unit, flawed, is_word, is_dropped;
} fact_t;

// Registers of the two at a point, and conditions, of the unit's. differ: by register, the first of
// a word's: that a bit of the word differs; made where it is needed.
typedef struct {
  lit_t *unit, *flawed, *whiles, *differ;
} pair_t;

typedef struct {
  const seen_t *seen;
  twin_t *twin;
  const transition_t *t;
  aiger_t rtl;       // flawed
  bool *differs;     // by register: may at all
  uint32_t *word;    // by register: the first of its word
  bool *reads_free;  // by condition: a register that relation and invariant say nothing of
  fact_t *facts;
  uint32_t count;
  bool is_lost;  // some guess is too far from right
  bool is_new;   // what must hold after a first reset, or what may differ
  lit_t *any;    // room for what may be broken
  pair_t before, base, reset, step;
} stray_t;

// Guesses: of many registers only that they are the same under a condition that is one node. What
// reads a free register is no condition: a state may have any there.
static void guess(stray_t *w, const changes_t *c) {
  const bool is_few = c->count <= FewRegisters;
  for (uint32_t k = 0; k < c->count; k++) {
    const uint32_t latch = c->latches[k];
    w->differs[latch] = !w->twin->is_free[latch];
    for (uint32_t i = 0; w->differs[latch] && i < w->seen->count; i++) {
      const bool is_one = w->seen->whiles[i].b == 1;
      for (uint32_t v = 0; v < 4 && (is_few || is_one) && !w->reads_free[i]; v++) {
        const bool is_wanted = is_few || v / 2 != v % 2;
        if (is_wanted && !seen_was(c, k, v / 2, v % 2, i) && w->count < MostFacts) {
          w->facts[w->count++] = (fact_t){latch, i, v / 2, v % 2, false, false};
        }
      }
    }
  }
}

static lit_t differ(const stray_t *w, const pair_t *at, uint32_t r) {
  return aig_xor(w->t->aig, at->unit[r], at->flawed[r]);
}

static lit_t is_so(const stray_t *w, const fact_t *f, const pair_t *at) {
  return f->is_word
             ? at->differ[f->latch]
             : aig_and(w->t->aig, at->unit[f->latch] ^ !f->unit, at->flawed[f->latch] ^ !f->flawed);
}

static bool must_equal(const stray_t *w, uint32_t r) {
  return !w->differs[r] && !w->twin->is_free[r];
}

static void find_differ(const stray_t *w, const pair_t *at) {
  aig_t *aig = w->t->aig;
  memset(at->differ, 0, w->t->rtl.latches * sizeof *at->differ);
  for (uint32_t r = 0; r < w->t->rtl.latches; r++) {
    lit_t *any = &at->differ[w->word[r]];
    *any = w->differs[r] ? aig_or(aig, *any, differ(w, at, r)) : *any;
  }
}

// That what is guessed is wrong at a point.
static lit_t any_broken(const stray_t *w, const pair_t *at) {
  aig_t *aig = w->t->aig;
  uint32_t count = 0;
  find_differ(w, at);
  for (uint32_t r = 0; r < w->t->rtl.latches; r++) {
    w->any[count++] = must_equal(w, r) ? differ(w, at, r) : AigFalse;
  }
  for (uint32_t k = 0; k < w->count; k++) {
    const fact_t *f = &w->facts[k];
    w->any[count++] = f->is_dropped ? AigFalse : aig_and(aig, at->whiles[f->at], is_so(w, f, at));
  }
  return aig_or_all(aig, w->any, count);
}

// A register that comes to differ though no run showed it, with its word, is still guessed to be
// the same under conditions that no reset leaves true. One that a reset clears decides too much for
// the guesses to be right.
static void let_differ(stray_t *w, uint32_t r) {
  const uint32_t word = w->word[r];
  w->is_new = true;
  w->is_lost |= w->base.unit[r] == AigFalse || w->base.unit[r] == AigTrue;
  for (uint32_t k = word; k < w->t->rtl.latches; k++) {
    w->differs[k] |= w->word[k] == word && !w->twin->is_free[k];
  }
  for (uint32_t i = 0, taken = 0; taken < LateConditions && i < w->seen->count; i++) {
    if (w->base.whiles[i] == AigFalse && !w->reads_free[i] && w->count < MostFacts) {
      w->facts[w->count++] = (fact_t){word, i, false, false, true, false};
      taken++;
    }
  }
}

static uint64_t differ_in(const stray_t *w, const uint64_t *word, const pair_t *at, uint32_t r) {
  return w->twin->is_free[r] ? 0 : aig_word(word, at->unit[r]) ^ aig_word(word, at->flawed[r]);
}

// Drops what these values break, in the lanes that count.
static void drop(stray_t *w, const uint64_t *word, uint64_t lanes, const pair_t *at) {
  const uint32_t n = w->t->rtl.latches;
  uint64_t *differ = fault_calloc(n + 1, sizeof *differ);
  for (uint32_t r = 0; r < n; r++) {
    if (must_equal(w, r) && differ_in(w, word, at, r) & lanes) {
      let_differ(w, r);
    }
    differ[w->word[r]] |= differ_in(w, word, at, r);
  }
  for (uint32_t k = 0; k < w->count; k++) {
    fact_t *f = &w->facts[k];
    const uint64_t so = f->is_word ? differ[f->latch]
                                   : aig_word(word, at->unit[f->latch] ^ !f->unit) &
                                         aig_word(word, at->flawed[f->latch] ^ !f->flawed);
    f->is_dropped |= (aig_word(word, at->whiles[f->at]) & so & lanes) != 0;
  }
  free(differ);
}

// The flawed unit, its registers variables of their own where they may differ.
static void build(stray_t *w) {
  const transition_t *t = w->t;
  for (uint32_t r = 0; r < t->rtl.latches; r++) {
    if (w->differs[r] && w->before.flawed[r] == w->before.unit[r]) {
      w->before.flawed[r] = aig_variable(t->aig);
    }
  }
  twin_apply(w->twin, &w->rtl, TwinStep, w->before.flawed, w->step.flawed);
  twin_apply(w->twin, &w->rtl, TwinReset, w->before.flawed, w->reset.flawed);
}

// Asks for something broken at a point, until what is left of the guesses holds there. What values
// near those of an answer break is dropped with it.
static cnf_result_e settle(stray_t *w, cnf_t *cnf, lit_t given, const pair_t *at,
                           uint32_t conflicts, bool *changed) {
  const transition_t *t = w->t;
  uint8_t *value;
  const lit_t question = aig_and(t->aig, given, any_broken(w, at));
  const cnf_result_e said = twin_solve(t, cnf, question, conflicts, &value);
  if (said == CnfSatisfiable) {
    uint64_t *word = fault_calloc(aig_count(t->aig), sizeof *word);
    const lit_t assumed = cnf == w->twin->given ? w->twin->proof->assumed : AigTrue;
    for (uint32_t n = 0; n < aig_count(t->aig); n++) {
      word[n] = value[n];
    }
    drop(w, word, 1, at);
    for (uint32_t rarity = LeastNear; rarity > 0; rarity--) {
      twin_near(t, value, rarity, word);
      drop(w, word, aig_word(word, given) & aig_word(word, assumed), at);
    }
    free(word);
    *changed = true;
  }
  free(value);
  return said;
}

// After the first reset, a later one and a clock.
static cnf_result_e ask_outputs(stray_t *w, lit_t assumed, uint32_t conflicts) {
  const transition_t *t = w->t;
  const lit_t first = twin_differs(w->twin, &w->rtl, TwinBase, w->base.flawed);
  const lit_t step =
      aig_and(t->aig, t->stepped.legal, twin_differs(w->twin, &w->rtl, TwinStep, w->step.flawed));
  const lit_t reset = twin_differs(w->twin, &w->rtl, TwinReset, w->reset.flawed);
  uint8_t *value;
  cnf_result_e said = twin_solve(t, w->twin->anything, first, conflicts, &value);
  free(value);
  if (said == CnfUnsatisfiable) {
    said = twin_solve(t, w->twin->given, aig_and(t->aig, assumed, aig_or(t->aig, step, reset)),
                      conflicts, &value);
    free(value);
  }
  return said;
}

static cnf_result_e search(stray_t *w, uint32_t conflicts) {
  const transition_t *t = w->t;
  for (uint32_t turn = 0; turn < MostTurns && !w->is_lost; turn++) {
    bool changed = false;
    cnf_result_e said = CnfUnsatisfiable;
    if (w->is_new) {
      said = settle(w, w->twin->anything, AigTrue, &w->base, conflicts, &changed);
      w->is_new = said != CnfUnsatisfiable;
      build(w);
    }
    if (said == CnfUnsatisfiable) {
      const lit_t assumed = aig_not(any_broken(w, &w->before));
      said = settle(w, w->twin->given, assumed, &w->reset, conflicts, &changed);
      if (said == CnfUnsatisfiable) {
        said = settle(w, w->twin->given, aig_and(t->aig, assumed, t->stepped.legal), &w->step,
                      conflicts, &changed);
      }
      if (said == CnfUnsatisfiable) {
        return ask_outputs(w, assumed, conflicts);
      }
    }
    if (!changed) {
      return said;
    }
  }
  return CnfUnknown;
}

static lit_t *lits(uint32_t count) { return fault_calloc(count + 1, sizeof(lit_t)); }

cnf_result_e stray_ask(const seen_t *seen, uint32_t number, twin_t *twin, const flaw_t *flaw,
                       uint32_t conflicts) {
  const transition_t *t = twin->proof->t;
  const uint32_t n = t->rtl.latches;
  stray_t w = {.seen = seen,
               .twin = twin,
               .t = t,
               .rtl = t->rtl,
               .differs = fault_calloc(n + 1, sizeof(bool)),
               .facts = fault_calloc(MostFacts, sizeof(fact_t)),
               .word = fault_calloc(n + 1, sizeof(uint32_t)),
               .reads_free = seen_depends(seen, twin->is_free),
               .is_new = true,
               .any = lits(n + MostFacts)};
  pair_t *const points[] = {&w.base, &w.reset, &w.step, &w.before};
  for (uint32_t k = 0; k < 4; k++) {
    lit_t *unit = k < TwinMoments ? twin->unit[k].next : twin->proof->latches;
    *points[k] = (pair_t){unit, lits(n), seen_whiles(seen, t->aig, unit), lits(n)};
  }
  crowd_t crowd;
  crowd_create(&crowd, &t->rtl, t->aig, flaw, 1);
  w.rtl.crowd = &crowd;
  memcpy(w.before.flawed, w.before.unit, n * sizeof(lit_t));
  twin_apply(twin, &w.rtl, TwinBase, t->latches, w.base.flawed);
  aiger_words(&t->rtl, w.word);
  guess(&w, &seen->flaws[number]);
  const cnf_result_e said = search(&w, conflicts);
  free(w.differs);
  free(w.facts);
  free(w.word);
  free(w.reads_free);
  free(w.any);
  for (uint32_t k = 0; k < 4; k++) {
    free(points[k]->flawed);
    free(points[k]->whiles);
    free(points[k]->differ);
  }
  crowd_destroy(&crowd);
  return said;
}
