// SPDX-License-Identifier: Apache-2.0
#include "layout.h"

#include <stdlib.h>
#include <string.h>

layout_t layout_of(const transition_t *t) {
  layout_t l = {.golden = 0, .latches = t->state_count};
  l.expected = l.latches + t->rtl.latches;
  l.actual = l.expected + t->out_bits;
  l.legal = l.actual + t->out_bits;
  l.count = l.legal + 1;
  return l;
}

void layout_roots(const transition_t *t, bool is_reset, lit_t *roots) {
  const moment_t *m = is_reset ? &t->reset : &t->stepped;
  const layout_t l = layout_of(t);
  lit_t *zero = fault_calloc(t->in_bits, sizeof *zero);
  for (uint32_t i = 0; i < t->state_count; i++) {
    roots[l.golden + i] = m->memory.objects[t->state[i].object].bits[t->state[i].bit];
  }
  aiger_apply(&t->rtl, t->aig, t->products, is_reset ? AigFalse : AigTrue, t->in, t->latches, NULL,
              roots + l.latches);
  memcpy(roots + l.expected, m->out, t->out_bits * sizeof *roots);
  aiger_apply(&t->rtl, t->aig, t->products, AigTrue, is_reset ? zero : t->in, roots + l.latches,
              roots + l.actual, NULL);
  roots[l.legal] = m->legal;
  free(zero);
}
