// SPDX-License-Identifier: Apache-2.0
// Calls only: C++ is here because CaDiCaL's C interface writes no proofs.
#include "solver.h"

#include <cadical.hpp>

struct solver {
  CaDiCaL::Solver cadical;
};

solver_t *solver_create(FILE *proof) {
  solver_t *s = new solver_t;
  if (proof) {
    s->cadical.set("quiet", 1);
    s->cadical.trace_proof(proof, "proof");
  }
  return s;
}

void solver_destroy(solver_t *s) { delete s; }

void solver_add(solver_t *s, int literal) { s->cadical.add(literal); }

int solver_ask(solver_t *s, int literal, int conflicts) {
  if (conflicts) {
    s->cadical.limit("conflicts", conflicts);
  }
  s->cadical.assume(literal);
  return s->cadical.solve();
}

int solver_value(solver_t *s, int variable) { return s->cadical.val(variable); }

const char *solver_name() { return "CaDiCaL"; }
