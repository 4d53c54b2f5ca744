// SPDX-License-Identifier: Apache-2.0
#include "cnf.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "fault.h"
#include "solver.h"

struct cnf {
  const aig_t *aig;
  solver_t *solver;
  FILE *proof;         // NULL: none is written
  uint32_t *variable;  // by node; 0: not asked about yet
  uint32_t room;
  uint32_t *cone;  // nodes that are new in a question
  uint32_t cone_room, variables;
  lit_t *required;
  uint32_t required_count, required_room;
  uint64_t clauses, answers;
};

static const char *Confirmer;  // the second program, or NULL

void cnf_confirm_by(const char *command) { Confirmer = command; }

cnf_t *cnf_create(const aig_t *aig) {
  cnf_t *cnf = fault_calloc(1, sizeof *cnf);
  cnf->aig = aig;
  cnf->solver = solver_create(NULL);
  return cnf;
}

cnf_t *cnf_create_confirmed(const aig_t *aig) {
  if (!Confirmer) {
    return cnf_create(aig);
  }
  cnf_t *cnf = fault_calloc(1, sizeof *cnf);
  cnf->aig = aig;
  fflush(NULL);
  signal(SIGPIPE, SIG_IGN);  // one that refuses a step ends at once
  cnf->proof = popen(Confirmer, "w");
  if (!cnf->proof) {
    fault(FaultLacking, "%s: cannot be started", Confirmer);
  }
  cnf->solver = solver_create(cnf->proof);
  return cnf;
}

uint64_t cnf_destroy(cnf_t *cnf) {
  if (!cnf) {
    return 0;
  }
  const uint64_t answers = cnf->answers;
  solver_destroy(cnf->solver);
  if (cnf->proof && pclose(cnf->proof) != 0) {
    fault(FaultRefuted, "an answer of the solver is not confirmed: %s", Confirmer);
  }
  free(cnf->variable);
  free(cnf->cone);
  free(cnf->required);
  free(cnf);
  return answers;
}

// The solver's literal: its variables are the nodes that were asked about, and no others, since it
// decides all that there are.
static int name(const cnf_t *cnf, lit_t l) {
  const int variable = (int)cnf->variable[l / 2];
  return l & 1 ? -variable : variable;
}

// A line of the proof, as CaDiCaL writes its own: a letter, literals, 0.
static void put_proof(const cnf_t *cnf, char kind, const int *literals, uint32_t count) {
  if (cnf->proof) {
    putc(kind, cnf->proof);
    for (uint32_t i = 0; i < count; i++) {
      uint32_t n = literals[i] < 0 ? 2 * (uint32_t)-literals[i] + 1 : 2 * (uint32_t)literals[i];
      for (; n > 0x7f; n >>= 7) {
        putc((int)(n & 0x7f) | 0x80, cnf->proof);
      }
      putc((int)n, cnf->proof);
    }
    putc(0, cnf->proof);
  }
}

static void clause(cnf_t *cnf, int a, int b, int c) {
  const int literals[3] = {a, b, c};
  const uint32_t count = c ? 3 : b ? 2 : 1;
  put_proof(cnf, 'i', literals, count);
  for (uint32_t i = 0; i < count; i++) {
    solver_add(cnf->solver, literals[i]);
  }
  solver_add(cnf->solver, 0);
  cnf->clauses++;
}

static void put_cone(cnf_t *cnf, uint32_t node, uint32_t *count) {
  if (cnf->variable[node]) {
    return;
  }
  if (*count == cnf->cone_room) {
    cnf->cone_room = cnf->cone_room ? 2 * cnf->cone_room : 1024;
    cnf->cone = fault_realloc(cnf->cone, cnf->cone_room, sizeof *cnf->cone);
  }
  cnf->variable[node] = UINT32_MAX;  // on the list
  cnf->cone[(*count)++] = node;
}

