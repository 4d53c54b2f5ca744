// SPDX-License-Identifier: Apache-2.0
// build/prove: proves one unit with one set of parameters, from the files that prove.sh makes.
#include <argp.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cnf.h"
#include "play.h"
#include "report.h"
#include "search.h"

extern const unit_model_t UnitModels[];

enum {
  ExitProved = 0,
  ExitRefuted = 1,
  DefaultBound = 64,
  DefaultCycles = 45,
  MostConflicts = 8000,   // of one question about runs from reset
  LongDuty = 2,           // seconds
  AskedAtOnce = 64,       // duties
  EasyConflicts = 1000,   // of these
  FirstAsked = 4,         // cycle of a run that is asked for covers
  DutyText = 320,
  MostImplied = 64,       // by the conditions of a case
  MostParameters = 64,    // words of a unit's parameter struct
  MostFiles = 16,         // of vectors
};
enum { KeyParameters = 256, KeyPlay, KeyCycles, KeyMutant, KeyTables };

typedef struct {
  const char *unit, *params, *golden, *rtl, *vectors, *tables;
  const char *play[MostFiles];
  uint32_t play_count;
  uint32_t bound, cycles, mutant;
  bool only_parameters, covers;
  char all[UnitParamsText];  // parameters
} options_t;

static const struct argp_option Options[] = {
    {"golden", 'g', "FILE.bc", 0, "the wrapper with the golden model, compiled by clang-14", 0},
    {"rtl", 'r', "FILE.aig", 0, "the RTL, written by Yosys", 0},
    {"bound", 'b', "N", 0, "turns of a loop whose end depends on state or inputs (64)", 0},
    {"covers", 'c', NULL, 0, "also: every stream fires and every error is reached from reset", 0},
    {"cycles", KeyCycles, "N", 0, "most cycles of a run from reset that is searched (45)", 0},
    {"vectors", 'v', "FILE.vec", 0, "where a run to a counterexample goes", 0},
    {"mutant", KeyMutant, "N", 0,
     "of those in the graph; what is proved without one is taken for granted, and only what this "
     "one changes is asked", 0},
    {"play", KeyPlay, "FILE.vec", 0,
     "no proof: recorded vectors in both graphs; up to 16 files. With --covers: all that can "
     "happen must happen in them", 0},
    {"tables", KeyTables, "FILE.so", 0,
     "the unit is from outside the tree; what its page made, compiled (NAME_table.c)", 0},
    {"parameters", KeyParameters, NULL, 0, "print all parameters of the unit, and end", 0},
    {0}};

