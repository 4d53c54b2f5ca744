// SPDX-License-Identifier: Apache-2.0
#include "stray.h"

#include <stdlib.h>
#include <string.h>

#include "fault.h"

enum { FewRegisters = 4, MostFacts = 20000, MostTurns = 200 };

// The register is not so in the unit and in the flawed unit while these are 1.
typedef struct {
  uint32_t latch;
  bool unit, flawed;
  while_t at;
} fact_t;

// Registers of the two at a point.
typedef struct {
  lit_t *unit, *flawed;
} pair_t;

typedef struct {
  const seen_t *seen;
  twin_t *twin;
  const transition_t *t;
  aiger_t rtl;    // flawed
  bool *differs;  // by register: may at all
  fact_t *facts;
  uint32_t count;
  pair_t before, base, reset, step;
} stray_t;

// Guesses: of many registers only that they are the same while one other is as it is.
static void guess(stray_t *w, const changes_t *c) {
  const bool is_few = c->count <= FewRegisters;
  for (uint32_t k = 0; k < c->count; k++) {
    const uint32_t latch = c->latches[k];
    w->differs[latch] = !w->twin->is_free[latch];
    for (uint32_t i = 0; w->differs[latch] && i < w->seen->count; i++) {
      const while_t at = w->seen->whiles[i];
      for (uint32_t v = 0; v < 4 && (is_few || at.b == 1); v++) {
        const bool is_wanted = is_few || v / 2 != v % 2;
        if (is_wanted && !seen_was(c, k, v / 2, v % 2, i) && w->count < MostFacts) {
          w->facts[w->count++] = (fact_t){latch, v / 2, v % 2, at};
        }
      }
    }
  }
}

static lit_t differ(const stray_t *w, const pair_t *at, uint32_t r) {
  return aig_xor(w->t->aig, at->unit[r], at->flawed[r]);
}

static lit_t broken(const stray_t *w, const fact_t *f, const pair_t *at) {
  aig_t *aig = w->t->aig;
  return aig_and(aig, seen_while(w->seen, aig, f->at, at->unit),
                 aig_and(aig, at->unit[f->latch] ^ !f->unit, at->flawed[f->latch] ^ !f->flawed));
}

static bool must_equal(const stray_t *w, uint32_t r) {
  return !w->differs[r] && !w->twin->is_free[r];
}

// That what is guessed is wrong at a point.
static lit_t any_broken(const stray_t *w, const pair_t *at) {
  lit_t any = AigFalse;
  for (uint32_t r = 0; r < w->t->rtl.latches; r++) {
    any = must_equal(w, r) ? aig_or(w->t->aig, any, differ(w, at, r)) : any;
  }
  for (uint32_t k = 0; k < w->count; k++) {
    any = aig_or(w->t->aig, any, broken(w, &w->facts[k], at));
  }
  return any;
}

// Drops what these values break; a register that comes to differ is free to from here on.
static void drop(stray_t *w, const uint8_t *value, const pair_t *at) {
  uint32_t left = 0;
  for (uint32_t r = 0; r < w->t->rtl.latches; r++) {
    w->differs[r] = w->differs[r] || (must_equal(w, r) && aig_value(value, at->unit[r]) !=
                                                              aig_value(value, at->flawed[r]));
  }
  for (uint32_t k = 0; k < w->count; k++) {
    const fact_t *f = &w->facts[k];
    if (!seen_is(w->seen, value, f->at, at->unit) ||
        aig_value(value, at->unit[f->latch]) != f->unit ||
        aig_value(value, at->flawed[f->latch]) != f->flawed) {
      w->facts[left++] = *f;
    }
  }
  w->count = left;
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

// Asks for something broken at a point, until what is left of the guesses holds there.
static cnf_result_e settle(stray_t *w, cnf_t *cnf, lit_t given, const pair_t *at,
                           uint32_t conflicts, bool *changed) {
  uint8_t *value;
  const lit_t question = aig_and(w->t->aig, given, any_broken(w, at));
  const cnf_result_e said = twin_solve(w->t, cnf, question, conflicts, &value);
  if (said == CnfSatisfiable) {
    drop(w, value, at);
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
  for (uint32_t turn = 0; turn < MostTurns; turn++) {
    bool changed = false;
    cnf_result_e said = settle(w, w->twin->anything, AigTrue, &w->base, conflicts, &changed);
    if (said == CnfUnsatisfiable) {
      build(w);
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
               .before = {twin->proof->latches, lits(n)},
               .base = {twin->unit[TwinBase].next, lits(n)},
               .reset = {twin->unit[TwinReset].next, lits(n)},
               .step = {twin->unit[TwinStep].next, lits(n)}};
  crowd_t crowd;
  crowd_create(&crowd, &t->rtl, t->aig, flaw, 1);
  w.rtl.crowd = &crowd;
  memcpy(w.before.flawed, w.before.unit, n * sizeof(lit_t));
  twin_apply(twin, &w.rtl, TwinBase, t->latches, w.base.flawed);
  guess(&w, &seen->flaws[number]);
  const cnf_result_e said = search(&w, conflicts);
  free(w.differs);
  free(w.facts);
  free(w.before.flawed);
  free(w.base.flawed);
  free(w.reset.flawed);
  free(w.step.flawed);
  crowd_destroy(&crowd);
  return said;
}
