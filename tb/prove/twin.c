// SPDX-License-Identifier: Apache-2.0
#include "twin.h"

#include <stdlib.h>

#include "fault.h"

// The graph in a related state, and after a reset in any.
static void apply(const twin_t *w, const aiger_t *rtl, lit_t *next, lit_t *reset) {
  const transition_t *t = w->proof->t;
  aiger_apply(rtl, t->aig, t->products, AigTrue, t->in, w->proof->latches, NULL, next);
  aiger_apply(rtl, t->aig, t->products, AigFalse, t->in, t->latches, NULL, reset);
}

lit_t twin_differs(const twin_t *w, const aiger_t *flawed, const lit_t *in, const lit_t *unit,
                   const lit_t *registers) {
  const transition_t *t = w->proof->t;
  lit_t *zero = fault_calloc(t->in_bits + 1, sizeof *zero);
  lit_t *is = fault_calloc(t->out_bits + 1, sizeof *is);
  lit_t *other = fault_calloc(t->out_bits + 1, sizeof *other);
  lit_t differs = AigFalse;
  aiger_apply(&t->rtl, t->aig, t->products, AigTrue, in ? in : zero, unit, is, NULL);
  aiger_apply(flawed, t->aig, t->products, AigTrue, in ? in : zero, registers, other, NULL);
  for (uint32_t i = 0; i < t->out_bits; i++) {
    differs = aig_or(t->aig, differs, aig_xor(t->aig, is[i], other[i]));
  }
  free(zero);
  free(is);
  free(other);
  return differs;
}

void twin_create(twin_t *w, const proof_t *p) {
  const transition_t *t = p->t;
  *w = (twin_t){.proof = p,
                .next = fault_calloc(t->rtl.latches + 1, sizeof(lit_t)),
                .reset = fault_calloc(t->rtl.latches + 1, sizeof(lit_t)),
                .is_free = fault_calloc(t->rtl.latches + 1, sizeof(bool)),
                .given = cnf_create(t->aig),
                .anything = cnf_create(t->aig)};
  apply(w, &t->rtl, w->next, w->reset);
  uint8_t *needed = fault_calloc(aig_count(t->aig), 1);
  aig_cone(t->aig, &p->assumed, 1, needed);
  for (uint32_t i = 0; i < t->rtl.latches; i++) {
    w->is_free[i] = p->latches[i] == t->latches[i] && !needed[t->latches[i] / 2];
  }
  free(needed);
  cnf_require(w->given, p->assumed);
}

void twin_destroy(twin_t *w) {
  free(w->next);
  free(w->reset);
  free(w->is_free);
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

cnf_result_e twin_ask(twin_t *w, const flaw_t *flaw, uint32_t conflicts, uint8_t **value) {
  const transition_t *t = w->proof->t;
  aiger_t flawed = t->rtl;
  lit_t *next = fault_calloc(t->rtl.latches + 1, sizeof *next);
  lit_t *reset = fault_calloc(t->rtl.latches + 1, sizeof *reset);
  flawed.flaw = *flaw;
  apply(w, &flawed, next, reset);
  lit_t differs = twin_differs(w, &flawed, t->in, w->next, next);
  lit_t starts = twin_differs(w, &flawed, NULL, w->reset, reset);
  for (uint32_t i = 0; i < t->rtl.latches; i++) {
    if (!w->is_free[i]) {
      differs = aig_or(t->aig, differs, aig_xor(t->aig, next[i], w->next[i]));
      starts = aig_or(t->aig, starts, aig_xor(t->aig, reset[i], w->reset[i]));
    }
  }
  differs = aig_and(t->aig, differs, t->stepped.legal);
  free(next);
  free(reset);
  const cnf_result_e first = twin_solve(t, w->anything, starts, conflicts, value);
  if (first == CnfUnsatisfiable) {
    return twin_solve(t, w->given, differs, conflicts, value);
  }
  free(*value);
  *value = NULL;
  return first;
}