// Variables ascend with the nodes of a question, operands first.
static void add_cone(cnf_t *cnf, lit_t root) {
  const uint32_t nodes = aig_count(cnf->aig);
  uint32_t count = 0;
  lit_t operands[2];
  if (nodes > cnf->room) {
    cnf->variable = fault_realloc(cnf->variable, nodes, sizeof *cnf->variable);
    memset(cnf->variable + cnf->room, 0, (nodes - cnf->room) * sizeof *cnf->variable);
    cnf->room = nodes;
  }
  put_cone(cnf, root / 2, &count);
  for (uint32_t i = 0; i < count; i++) {
    if (cnf->cone[i] && !aig_is_variable(cnf->aig, cnf->cone[i])) {
      aig_operands(cnf->aig, cnf->cone[i], &operands[0], &operands[1]);
      put_cone(cnf, operands[0] / 2, &count);
      put_cone(cnf, operands[1] / 2, &count);
    }
  }
  qsort(cnf->cone, count, sizeof *cnf->cone, aig_ascending);
  for (uint32_t i = 0; i < count; i++) {
    cnf->variable[cnf->cone[i]] = ++cnf->variables;
  }
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t node = cnf->cone[i];
    const int n = name(cnf, 2 * node);
    if (node == 0) {
      clause(cnf, -n, 0, 0);
    } else if (!aig_is_variable(cnf->aig, node)) {
      aig_operands(cnf->aig, node, &operands[0], &operands[1]);
      const int a = name(cnf, operands[0]), b = name(cnf, operands[1]);
      clause(cnf, -n, a, 0);
      clause(cnf, -n, b, 0);
      clause(cnf, n, -a, -b);
    }
  }
}

void cnf_require(cnf_t *cnf, lit_t l) {
  if (cnf->required_count == cnf->required_room) {
    cnf->required_room = cnf->required_room ? 2 * cnf->required_room : 1024;
    cnf->required = fault_realloc(cnf->required, cnf->required_room, sizeof *cnf->required);
  }
  cnf->required[cnf->required_count++] = l;
  add_cone(cnf, l);
  clause(cnf, name(cnf, l), 0, 0);
}

void cnf_require_proved(cnf_t *cnf, lit_t l) {
  add_cone(cnf, l);
  const int unit = name(cnf, l);
  put_proof(cnf, 'a', &unit, 1);
  solver_add(cnf->solver, unit);
  solver_add(cnf->solver, 0);
}

cnf_result_e cnf_solve(cnf_t *cnf, lit_t l, uint32_t conflicts) {
  if (l == AigFalse) {
    return CnfUnsatisfiable;
  }
  add_cone(cnf, l);
  const int result = solver_ask(cnf->solver, name(cnf, l), (int)conflicts);
  if (result == CnfUnsatisfiable) {
    const int unit = -name(cnf, l);
    put_proof(cnf, 'q', &unit, 1);
    cnf->answers++;
  }
  return (cnf_result_e)result;
}

void cnf_values(const cnf_t *cnf, uint8_t *value) {
  for (uint32_t i = 0; i < aig_count(cnf->aig); i++) {
    value[i] = aig_is_variable(cnf->aig, i) && cnf_knows(cnf, 2 * i) &&
               solver_value(cnf->solver, name(cnf, 2 * i)) > 0;
  }
}

const lit_t *cnf_required(const cnf_t *cnf, uint32_t *count) {
  *count = cnf->required_count;
  return cnf->required;
}

bool cnf_allows(const cnf_t *cnf, const uint8_t *value) {
  bool allows = true;
  for (uint32_t i = 0; i < cnf->required_count && allows; i++) {
    allows = aig_value(value, cnf->required[i]);
  }
  return allows;
}

bool cnf_knows(const cnf_t *cnf, lit_t l) { return l / 2 < cnf->room && cnf->variable[l / 2]; }

uint64_t cnf_clauses(const cnf_t *cnf) { return cnf->clauses; }
