// SPDX-License-Identifier: Apache-2.0
#include "cases.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cnf.h"
#include "report.h"

enum {
  LongDuty = 2,          // seconds
  AskedAtOnce = 64,      // duties
  EasyConflicts = 1000,  // of these
  DutyText = 320,
  MostImplied = 64,      // by the conditions of a case
};

static double seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

// What is refuted: all that this one counterexample breaks.
static void report(const proof_t *p, proof_part_e part, const cnf_t *cnf) {
  uint8_t *value = fault_calloc(aig_count(p->t->aig), 1);
  cnf_values(cnf, value);
  aig_evaluate(p->t->aig, value);
  report_duties(stdout, p, &p->duties[part], value);
  printf("  inputs:");
  report_inputs(stdout, p->t, p->t->in, value);
  printf("  state before:\n");
  report_state(stdout, p, value);
  free(value);
}

// As cnf_solve; values that no multiplication has are not accepted.
static cnf_result_e ask(const proof_t *p, cnf_t *cnf, lit_t broken, uint32_t conflicts) {
  for (bool again = true; again;) {
    const cnf_result_e result = cnf_solve(cnf, broken, conflicts);
    if (result != CnfSatisfiable) {
      return result;
    }
    uint8_t *value = fault_calloc(aig_count(p->t->aig), 1);
    cnf_values(cnf, value);
    aig_evaluate(p->t->aig, value);
    again = products_contradict(p->t->products, cnf, value);
    free(value);
  }
  return CnfSatisfiable;
}

// Most duties are easy, and asked about in one question: whether any of these is broken.
static bool prove_easy(const proof_t *p, cnf_t *cnf, const duty_t *list, uint32_t count) {
  lit_t any = AigFalse;
  for (uint32_t i = 0; i < count; i++) {
    any = aig_or(p->t->aig, any, list[i].broken);
  }
  return ask(p, cnf, any, EasyConflicts) == CnfUnsatisfiable;
}

// A line for one that takes long.
static bool prove_duty(const proof_t *p, cnf_t *cnf, const duty_t *duty) {
  const double since = seconds();
  const bool ok = ask(p, cnf, duty->broken, 0) == CnfUnsatisfiable;
  if (seconds() - since > LongDuty) {
    char name[DutyText];
    report_duty(p->t, duty, name, sizeof name);
    const size_t skip = ok && strncmp(name, "broken: ", 8) == 0 ? 8 : 0;  // it holds
    printf("    %s: %.1f s\n", name + skip, seconds() - since);
    fflush(stdout);
  }
  return ok;
}

static int by_literal(const void *a, const void *b) {
  const lit_t x = *(const lit_t *)a, y = *(const lit_t *)b;
  return (x > y) - (x < y);
}

// What holds already is not asked again.
static void take_for_granted(duties_t *d, const duties_t *known) {
  lit_t *broken = fault_calloc(known->count + 1, sizeof *broken);
  uint32_t left = 0;
  for (uint32_t i = 0; i < known->count; i++) {
    broken[i] = known->list[i].broken;
  }
  qsort(broken, known->count, sizeof *broken, by_literal);
  for (uint32_t i = 0; i < d->count; i++) {
    if (!bsearch(&d->list[i].broken, broken, known->count, sizeof *broken, by_literal)) {
      d->list[left++] = d->list[i];
    }
  }
  d->count = left;
  free(broken);
}

// What is proved helps with what follows.
static bool prove_list(const proof_t *p, cnf_t *cnf, const duty_t *list, uint32_t count) {
  bool ok = true;
  for (uint32_t from = 0; from < count && ok; from += AskedAtOnce) {
    const uint32_t end = count - from < AskedAtOnce ? count : from + AskedAtOnce;
    const bool is_easy = prove_easy(p, cnf, &list[from], end - from);
    for (uint32_t i = from; i < end && ok; i++) {
      ok = is_easy || prove_duty(p, cnf, &list[i]);
      if (ok) {
        cnf_require(cnf, aig_not(list[i].broken));
      }
    }
  }
  return ok;
}

static void require_all(cnf_t *cnf, const duty_t *list, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    cnf_require(cnf, aig_not(list[i].broken));
  }
}

// What is left to prove, in one of the cases that the wrapper tells apart. given: what is assumed
// and legal; conditions: those not decided yet. All are as simple as the decisions make them.
typedef struct {
  const proof_t *proof, *granted;
  proof_part_e part;
  duty_t *list;
  uint32_t count;
  lit_t given[2], conditions[TransitionMostCases], decided[TransitionMostCases];
  uint32_t condition_count, decided_count;
  const struct known *known;  // what was proved before it was split
} split_t;

typedef struct known {
  const duty_t *list;
  uint32_t count;
  const struct known *before;
} known_t;

// A solver that knows what holds in this case.
static cnf_t *begin(const split_t *s) {
  const proof_t *p = s->proof;
  cnf_t *cnf = cnf_create(p->t->aig);
  products_require(p->t->products, cnf);
  for (uint32_t i = 0; i < s->decided_count; i++) {
    cnf_require(cnf, s->decided[i]);
  }
  cnf_require(cnf, s->given[0]);
  cnf_require(cnf, s->given[1]);
  if (s->granted) {
    require_all(cnf, s->granted->duties[s->part].list, s->granted->duties[s->part].count);
  }
  for (const known_t *k = s->known; k; k = k->before) {
    require_all(cnf, k->list, k->count);
  }
  return cnf;
}

