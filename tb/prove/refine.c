// SPDX-License-Identifier: Apache-2.0
#include "refine.h"

#include <stdlib.h>

#include "cnf.h"

enum { ByteBits = 8 };

// A bit that is no state, or a range, and where a step breaks it.
typedef struct {
  lit_t wrong;
  uint32_t object, bit;  // object 0: range `bit`
  bool is_wrong;
} guess_t;

typedef struct {
  guess_t *list;
  uint32_t count, room;
} guesses_t;

static void add(guesses_t *g, lit_t wrong, uint32_t object, uint32_t bit) {
  if (wrong == AigFalse) {
    return;
  }
  if (g->count == g->room) {
    g->room = g->room ? g->room * 2 : 64;
    g->list = fault_realloc(g->list, g->room, sizeof *g->list);
  }
  g->list[g->count++] = (guess_t){wrong, object, bit, false};
}

static bool is_in(const range_t *r, uint32_t object, uint64_t bit) {
  return r->object == object && bit >= r->bit && bit < r->bit + r->bits + r->sign;
}

// Compares the step's memory before widths were kept with what they say of it.
static guesses_t find_guesses(transition_t *t) {
  guesses_t g = {0};
  memory_t *is;
  transition_run(t, &t->stepped.raw, "prove_narrow");
  is = bitcode_memory(t->program);
  lit_t *ranges = fault_calloc(t->range_count + 1, sizeof *ranges);
  for (uint32_t o = 1; o < t->created.memory.count; o++) {
    const lit_t *bits = is->objects[o].bits, *kept = t->stepped.memory.objects[o].bits;
    for (uint64_t b = 0; transition_lasts(t, o) && b < is->objects[o].size * ByteBits; b++) {
      const lit_t differs = aig_xor(t->aig, bits[b], kept[b]);
      uint32_t k = 0;
      while (differs != AigFalse && k < t->range_count && !is_in(&t->ranges[k], o, b)) {
        k++;
      }
      if (differs != AigFalse && k < t->range_count) {
        ranges[k] = aig_or(t->aig, ranges[k], differs);
      } else {
        add(&g, differs, o, (uint32_t)b);
      }
    }
  }
  for (uint32_t k = 0; k < t->range_count; k++) {
    add(&g, ranges[k], 0, k);
  }
  free(ranges);
  return g;
}

static void ask(const proof_t *p, guesses_t *g, uint32_t conflicts) {
  cnf_t *cnf = cnf_create(p->t->aig);
  uint8_t *value = fault_calloc(aig_count(p->t->aig), 1);
  cnf_require(cnf, proof_given(p, ProofStep));
  for (uint32_t i = 0; i < g->count; i++) {
    if (g->list[i].is_wrong || cnf_solve(cnf, g->list[i].wrong, conflicts) != CnfSatisfiable) {
      continue;
    }
    cnf_values(cnf, value);
    aig_evaluate(p->t->aig, value);
    for (uint32_t k = i; k < g->count; k++) {
      const lit_t l = g->list[k].wrong;
      g->list[k].is_wrong |= value[l / 2] ^ (l & 1);
    }
  }
  free(value);
  cnf_destroy(cnf);
}

// Gives up what is wrong; returns how much that is.
static uint32_t give_up(transition_t *t, const guesses_t *g) {
  uint32_t given_up = 0, kept = 0;
  for (uint32_t i = 0; i < g->count; i++) {
    const guess_t *one = &g->list[i];
    range_t *r = one->object ? NULL : &t->ranges[one->bit];
    given_up += one->is_wrong;
    if (one->is_wrong && one->object) {
      transition_add(t, one->object, one->bit);
    }
    for (uint32_t b = 0; one->is_wrong && r && b < r->sign; b++) {
      transition_add(t, r->object, r->bit + r->bits + b);
    }
    if (one->is_wrong && r) {
      r->bits = 0;
    }
  }
  for (uint32_t k = 0; k < t->range_count; k++) {
    if (t->ranges[k].bits) {
      t->ranges[kept++] = t->ranges[k];
    }
  }
  t->range_count = kept;
  return given_up;
}

bool refine_widths(const proof_t *p, uint32_t conflicts) {
  guesses_t g = find_guesses(p->t);
  ask(p, &g, conflicts);
  const uint32_t given_up = give_up(p->t, &g);
  free(g.list);
  if (given_up) {
    transition_sort(p->t);
    transition_moments(p->t);
  }
  return given_up > 0;
}
