// SPDX-License-Identifier: Apache-2.0
// A solver that answers "unsatisfiable" to every question (--wrap=solver_ask): what it was given
// and derived is no proof of that.
#include "tb/prove/solver.h"

int __real_solver_ask(solver_t *solver, int literal, int conflicts);
int __wrap_solver_ask(solver_t *solver, int literal, int conflicts);

int __wrap_solver_ask(solver_t *solver, int literal, int conflicts) {
  enum { Unsatisfiable = 20 };
  __real_solver_ask(solver, literal, conflicts);
  return Unsatisfiable;
}
