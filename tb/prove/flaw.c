// SPDX-License-Identifier: Apache-2.0
#include "flaw.h"

#include <stdio.h>
#include <stdlib.h>

#include "fault.h"

uint8_t *flaw_reached(const aiger_t *a) {
  const uint32_t first = 1 + a->inputs + a->latches;
  uint8_t *reached = fault_calloc(first + a->ands, 1);
  for (uint32_t i = 0; i < a->latches; i++) {
    reached[a->next[i] / 2] = 1;
  }
  for (uint32_t i = 0; i < a->outputs; i++) {
    reached[a->output[i] / 2] = 1;
  }
  for (uint32_t i = a->ands; i-- > 0;) {
    for (uint32_t k = 0; k < 2 && reached[first + i]; k++) {
      reached[a->operands[i][k] / 2] = 1;
    }
  }
  return reached;
}

// How many readers of each node are reached.
static uint32_t *count_readers(const aiger_t *a, const uint8_t *reached) {
  const uint32_t first = 1 + a->inputs + a->latches;
  uint32_t *readers = fault_calloc(first + a->ands, sizeof *readers);
  for (uint32_t i = 0; i < a->ands; i++) {
    for (uint32_t k = 0; k < 2; k++) {
      readers[a->operands[i][k] / 2] += reached[first + i];
    }
  }
  for (uint32_t i = 0; i < a->latches; i++) {
    readers[a->next[i] / 2]++;
  }
  for (uint32_t i = 0; i < a->outputs; i++) {
    readers[a->output[i] / 2]++;
  }
  return readers;
}

static void add(flaws_t *f, uint32_t place, flaw_kind_e least) {
  for (flaw_kind_e kind = least; kind <= FlawInverted; kind++) {
    f->list[f->count++] = (flaw_t){place, kind, 0};
  }
}

static bool is_flawed(const aiger_t *a, uint32_t node) {
  const uint32_t bit = node && node <= a->inputs ? a->input_bit[node - 1] : AigerProduct;
  return node && (bit == AigerProduct || bit == AigerReset || bit < AigerMutant);
}

void flaws_create(flaws_t *f, const aiger_t *a) {
  const uint32_t first = 1 + a->inputs + a->latches, nodes = first + a->ands;
  uint8_t *reached = flaw_reached(a);
  uint32_t *readers = count_readers(a, reached), edges = 0;
  *f = (flaws_t){.list = fault_calloc((size_t)aiger_places(a) * FlawKinds, sizeof *f->list)};
  for (uint32_t n = 0; n < nodes; n++) {
    edges += is_flawed(a, n) ? readers[n] + (reached[n] != 0) : 0;
    if (reached[n] && is_flawed(a, n)) {
      add(f, n, FlawStuck0);
    }
    for (uint32_t k = 0; n >= first && reached[n] && k < 2; k++) {
      const uint32_t from = a->operands[n - first][k] / 2;
      if (readers[from] > 1 && is_flawed(a, from)) {
        add(f, aiger_operand(a, n - first, k), FlawStuck1);
      }
    }
  }
  for (uint32_t i = 0; i < a->latches + a->outputs; i++) {
    const uint32_t from = (i < a->latches ? a->next[i] : a->output[i - a->latches]) / 2;
    if (readers[from] > 1 && is_flawed(a, from)) {
      add(f, aiger_operand(a, a->ands, i), FlawStuck0);
    }
  }
  f->all = edges * FlawKinds;
  free(reached);
  free(readers);
}

void flaws_destroy(flaws_t *f) { free(f->list); }

static void name_input(const aiger_t *a, const char *kind, uint32_t input, char *text,
                       size_t size) {
  const uint32_t bit = a->input_bit[input];
  if (bit == AigerReset) {
    snprintf(text, size, "%s: rst_ni", kind);
  } else if (bit != AigerProduct) {
    snprintf(text, size, "%s: in_i[%u]", kind, bit);
  }
  for (uint32_t i = 0; bit == AigerProduct && i < a->product_count; i++) {
    for (uint32_t k = 0; k < ProductMostBits; k++) {
      if (a->products[i].is_open && a->products[i].y[k] == input) {
        snprintf(text, size, "%s: product %u, bit %u", kind, i, k);
      }
    }
  }
}

void flaw_name(const aiger_t *a, const flaw_t *f, char *text, size_t size) {
  static const char *const Kinds[FlawKinds] = {"stuck at 0", "stuck at 1", "inverted"};
  const uint32_t registers = 1 + a->inputs, first = registers + a->latches, nodes = first + a->ands;
  const uint32_t ends = aiger_operand(a, a->ands, 0), p = f->place;
  if (f->mutant) {
    snprintf(text, size, "mutant %u", f->mutant);
  } else if (p < registers) {
    name_input(a, Kinds[f->kind], p - 1, text, size);
  } else if (p < first) {
    snprintf(text, size, "%s: %s", Kinds[f->kind], a->latch_name[p - registers]);
  } else if (p < nodes) {
    snprintf(text, size, "%s: and %u", Kinds[f->kind], p - first);
  } else if (p < ends) {
    snprintf(text, size, "%s: operand %u of and %u", Kinds[f->kind], (p - nodes) % 2,
             (p - nodes) / 2);
  } else if (p < ends + a->latches) {
    snprintf(text, size, "%s: next %s", Kinds[f->kind], a->latch_name[p - ends]);
  } else {
    snprintf(text, size, "%s: output %u", Kinds[f->kind], p - ends - a->latches);
  }
}
