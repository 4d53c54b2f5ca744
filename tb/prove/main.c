// SPDX-License-Identifier: Apache-2.0
// build/prove: proves one unit with one set of parameters, from the files that prove.sh makes.
#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cnf.h"
#include "report.h"

extern const unit_model_t UnitModels[];

enum { ExitProved = 0, ExitRefuted = 1, DefaultBound = 64, KeyParameters = 256 };

typedef struct {
  const char *unit, *params, *golden, *rtl;
  uint32_t bound;
  bool only_parameters;
} options_t;

static const struct argp_option Options[] = {
    {"golden", 'g', "FILE.bc", 0, "the wrapper with the golden model, compiled by clang-14", 0},
    {"rtl", 'r', "FILE.aig", 0, "the RTL, written by Yosys", 0},
    {"parameters", KeyParameters, NULL, 0, "print all parameters of the unit, and end", 0},
    {"bound", 'b', "N", 0, "turns of a loop whose end depends on state or inputs (64)", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state) {
  options_t *o = state->input;
  switch (key) {
    case 'g': o->golden = arg; return 0;
    case 'r': o->rtl = arg; return 0;
    case KeyParameters: o->only_parameters = true; return 0;
    case 'b':
      o->bound = (uint32_t)strtoul(arg, &arg, 10);
      if (*arg || o->bound < 1) {
        argp_error(state, "--bound: expected a number");
      }
      return 0;
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

static bool prove_part(const proof_t *p, proof_part_e part) {
  const double start = seconds();
  const duties_t *d = &p->duties[part];
  cnf_t *cnf = cnf_create(p->t->aig);
  const cnf_result_e result = cnf_solve(cnf, d->broken, 0);
  printf("  %s: %s, %u duties, %" PRIu64 " clauses, %.1f s\n", ProofNames[part],
         result == CnfUnsatisfiable ? "proved" : "refuted", d->count, cnf_clauses(cnf),
         seconds() - start);
  if (result == CnfSatisfiable) {
    uint8_t *value = fault_calloc(aig_count(p->t->aig), 1);
    cnf_values(cnf, value);
    aig_evaluate(p->t->aig, value);
    report_duties(stdout, p, d, value);
    printf("  inputs:");
    report_inputs(stdout, p->t, p->t->in, value);
    printf("  state before:\n");
    report_state(stdout, p, value);
    free(value);
  }
  fflush(stdout);
  cnf_destroy(cnf);
  return result == CnfUnsatisfiable;
}

int main(int argc, char **argv) {
  static const struct argp Parser = {Options, parse, "UNIT PARAMETERS",
                                     "Proves that a unit's golden model and its RTL are equal.",
                                     NULL, NULL, NULL};
  static options_t o;
  static uint64_t params[64];  // of any unit
  char error[UnitErrorSize];
  o.bound = DefaultBound;
  argp_parse(&Parser, argc, argv, 0, NULL, &o);
  const unit_model_t *model = UnitModels;
  while (model->info && strcmp(model->info->name, o.unit) != 0) {
    model++;
  }
  if (!model->info) {
    fault(FaultUsage, "%s: no such unit", o.unit);
  }
  if (!unit_params_read(model->info, o.params, params, error)) {
    fault(FaultUsage, "%s", error);
  }
  if (o.only_parameters) {
    char text[UnitParamsText];
    unit_params_text(model->info, params, text);
    puts(text);
    return ExitProved;
  }
  const transition_options_t made = {model->info, params, o.golden, o.rtl, o.bound};
  static transition_t t;
  static proof_t p;
  transition_create(&t, &made);
  printf("%s %s: %u bits of golden state, %u RTL registers, %u inputs; %.1f s\n", o.unit, o.params,
         t.state_count, t.rtl.latches, t.in_bits, seconds());
  fflush(stdout);
  proof_create(&p, &t);
  printf("  %u RTL registers are not related; graph of %u nodes; %.1f s\n", p.unmapped,
         aig_count(t.aig), seconds());
  bool ok = true;
  for (proof_part_e part = ProofBase; part < ProofParts; part++) {
    ok &= prove_part(&p, part);
  }
  proof_destroy(&p);
  transition_destroy(&t);
  return ok ? ExitProved : ExitRefuted;
}
