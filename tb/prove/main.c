// SPDX-License-Identifier: Apache-2.0
// build/prove: proves one unit with one set of parameters, from the files that
// `nocturne prove` makes (driver/proof_step.c).
#include <argp.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cases.h"
#include "checker.h"
#include "cnf.h"
#include "covers.h"
#include "crowd.h"
#include "explain.h"
#include "export.h"
#include "fates.h"
#include "hunt.h"
#include "lanes.h"
#include "play.h"
#include "reader.h"
#include "refine.h"
#include "search.h"
#include "solver.h"
#include "widths.h"

extern const unit_model_t UnitModels[];

enum {
  ExitProved = 0,
  ExitRefuted = 1,
  DefaultBound = 64,
  DefaultCycles = 45,
  MostConflicts = 8000,  // of one question about runs from reset
  SoonCycles = 12,       // of a run that is searched before the recorded ones are looked at
  MostParameters = 64,   // words of a unit's parameter struct
  MostRefinements = 16,
  MostAsked = 2000,  // conflicts of a question about a width
  MostFiles = 32,    // of vectors
};
enum {
  KeyParameters = 256,
  KeyPlay,
  KeyRuns,
  KeyCycles,
  KeyJobs,
  KeyMutant,
  KeyTables,
  KeyWrite,
  KeyHunt,
  KeyChecker,
  KeyIsChecker,
  KeyConfirm,
  KeyClauses,
  KeySecond,
  KeyFound,
  KeySearch,
  KeyFlaws,
  KeyMutants,
  KeyNoSolver,
  KeyInvariants,
  KeyBeyond,
  KeyWidths
};

typedef struct {
  const char *unit, *params, *golden, *rtl, *vectors, *tables, *checker, *clauses, *second, *flaws;
  const char *write[MostFiles];
  const char *runs[MostFiles], *beyond[MostFiles];
  uint32_t run_count, write_count, beyond_count;
  uint32_t bound, cycles, invariants, search, jobs, mutant, mutants;
  bool only_parameters, only_found, only_plays, only_hunts, is_checker, covers, no_solver,
      only_widths;
  char all[UnitParamsText];  // parameters
} options_t;

