// SPDX-License-Identifier: Apache-2.0
#include "unseen.h"

#include <stdlib.h>
#include <string.h>

#include "cnf.h"
#include "fault.h"
#include "lanes.h"

enum {
  Varies = 2,
  Cycles = 2000,     // of runs in which a value may vary
  Together = 64,     // nodes of a question
  Conflicts = 2000,  // of one
};

static uint32_t node_count(const aiger_t *a) { return 1 + a->inputs + a->latches + a->ands; }

// ---- Which nodes hold one value ----

// A node that may hold one value, and where it does not.
typedef struct {
  lit_t wrong;
  uint32_t node;
  uint8_t value;
} guess_t;

// By node and value: a run tells from the unit what sticks at it there. (It may be a run with a
// reset; then a value that the node holds without one is left out.)
static bool *exclude(const aiger_t *a, const flaws_t *flaws, const bool *is_killed) {
  bool *is_out = fault_calloc(2 * (size_t)node_count(a), sizeof *is_out);
  for (uint32_t i = 0; i < flaws->count; i++) {
    const flaw_t *f = &flaws->list[i];
    if (is_killed[i] && f->place < node_count(a) && f->kind != FlawInverted) {
      is_out[2 * f->place + (f->kind == FlawStuck1)] = true;
    }
  }
  return is_out;
}

// Nodes that hold one value in runs; returns how many.
static uint32_t watch(const proof_t *p, const lit_t *node, const bool *is_out, guess_t *list) {
  const uint32_t nodes = node_count(&p->t->rtl);
  word64_t *high = fault_calloc(nodes, sizeof *high), *low = fault_calloc(nodes, sizeof *low);
  uint32_t count = 0;
  lanes_t lanes;
  lanes_create(&lanes, p->t, node, nodes);
  for (uint32_t cycle = 0; cycle < Cycles; cycle++) {
    const word64_t reset = lanes_cycle_or_reels(&lanes, cycle);
    for (uint32_t i = 0; i < nodes && cycle; i++) {
      const word64_t is = lanes_get(&lanes, node[i]);
      high[i] |= is;
      low[i] |= ~is;
    }
    lanes_clock(&lanes, reset);
  }
  for (uint32_t i = 0; i < nodes; i++) {
    const bool is_constant = node[i] == AigFalse || node[i] == AigTrue;
    if ((!high[i] || !low[i]) && (is_constant || !is_out[2 * i + (high[i] != 0)])) {
      list[count++] = (guess_t){high[i] ? aig_not(node[i]) : node[i], i, high[i] != 0};
    }
  }
  lanes_destroy(&lanes);
  free(high);
  free(low);
  return count;
}

// Leaves out what is wrong in the state that the solver has shown; returns how many are left.
static uint32_t leave(const proof_t *p, const cnf_t *cnf, guess_t *list, uint32_t count) {
  uint8_t *value = fault_calloc(aig_count(p->t->aig), 1);
  uint32_t kept = 0;
  cnf_values(cnf, value);
  aig_evaluate(p->t->aig, value);
  for (uint32_t i = 0; i < count; i++) {
    if (!aig_value(value, list[i].wrong)) {
      list[kept++] = list[i];
    }
  }
  free(value);
  return kept;
}

// Asks about some at the list's head. What no state makes wrong is taken; what the solver does not
// know is left out, where it was asked about by itself. Returns how many are left of all.
static uint32_t ask_some(unseen_t *u, cnf_t *cnf, guess_t *list, uint32_t some, uint32_t count) {
  aig_t *aig = u->proof->t->aig;
  lit_t any = AigFalse;
  for (uint32_t i = 0; i < some; i++) {
    any = aig_or(aig, any, list[i].wrong);
  }
  const cnf_result_e said = cnf_solve(cnf, any, Conflicts);
  if (said == CnfSatisfiable) {
    return leave(u->proof, cnf, list, count);
  }
  if (said == CnfUnknown && some > 1) {
    return ask_some(u, cnf, list, some / 2, count);
  }
  for (uint32_t i = 0; i < some && said == CnfUnsatisfiable; i++) {
    u->value[list[i].node] = list[i].value;
    cnf_require(cnf, aig_not(list[i].wrong));
  }
  memmove(list, list + some, (count - some) * sizeof *list);
  return count - some;
}

