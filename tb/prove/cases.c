// SPDX-License-Identifier: Apache-2.0
#include "cases.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cnf.h"
#include "explain.h"
#include "processes.h"
#include "ring.h"

enum {
  LongDuty = 2,            // seconds
  SlowDuty = 60,           // seconds of wall clock, after which it is named while it is asked
  AskedAtOnce = 64,        // duties
  EasyConflicts = 1000,    // of these
  LightConflicts = 20000,  // of one duty, by a solver that knows less
  DutyText = 320,
  MostImplied = 64,  // by the conditions of a case
  FewCommon = 8,     // duties, of which one in common is no reason for a solver of its own
};

// Returns the processor time, with that of processes that have ended.
static double seconds(void) {
  struct rusage ended;
  getrusage(RUSAGE_CHILDREN, &ended);
  return (double)clock() / CLOCKS_PER_SEC + (double)ended.ru_utime.tv_sec +
         (double)ended.ru_utime.tv_usec / 1e6;
}

// Reports all duties that this one counterexample breaks as refuted.
static void report(const proof_t *p, proof_part_e part, const cnf_t *cnf) {
  uint8_t *value = fault_calloc(aig_count(p->t->aig), 1);
  cnf_values(cnf, value);
  aig_evaluate(p->t->aig, value);
  explain_duties(stdout, p, &p->duties[part], value);
  printf("  inputs:");
  explain_inputs(stdout, p->t, p->t->in, value);
  printf("  state before:\n");
  explain_state(stdout, p, value);
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

// The line about the duty that is asked for, written when SlowDuty has passed.
static char Asked[DutyText + 32];

static void tell_asked(int signal) {
  (void)signal;
  if (write(STDOUT_FILENO, Asked, strlen(Asked)) < 0) {
    Asked[0] = '\0';
  }
}

static void watch(const char *name) {
  const struct sigaction action = {.sa_handler = tell_asked, .sa_flags = SA_RESTART};
  if (snprintf(Asked, sizeof Asked, "    asked: %s\n", name) < 0) {
    Asked[0] = '\0';
  }
  fflush(stdout);
  sigaction(SIGALRM, &action, NULL);
  alarm(SlowDuty);
}

// A line for one that takes long.
static bool prove_duty(const proof_t *p, cnf_t *cnf, const duty_t *duty) {
  const double since = seconds();
  char name[DutyText];
  explain_duty(p->t, duty, name, sizeof name);
  const char *what = strncmp(name, "broken: ", 8) == 0 ? name + 8 : name;
  watch(what);
  const bool ok = ask(p, cnf, duty->broken, 0) == CnfUnsatisfiable;
  alarm(0);
  if (seconds() - since > LongDuty) {
    printf("    %s: %.1f s\n", ok ? what : name, seconds() - since);
    fflush(stdout);
  }
  return ok;
}

// Marks duties that hold already, so that they are not asked again.
static void take_for_granted(duties_t *d, const duties_t *known) {
  lit_t *broken = fault_calloc(known->count + 1, sizeof *broken);
  uint32_t left = 0;
  for (uint32_t i = 0; i < known->count; i++) {
    broken[i] = known->list[i].broken;
  }
  qsort(broken, known->count, sizeof *broken, aig_ascending);
  for (uint32_t i = 0; i < d->count; i++) {
    if (!bsearch(&d->list[i].broken, broken, known->count, sizeof *broken, aig_ascending)) {
      d->list[left++] = d->list[i];
    }
  }
  d->count = left;
  free(broken);
}

// Tells a solver of a duty that it has proved, or another one.
static void tell_proved(cnf_t *cnf, const duty_t *duty, bool is_own) {
  if (is_own) {
    cnf_require_proved(cnf, aig_not(duty->broken));
  } else {
    cnf_require(cnf, aig_not(duty->broken));
  }
}

// Proves the list in order; a proved duty helps with the later ones. light: NULL, or a solver that
// knows less, and is asked first, for what does not need more is proved sooner so.
static bool prove_list(const proof_t *p, cnf_t *cnf, cnf_t *light, const duty_t *list,
                       uint32_t count) {
  bool ok = true;
  for (uint32_t from = 0; from < count && ok; from += AskedAtOnce) {
    const uint32_t end = count - from < AskedAtOnce ? count : from + AskedAtOnce;
    const bool is_light = light && prove_easy(p, light, &list[from], end - from);
    const bool is_easy = is_light || prove_easy(p, cnf, &list[from], end - from);
    for (uint32_t i = from; i < end && ok; i++) {
      const bool is_here =
          is_light ||
          (!is_easy && light && ask(p, light, list[i].broken, LightConflicts) == CnfUnsatisfiable);
      ok = is_here || is_easy || prove_duty(p, cnf, &list[i]);
      if (ok) {
        tell_proved(cnf, &list[i], !is_here);
      }
      if (ok && light) {
        tell_proved(light, &list[i], is_here);
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

typedef struct known {
  const duty_t *list;
  uint32_t count;
  const struct known *before;
} known_t;

// A case, as simple as the decisions since make it: what is assumed and legal; where the
// ring begins; the decisions; the conditions that are not decided yet.
typedef struct {
  lit_t given[2], first[32], decisions[TransitionMostCases], conditions[TransitionMostCases];
} facts_t;

// The duties left to prove in one of the cases that the wrapper tells apart.
typedef struct {
  const proof_t *proof, *granted;
  proof_part_e part;
  duty_t *list;
  uint32_t count;
  facts_t facts;
  lit_t decided[TransitionMostCases];  // the decisions as they were made
  uint32_t condition_count, decided_count;
  const known_t *known;  // what is proved of all cases that this one is among
} split_t;

// Questions for one solver each, which need not wait for each other, as all must be proved.
typedef struct {
  split_t *list;
  uint32_t count, room;
  uint32_t as_others;  // duties of a case that hold if those of another one do
  arena_t *arena;
  rings_t *rings;
} questions_t;

// A solver that knows what holds in this case, of `given` what is assumed.
static cnf_t *begin(const split_t *s, lit_t given) {
  const proof_t *p = s->proof;
  cnf_t *cnf = cnf_create_confirmed(p->t->aig);
  products_require(p->t->products, cnf);
  for (uint32_t i = 0; i < s->decided_count; i++) {
    cnf_require(cnf, s->decided[i]);
  }
  cnf_require(cnf, given);
  cnf_require(cnf, s->facts.given[1]);
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
  enum { Facts = sizeof s->facts / sizeof(lit_t) };
  lit_t holds[MostImplied], values[MostImplied];
  lit_t *roots = fault_calloc(Facts + s->count, sizeof *roots);
  memcpy(holds, true_ones, count * sizeof *holds);
  const size_t known = aig_implied(aig, holds, count, MostImplied);
  for (size_t i = 0; i < known; i++) {
    values[i] = AigTrue;
  }
  memcpy(roots, &s->facts, sizeof s->facts);
  for (uint32_t i = 0; i < s->count; i++) {
    roots[Facts + i] = s->list[i].broken;
  }
  aig_substitute(aig, holds, values, known, roots, Facts + s->count);
  memcpy(&s->facts, roots, sizeof s->facts);
  for (uint32_t i = 0; i < s->count; i++) {
    s->list[i].broken = roots[Facts + i];
  }
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
    none[i] = aig_not(s->facts.conditions[i]);
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
  lit_t *conditions = s->facts.conditions;
  uint32_t left = 0;
  for (uint32_t i = 0; i < s->condition_count; i++) {
    if (conditions[i] > AigTrue) {
      conditions[left++] = conditions[i];
    }
  }
  s->condition_count = left;
}

static void leave_known(questions_t *q, split_t *s) {
  const uint32_t count = s->count;
  lit_t context[2 + TransitionMostCases];
  memcpy(context, s->facts.given, sizeof s->facts.given);
  memcpy(context + 2, s->facts.decisions, s->decided_count * sizeof *context);
  s->count = rings_leave(q->rings, context, 2 + s->decided_count, s->facts.first, s->list, count);
  q->as_others += count - s->count;
}

static duty_t *copy(arena_t *arena, const duty_t *list, uint32_t count) {
  duty_t *to = arena_take(arena, count + 1, sizeof *list);
  return count ? memcpy(to, list, count * sizeof *list) : to;
}

// First what no condition makes simpler, then the rest, whether the first condition holds or not.
static void split(questions_t *q, split_t *s) {
  aig_t *aig = s->proof->t->aig;
  uint32_t common = s->condition_count ? find_common(aig, s) : s->count;
  common = common < s->count / FewCommon ? 0 : common;
  if (common) {
    if (q->count == q->room) {
      q->room = q->room ? q->room * 2 : 16;
      q->list = fault_realloc(q->list, q->room, sizeof *q->list);
    }
    q->list[q->count] = *s;
    q->list[q->count++].count = common;
  }
  known_t *known = arena_take(q->arena, 1, sizeof *known);
  *known = (known_t){s->list, common, s->known};
  for (uint32_t value = 0; value < 2 && common < s->count; value++) {
    const lit_t first = s->facts.conditions[0], holds = value ? first : aig_not(first);
    split_t half = *s;
    half.known = known;
    half.count = s->count - common;
    half.list = copy(q->arena, s->list + common, half.count);
    half.condition_count--;
    memmove(half.facts.conditions, s->facts.conditions + 1,
            half.condition_count * sizeof *half.facts.conditions);
    put(aig, &holds, 1, &half);
    half.facts.decisions[half.decided_count] = half.decided[half.decided_count] = holds;
    half.decided_count++;
    drop_constant(&half);
    if (half.facts.given[0] != AigFalse) {
      leave_known(q, &half);
      split(q, &half);
    }
  }
}

static bool prove_question(process_t *job, const void *context, uint32_t number) {
  const split_t *s = &((const questions_t *)context)->list[number];
  const lit_t less = s->proof->without_any;
  cnf_t *cnf = begin(s, s->facts.given[0]);
  cnf_t *light = s->part != ProofBase && less != AigNone ? begin(s, less) : NULL;
  const bool ok = prove_list(s->proof, cnf, light, s->list, s->count);
  process_count(job, cnf_clauses(cnf) + (light ? cnf_clauses(light) : 0));
  if (light) {
    cnf_destroy(light);
  }
  if (!ok) {
    process_is_refuted(job);
    report(s->proof, s->part, cnf);
  }
  cnf_destroy(cnf);
  return ok;
}

bool cases_prove(proof_t *p, proof_part_e part, const proof_t *granted, uint32_t at_once) {
  const double start = seconds();
  duties_t *d = &p->duties[part];
  const moment_t *m = part == ProofStep ? &p->t->stepped : &p->t->reset;
  questions_t questions = {.arena = arena_create(), .rings = rings_create(p, m)};
  processes_t jobs = {0};
  if (granted) {
    take_for_granted(d, &granted->duties[part]);
  }
  split_t s = {.proof = p, .granted = granted, .part = part, .count = d->count};
  s.list = copy(questions.arena, d->list, d->count);
  s.facts.given[0] = s.facts.given[1] = AigTrue;
  if (part == ProofOutputs) {
    s.facts.given[0] = p->assumed;
    s.condition_count = p->t->stepped.case_count;
    memcpy(s.facts.conditions, p->t->stepped.cases, s.condition_count * sizeof(lit_t));
  } else if (part == ProofReset || part == ProofStep) {
    s.facts.given[0] = p->assumed;
    s.facts.given[1] = m->legal;
    s.condition_count = m->case_count;
    memcpy(s.facts.conditions, m->cases, m->case_count * sizeof *m->cases);
    memcpy(s.facts.first, m->ring.first, sizeof s.facts.first);
  }
  split(&questions, &s);
  processes_run(&jobs, questions.count, at_once, prove_question, &questions);
  const bool ok = !jobs.first_failed;
  printf("  %s: %s, %u duties", ProofNames[part], ok ? "proved" : "refuted", d->count);
  if (questions.as_others) {
    printf(", %u of cases as in others", questions.as_others);
  }
  printf(", %" PRIu64 " clauses, %.1f s\n", jobs.counted, seconds() - start);
  processes_explain(&jobs);
  fflush(stdout);
  processes_destroy(&jobs);
  free(questions.list);
  arena_destroy(questions.arena);
  rings_destroy(questions.rings);
  return ok;
}
