// SPDX-License-Identifier: Apache-2.0
// nocturne mutate: mutants of units, killed by tests or settled by the proof.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "outside_options.h"
#include "tb/harness/spawn.h"
#include "tb/mutate/mutant.h"
#include "tb/mutate/mutate.h"

enum {
  KeyWrapper = 256,
  KeySize,
  KeyVectors,
  KeyLaunch,
  KeyResume,
  KeyAttack,
  KeySettle,
  KeyOwn,
  KeyFirst,
  KeyLast,
  KeyUnit,
  KeyProof,
  KeyTables,
  KeyFlaws,
  KeySpeed,
  KeyPdr
};

typedef struct {
  mutate_options_t mutate;
  outside_options_t outside;
  mutant_t mutant;  // the job itself; number NULL: all as jobs
  bool settles;
} options_t;

static const struct argp_option Options[] = {
    {"count", 'n', "N", 0, "so many of the unit's mutants, evenly (240: all)", 0},
    {"seeds", 's', "N", 0, "seeds of 20,000 cycles each after ten of 2,000 (30)", 0},
    {"jobs", 'j', "N", 0, "mutants at a time (processors)", 0},
    {"folder", 'o', "DIR", 0, "where results go (build/mutate)", 0},
    {"prover", 'b', "FILE", 0, "the program build/prove (beside this one)", 0},
    {"no-proof", 'p', NULL, 0, "survivors stay open", 0},
    {"launch", KeyLaunch, "COMMAND", 0, "start each mutant by it, as 'srun -Q -n1'", 0},
    {"flaws", KeyFlaws, NULL, 0, "all single-bit flaws of the unit's graph instead, 512 at once",
     0},
    {"pdr", KeyPdr, "S", 0,
     "with --flaws: seconds for abc to settle each that is left (20; 0: none)", 0},
    {"speed", KeySpeed, NULL, 0, "with --flaws: its speed beside lockstep's", 0},
    {"resume", KeyResume, NULL, 0, "go on with a run that was cut off", 0},
    {"wrapper", KeyWrapper, "W.c", 0, "of a unit of your own: what its proof says", 1},
    {"size", KeySize, "NAME=VALUE ..", 0, "its size", 1},
    {"vectors", KeyVectors, "DIR", 0, "vectors and sequences that are played first", 1},
    {"attack", KeyAttack, "N", OPTION_HIDDEN, NULL, 0},
    {"settle", KeySettle, "N", OPTION_HIDDEN, NULL, 0},
    {"own", KeyOwn, "DIR", OPTION_HIDDEN, NULL, 0},
    {"first", KeyFirst, "N", OPTION_HIDDEN, NULL, 0},
    {"last", KeyLast, "N", OPTION_HIDDEN, NULL, 0},
    {"unit", KeyUnit, "NAME", OPTION_HIDDEN, NULL, 0},
    {"proof", KeyProof, "DIR", OPTION_HIDDEN, NULL, 0},
    {"tables", KeyTables, "FILE", OPTION_HIDDEN, NULL, 0},
    OUTSIDE_GIVEN,
    {0}};

// Once all options are read.
static void check(struct argp_state *state, options_t *o) {
  mutate_options_t *m = &o->mutate;
  m->outside = o->outside.outside;
  if (!m->outside.page && !o->mutant.number &&
      (m->outside.rtl || m->outside.golden || m->wrapper || m->size || m->vectors)) {
    argp_error(state, "--rtl, --golden, --wrapper, --size and --vectors: expected --page too");
  }
  if (m->outside.page && m->unit_count) {
    argp_error(state, "--page: expected no unit beside it");
  }
  o->mutant.params = m->size;
  o->mutant.vectors = m->vectors;
  o->mutant.prover = m->prover;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  options_t *o = state->input;
  mutate_options_t *m = &o->mutate;
  if (outside_option(&o->outside, key, arg)) {
    return 0;
  }
  switch (key) {
    case 'n': m->count = (uint32_t)cli_number(state, "count", arg, 1, 65535); return 0;
    case 's': m->seeds = (uint32_t)cli_number(state, "seeds", arg, 0, 1000000); return 0;
    case 'j': m->jobs = (uint32_t)cli_number(state, "jobs", arg, 1, 10000); return 0;
    case 'o': m->folder = cli_script_folder(state, arg); return 0;
    case 'b': m->prover = arg; return 0;
    case 'p': m->no_proof = true; return 0;
    case KeyLaunch: m->launch = arg; return 0;
    case KeyFlaws: m->flaws = true; return 0;
    case KeyPdr: m->pdr = (uint32_t)cli_number(state, "pdr", arg, 0, 100000); return 0;
    case KeySpeed: m->speed = true; return 0;
    case KeyResume: m->resume = true; return 0;
    case KeyWrapper: m->wrapper = arg; return 0;
    case KeySize: m->size = arg; return 0;
    case KeyVectors: m->vectors = arg; return 0;
    case KeyAttack:
    case KeySettle:
      o->settles = key == KeySettle;
      o->mutant.number = arg;
      return 0;
    case KeyOwn: o->mutant.folder = arg; return 0;
    case KeyFirst:
      o->mutant.first = (uint32_t)cli_number(state, "first", arg, 1, UINT32_MAX);
      return 0;
    case KeyLast:
      o->mutant.last = (uint32_t)cli_number(state, "last", arg, 0, UINT32_MAX);
      return 0;
    case KeyUnit: o->mutant.name = arg; return 0;
    case KeyProof: o->mutant.proof = arg; return 0;
    case KeyTables: o->mutant.tables = arg; return 0;
    case ARGP_KEY_ARGS:
      m->units = (const char *const *)state->argv + state->next;
      m->unit_count = (size_t)(state->argc - state->next);
      o->mutant.unit = m->units;
      return 0;
    case ARGP_KEY_END: check(state, o); return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

int cli_mutate(int argc, char **argv) {
  static const struct argp Parser = {
      Options,
      parse,
      "[UNIT...]",
      "Runs mutants of units against their tests and the proof.\v"
      "Exit status: 0 no gap, and at most 2 % open, for each unit; 1 otherwise, or a unit as it is "
      "fails; 2 bad usage; 3 a tool is missing.",
      NULL,
      NULL,
      NULL};
  char *prover =
      text_make("%.*s/prove", (int)(strrchr(spawn_self(), '/') - spawn_self()), spawn_self());
  options_t o = {.mutate = {.count = 240,
                            .seeds = 30,
                            .pdr = 20,
                            .folder = "build/mutate",
                            .prover = prover,
                            .jobs = cli_processors()}};
  err_t err = {0};
  int status;
  cli_parse(&Parser, argc, argv, &o);
  if (o.mutant.number) {
    status = o.settles ? mutant_settle(&o.mutant) : mutant_attack(&o.mutant);
  } else {
    status = mutate_units(&o.mutate, &err);
  }
  if (err_is_set(&err)) {
    fprintf(stderr, "nocturne: %s\n", err_text(&err));
  }
  err_free(&err);
  free(prover);
  return status;
}