// Everything of a case, made simpler by what is true in it.
static void put(aig_t *aig, const lit_t *true_ones, uint32_t count, split_t *s) {
  lit_t holds[MostImplied], values[MostImplied];
  const uint32_t conditions = s->count, given = conditions + s->condition_count;
  lit_t *roots = fault_calloc(given + 2, sizeof *roots);
  memcpy(holds, true_ones, count * sizeof *holds);
  const size_t known = aig_implied(aig, holds, count, MostImplied);
  for (size_t i = 0; i < known; i++) {
    values[i] = AigTrue;
  }
  for (uint32_t i = 0; i < s->count; i++) {
    roots[i] = s->list[i].broken;
  }
  memcpy(roots + conditions, s->conditions, s->condition_count * sizeof *roots);
  memcpy(roots + given, s->given, sizeof s->given);
  aig_substitute(aig, holds, values, known, roots, given + 2);
  for (uint32_t i = 0; i < s->count; i++) {
    s->list[i].broken = roots[i];
  }
  memcpy(s->conditions, roots + conditions, s->condition_count * sizeof *roots);
  memcpy(s->given, roots + given, sizeof s->given);
  free(roots);
}

// Puts those duties first that are the same whatever the conditions are; returns how many.
static uint32_t find_common(aig_t *aig, const split_t *s) {
  split_t tried = *s;
  lit_t none[TransitionMostCases];
  duty_t *sorted = fault_calloc(s->count + 1, sizeof *sorted);
  uint32_t common = 0, rest = s->count;
  tried.list = fault_calloc(s->count + 1, sizeof *tried.list);
  memcpy(tried.list, s->list, s->count * sizeof *s->list);
  for (uint32_t i = 0; i < s->condition_count; i++) {
    none[i] = aig_not(s->conditions[i]);
  }
  put(aig, none, s->condition_count, &tried);
  for (uint32_t i = s->count; i-- > 0;) {
    if (tried.list[i].broken != s->list[i].broken) {
      sorted[--rest] = s->list[i];
    }
  }
  for (uint32_t i = 0; i < s->count; i++) {
    if (tried.list[i].broken == s->list[i].broken) {
      sorted[common++] = s->list[i];
    }
  }
  memcpy(s->list, sorted, s->count * sizeof *sorted);
  free(tried.list);
  free(sorted);
  return common;
}

// The conditions of a case that are decided by others fall away.
static void drop_constant(split_t *s) {
  uint32_t left = 0;
  for (uint32_t i = 0; i < s->condition_count; i++) {
    if (s->conditions[i] > AigTrue) {
      s->conditions[left++] = s->conditions[i];
    }
  }
  s->condition_count = left;
}

// First what no condition makes simpler, then the rest, whether the first condition holds or not.
// cnf: the solver that was asked last.
static bool prove_split(split_t *s, uint64_t *clauses, cnf_t **cnf) {
  aig_t *aig = s->proof->t->aig;
  const uint32_t common = s->condition_count ? find_common(aig, s) : s->count;
  bool ok = true;
  if (common) {
    cnf_destroy(*cnf);
    *cnf = begin(s);
    ok = prove_list(s->proof, *cnf, s->list, common);
    *clauses += cnf_clauses(*cnf);
  }
  const known_t known = {s->list, common, s->known};
  for (uint32_t value = 0; value < 2 && ok && common < s->count; value++) {
    const lit_t holds = value ? s->conditions[0] : aig_not(s->conditions[0]);
    split_t half = *s;
    half.known = &known;
    half.count = s->count - common;
    half.list = fault_calloc(half.count + 1, sizeof *half.list);
    memcpy(half.list, s->list + common, half.count * sizeof *half.list);
    half.condition_count--;
    memmove(half.conditions, s->conditions + 1, half.condition_count * sizeof *half.conditions);
    half.decided[half.decided_count++] = holds;
    put(aig, &holds, 1, &half);
    drop_constant(&half);
    ok = half.given[0] == AigFalse || prove_split(&half, clauses, cnf);
    free(half.list);
  }
  return ok;
}

bool cases_prove(proof_t *p, proof_part_e part, const proof_t *granted) {
  const double start = seconds();
  duties_t *d = &p->duties[part];
  const moment_t *m = part == ProofStep ? &p->t->stepped : &p->t->reset;
  uint64_t clauses = 0;
  cnf_t *cnf = NULL;
  if (granted) {
    take_for_granted(d, &granted->duties[part]);
  }
  split_t s = {.proof = p, .granted = granted, .part = part, .count = d->count};
  s.list = fault_calloc(d->count + 1, sizeof *s.list);
  memcpy(s.list, d->list, d->count * sizeof *s.list);
  s.given[0] = s.given[1] = AigTrue;
  if (part == ProofReset || part == ProofStep) {
    s.given[0] = p->assumed;
    s.given[1] = m->legal;
    s.condition_count = m->case_count;
    memcpy(s.conditions, m->cases, m->case_count * sizeof *m->cases);
  }
  const bool ok = prove_split(&s, &clauses, &cnf);
  free(s.list);
  printf("  %s: %s, %u duties, %" PRIu64 " clauses, %.1f s\n", ProofNames[part],
         ok ? "proved" : "refuted", d->count, clauses, seconds() - start);
  if (!ok) {
    report(p, part, cnf);
  }
  fflush(stdout);
  cnf_destroy(cnf);
  return ok;
}
