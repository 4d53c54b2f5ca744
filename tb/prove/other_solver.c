// SPDX-License-Identifier: Apache-2.0
// CryptoMiniSat in CaDiCaL's place, for a second opinion of what was found.
#include <cryptominisat5/cryptominisat_c.h>
#include <stdbool.h>
#include <stdlib.h>

#include "fault.h"
#include "solver.h"

enum { Satisfiable = 10, Unsatisfiable = 20 };

struct solver {
  SATSolver *cms;
  c_Lit *clause;
  size_t count, room;
};

solver_t *solver_create(FILE *proof) {
  solver_t *s = fault_calloc(1, sizeof *s);
  if (proof) {
    fault(FaultUsage, "the other solver writes no proofs");
  }
  s->cms = cmsat_new();
  return s;
}

void solver_destroy(solver_t *s) {
  cmsat_free(s->cms);
  free(s->clause);
  free(s);
}

static c_Lit literal_of(solver_t *s, int literal) {
  const uint32_t variable = (uint32_t)abs(literal) - 1;
  if (variable >= cmsat_nvars(s->cms)) {
    cmsat_new_vars(s->cms, variable + 1 - cmsat_nvars(s->cms));
  }
  return (c_Lit){2 * variable + (literal < 0)};
}

void solver_add(solver_t *s, int literal) {
  if (literal == 0) {
    cmsat_add_clause(s->cms, s->clause, s->count);
    s->count = 0;
    return;
  }
  if (s->count == s->room) {
    s->room = s->room ? 2 * s->room : 8;
    s->clause = fault_realloc(s->clause, s->room, sizeof *s->clause);
  }
  s->clause[s->count++] = literal_of(s, literal);
}

// (Its interface limits seconds only: what is asked within some conflicts has no limit here.)
int solver_ask(solver_t *s, int literal, int conflicts) {
  const c_Lit assumed = literal_of(s, literal);
  (void)conflicts;
  const c_lbool result = cmsat_solve_with_assumptions(s->cms, &assumed, 1);
  return result.x == 0 ? Satisfiable : result.x == 1 ? Unsatisfiable : 0;
}

int solver_value(solver_t *s, int variable) {
  const slice_lbool model = cmsat_get_model(s->cms);
  return (size_t)variable <= model.num_vals && model.vals[variable - 1].x == 0 ? variable
                                                                               : -variable;
}

const char *solver_name(void) { return "CryptoMiniSat"; }