static const struct argp_option Options[] = {
    {"golden", 'g', "FILE.bc", 0, "the wrapper with the golden model, compiled by clang-14", 0},
    {"rtl", 'r', "FILE.aig", 0, "the RTL, written by Yosys", 0},
    {"bound", 'b', "N", 0, "turns of a loop whose end depends on state or inputs (64)", 0},
    {"covers", 'c', NULL, 0, "also: every stream fires and every error is reached from reset", 0},
    {"beyond", KeyBeyond, "EVENT", 0,
     "of --covers: no run from reset is short enough for it; it must be possible in a cycle of a "
     "state within the invariant, and no run may show it",
     0},
    {"cycles", KeyCycles, "N", 0, "most cycles of a run from reset that is searched (45)", 0},
    {"search", KeySearch, "N", 0,
     "where nothing else finds a run to what is refuted: this many cycles more, from reset and "
     "from "
     "the end of each recorded run",
     0},
    {"jobs", KeyJobs, "N", 0, "so many cases at a time (1)", 0},
    {"vectors", 'v', "FILE.vec", 0, "where a run to a counterexample goes", 0},
    {"mutant", KeyMutant, "N", 0,
     "of those in the graph; what is proved without one is taken for granted, and only what this "
     "one changes is asked",
     0},
    {"runs", KeyRuns, "FILE.vec", 0,
     "recorded vectors, up to 32 files. In these a run to what is refuted is looked for if there "
     "is no short one; with --covers they are played in both graphs, and all that can happen must "
     "happen in them",
     0},
    {"play", KeyPlay, "FILE.vec", 0, "as --runs, without a proof", 0},
    {"write", KeyWrite, "PART:FILE.aig", 0,
     "no proof, but its duties for other programs: those of base, reset, outputs or step; or the "
     "machine from reset, reachable (export.h)",
     0},
    {"hunt", KeyHunt, NULL, 0,
     "no proof, but a search: 64 random runs of 2,400 cycles from reset in the graph, and those of "
     "--runs, with all checks",
     0},
    {"checker", KeyChecker, "FILE.v", 0, "no proof, but the golden model as Verilog (checker.h)",
     0},
    {"is-checker", KeyIsChecker, NULL, 0,
     "the RTL is the golden model read back from such a file: whether it is that", 0},
    {"clauses", KeyClauses, "FILE.pla", 0,
     "no proof of a wrapper, but of an invariant that abc found of the machine from reset", 0},
    {"found", KeyFound, NULL, 0,
     "only where something was found and not written: registers in runs, or --clauses", 0},
    {"widths", KeyWidths, NULL, 0,
     "no proof, but what a wrapper with FindWidths leaves to be found, beside the bitcode; each "
     "width holds of a step",
     0},
    {"second", KeySecond, "FILE.aig", 0,
     "no proof of the golden model, but that this is the RTL, too, as another Yosys wrote it", 0},
    {"confirm", KeyConfirm, "COMMAND", 0,
     "a program that reads the proof of each answer of the solver, and whose status says whether "
     "it "
     "is one (confirm/confirm.c)",
     0},
    {"flaws", KeyFlaws, "FOLDER", 0,
     "no proof, but the fate of each single-bit flaw of the RTL's graph (fates.h); the unit is "
     "proved",
     0},
    {"mutants", KeyMutants, "N", 0,
     "with --flaws: the first N mutants that the graph holds instead", 0},
    {"no-solver", KeyNoSolver, NULL, 0, "with --flaws: what no run kills stays open", 0},
    {"invariants", KeyInvariants, "N", 0,
     "with --flaws: abc has N seconds to show of each flaw that is left that it changes no output",
     0},
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

static void put_run(struct argp_state *state, options_t *o, const char *path) {
  if (o->run_count == MostFiles) {
    argp_error(state, "%s: more than %d files", path, MostFiles);
  }
  o->runs[o->run_count++] = path;
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
    case KeyJobs: o->jobs = read_number(state, arg); return 0;
    case KeyMutant: o->mutant = read_number(state, arg); return 0;
    case KeyFlaws: o->flaws = arg; return 0;
    case KeyMutants: o->mutants = read_number(state, arg); return 0;
    case KeyNoSolver: o->no_solver = true; return 0;
    case KeyInvariants: o->invariants = read_number(state, arg); return 0;
    case KeyTables: o->tables = arg; return 0;
    case KeyHunt: o->only_hunts = true; return 0;
    case KeyChecker: o->checker = arg; return 0;
    case KeyClauses: o->clauses = arg; return 0;
    case KeySearch: o->search = read_number(state, arg); return 0;
    case KeyFound: o->only_found = true; return 0;
    case KeyWidths: o->only_widths = true; return 0;
    case KeySecond: o->second = arg; return 0;
    case KeyConfirm: cnf_confirm_by(arg); return 0;
    case KeyIsChecker: o->is_checker = true; return 0;
    case KeyBeyond:
      if (o->beyond_count == MostFiles) {
        argp_error(state, "--beyond: expected up to %d of them", MostFiles);
      }
      o->beyond[o->beyond_count++] = arg;
      return 0;
    case KeyWrite:
      if (o->write_count == MostFiles || !strchr(arg, ':')) {
        argp_error(state, "%s: expected PART:FILE.aig, up to %d of them", arg, MostFiles);
      }
      o->write[o->write_count++] = arg;
      return 0;
    case KeyPlay:
    case KeyRuns:
      put_run(state, o, arg);
      o->only_plays |= key == KeyPlay;
      return 0;
    case KeyParameters: o->only_parameters = true; return 0;
    case ARGP_KEY_ARG:
      if (state->arg_num > 1) {
        argp_error(state, "%s: expected a unit and its parameters", arg);
      }
      *(state->arg_num ? &o->params : &o->unit) = arg;
      return 0;
    case ARGP_KEY_END:
      if (!o->unit || !o->params ||
          (!o->only_parameters && !(o->second && o->rtl) &&
           (!o->golden || !(o->rtl || o->checker)))) {
        argp_error(state, "expected a unit, its parameters, --golden and --rtl");
      }
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

static double seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

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

// Recorded inputs may show it at once, where a search of as many cycles would take long.
static bool is_in_runs(const options_t *o, const proof_t *p) {
  const double start = seconds();
  uint32_t cycles = 0, i = 0;
  while (i < o->run_count && !(cycles = play_difference(p, o->runs[i], o->all))) {
    i++;
  }
  if (cycles) {
    printf("  from reset, in %u cycles of %s (%.1f s):\n", cycles, o->runs[i], seconds() - start);
    const char *vectors = o->vectors ? o->vectors : "/dev/null";
    if (!play_report(p, o->runs[i], o->all, cycles, vectors)) {
      fault(FaultLacking, "%s: cannot be written", vectors);
    }
    printf("  vectors: %s\n", vectors);
  }
  return cycles > 0;
}

// The shortest run from reset to a difference, if it is no longer than so many cycles; searched is
// how many were looked at, is_sure that there is none.
static bool is_found(const options_t *o, const proof_t *p, uint32_t cycles, uint32_t *searched,
                     bool *is_sure) {
  const double start = seconds();
  const event_t differs = {"differs", search_differs(p)};
  uint8_t *value = NULL;
  search_t s;
  *is_sure = true;
  search_create(&s, p, &differs, 1, true);
  const bool found = find(&s, cycles, &value, is_sure);
  *searched = s.count;
  if (found) {
    printf("  from reset, in %u cycles (%.1f s):\n", s.count, seconds() - start);
    search_report(stdout, &s, value);
    if (o->vectors) {
      if (!search_write(&s, value, o->all, o->vectors)) {
        fault(FaultLacking, "%s: cannot be written", o->vectors);
      }
      printf("  vectors: %s\n", o->vectors);
    }
  }
  free(value);
  search_destroy(&s);
  return found;
}

// Random runs from reset, longer than any that is searched. False: nothing differs or strays.
static bool is_hunted(const options_t *o, const proof_t *p) {
  const double start = seconds();
  char path[4096];
  snprintf(path, sizeof path, "%s.hunted", o->vectors ? o->vectors : "counterexample.vec");
  const hunted_t found = hunt(p, HuntCycles, o->all, path);
  if (found.cycles) {
    printf("  from reset, in %u cycles of a random run (%.1f s):\n", found.cycles,
           seconds() - start);
    const char *vectors = o->vectors ? o->vectors : "/dev/null";
    if (!play_report(p, path, o->all, found.cycles, vectors)) {
      fault(FaultLacking, "%s: cannot be written", vectors);
    }
    printf("  vectors: %s\n", vectors);
  } else if (found.strays) {
    printf("  from reset, in %u cycles of a random run: %s (%.1f s)\n  inputs: %s\n", found.strays,
           found.strayed, seconds() - start, path);
  }
  return found.cycles || found.strays;
}

// Goes on from the end of a recorded run.
static bool is_found_behind(const options_t *o, const proof_t *p, const char *run) {
  const double start = seconds();
  const event_t differs = {"differs", search_differs(p)};
  uint8_t *state = fault_calloc(p->t->state_count + p->t->rtl.latches, 1), *value = NULL;
  const char *vectors = o->vectors ? o->vectors : "/dev/null";
  bool is_sure = true;
  search_t s;
  const uint32_t played = play_state(p, run, o->all, state);
  search_create(&s, p, &differs, 1, true);
  search_begin(&s, state);
  const bool found = find(&s, o->search, &value, &is_sure);
  if (found) {
    printf("  from reset, in %u cycles of %s and %u more (%.1f s):\n", played, run, s.count,
           seconds() - start);
    if (!play_report(p, run, o->all, played, vectors) || !search_write(&s, value, NULL, vectors)) {
      fault(FaultLacking, "%s: cannot be written", vectors);
    }
    printf("  then:\n");
    search_report(stdout, &s, value);
    printf("  vectors: %s\n", vectors);
  }
  free(value);
  free(state);
  search_destroy(&s);
  return found;
}

static bool is_found_later(const options_t *o, const proof_t *p, uint32_t *searched,
                           bool *is_sure) {
  bool found = is_found(o, p, o->cycles + o->search, searched, is_sure);
  for (uint32_t i = 0; i < o->run_count && !found; i++) {
    found = is_found_behind(o, p, o->runs[i]);
  }
  return found;
}

// A counterexample's state may be one that no run comes to. Looks for a run from reset to a
// difference: a short one, one of the recorded ones, a long one; where there is none, says what the
// wrapper lacks.
static void explain(const options_t *o, const proof_t *p) {
  const double start = seconds();
  if (arrays_count(p->t->base.arrays)) {
    printf("%s", is_in_runs(o, p) ? "" : "  in no recorded run, and there is no search\n");
    return;
  }
  const uint32_t soon = o->run_count && o->cycles > SoonCycles ? SoonCycles : o->cycles;
  bool is_sure;
  uint32_t searched;
  if (is_found(o, p, soon, &searched, &is_sure) || is_in_runs(o, p) ||
      (soon < o->cycles && is_found(o, p, o->cycles, &searched, &is_sure)) ||
      (o->cycles > 1 && is_hunted(o, p)) ||
      (o->search && is_found_later(o, p, &searched, &is_sure))) {
    return;
  }
  const uint32_t strays = find_stray(o, p);
  if (strays) {
    printf(
        "  from reset, within %u cycles, no output differs; but after %u of them what the "
        "wrapper says does not hold: it is wrong, or both models are, or it shows later "
        "(%.1f s)\n",
        searched, strays - 1, seconds() - start);
  } else {
    printf(
        "  not reached in %u cycles from reset%s (%.1f s): the state above may be unreachable, and "
        "an "
        "invariant must exclude it; or a run to it needs more cycles (--search N goes on)\n",
        searched, is_sure ? "" : ", as far as the solver got", seconds() - start);
  }
}

// Recorded vectors in both graphs, or a search from reset: what happens there.
static bool show(const options_t *o, const proof_t *p) {
  const covers_t c = {p,         o->all,    o->runs,   o->run_count,
                      o->cycles, o->covers, o->beyond, o->beyond_count};
  return o->run_count ? covers_play(&c) : covers_search(&c);
}

// A search is no proof, and is not called one.
static bool search(const options_t *o, const proof_t *p) {
  const double start = seconds();
  if (is_hunted(o, p)) {
    return false;
  }
  printf("  searched: %d random runs of %d cycles from reset, nothing differs, %.1f s\n", LanesRuns,
         HuntCycles, seconds() - start);
  return o->run_count == 0 || show(o, p);
}

// All flaws of the graph. False: some are open.
static bool settle(const options_t *o, const proof_t *p) {
  char head[TransitionHeadSize];
  transition_head(p->t, o->all, head);
  const fates_options_t options = {o->flaws, head,         o->mutants,   o->cycles,
                                   o->jobs,  o->no_solver, o->invariants};
  return fates_run(&options, p) == 0;
}

static bool prove(const options_t *o, proof_t *p, const proof_t *granted) {
  bool ok = true;
  for (proof_part_e part = ProofApart; part < ProofParts; part++) {
    // No mutant changes the golden model.
    const bool is_apart = part == ProofApart && (granted || p->duties[part].count == 0);
    ok &= is_apart || cases_prove(p, part, granted, o->jobs);
  }
  if (!ok) {
    explain(o, p);
  }
  return ok && (!o->covers || show(o, p));
}

static void write_parts(const options_t *o, const proof_t *p) {
  for (uint32_t i = 0; i < o->write_count; i++) {
    const char *colon = strchr(o->write[i], ':');
    char part[32];
    snprintf(part, sizeof part, "%.*s", (int)(colon - o->write[i]), o->write[i]);
    if (!export_write(p, part, colon + 1)) {
      fault(FaultUsage, "--write %s: expected base, reset, outputs, step or reachable before ':'",
            o->write[i]);
    }
  }
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

// The golden model as Verilog, or the proof that such a file is it.
static bool check_golden(const options_t *o, const transition_t *t) {
  if (!o->checker) {
    return checker_prove(t);
  }
  checker_write(t, o->all, o->checker);
  return true;
}

// Proves what nobody wrote down, by the solver that this program has.
static bool prove_found(const options_t *o, proof_t *p) {
  if (o->clauses || p->relation.count) {
    printf("  found, not written; proved again by %s:\n", solver_name());
  }
  return o->clauses ? export_confirm(p, o->clauses) : !p->relation.count || prove(o, p, NULL);
}

static bool run(const options_t *o, proof_t *p, const proof_t *granted) {
  if (o->write_count) {
    write_parts(o, p);
    return true;
  }
  if (o->only_found || o->only_hunts || o->only_plays) {
    return o->only_found ? prove_found(o, p) : o->only_hunts ? search(o, p) : show(o, p);
  }
  if (o->flaws) {
    return settle(o, p);
  }
  if (o->clauses) {
    return export_confirm(p, o->clauses);
  }
  printf("  %u RTL registers are not related; graph of %u nodes; %.1f s\n", p->unmapped,
         aig_count(p->t->aig), seconds());
  return prove(o, p, granted);
}

// No run begins at a state in which no memory is written down, unless it is recorded.
static void make(const options_t *o, const transition_options_t *made, transition_t *t) {
  transition_create(t, made);
  if (arrays_count(t->base.arrays) && (o->flaws || o->only_hunts || o->write_count || o->clauses ||
                                       o->mutant || o->checker || (o->covers && !o->run_count))) {
    fault(FaultUsage, "symbolic memories are proved, and recorded runs are played; nothing else");
  }
  if (t->needs_widths) {
    widths_make(t, made);
  }
}

// Whether a proof of the unit may have gone before, which found widths.
static bool is_again(const options_t *o) {
  return o->checker || o->is_checker || o->only_found || o->only_plays || o->write_count ||
         o->flaws || o->mutant;
}

// Finds what the proof needs and nobody wrote; what is found of widths is kept.
static void find_all(const options_t *o, proof_t *p, transition_t *t) {
  proof_create(p, t, NULL);
  if (!t->needs_widths || is_again(o)) {
    return;
  }
  const uint32_t conflicts = o->only_widths ? 0 : MostAsked;
  for (uint32_t i = 0; i < MostRefinements && refine_widths(p, conflicts); i++) {
    proof_destroy(p);
    proof_create(p, t, NULL);
  }
  widths_write(t, o->golden, o->runs, o->run_count);
}

// Sets the mutant of those that the graph holds (tb/mutate/mutants.sh).
static void choose_mutant(transition_t *t, uint32_t number) {
  static flaw_t flaw;
  static crowd_t crowd;
  flaw.mutant = number;
  crowd_create(&crowd, &t->rtl, t->aig, &flaw, 1);
  t->rtl.crowd = &crowd;
}

int main(int argc, char **argv) {
  static const struct argp Parser = {Options,
                                     parse,
                                     "UNIT PARAMETERS",
                                     "Proves that a unit's golden model and its RTL are equal.",
                                     NULL,
                                     NULL,
                                     NULL};
  static options_t o = {.bound = DefaultBound, .cycles = DefaultCycles, .jobs = 1};
  static uint64_t params[MostParameters];
  static transition_t t;
  static proof_t p, unit;  // of a mutant, and of the unit that it changes
  err_auto_t err = {0};
  bool ok = true;
  argp_parse(&Parser, argc, argv, 0, NULL, &o);
  const unit_info_t *info = o.tables ? load_unit(&o) : find_unit(&o);
  if (!unit_params_read(info, o.params, params, &err)) {
    fault(FaultUsage, "%s", err_text(&err));
  }
  unit_params_text(info, params, o.all);
  if (o.only_parameters) {
    puts(o.all);
    return ExitProved;
  }
  if (o.second) {
    return reader_prove(o.rtl, o.second) ? ExitProved : ExitRefuted;
  }
  const transition_options_t made = {info,   params,      o.golden,     o.rtl,        o.all,
                                     o.runs, o.run_count, is_again(&o), o.is_checker, o.bound};
  make(&o, &made, &t);
  if (!o.only_found) {
    printf("%s %s: %u bits of golden state, %u RTL registers, %u inputs; %.1f s\n", o.unit, o.all,
           t.state_count, t.rtl.latches, t.in_bits, seconds());
    fflush(stdout);
  }
  if (o.checker || o.is_checker) {
    ok = check_golden(&o, &t);
    transition_destroy(&t);
    return ok ? ExitProved : ExitRefuted;
  }
  find_all(&o, &p, &t);
  if (o.only_widths) {
    return ExitProved;
  }
  if (o.mutant) {
    unit = p;
    choose_mutant(&t, o.mutant);
    proof_create(&p, &t, unit.finds ? &unit.relation : NULL);
  }
  ok = run(&o, &p, o.mutant ? &unit : NULL);
  if (o.mutant) {
    proof_destroy(&unit);
  }
  proof_destroy(&p);
  transition_destroy(&t);
  return ok ? ExitProved : ExitRefuted;
}
