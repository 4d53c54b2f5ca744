// SPDX-License-Identifier: Apache-2.0
#include "facts.h"

#include <stdlib.h>
#include <string.h>

#include "csim/base/rng.h"
#include "fault.h"

enum {
  Words = FactsStates / 64,
  MostOperands = 2000,  // guesses about operands
  MostGuesses = 3000,   // about these and registers
  MostTurns = 200,
  Conflicts = 4000,
  Resets = 2048,  // that are drawn, 64 at a time
};
static const uint64_t Seed = 1;

// AIGER's literals, never true together.
typedef struct {
  uint32_t a, b;
  bool is_dropped;
} guess_t;

typedef struct {
  guess_t *list;
  uint32_t count, left;  // left: that are not dropped
  lit_t *any;            // room for what may be broken
} guesses_t;

static bool is_true(const facts_t *f, uint32_t literal) {
  return f->value[literal / 2] != (literal & 1);
}

void facts_see(facts_t *f, const uint8_t *state) {
  const aiger_t *a = &f->twin->proof->t->rtl;
  const uint32_t s = f->states;
  if (s == FactsStates) {
    return;
  }
  for (uint32_t i = 0; i < a->latches; i++) {
    f->seen[(size_t)i * Words + s / 64] |= (uint64_t)state[i] << s % 64;
    f->value[aiger_first_latch(a) + i] = state[i];
  }
  for (uint32_t k = 0; k < a->ands; k++) {
    if (f->is_known[aiger_first_and(a) + k]) {
      const bool x = is_true(f, a->operands[k][0]), y = is_true(f, a->operands[k][1]);
      f->value[aiger_first_and(a) + k] = x && y;
      f->was[k] |= (uint8_t)(1u << (2 * x + y));
    }
  }
  f->states++;
}

// Any state may come before a first reset, with any inputs.
static void see_resets(facts_t *f) {
  const transition_t *t = f->twin->proof->t;
  const lit_t *next = f->twin->unit[TwinBase].next;
  uint64_t *word = fault_calloc(aig_count(t->aig), sizeof *word);
  uint8_t *state = fault_calloc(t->rtl.latches + 1, 1);
  rng_t rng;
  rng_seed(&rng, Seed);
  for (uint32_t round = 0; round < Resets / 64; round++) {
    for (uint32_t n = 1; n < aig_count(t->aig); n++) {
      word[n] = aig_is_variable(t->aig, n) ? rng_u64(&rng) : 0;
    }
    products_evaluate_words(t->products, 0, word);
    for (uint32_t lane = 0; lane < 64; lane++) {
      for (uint32_t i = 0; i < t->rtl.latches; i++) {
        state[i] = aig_word(word, next[i]) >> lane & 1;
      }
      facts_see(f, state);
    }
  }
  free(word);
  free(state);
}

void facts_create(facts_t *f, twin_t *twin) {
  const aiger_t *a = &twin->proof->t->rtl;
  const uint32_t nodes = aiger_first_and(a) + a->ands;
  *f = (facts_t){.twin = twin,
                 .seen = fault_calloc((size_t)(a->latches + 1) * Words, 8),
                 .is_known = fault_calloc(nodes, sizeof *f->is_known),
                 .value = fault_calloc(nodes, sizeof *f->value),
                 .was = fault_calloc(a->ands + 1, 1)};
  f->is_known[0] = true;
  for (uint32_t i = 0; i < a->latches; i++) {
    f->is_known[aiger_first_latch(a) + i] = !twin->is_free[i];
  }
  for (uint32_t k = 0; k < a->ands; k++) {
    f->is_known[aiger_first_and(a) + k] =
        f->is_known[a->operands[k][0] / 2] && f->is_known[a->operands[k][1] / 2];
  }
  see_resets(f);
}

void facts_destroy(facts_t *f) {
  free(f->seen);
  free(f->is_known);
  free(f->value);
  free(f->was);
}

static bool were_seen(const facts_t *f, uint32_t i, bool i_is, uint32_t j, bool j_is) {
  const uint64_t *a = f->seen + (size_t)i * Words, *b = f->seen + (size_t)j * Words;
  const uint64_t flip_a = i_is ? 0 : ~UINT64_C(0), flip_b = j_is ? 0 : ~UINT64_C(0);
  for (uint32_t w = 0; w < f->states / 64; w++) {
    if ((a[w] ^ flip_a) & (b[w] ^ flip_b)) {
      return true;
    }
  }
  return false;
}