static void find_values(unseen_t *u, const bool *is_out) {
  const proof_t *p = u->proof;
  const transition_t *t = p->t;
  lit_t *node = aiger_nodes(&t->rtl, t->aig, t->products, AigTrue, t->in, p->latches, NULL);
  guess_t *list = fault_calloc(node_count(&t->rtl), sizeof *list);
  uint32_t count = watch(p, node, is_out, list);
  cnf_t *cnf = cnf_create(t->aig);
  cnf_require(cnf, p->assumed);
  while (count) {
    count = ask_some(u, cnf, list, count < Together ? count : Together, count);
  }
  cnf_destroy(cnf);
  free(list);
  free(node);
}

static uint8_t of_literal(const uint8_t *value, uint32_t l) {
  return value[l / 2] == Varies ? Varies : value[l / 2] ^ (l & 1);
}

// ---- What is followed ----

static void follow(unseen_t *u, uint32_t literal, uint32_t place) {
  u->followed[place] = true;
  if (!u->followed[literal / 2]) {
    u->followed[literal / 2] = true;
    u->left[u->count++] = literal / 2;
  }
}

// Where both operands are 0, the second one, which has the smaller number, is followed.
static void follow_and(unseen_t *u, uint32_t i) {
  const aiger_t *a = &u->proof->t->rtl;
  const uint32_t *l = a->operands[i];
  const bool is_low[2] = {of_literal(u->value, l[0]) == 0, of_literal(u->value, l[1]) == 0};
  if (!is_low[1]) {
    follow(u, l[0], aiger_operand(a, i, 0));
  }
  if (!is_low[0] || is_low[1]) {
    follow(u, l[1], aiger_operand(a, i, 1));
  }
}

// The words that are multiplied, if it is a bit of their product.
static void follow_product(unseen_t *u, uint32_t input) {
  const aiger_t *a = &u->proof->t->rtl;
  for (uint32_t i = 0; i < a->product_count; i++) {
    const aiger_product_t *p = &a->products[i];
    bool is_it = false;
    for (uint32_t b = 0; b < ProductMostBits; b++) {
      is_it |= p->is_open && p->y[b] == input;
    }
    for (uint32_t b = 0; b < ProductMostBits && is_it; b++) {
      follow(u, a->output[p->a[b]], aiger_operand(a, a->ands, a->latches + p->a[b]));
      follow(u, a->output[p->b[b]], aiger_operand(a, a->ands, a->latches + p->b[b]));
    }
  }
}

static void follow_all(unseen_t *u) {
  const aiger_t *a = &u->proof->t->rtl;
  const uint32_t registers = 1 + a->inputs, first = registers + a->latches;
  for (uint32_t i = 0; i < a->out_bits; i++) {
    const uint32_t o = a->output_of[i];
    follow(u, a->output[o], aiger_operand(a, a->ands, a->latches + o));
  }
  while (u->count) {
    const uint32_t node = u->left[--u->count];
    if (node >= first) {
      follow_and(u, node - first);
    } else if (node >= registers) {
      const uint32_t i = node - registers;
      follow(u, a->next[i], aiger_operand(a, a->ands, i));
    } else if (node && a->input_bit[node - 1] == AigerProduct) {
      follow_product(u, node - 1);
    }
  }
}

// ---- All of it ----

void unseen_create(unseen_t *u, const proof_t *proof, const flaws_t *flaws, const bool *is_killed) {
  const aiger_t *a = &proof->t->rtl;
  const uint32_t nodes = node_count(a);
  *u = (unseen_t){.proof = proof,
                  .value = fault_calloc(nodes, 1),
                  .followed = fault_calloc(aiger_places(a), sizeof *u->followed),
                  .left = fault_calloc(nodes, sizeof *u->left)};
  memset(u->value + 1, Varies, nodes - 1);
  bool *is_out = exclude(a, flaws, is_killed);
  find_values(u, is_out);
  free(is_out);
  follow_all(u);
}

void unseen_destroy(unseen_t *u) {
  free(u->value);
  free(u->followed);
  free(u->left);
}

// Value of a place of the graph.
static uint8_t at(const aiger_t *a, const uint8_t *value, uint32_t place) {
  const uint32_t nodes = node_count(a), ends = aiger_operand(a, a->ands, 0);
  if (place < nodes) {
    return value[place];
  }
  if (place < ends) {
    return of_literal(value, a->operands[(place - nodes) / 2][(place - nodes) % 2]);
  }
  const uint32_t end = place - ends;
  return of_literal(value, end < a->latches ? a->next[end] : a->output[end - a->latches]);
}

bool unseen_is(const unseen_t *u, const flaw_t *flaw) {
  const uint8_t held = at(&u->proof->t->rtl, u->value, flaw->place);
  const bool changes = flaw->kind == FlawInverted || held != (flaw->kind == FlawStuck1);
  return !u->followed[flaw->place] || !changes;
}
