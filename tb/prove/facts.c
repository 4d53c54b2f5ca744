// SPDX-License-Identifier: Apache-2.0
#include "facts.h"

#include <stdlib.h>
#include <string.h>

#include "fault.h"

enum { Words = FactsStates / 64, MostGuesses = 1000, MostTurns = 40, Conflicts = 4000 };

// Registers i and j are never as the state has them.
typedef struct {
  uint32_t i, j;
  bool i_is, j_is;
} guess_t;

typedef struct {
  guess_t *list;
  uint32_t count;
} guesses_t;

void facts_create(facts_t *f, twin_t *twin) {
  const uint32_t latches = twin->proof->t->rtl.latches;
  *f = (facts_t){.twin = twin, .seen = fault_calloc((size_t)(latches + 1) * Words, 8)};
}

void facts_destroy(facts_t *f) { free(f->seen); }

void facts_see(facts_t *f, const uint8_t *state) {
  const uint32_t s = f->states;
  for (uint32_t i = 0; s < FactsStates && i < f->twin->proof->t->rtl.latches; i++) {
    f->seen[(size_t)i * Words + s / 64] |= (uint64_t)state[i] << s % 64;
  }
  f->states += s < FactsStates;
}

static bool was_seen(const facts_t *f, const guess_t *g) {
  const uint64_t *a = f->seen + (size_t)g->i * Words, *b = f->seen + (size_t)g->j * Words;
  const uint64_t flip_a = g->i_is ? 0 : ~UINT64_C(0), flip_b = g->j_is ? 0 : ~UINT64_C(0);
  for (uint32_t w = 0; w < f->states / 64; w++) {
    if ((a[w] ^ flip_a) & (b[w] ^ flip_b)) {
      return true;
    }
  }
  return false;
}

// The pairs of bits of this state that no recorded state has; a bit alone is a pair with itself.
static void guess(const facts_t *f, const uint8_t *value, guesses_t *guesses) {
  const proof_t *p = f->twin->proof;
  guesses->count = 0;
  for (uint32_t i = 0; i < p->t->rtl.latches; i++) {
    for (uint32_t j = 0; j <= i && guesses->count < MostGuesses; j++) {
      const guess_t g = {i, j, aig_value(value, p->latches[i]), aig_value(value, p->latches[j])};
      if (!f->twin->is_free[i] && !f->twin->is_free[j] && !was_seen(f, &g)) {
        guesses->list[guesses->count++] = g;
      }
    }
  }
}

// That a guess is wrong, of these registers.
static lit_t broken(aig_t *aig, const guess_t *g, const lit_t *latches) {
  return aig_and(aig, latches[g->i] ^ !g->i_is, latches[g->j] ^ !g->j_is);
}

static lit_t any_broken(aig_t *aig, const guesses_t *g, const lit_t *latches) {
  lit_t any = AigFalse;
  for (uint32_t k = 0; k < g->count; k++) {
    any = aig_or(aig, any, broken(aig, &g->list[k], latches));
  }
  return any;
}

// Drops the guesses that can be broken in these registers when all that are left hold before, until
// none can. before: NULL, or the registers then.
static void drop(const facts_t *f, guesses_t *g, cnf_t *cnf, const lit_t *before,
                 const lit_t *after) {
  const transition_t *t = f->twin->proof->t;
  uint32_t turn = 0;
  while (g->count) {
    lit_t question = any_broken(t->aig, g, after);
    if (before) {
      question = aig_and(t->aig, question, t->stepped.legal);
      question = aig_and(t->aig, question, aig_not(any_broken(t->aig, g, before)));
    }
    uint8_t *value = NULL;
    const cnf_result_e said = twin_solve(t, cnf, question, Conflicts, &value);
    if (said == CnfUnsatisfiable) {
      return;
    }
    if (said == CnfUnknown || ++turn == MostTurns) {
      g->count = 0;
      return;
    }
    uint32_t left = 0;
    for (uint32_t k = 0; k < g->count; k++) {
      const guess_t *one = &g->list[k];
      if (!(aig_value(value, after[one->i]) == one->i_is &&
            aig_value(value, after[one->j]) == one->j_is)) {
        g->list[left++] = *one;
      }
    }
    g->count = left;
    free(value);
  }
}

bool facts_learn(facts_t *f, const uint8_t *value) {
  twin_t *w = f->twin;
  guesses_t g = {.list = fault_calloc(MostGuesses, sizeof *g.list)};
  guess(f, value, &g);
  drop(f, &g, w->anything, NULL, w->unit[TwinBase].next);
  drop(f, &g, w->given, w->proof->latches, w->unit[TwinStep].next);
  for (uint32_t k = 0; k < g.count; k++) {
    cnf_require(w->given, aig_not(broken(w->proof->t->aig, &g.list[k], w->proof->latches)));
  }
  f->count += g.count;
  free(g.list);
  return g.count > 0;
}
