// SPDX-License-Identifier: Apache-2.0
#include "reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aiger.h"
#include "cnf.h"
#include "fault.h"

typedef struct {
  aiger_t rtl[2];
  aig_t *aig;
  products_t *products;
  arena_t *arena;
  arrays_t *arrays;
  cnf_t *cnf;
  uint32_t latches;   // of both, those of the second behind those of the first
  uint32_t *same;     // by latch: another one of its name, or itself
  uint32_t *members;  // by the first one of a name: how many
  lit_t *in, *before, *next, *out[2];
} reader_t;

static uint32_t first_of(const reader_t *r, uint32_t latch) {
  while (r->same[latch] != latch) {
    latch = r->same[latch];
  }
  return latch;
}

static const char *name_of(const reader_t *r, uint32_t latch) {
  const uint32_t first = r->rtl[0].latches;
  return latch < first ? r->rtl[0].latch_name[latch] : r->rtl[1].latch_name[latch - first];
}

static void join(reader_t *r, uint32_t a, uint32_t b) {
  a = first_of(r, a);
  b = first_of(r, b);
  r->same[a < b ? b : a] = a < b ? a : b;
}

// Both lists of names are sorted.
static void match(reader_t *r) {
  const aiger_t *a = &r->rtl[0], *b = &r->rtl[1];
  r->same = fault_calloc(r->latches, sizeof *r->same);
  r->members = fault_calloc(r->latches, sizeof *r->members);
  for (uint32_t i = 0; i < r->latches; i++) {
    r->same[i] = i;
  }
  for (uint32_t i = 0, k = 0; i < a->name_count && k < b->name_count;) {
    const int order = strcmp(a->names[i].name, b->names[k].name);
    if (order == 0) {
      join(r, a->names[i].latch, a->latches + b->names[k].latch);
    }
    i += order <= 0;
    k += order >= 0;
  }
  for (uint32_t i = 0; i < r->latches; i++) {
    r->members[first_of(r, i)]++;
  }
}

static void apply(reader_t *r, lit_t rst_ni) {
  const uint32_t first = r->rtl[0].latches;
  for (uint32_t k = 0; k < 2; k++) {
    aiger_apply(&r->rtl[k], r->aig, r->products, rst_ni, r->in, r->before + k * first, r->out[k],
                r->next + k * first);
  }
  cnf_require(r->cnf, arrays_known(r->arrays));
}

// Returns true if two literals are equal under all values of the variables.
static bool is_equal(reader_t *r, lit_t a, lit_t b) {
  const lit_t differ = aig_xor(r->aig, a, b);
  cnf_result_e result;
  for (bool again = true; again;) {
    result = cnf_solve(r->cnf, differ, 0);
    again = false;
    if (result == CnfSatisfiable) {
      uint8_t *value = fault_calloc(aig_count(r->aig), 1);
      cnf_values(r->cnf, value);
      aig_evaluate(r->aig, value);
      again = products_contradict(r->products, r->cnf, value);
      free(value);
    }
  }
  if (result == CnfUnsatisfiable) {
    cnf_require_proved(r->cnf, aig_not(differ));
  }
  return result == CnfUnsatisfiable;
}

// The first register that is not one with those of its name after the clock, or none.
static const char *differing_register(reader_t *r) {
  for (uint32_t i = 0; i < r->latches; i++) {
    if (!is_equal(r, r->next[first_of(r, i)], r->next[i])) {
      return name_of(r, i);
    }
  }
  return NULL;
}

// The first reset, from registers that hold anything, but those of one name the same: where one
// reader merged registers, nothing resets these, and they hold the same when the power comes up.
static const char *differing_at_start(reader_t *r) {
  for (uint32_t i = 0; i < r->latches; i++) {
    const uint32_t first = first_of(r, i);
    r->before[i] = i == first ? aig_variable(r->aig) : r->before[first];
  }
  apply(r, AigFalse);
  const char *name = differing_register(r);
  for (uint32_t i = 0; i < r->latches; i++) {
    const bool is_constant = r->members[i] == 1 && r->next[i] <= AigTrue;
    const uint32_t first = first_of(r, i);
    r->before[i] = is_constant ? r->next[i] : r->members[first] ? r->before[first] : AigNone;
  }
  return name;
}

// A register that one reader found constant is one in the other, too.
static const char *changing_constant(reader_t *r) {
  for (uint32_t i = 0; i < r->latches; i++) {
    if (r->before[i] <= AigTrue && !is_equal(r, r->before[i], r->next[i])) {
      return name_of(r, i);
    }
  }
  return NULL;
}

