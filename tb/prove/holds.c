// SPDX-License-Identifier: Apache-2.0
#include "holds.h"

#include <stdlib.h>
#include <string.h>

#include "fault.h"

enum { MostFacts = 10000, MostTurns = 200 };

// The register is so while these are 1.
typedef struct {
  uint32_t latch;
  bool is;
  while_t at;
} fact_t;

typedef struct {
  const seen_t *seen;
  const keeps_t *keeps;
  twin_t *twin;
  const transition_t *t;
  aiger_t rtl;  // flawed
  fact_t *facts;
  uint32_t count;
  lit_t *next[TwinMoments];  // registers of the flawed unit
} holds_t;

// Tells a register that the flaw changes: what others are while it has a value was not recorded.
static bool is_changed(const holds_t *w, const changes_t *c, uint32_t literal) {
  bool is = false;
  for (uint32_t k = 0; k < c->count; k++) {
    is |= literal / 2 == 1 + w->rtl.inputs + c->latches[k];
  }
  return is;
}

static void guess(holds_t *w, const changes_t *c) {
  for (uint32_t i = 0; i < w->seen->count; i++) {
    const while_t at = w->seen->whiles[i];
    for (uint32_t k = 0; k < c->count && !is_changed(w, c, at.a) && !is_changed(w, c, at.b); k++) {
      const bool was[] = {seen_was(c, k, 0, 0, i) || seen_was(c, k, 1, 0, i),
                          seen_was(c, k, 0, 1, i) || seen_was(c, k, 1, 1, i)};
      if (was[0] != was[1] && w->count < MostFacts) {
        w->facts[w->count++] = (fact_t){c->latches[k], was[1], at};
      }
    }
  }
}

static lit_t broken(const holds_t *w, const fact_t *f, const lit_t *registers) {
  const lit_t at = seen_while(w->seen, w->t->aig, f->at, registers);
  return aig_and(w->t->aig, at, registers[f->latch] ^ f->is);
}

static lit_t any_broken(const holds_t *w, const lit_t *registers) {
  lit_t any = AigFalse;
  for (uint32_t i = 0; i < w->count; i++) {
    any = aig_or(w->t->aig, any, broken(w, &w->facts[i], registers));
  }
  return any;
}

// Drops the facts that these values of all nodes break.
static void drop(holds_t *w, const uint8_t *value, const lit_t *registers) {
  uint32_t left = 0;
  for (uint32_t i = 0; i < w->count; i++) {
    const fact_t *f = &w->facts[i];
    if (!seen_is(w->seen, value, f->at, registers) ||
        aig_value(value, registers[f->latch]) == f->is) {
      w->facts[left++] = *f;
    }
  }
  w->count = left;
}

// Asks for a broken fact at a moment's end, and drops those that are.
static cnf_result_e settle(holds_t *w, twin_moment_e moment, lit_t given, uint32_t conflicts) {
  cnf_t *cnf = moment == TwinBase ? w->twin->anything : w->twin->given;
  const lit_t question = aig_and(w->t->aig, given, any_broken(w, w->next[moment]));
  uint8_t *value;
  const cnf_result_e said = twin_solve(w->t, cnf, question, conflicts, &value);
  if (said == CnfSatisfiable) {
    drop(w, value, w->next[moment]);
  }
  free(value);
  return said;
}

static cnf_result_e ask_kept(const holds_t *w, const lit_t *assumed, uint32_t conflicts) {
  cnf_result_e said = CnfUnsatisfiable;
  for (uint32_t m = 0; m < TwinMoments && said == CnfUnsatisfiable; m++) {
    uint8_t *value;
    const lit_t question = keeps_broken(w->keeps, w->twin, &w->rtl, m, assumed[m], conflicts);
    said = twin_solve(w->t, m == TwinBase ? w->twin->anything : w->twin->given, question, conflicts,
                      &value);
    free(value);
  }
  return said;
}

// Until what is left of the facts holds after a first reset, a later one and a clock.
static cnf_result_e search(holds_t *w, uint32_t conflicts) {
  const transition_t *t = w->t;
  for (uint32_t turn = 0; turn < MostTurns && w->count; turn++) {
    const lit_t holds = aig_not(any_broken(w, w->keeps->proof->latches));
    const lit_t assumed[] = {AigTrue, aig_and(t->aig, t->reset.legal, holds),
                             aig_and(t->aig, t->stepped.legal, holds)};
    cnf_result_e said = CnfUnsatisfiable;
    for (uint32_t m = 0; m < TwinMoments && said == CnfUnsatisfiable; m++) {
      said = settle(w, m, assumed[m], conflicts);
    }
    if (said != CnfSatisfiable) {
      return said == CnfUnsatisfiable ? ask_kept(w, assumed, conflicts) : said;
    }
  }
  return CnfUnknown;
}

cnf_result_e holds_ask(const seen_t *seen, uint32_t number, const keeps_t *keeps, twin_t *twin,
                       const flaw_t *flaw, uint32_t conflicts) {
  const transition_t *t = twin->proof->t;
  holds_t w = {.seen = seen, .keeps = keeps, .twin = twin, .t = t, .rtl = t->rtl};
  crowd_t crowd;
  crowd_create(&crowd, &t->rtl, t->aig, flaw, 1);
  w.rtl.crowd = &crowd;
  w.facts = fault_calloc(MostFacts, sizeof *w.facts);
  for (twin_moment_e m = 0; m < TwinMoments; m++) {
    w.next[m] = fault_calloc(t->rtl.latches + 1, sizeof(lit_t));
    twin_apply(twin, &w.rtl, m, twin->unit[m].latches, w.next[m]);
  }
  guess(&w, &seen->flaws[number]);
  const cnf_result_e said = search(&w, conflicts);
  for (twin_moment_e m = 0; m < TwinMoments; m++) {
    free(w.next[m]);
  }
  free(w.facts);
  crowd_destroy(&crowd);
  return said;
}