static uint32_t read_number(struct argp_state *state, const char *text) {
  char *end;
  const unsigned long n = strtoul(text, &end, 10);
  if (*end || n < 1 || n > 100000) {
    argp_error(state, "%s: expected a number from 1 to 100000", text);
  }
  return (uint32_t)n;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  options_t *o = state->input;
  switch (key) {
    case 'g': o->golden = arg; return 0;
    case 'r': o->rtl = arg; return 0;
    case 'v': o->vectors = arg; return 0;
    case 'c': o->covers = true; return 0;
    case 'b': o->bound = read_number(state, arg); return 0;
    case KeyCycles: o->cycles = read_number(state, arg); return 0;
    case KeyMutant: o->mutant = read_number(state, arg); return 0;
    case KeyTables: o->tables = arg; return 0;
    case KeyPlay:
      if (o->play_count == MostFiles) {
        argp_error(state, "%s: more than %d files", arg, MostFiles);
      }
      o->play[o->play_count++] = arg;
      return 0;
    case KeyParameters: o->only_parameters = true; return 0;
    case ARGP_KEY_ARG:
      if (state->arg_num > 1) {
        argp_error(state, "%s: expected a unit and its parameters", arg);
      }
      *(state->arg_num ? &o->params : &o->unit) = arg;
      return 0;
    case ARGP_KEY_END:
      if (!o->unit || !o->params || (!o->only_parameters && (!o->golden || !o->rtl))) {
        argp_error(state, "expected a unit, its parameters, --golden and --rtl");
      }
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

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

// granted: NULL, or a proof of which all is known to hold.
static bool prove_part(proof_t *p, proof_part_e part, const proof_t *granted) {
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

// A run, no longer than this, to the first event.
static bool find(search_t *s, uint32_t cycles, uint8_t **value, bool *is_sure) {
  cnf_result_e result = CnfUnsatisfiable;
  while (result != CnfSatisfiable && s->count < cycles) {
    search_cycle(s);
    result = search_ask(s, 0, MostConflicts, value);
    *is_sure &= result != CnfUnknown;
  }
  return result == CnfSatisfiable;
}

// In how many cycles from reset what the wrapper says stops holding; 0: it is not found.
static uint32_t find_stray(const options_t *o, const proof_t *p) {
  const event_t strays = {"strays", search_strays(p)};
  uint8_t *value = NULL;
  bool is_sure = true;
  search_t s;
  search_create(&s, p, &strays, 1, true);
  const uint32_t found = find(&s, o->cycles, &value, &is_sure) ? s.count : 0;
  free(value);
  search_destroy(&s);
  return found;
}

// A counterexample's state may be one that no run comes to. Looks for a run from reset to a
// difference; where there is none, says what the wrapper lacks.
static void explain(const options_t *o, const proof_t *p) {
  const double start = seconds();
  const event_t differs = {"differs", search_differs(p)};
  uint8_t *value = NULL;
  bool is_sure = true;
  search_t s;
  search_create(&s, p, &differs, 1, true);
  const bool is_found = find(&s, o->cycles, &value, &is_sure);
  const uint32_t strays = is_found ? 0 : find_stray(o, p);
  if (is_found) {
    printf("  from reset, in %u cycles (%.1f s):\n", s.count, seconds() - start);
    search_report(stdout, &s, value);
    if (o->vectors) {
      if (!search_write(&s, value, o->all, o->vectors)) {
        fault(FaultLacking, "%s: cannot be written", o->vectors);
      }
      printf("  vectors: %s\n", o->vectors);
    }
  } else if (strays) {
    printf("  from reset, within %u cycles, no output differs; but after %u of them what the "
           "wrapper says does not hold: it is wrong, or both models are, or it shows later "
           "(%.1f s)\n",
           s.count, strays - 1, seconds() - start);
  } else {
    printf("  not reached from reset within %u cycles%s (%.1f s): an invariant is missing that "
           "excludes the state above\n", s.count,
           is_sure ? "" : ", as far as the solver got", seconds() - start);
  }
  free(value);
  search_destroy(&s);
}

// Events that the invariant excludes; returns how many.
static uint32_t exclude(const proof_t *p, const event_t *events, uint32_t count, bool *excluded) {
  uint32_t found = 0;
  cnf_t *cnf = cnf_create(p->t->aig);
  cnf_require(cnf, p->assumed);
  for (uint32_t i = 0; i < count; i++) {
    excluded[i] = cnf_solve(cnf, events[i].when, MostConflicts) == CnfUnsatisfiable;
    if (excluded[i]) {
      printf("  %s: never, by the invariant\n", events[i].what);
      found++;
    }
  }
  cnf_destroy(cnf);
  return found;
}

// The proof speaks of something: what the unit can do is reached from reset, and so, as base and
// step are proved, within relation and invariant.
static bool cover(const options_t *o, const proof_t *p) {
  const double start = seconds();
  event_t *events;
  search_t s;
  const uint32_t count = search_covers(p, &events);
  search_create(&s, p, events, count, false);
  bool *reached = fault_calloc(count, sizeof *reached);
  const uint32_t possible = count - exclude(p, events, count, reached);
  uint32_t left = possible;
  // What can happen in a cycle can mostly happen later, too: few of them are asked about.
  uint32_t next = FirstAsked;
  while (left && s.count < o->cycles) {
    search_cycle(&s);
    const bool is_asked = s.count == next || s.count == o->cycles;
    next += s.count == next ? next / 2 : 0;
    for (uint32_t i = 0; i < count && is_asked; i++) {
      uint8_t *value = NULL;
      if (reached[i] || search_ask(&s, i, MostConflicts, &value) != CnfSatisfiable) {
        continue;
      }
      reached[i] = true;
      left--;
      free(value);
    }
  }
  printf("  from reset: %u of %u streams, errors and situations within %u cycles, %.1f s\n",
         possible - left, possible, s.count, seconds() - start);
  for (uint32_t i = 0; i < count; i++) {
    if (!reached[i]) {
      printf("  %s: not reached\n", events[i].what);
    }
  }
  free(reached);
  free(events);
  search_destroy(&s);
  return left == 0;
}

// Recorded vectors in both graphs, and what happens in them.
static bool play(const options_t *o, const proof_t *p) {
  event_t *events;
  const uint32_t count = search_covers(p, &events);
  bool *excluded = fault_calloc(count, sizeof *excluded), same, ok = true, covered = true;
  const sought_t sought = {events, count, fault_calloc(count, sizeof *sought.reached)};
  uint32_t lines = 0, reached = 0;
  for (uint32_t i = 0; i < o->play_count; i++) {
    lines += play_vectors(p, o->play[i], o->all, &sought, &same);
    ok &= same;
  }
  const uint32_t possible = o->covers ? count - exclude(p, events, count, excluded) : count;
  for (uint32_t i = 0; i < count; i++) {
    reached += sought.reached[i];
    if (!sought.reached[i] && !excluded[i]) {
      printf("  %s: not in these vectors\n", events[i].what);
      covered = !o->covers;
    }
  }
  printf("  %u vectors: %s, %u of %u streams, errors and situations, %.1f s\n", lines,
         ok ? "as recorded" : "differ", reached, possible, seconds());
  free(sought.reached);
  free(excluded);
  free(events);
  return ok && covered;
}

static bool prove(const options_t *o, proof_t *p, const proof_t *granted) {
  bool ok = true;
  for (proof_part_e part = ProofApart; part < ProofParts; part++) {
    // No mutant changes the golden model.
    const bool is_apart = part == ProofApart && (granted || p->duties[part].count == 0);
    ok &= is_apart || prove_part(p, part, granted);
  }
  if (!ok) {
    explain(o, p);
  }
  return ok && (!o->covers || cover(o, p));
}

static const unit_info_t *find_unit(const options_t *o) {
  const unit_model_t *model = UnitModels;
  while (model->info && strcmp(model->info->name, o->unit) != 0) {
    model++;
  }
  if (!model->info) {
    fault(FaultUsage, "%s: no such unit", o->unit);
  }
  return model->info;
}

static const unit_info_t *load_unit(const options_t *o) {
  char symbol[128];
  void *object = dlopen(o->tables, RTLD_NOW | RTLD_LOCAL);
  if (!object) {
    fault(FaultUsage, "%s", dlerror());
  }
  snprintf(symbol, sizeof symbol, "%s_info", o->unit);
  const unit_info_t *info = dlsym(object, symbol);
  if (!info) {
    fault(FaultUsage, "%s: no tables of %s", o->tables, o->unit);
  }
  if (info->params_size > MostParameters * sizeof(uint64_t)) {
    fault(FaultUsage, "%s: more parameters than %d words hold", o->unit, MostParameters);
  }
  return info;
}

int main(int argc, char **argv) {
  static const struct argp Parser = {Options, parse, "UNIT PARAMETERS",
                                     "Proves that a unit's golden model and its RTL are equal.",
                                     NULL, NULL, NULL};
  static options_t o = {.bound = DefaultBound, .cycles = DefaultCycles};
  static uint64_t params[MostParameters];
  static transition_t t;
  static proof_t p, unit;  // of a mutant, and of the unit that it changes
  char error[UnitErrorSize];
  argp_parse(&Parser, argc, argv, 0, NULL, &o);
  const unit_info_t *info = o.tables ? load_unit(&o) : find_unit(&o);
  if (!unit_params_read(info, o.params, params, error)) {
    fault(FaultUsage, "%s", error);
  }
  unit_params_text(info, params, o.all);
  if (o.only_parameters) {
    puts(o.all);
    return ExitProved;
  }
  const transition_options_t made = {info, params, o.golden, o.rtl, o.bound};
  transition_create(&t, &made);
  printf("%s %s: %u bits of golden state, %u RTL registers, %u inputs; %.1f s\n", o.unit, o.all,
         t.state_count, t.rtl.latches, t.in_bits, seconds());
  fflush(stdout);
  proof_create(&p, &t);
  if (o.mutant) {
    unit = p;
    t.rtl.mutant = o.mutant;
    proof_create(&p, &t);
  }
  bool ok;
  if (o.play_count) {
    ok = play(&o, &p);
  } else {
    printf("  %u RTL registers are not related; graph of %u nodes; %.1f s\n", p.unmapped,
           aig_count(t.aig), seconds());
    ok = prove(&o, &p, o.mutant ? &unit : NULL);
  }
  if (o.mutant) {
    proof_destroy(&unit);
  }
  proof_destroy(&p);
  transition_destroy(&t);
  return ok ? ExitProved : ExitRefuted;
}
