// SPDX-License-Identifier: Apache-2.0
#include "keeps.h"

#include <stdlib.h>
#include <string.h>

#include "fault.h"

static twin_moment_e of_twin(keeps_moment_e moment) {
  static const twin_moment_e Moments[] = {TwinBase, TwinReset, TwinStep, TwinBase};
  return Moments[moment];
}

static void create_state(keeps_t *k, keeps_moment_e moment) {
  const transition_t *t = k->proof->t;
  const moment_t *golden[] = {&t->created, &t->reset, &t->stepped, &t->reset};
  const size_t size = (t->rtl.latches + 1) * sizeof(lit_t);
  keeps_state_t *s = &k->states[moment];
  duties_t duties = {0};
  lit_t *given = fault_calloc(size, 1);
  memcpy(given, k->registers, t->rtl.latches * sizeof *given);
  proof_collect_state(k->proof, golden[moment], given, &duties);
  free(given);
  lit_t *next = fault_calloc(size, 1);
  aiger_apply(&t->rtl, t->aig, t->products, moment == KeepsStep ? AigTrue : AigFalse, t->in,
              of_twin(moment) == TwinBase ? t->latches : k->proof->latches, NULL, next);
  *s = (keeps_state_t){.broken = fault_calloc(duties.count + 1, sizeof(lit_t)),
                       .of_unit = fault_calloc(duties.count + 1, sizeof(lit_t)),
                       .count = duties.count};
  for (uint32_t i = 0; i < s->count; i++) {
    s->broken[i] = s->of_unit[i] = duties.list[i].broken;
  }
  aig_substitute(t->aig, k->registers, next, t->rtl.latches, s->of_unit, s->count);
  free(next);
  free(duties.list);
}

void keeps_create(keeps_t *k, const proof_t *p) {
  *k = (keeps_t){.proof = p, .registers = fault_calloc(p->t->rtl.latches + 1, sizeof(lit_t))};
  for (uint32_t i = 0; i < p->t->rtl.latches; i++) {
    k->registers[i] = aig_variable(p->t->aig);
  }
  for (uint32_t m = 0; m < KeepsMoments; m++) {
    create_state(k, m);
  }
}

void keeps_destroy(keeps_t *k) {
  for (uint32_t m = 0; m < KeepsMoments; m++) {
    free(k->states[m].broken);
    free(k->states[m].of_unit);
  }
  free(k->registers);
}

static cnf_t *solver(const twin_t *twin, keeps_moment_e moment) {
  return moment == KeepsBase ? twin->anything : twin->given;
}

// Gives the registers that the flaw leaves as the unit does the unit's literals, so that what
// depends on these alone is no question.
static void leave_equal(const keeps_t *k, const twin_t *twin, keeps_moment_e moment, lit_t legal,
                        uint32_t conflicts, lit_t *next) {
  const transition_t *t = k->proof->t;
  const lit_t *unit = twin->unit[of_twin(moment)].next;
  bool *is_changed = fault_calloc(t->rtl.latches + 1, sizeof *is_changed);
  cnf_result_e said = CnfSatisfiable;
  while (said == CnfSatisfiable) {
    lit_t any = AigFalse;
    uint8_t *value;
    for (uint32_t r = 0; r < t->rtl.latches; r++) {
      any = is_changed[r] ? any : aig_or(t->aig, any, aig_xor(t->aig, next[r], unit[r]));
    }
    said = twin_solve(t, solver(twin, moment), aig_and(t->aig, legal, any), conflicts, &value);
    for (uint32_t r = 0; r < t->rtl.latches && said == CnfSatisfiable; r++) {
      if (!is_changed[r] && aig_value(value, next[r]) != aig_value(value, unit[r])) {
        aiger_mark_word(&t->rtl, r, is_changed);  // which saves questions
      }
    }
    free(value);
  }
  for (uint32_t r = 0; r < t->rtl.latches && said == CnfUnsatisfiable; r++) {
    next[r] = is_changed[r] ? next[r] : unit[r];
  }
  free(is_changed);
}

// The solver is told that the unit keeps what the flaw touches, as it is proved; but of a reset in
// a run, from any registers, that is a question as well.
lit_t keeps_broken(const keeps_t *k, const twin_t *twin, const aiger_t *flawed,
                   keeps_moment_e moment, lit_t legal, uint32_t conflicts) {
  const transition_t *t = k->proof->t;
  const twin_moment_e m = of_twin(moment);
  const keeps_state_t *s = &k->states[moment];
  lit_t *next = fault_calloc(t->rtl.latches + 1, sizeof *next);
  lit_t *broken = fault_calloc(s->count + 1, sizeof *broken);
  twin_apply(twin, flawed, m, twin->unit[m].latches, next);
  if (conflicts) {
    leave_equal(k, twin, moment, legal, conflicts, next);
  }
  memcpy(broken, s->broken, s->count * sizeof *broken);
  aig_substitute(t->aig, k->registers, next, t->rtl.latches, broken, s->count);
  lit_t any = twin_differs(twin, flawed, m, next);
  for (uint32_t i = 0; i < s->count; i++) {
    if (moment == KeepsAgain) {
      any = aig_or(t->aig, any, aig_or(t->aig, broken[i], s->of_unit[i]));
    } else if (broken[i] != s->of_unit[i]) {
      any = aig_or(t->aig, any, broken[i]);
      cnf_require(solver(twin, moment), aig_not(aig_and(t->aig, s->of_unit[i], legal)));
    }
  }
  free(next);
  free(broken);
  return aig_and(t->aig, legal, any);
}

// A single flaw changes few registers in any case.
static void ask(const keeps_t *k, twin_t *twin, const keeps_moment_e *moments,
                uint32_t moment_count, const flaw_t *flaws, uint32_t count, uint32_t conflicts,
                cnf_result_e *said) {
  const transition_t *t = k->proof->t;
  const lit_t legal[] = {AigTrue, t->reset.legal, t->stepped.legal, t->reset.legal};
  aiger_t flawed = t->rtl;
  crowd_t crowd;
  bool all = true;
  crowd_create(&crowd, &t->rtl, t->aig, flaws, count);
  flawed.crowd = &crowd;
  for (uint32_t i = 0; i < count; i++) {
    said[i] = CnfUnknown;
  }
  for (uint32_t n = 0; n < moment_count && all && (count > 1 || said[0] == CnfUnknown); n++) {
    const keeps_moment_e m = moments[n];
    const lit_t question = keeps_broken(k, twin, &flawed, m, legal[m], count > 1 ? conflicts : 0);
    all = twin_solve_each(twin, solver(twin, m), &crowd, question, conflicts, said, NULL, NULL);
  }
  for (uint32_t i = 0; i < count && all; i++) {
    said[i] = said[i] == CnfUnknown ? CnfUnsatisfiable : said[i];
  }
  crowd_destroy(&crowd);
}

void keeps_ask(const keeps_t *k, twin_t *twin, const flaw_t *flaws, uint32_t count,
               uint32_t conflicts, cnf_result_e *said) {
  static const keeps_moment_e Moments[] = {KeepsStep, KeepsBase, KeepsReset};
  ask(k, twin, Moments, 3, flaws, count, conflicts, said);
}

void keeps_ask_resets(const keeps_t *k, twin_t *twin, const flaw_t *flaws, uint32_t count,
                      uint32_t conflicts, cnf_result_e *said) {
  static const keeps_moment_e Moments[] = {KeepsBase, KeepsAgain};
  ask(k, twin, Moments, 2, flaws, count, conflicts, said);
}
