// SPDX-License-Identifier: Apache-2.0
// nocturne prove: golden model and RTL are equal, by induction.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "outside_options.h"
#include "tb/harness/spawn.h"
#include "tb/prove/driver/prove.h"

enum {
  KeyRtlil = 256,
  KeySize,
  KeyWrapper,
  KeyNoCovers,
  KeyShows,
  KeyOne,
  KeyResume,
  KeyFull,
  KeyLaunch,
  KeyCertify,
  KeyChecker,
  KeySearch
};

typedef struct {
  prove_options_t prove;
  outside_options_t outside;
} options_t;

static const struct argp_option Options[] = {
    {"short", 's', NULL, 0, "only the sizes that `make test` proves", 0},
    {"full", KeyFull, NULL, 0, "also the sizes that take longest", 0},
    {"again", 'f', NULL, 0, "also what is kept", 0},
    {"resume", KeyResume, NULL, 0, "go on with a run that was cut off", 0},
    {"certify", KeyCertify, NULL, 0,
     "with a second opinion: another program confirms each answer of the solver, the golden model "
     "is translated twice, another Yosys reads the RTL, another solver proves what was found",
     0},
    {"launch", KeyLaunch, "COMMAND", 0, "start each proof by it, as 'srun -Q -n1'", 0},
    {"folder", 'o', "DIR", 0, "where things are made (build/proofs)", 0},
    {"prover", 'b', "FILE", 0, "the program build/prove (beside this one)", 0},
    {"jobs", 'j', "N", 0, "proofs at a time, and cases of each (processors)", 0},
    {"cycles", 'c', "N", 0, "most cycles of a run from reset that is searched (45)", 0},
    {"search", KeySearch, "N", 0,
     "where no run to what is refuted is found: this many cycles more, from recorded runs, too", 0},
    {"size", KeySize, "NAME=VALUE ..", 0, "this size in place of those of unit.yaml", 0},
    {"rtlil", KeyRtlil, "FILE", 0, "the unit is the module of this RTLIL file", 0},
    {"checker", KeyChecker, "FILE.v", 0,
     "no proof, but the golden model of the size as Verilog, which compares itself with the "
     "unit (take-a-unit.md)",
     0},
    {"wrapper", KeyWrapper, "W.c", 0, "of a unit of your own: what its proof says", 1},
    {"no-covers", KeyNoCovers, NULL, 0, "do not look for what it can do from reset", 1},
    {"shows", KeyShows, "HOW", OPTION_HIDDEN, NULL, 0},
    {"one", KeyOne, "DIR", OPTION_HIDDEN, NULL, 0},
    OUTSIDE_GIVEN,
    {0}};

// Once all options are read.
static void check(struct argp_state *state, options_t *o) {
  prove_options_t *p = &o->prove;
  p->outside = o->outside.outside;
  if (!p->outside.page && (p->outside.rtl || p->outside.golden || p->wrapper)) {
    argp_error(state, "--rtl, --golden and --wrapper: expected --page too");
  }
  if (p->outside.page && p->count) {
    argp_error(state, "--page: expected no unit beside it");
  }
  if ((p->rtlil || p->size || p->checker) && !p->outside.page && p->count != 1) {
    argp_error(state, "--size, --rtlil and --checker: expected one unit");
  }
  if (p->checker && !p->size) {
    argp_error(state, "--checker: expected --size too");
  }
  if (!p->shows && p->outside.page) {
    p->shows = "search";
  }
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  options_t *o = state->input;
  prove_options_t *p = &o->prove;
  if (outside_option(&o->outside, key, arg)) {
    return 0;
  }
  switch (key) {
    case 's': p->is_short = true; return 0;
    case KeyFull: p->is_full = true; return 0;
    case 'f': p->again = true; return 0;
    case KeyResume: p->resume = true; return 0;
    case 'o': p->folder = cli_script_folder(state, arg); return 0;
    case 'b': p->prover = arg; return 0;
    case 'j': p->jobs = (uint32_t)cli_number(state, "jobs", arg, 1, 1000); return 0;
    case 'c': p->cycles = (uint32_t)cli_number(state, "cycles", arg, 1, 100000); return 0;
    case KeySearch: p->search = (uint32_t)cli_number(state, "search", arg, 1, 100000); return 0;
    case KeySize: p->size = arg; return 0;
    case KeyLaunch: p->launch = arg; return 0;
    case KeyRtlil: p->rtlil = arg; return 0;
    case KeyCertify: p->certify = true; return 0;
    case KeyChecker: p->checker = arg; return 0;
    case KeyWrapper: p->wrapper = arg; return 0;
    case KeyNoCovers: p->shows = ""; return 0;
    case KeyShows: p->shows = arg; return 0;
    case KeyOne: p->one = arg; return 0;
    case ARGP_KEY_ARGS:
      p->units = (const char *const *)state->argv + state->next;
      p->count = (size_t)(state->argc - state->next);
      return 0;
    case ARGP_KEY_END: check(state, o); return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

int cli_prove(int argc, char **argv) {
  static const struct argp Parser = {
      Options,
      parse,
      "[UNIT...]",
      "Proves that golden model and RTL of units are equal; in a copy of the tree, that copy's.\v"
      "Exit status: 0 all proved; 1 something refuted; 2 bad usage, or what the translator does "
      "not know; 3 a tool is missing.",
      NULL,
      NULL,
      NULL};
  char *prover =
      text_make("%.*s/prove", (int)(strrchr(spawn_self(), '/') - spawn_self()), spawn_self());
  options_t o = {.prove = {.folder = "build/proofs", .prover = prover, .jobs = cli_processors()}};
  err_t err = {0};
  cli_parse(&Parser, argc, argv, &o);
  const int status = prove_units(&o.prove, &err);
  if (err_is_set(&err)) {
    fprintf(stderr, "nocturne: %s\n", err_text(&err));
  }
  err_free(&err);
  free(prover);
  return status;
}
