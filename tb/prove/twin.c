// SPDX-License-Identifier: Apache-2.0
#include "twin.h"

#include <stdlib.h>
#include <string.h>

#include "csim/base/rng.h"
#include "fault.h"

static const uint64_t Seed = 1;

void twin_apply(const twin_t *w, const aiger_t *flawed, twin_moment_e moment, const lit_t *latches,
                lit_t *next) {
  const transition_t *t = w->proof->t;
  const twin_unit_t *u = &w->unit[moment];
  lit_t *nodes = aiger_nodes(flawed, t->aig, t->products, u->rst_ni, t->in, latches, u->nodes);
  aiger_ends(flawed, nodes, NULL, next);
  free(nodes);
}

lit_t twin_differs(const twin_t *w, const aiger_t *flawed, twin_moment_e moment,
                   const lit_t *registers) {
  const transition_t *t = w->proof->t;
  const twin_unit_t *u = &w->unit[moment];
  lit_t *nodes =
      aiger_nodes(flawed, t->aig, t->products, AigTrue, u->in_after, registers, u->nodes_after);
  lit_t *out = fault_calloc(t->out_bits + 1, sizeof *out), differs = AigFalse;
  aiger_ends(flawed, nodes, out, NULL);
  for (uint32_t i = 0; i < t->out_bits; i++) {
    differs = aig_or(t->aig, differs, aig_xor(t->aig, u->out[i], out[i]));
  }
  free(nodes);
  free(out);
  return differs;
}

static void create_unit(const proof_t *p, twin_moment_e moment, twin_unit_t *u) {
  const transition_t *t = p->t;
  *u = (twin_unit_t){.rst_ni = moment == TwinStep ? AigTrue : AigFalse,
                     .latches = moment == TwinBase ? t->latches : p->latches,
                     .in_after = fault_calloc(t->in_bits + 1, sizeof(lit_t)),
                     .next = fault_calloc(t->rtl.latches + 1, sizeof(lit_t)),
                     .out = fault_calloc(t->out_bits + 1, sizeof(lit_t))};
  if (moment == TwinStep) {
    memcpy(u->in_after, t->in, t->in_bits * sizeof *u->in_after);
  }
  u->nodes = aiger_nodes(&t->rtl, t->aig, t->products, u->rst_ni, t->in, u->latches, NULL);
  aiger_ends(&t->rtl, u->nodes, NULL, u->next);
  u->nodes_after = aiger_nodes(&t->rtl, t->aig, t->products, AigTrue, u->in_after, u->next, NULL);
  aiger_ends(&t->rtl, u->nodes_after, u->out, NULL);
}

void twin_create(twin_t *w, const proof_t *p) {
  const transition_t *t = p->t;
  *w = (twin_t){.proof = p,
                .is_free = fault_calloc(t->rtl.latches + 1, sizeof(bool)),
                .given = cnf_create(t->aig),
                .anything = cnf_create(t->aig)};
  for (twin_moment_e m = 0; m < TwinMoments; m++) {
    create_unit(p, m, &w->unit[m]);
  }
  uint8_t *needed = fault_calloc(aig_count(t->aig), 1);
  aig_cone(t->aig, &p->assumed, 1, needed);
  for (uint32_t i = 0; i < t->rtl.latches; i++) {
    w->is_free[i] = p->latches[i] == t->latches[i] && !needed[t->latches[i] / 2];
  }
  free(needed);
  cnf_require(w->given, p->assumed);
  w->models = models_create(t->aig, t->products, w->given);
}

void twin_destroy(twin_t *w) {
  for (twin_moment_e m = 0; m < TwinMoments; m++) {
    free(w->unit[m].in_after);
    free(w->unit[m].nodes);
    free(w->unit[m].next);
    free(w->unit[m].nodes_after);
    free(w->unit[m].out);
  }
  free(w->is_free);
  models_destroy(w->models);
  cnf_destroy(w->given);
  cnf_destroy(w->anything);
}

cnf_result_e twin_solve(const transition_t *t, cnf_t *cnf, lit_t l, uint32_t conflicts,
                        uint8_t **value) {
  *value = NULL;
  while (l != AigFalse) {
    products_require(t->products, cnf);
    const cnf_result_e result = cnf_solve(cnf, l, conflicts);
    if (result != CnfSatisfiable) {
      return result;
    }
    *value = fault_calloc(aig_count(t->aig), 1);
    // Mostly what shows a flaw does so with the real products, too.
    cnf_values(cnf, *value);
    products_evaluate(t->products, *value);
    if (aig_value(*value, l) && cnf_allows(cnf, *value)) {
      return CnfSatisfiable;
    }
    cnf_values(cnf, *value);
    aig_evaluate(t->aig, *value);
    if (!products_contradict(t->products, cnf, *value)) {
      return CnfSatisfiable;
    }
    free(*value);
    *value = NULL;
  }
  return CnfUnsatisfiable;
}

void twin_near(const transition_t *t, const uint8_t *value, uint32_t rarity, uint64_t *word) {
  rng_t rng;
  rng_seed(&rng, Seed + rarity);
  for (uint32_t n = 0; n < aig_count(t->aig); n++) {
    word[n] = value[n] ? ~UINT64_C(0) : 0;
    if (aig_is_variable(t->aig, n) && rarity < TwinSame) {
      uint64_t flips = ~UINT64_C(0);
      for (uint32_t k = 0; k < rarity; k++) {
        flips &= rng_u64(&rng);
      }
      word[n] ^= flips;
    }
  }
  products_evaluate_words(t->products, 0, word);
}

