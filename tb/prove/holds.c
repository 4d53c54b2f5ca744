// SPDX-License-Identifier: Apache-2.0
#include "holds.h"

#include <stdlib.h>
#include <string.h>

#include "fault.h"

enum { MostFacts = 10000, MostTurns = 200 };

// The register is so under a condition, one of `whiles`.
typedef struct {
  uint32_t latch, at;
  bool is, is_dropped;
} fact_t;

typedef struct {
  const seen_t *seen;
  const keeps_t *keeps;
  twin_t *twin;
  const transition_t *t;
  aiger_t rtl;  // flawed
  fact_t *facts;
  uint32_t count, left;            // left: that are not dropped
  lit_t *any;                      // room for what may be broken
  lit_t *next[TwinMoments];        // registers of the flawed unit
  lit_t *whiles[1 + TwinMoments];  // conditions, of the flawed unit; the last ones before a moment
} holds_t;

// Leaves out conditions that read a register that the flaw changes: of its own values there, no
// condition was recorded.
static void guess(holds_t *w, const changes_t *c) {
  bool *changes = fault_calloc(w->rtl.latches + 1, sizeof *changes);
  for (uint32_t k = 0; k < c->count; k++) {
    changes[c->latches[k]] = true;
  }
  bool *is_changed = seen_depends(w->seen, changes);
  for (uint32_t i = 0; i < w->seen->count; i++) {
    for (uint32_t k = 0; k < c->count && !is_changed[i]; k++) {
      const bool was[] = {seen_was(c, k, 0, 0, i) || seen_was(c, k, 1, 0, i),
                          seen_was(c, k, 0, 1, i) || seen_was(c, k, 1, 1, i)};
      if (was[0] != was[1] && w->count < MostFacts) {
        w->facts[w->count++] = (fact_t){c->latches[k], i, was[1], false};
      }
    }
  }
  w->left = w->count;
  free(changes);
  free(is_changed);
}

static lit_t any_broken(const holds_t *w, const lit_t *whiles, const lit_t *registers) {
  for (uint32_t i = 0; i < w->count; i++) {
    const fact_t *f = &w->facts[i];
    w->any[i] =
        f->is_dropped ? AigFalse : aig_and(w->t->aig, whiles[f->at], registers[f->latch] ^ f->is);
  }
  return aig_or_all(w->t->aig, w->any, w->count);
}

// Drops the facts that these values of all nodes break.
static void drop(holds_t *w, const uint8_t *value, const lit_t *whiles, const lit_t *registers) {
  for (uint32_t i = 0; i < w->count; i++) {
    fact_t *f = &w->facts[i];
    const bool is_broken = !f->is_dropped && aig_value(value, whiles[f->at]) &&
                           aig_value(value, registers[f->latch]) != f->is;
    f->is_dropped |= is_broken;
    w->left -= is_broken;
  }
}

// Asks for a broken fact at a moment's end, and drops those that are.
static cnf_result_e settle(holds_t *w, twin_moment_e moment, lit_t given, uint32_t conflicts) {
  cnf_t *cnf = moment == TwinBase ? w->twin->anything : w->twin->given;
  const lit_t *whiles = w->whiles[moment], *next = w->next[moment];
  const lit_t question = aig_and(w->t->aig, given, any_broken(w, whiles, next));
  uint8_t *value;
  const cnf_result_e said = twin_solve(w->t, cnf, question, conflicts, &value);
  if (said == CnfSatisfiable) {
    drop(w, value, whiles, next);
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
  for (uint32_t turn = 0; turn < MostTurns && w->left; turn++) {
    const lit_t holds = aig_not(any_broken(w, w->whiles[TwinMoments], w->keeps->proof->latches));
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
  w.any = fault_calloc(MostFacts, sizeof *w.any);
  w.whiles[TwinMoments] = seen_whiles(seen, t->aig, twin->proof->latches);
  for (twin_moment_e m = 0; m < TwinMoments; m++) {
    w.next[m] = fault_calloc(t->rtl.latches + 1, sizeof(lit_t));
    twin_apply(twin, &w.rtl, m, twin->unit[m].latches, w.next[m]);
    w.whiles[m] = seen_whiles(seen, t->aig, w.next[m]);
  }
  guess(&w, &seen->flaws[number]);
  const cnf_result_e said = search(&w, conflicts);
  for (twin_moment_e m = 0; m < TwinMoments; m++) {
    free(w.next[m]);
    free(w.whiles[m]);
  }
  free(w.whiles[TwinMoments]);
  free(w.facts);
  free(w.any);
  crowd_destroy(&crowd);
  return said;
}