static bool differing_output(reader_t *r, uint32_t *bit) {
  for (*bit = 0; *bit < r->rtl[0].out_bits; ++*bit) {
    if (!is_equal(r, r->out[0][*bit], r->out[1][*bit])) {
      return true;
    }
  }
  return false;
}

// The first memory into which the clock stores something else, or none.
static const char *differing_memory(reader_t *r) {
  for (uint32_t i = 0; i < r->rtl[0].memory_count; i++) {
    const aiger_memory_t *m = &r->rtl[0].memories[i], *other = aiger_memory(&r->rtl[1], m->name);
    const store_t *a = m->after, *b = other->after;
    const lit_t same = aig_and(r->aig, bits_equal(r->aig, m->place.count, a->index, b->index),
                               bits_equal(r->aig, m->data.count, a->word, b->word));
    if (!is_equal(r, a->when, b->when) || !is_equal(r, a->when, aig_and(r->aig, a->when, same))) {
      return m->name;
    }
  }
  return NULL;
}

static void make(reader_t *r, const char *rtl, const char *second) {
  uint32_t in_bits = 0;
  aiger_read(&r->rtl[0], rtl);
  aiger_read(&r->rtl[1], second);
  if (r->rtl[0].out_bits != r->rtl[1].out_bits) {
    fault(FaultUsage, "%s: %u bits of outputs, expected %u", second, r->rtl[1].out_bits,
          r->rtl[0].out_bits);
  }
  r->aig = aig_create();
  r->products = products_create(r->aig);
  products_open(r->products, ProductLeastUnknown);
  r->arena = arena_create();
  r->arrays = arrays_create(r->aig, r->arena);
  aiger_open(&r->rtl[0], r->arrays, NULL);
  aiger_open(&r->rtl[1], r->arrays, &r->rtl[0]);
  if (r->rtl[0].memory_count != r->rtl[1].memory_count) {
    fault(FaultUsage, "%s: %u open memories, expected %u", second, r->rtl[1].memory_count,
          r->rtl[0].memory_count);
  }
  r->cnf = cnf_create_confirmed(r->aig);
  r->latches = r->rtl[0].latches + r->rtl[1].latches;
  for (uint32_t k = 0; k < 2; k++) {
    r->out[k] = fault_calloc(r->rtl[k].out_bits, sizeof *r->out[k]);
    for (uint32_t i = 0; i < r->rtl[k].inputs; i++) {
      const uint32_t bit = r->rtl[k].input_bit[i];
      in_bits = bit < AigerMutant && bit >= in_bits ? bit + 1 : in_bits;
    }
  }
  r->in = fault_calloc(in_bits, sizeof *r->in);
  for (uint32_t i = 0; i < in_bits; i++) {
    r->in[i] = aig_variable(r->aig);
  }
  r->before = fault_calloc(r->latches, sizeof *r->before);
  r->next = fault_calloc(r->latches, sizeof *r->next);
  match(r);
}

static void unmake(reader_t *r) {
  cnf_destroy(r->cnf);
  arrays_destroy(r->arrays);
  arena_destroy(r->arena);
  products_destroy(r->products);
  aig_destroy(r->aig);
  for (uint32_t k = 0; k < 2; k++) {
    aiger_free(&r->rtl[k]);
    free(r->out[k]);
  }
  free(r->same);
  free(r->members);
  free(r->in);
  free(r->before);
  free(r->next);
}

bool reader_prove(const char *rtl, const char *second) {
  reader_t r = {.aig = NULL};
  uint32_t bit = 0;
  make(&r, rtl, second);
  const char *name = differing_at_start(&r), *memory = name ? NULL : differing_memory(&r);
  bool differs = name || memory;
  if (!differs) {
    apply(&r, aig_variable(r.aig));
    name = differing_register(&r);
    name = name ? name : changing_constant(&r);
    memory = name ? NULL : differing_memory(&r);
    differs = memory || name || differing_output(&r, &bit);
  }
  if (name) {
    printf("  RTL read by another Yosys: another one: register %s\n", name);
  } else if (memory) {
    printf("  RTL read by another Yosys: another one: memory %s\n", memory);
  } else if (differs) {
    printf("  RTL read by another Yosys: another one: out_o[%u]\n", bit);
  } else {
    printf("  RTL read by another Yosys: proved to be the same, %u and %u registers, %u outputs\n",
           r.rtl[0].latches, r.rtl[1].latches, r.rtl[0].out_bits);
  }
  unmake(&r);
  return !differs;
}