// That the flaw shows, or leaves a register that counts in another state.
static lit_t shows(const twin_t *w, const aiger_t *flawed, twin_moment_e moment) {
  const transition_t *t = w->proof->t;
  const twin_unit_t *u = &w->unit[moment];
  lit_t *next = fault_calloc(t->rtl.latches + 1, sizeof *next);
  twin_apply(w, flawed, moment, u->latches, next);
  lit_t any = twin_differs(w, flawed, moment, next);
  for (uint32_t i = 0; i < t->rtl.latches; i++) {
    any = w->is_free[i] ? any : aig_or(t->aig, any, aig_xor(t->aig, next[i], u->next[i]));
  }
  free(next);
  return any;
}

static cnf_result_e solve(const twin_t *w, cnf_t *cnf, lit_t l, uint32_t conflicts,
                          uint8_t **value) {
  const bool is_given = cnf == w->given;
  *value = is_given ? models_find(w->models, l) : NULL;
  cnf_result_e said = CnfSatisfiable;
  if (!*value) {
    said = twin_solve(w->proof->t, cnf, l, conflicts, value);
    if (is_given && said == CnfSatisfiable) {
      models_add(w->models, *value);
    }
  }
  return said;
}

// Finds the other flaws under which the literal is true in a state that the solver came up with, by
// the values of so many nodes; those that came after it follow from them.
static void spread(const transition_t *t, const cnf_t *cnf, const crowd_t *crowd, lit_t l,
                   const uint8_t *value, uint32_t nodes, cnf_result_e *said) {
  uint64_t *word = fault_calloc(aig_count(t->aig), sizeof *word);
  uint32_t count;
  const lit_t *required = cnf_required(cnf, &count);
  for (uint32_t first = 0; first < crowd->count && crowd->count > 1; first += 64) {
    for (uint32_t n = 0; n < nodes; n++) {
      word[n] = value[n] ? ~UINT64_C(0) : 0;
    }
    crowd_spread(crowd, first, word);
    products_evaluate_words(t->products, 0, word);
    uint64_t lanes = aig_word(word, l);
    for (uint32_t i = 0; i < count && lanes; i++) {
      lanes &= aig_word(word, required[i]);
    }
    for (uint32_t k = first; k < crowd->count && k < first + 64; k++) {
      said[k] = lanes >> (k - first) & 1 ? CnfSatisfiable : said[k];
    }
  }
  free(word);
}

// Takes flaws under which the literal can be true out of it, each once.
static lit_t leave_out(const transition_t *t, const crowd_t *crowd, lit_t l,
                       const cnf_result_e *said, bool *is_out) {
  for (uint32_t i = 0; i < crowd->count; i++) {
    if (said[i] == CnfSatisfiable && !is_out[i]) {
      l = aig_and(t->aig, l, aig_not(crowd->under[i]));
      is_out[i] = true;
    }
  }
  return l;
}

bool twin_solve_each(const twin_t *w, cnf_t *cnf, const crowd_t *crowd, lit_t l, uint32_t conflicts,
                     cnf_result_e *said, twin_learn_t *learn, void *context) {
  const transition_t *t = w->proof->t;
  cnf_result_e result = CnfSatisfiable;
  bool is_out[CrowdMost] = {false};
  while (result == CnfSatisfiable) {
    uint8_t *value;
    l = leave_out(t, crowd, l, said, is_out);
    result = solve(w, cnf, l, conflicts, &value);
    const uint32_t nodes = aig_count(t->aig);
    if (result == CnfSatisfiable) {
      const uint32_t i = crowd_chosen(crowd, value);
      if (!learn || !learn(context, i, value)) {
        said[i] = CnfSatisfiable;
        spread(t, cnf, crowd, l, value, nodes, said);
      }
    }
    free(value);
  }
  return result == CnfUnsatisfiable;
}

// After a first reset both are in the same state, and a later reset is one from any state. What is
// learned of clocks is of use for flaws that show after a first reset, too.
void twin_ask(twin_t *w, const flaw_t *flaws, uint32_t count, uint32_t conflicts,
              cnf_result_e *said, twin_learn_t *learn, void *context) {
  const transition_t *t = w->proof->t;
  aiger_t flawed = t->rtl;
  crowd_t crowd;
  cnf_result_e clocked[CrowdMost];
  crowd_create(&crowd, &t->rtl, t->aig, flaws, count);
  flawed.crowd = &crowd;
  for (uint32_t i = 0; i < count; i++) {
    said[i] = CnfUnknown;
  }
  const lit_t starts = shows(w, &flawed, TwinBase);
  const lit_t differs = aig_and(t->aig, shows(w, &flawed, TwinStep), t->stepped.legal);
  bool all = twin_solve_each(w, w->anything, &crowd, starts, conflicts, said, NULL, NULL);
  for (uint32_t i = 0; i < count; i++) {
    clocked[i] = learn ? CnfUnknown : said[i];
  }
  if (all || learn) {
    all &= twin_solve_each(w, w->given, &crowd, differs, conflicts, clocked, learn, context);
  }
  for (uint32_t i = 0; i < count; i++) {
    said[i] = said[i] == CnfUnknown ? clocked[i] : said[i];
    said[i] = said[i] == CnfUnknown && all ? CnfUnsatisfiable : said[i];
  }
  crowd_destroy(&crowd);
}