static void add(guesses_t *g, uint32_t most, uint32_t a, uint32_t b) {
  if (g->count < most) {
    g->list[g->count++] = (guess_t){a, b, false};
  }
}

// The values that operands of a conjunction have in this state and in no recorded one.
static void guess_operands(const facts_t *f, const uint8_t *value, guesses_t *g) {
  const aiger_t *a = &f->twin->proof->t->rtl;
  const lit_t *nodes = f->twin->unit[TwinStep].nodes;
  for (uint32_t k = 0; k < a->ands; k++) {
    const uint32_t x = a->operands[k][0], y = a->operands[k][1];
    if (f->is_known[aiger_first_and(a) + k]) {
      const bool x_is = aig_value(value, nodes[x / 2]) != (x & 1);
      const bool y_is = aig_value(value, nodes[y / 2]) != (y & 1);
      if (!(f->was[k] >> (2 * x_is + y_is) & 1)) {
        add(g, MostOperands, x ^ !x_is, y ^ !y_is);
      }
    }
  }
}

// The pairs of bits of this state that no recorded state has; a bit alone is a pair with itself.
static void guess_registers(const facts_t *f, const uint8_t *value, guesses_t *g) {
  const proof_t *p = f->twin->proof;
  const uint32_t first = aiger_first_latch(&p->t->rtl);
  for (uint32_t i = 0; i < p->t->rtl.latches; i++) {
    for (uint32_t j = 0; j <= i && g->count < MostGuesses; j++) {
      const bool i_is = aig_value(value, p->latches[i]), j_is = aig_value(value, p->latches[j]);
      if (!f->twin->is_free[i] && !f->twin->is_free[j] && !were_seen(f, i, i_is, j, j_is)) {
        add(g, MostGuesses, 2 * (first + i) + !i_is, 2 * (first + j) + !j_is);
      }
    }
  }
}

static lit_t literal(const lit_t *nodes, uint32_t literal) {
  return nodes[literal / 2] ^ (literal & 1);
}

// That a guess is wrong, of these nodes.
static lit_t any_broken(aig_t *aig, const guesses_t *g, const lit_t *nodes) {
  for (uint32_t k = 0; k < g->count; k++) {
    const guess_t *one = &g->list[k];
    g->any[k] =
        one->is_dropped ? AigFalse : aig_and(aig, literal(nodes, one->a), literal(nodes, one->b));
  }
  return aig_or_all(aig, g->any, g->count);
}

// Drops the guesses that can be broken in these nodes when all that are left hold before, until
// none can. before: NULL, or the nodes then.
static void drop(const facts_t *f, guesses_t *g, cnf_t *cnf, const lit_t *before,
                 const lit_t *after) {
  const transition_t *t = f->twin->proof->t;
  for (uint32_t turn = 0; g->left; turn++) {
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
    if (said == CnfUnknown || turn == MostTurns) {
      g->left = 0;
    }
    for (uint32_t k = 0; k < g->count && g->left; k++) {
      guess_t *one = &g->list[k];
      const bool is_broken = !one->is_dropped && aig_value(value, literal(after, one->a)) &&
                             aig_value(value, literal(after, one->b));
      one->is_dropped |= is_broken;
      g->left -= is_broken;
    }
    free(value);
  }
}

bool facts_learn(facts_t *f, const uint8_t *value) {
  const twin_t *w = f->twin;
  const lit_t *before = w->unit[TwinStep].nodes;
  guesses_t g = {.list = fault_calloc(MostGuesses, sizeof *g.list),
                 .any = fault_calloc(MostGuesses, sizeof *g.any)};
  guess_operands(f, value, &g);
  guess_registers(f, value, &g);
  g.left = g.count;
  drop(f, &g, w->anything, NULL, w->unit[TwinBase].nodes_after);
  drop(f, &g, w->given, before, w->unit[TwinStep].nodes_after);
  for (uint32_t k = 0; k < g.count && g.left; k++) {
    const guess_t *one = &g.list[k];
    if (!one->is_dropped) {
      cnf_require(w->given, aig_not(aig_and(w->proof->t->aig, literal(before, one->a),
                                            literal(before, one->b))));
    }
  }
  f->count += g.left;
  free(g.list);
  free(g.any);
  return g.left > 0;
}
