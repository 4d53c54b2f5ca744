// SPDX-License-Identifier: Apache-2.0
#include "cnf.h"

#include <ccadical.h>
#include <stdlib.h>
#include <string.h>

#include "fault.h"

struct cnf {
  const aig_t *aig;
  CCaDiCaL *solver;
  uint8_t *known;  // by node
  uint32_t room;
  uint64_t clauses;
};

cnf_t *cnf_create(const aig_t *aig) {
  cnf_t *cnf = fault_calloc(1, sizeof *cnf);
  cnf->aig = aig;
  cnf->solver = ccadical_init();
  return cnf;
}

void cnf_destroy(cnf_t *cnf) {
  if (cnf) {
    ccadical_release(cnf->solver);
    free(cnf->known);
    free(cnf);
  }
}

// The solver's variables are the nodes, one up: the constant too.
static int name(lit_t l) { return l & 1 ? -(int)(l / 2 + 1) : (int)(l / 2 + 1); }

static void clause(cnf_t *cnf, int a, int b, int c) {
  ccadical_add(cnf->solver, a);
  if (b) {
    ccadical_add(cnf->solver, b);
  }
  if (c) {
    ccadical_add(cnf->solver, c);
  }
  ccadical_add(cnf->solver, 0);
  cnf->clauses++;
}

static void add_cone(cnf_t *cnf, lit_t root) {
  const uint32_t count = aig_count(cnf->aig);
  if (count > cnf->room) {
    cnf->known = fault_realloc(cnf->known, count, 1);
    memset(cnf->known + cnf->room, 0, count - cnf->room);
    cnf->room = count;
  }
  if (cnf->known[root / 2]) {
    return;
  }
  uint32_t *stack = fault_calloc(count + 1, sizeof *stack), depth = 1;
  stack[0] = root / 2;
  cnf->known[root / 2] = 1;
  while (depth) {
    const uint32_t node = stack[--depth];
    const int n = name(2 * node);
    if (node == 0) {
      clause(cnf, -n, 0, 0);
    } else if (!aig_is_variable(cnf->aig, node)) {
      lit_t operands[2];
      aig_operands(cnf->aig, node, &operands[0], &operands[1]);
      const int a = name(operands[0]), b = name(operands[1]);
      clause(cnf, -n, a, 0);
      clause(cnf, -n, b, 0);
      clause(cnf, n, -a, -b);
      for (uint32_t i = 0; i < 2; i++) {
        if (!cnf->known[operands[i] / 2]) {
          cnf->known[operands[i] / 2] = 1;
          stack[depth++] = operands[i] / 2;
        }
      }
    }
  }
  free(stack);
}

void cnf_require(cnf_t *cnf, lit_t l) {
  add_cone(cnf, l);
  clause(cnf, name(l), 0, 0);
}

cnf_result_e cnf_solve(cnf_t *cnf, lit_t l, uint32_t conflicts) {
  if (l == AigFalse) {
    return CnfUnsatisfiable;
  }
  add_cone(cnf, l);
  if (conflicts) {
    ccadical_limit(cnf->solver, "conflicts", (int)conflicts);
  }
  ccadical_assume(cnf->solver, name(l));
  return (cnf_result_e)ccadical_solve(cnf->solver);
}

void cnf_values(const cnf_t *cnf, uint8_t *value) {
  for (uint32_t i = 0; i < aig_count(cnf->aig); i++) {
    value[i] = aig_is_variable(cnf->aig, i) && i < cnf->room && cnf->known[i] &&
               ccadical_val(cnf->solver, name(2 * i)) > 0;
  }
}

bool cnf_knows(const cnf_t *cnf, lit_t l) { return l / 2 < cnf->room && cnf->known[l / 2]; }

uint64_t cnf_clauses(const cnf_t *cnf) { return cnf->clauses; }
