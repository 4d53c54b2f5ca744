// SPDX-License-Identifier: Apache-2.0
#include "seen.h"

#include <stdlib.h>
#include <string.h>

#include "fault.h"

enum {
  MostNodes = 1024,  // of conjunctions that are conditions
  MostCleared = 8,   // registers that a reset clears, each together with
  MostPaired = 128,  // other conditions
};

static bool is_latch(const aiger_t *a, uint32_t literal) {
  return literal / 2 >= aiger_first_latch(a) && literal / 2 < aiger_first_and(a);
}

static void add(seen_t *s, uint32_t a, uint32_t b) { s->whiles[s->count++] = (while_t){a, b}; }

typedef struct {
  uint32_t node, readers;
} read_t;

static int by_readers(const void *a, const void *b) {
  const read_t *x = a, *y = b;
  return x->readers != y->readers ? (x->readers < y->readers ? 1 : -1)
                                  : (x->node > y->node) - (x->node < y->node);
}

// Registers, and conjunctions that depend on registers only; returns how many, those first that
// most others read: they decide most.
static uint32_t find_nodes(const aiger_t *a, read_t *found) {
  const uint32_t first = aiger_first_and(a);
  bool *reads_input = fault_calloc(first + a->ands, sizeof *reads_input);
  uint32_t *readers = fault_calloc(first + a->ands, sizeof *readers), count = 0;
  memset(reads_input + 1, true, a->inputs);
  for (uint32_t k = 0; k < a->ands; k++) {
    const uint32_t x = a->operands[k][0] / 2, y = a->operands[k][1] / 2;
    reads_input[first + k] = reads_input[x] || reads_input[y];
    readers[x]++;
    readers[y]++;
  }
  for (uint32_t n = aiger_first_latch(a); n < first + a->ands; n++) {
    if (!reads_input[n]) {
      found[count++] = (read_t){n, readers[n]};
    }
  }
  free(reads_input);
  free(readers);
  qsort(found, count, sizeof *found, by_readers);
  return count;
}

// Chooses the conditions of one node: some conjunctions and all registers; and what they depend on.
static void add_nodes(seen_t *s) {
  const aiger_t *a = s->rtl;
  const uint32_t first = aiger_first_and(a);
  read_t *found = fault_calloc(a->latches + a->ands + 1, sizeof *found);
  bool *needed = fault_calloc(first + a->ands, sizeof *needed);
  const uint32_t count = find_nodes(a, found);
  for (uint32_t i = 0, ands = 0; i < count; i++) {
    const uint32_t n = found[i].node;
    ands += n >= first;
    if (n < first || ands <= MostNodes) {
      needed[n] = true;
      add(s, 2 * n, 1);
      add(s, 2 * n + 1, 1);
    }
  }
  for (uint32_t k = a->ands; k-- > 0;) {
    for (uint32_t o = 0; o < 2 && needed[first + k]; o++) {
      needed[a->operands[k][o] / 2] = true;
    }
  }
  for (uint32_t k = 0; k < a->ands; k++) {
    if (needed[first + k]) {
      s->order[s->order_count++] = k;
    }
  }
  free(found);
  free(needed);
}

// Tells of each register whether a reset clears it, whatever inputs and other registers are.
static bool *find_cleared(const aiger_t *a) {
  enum { False = 1, True = 2, Any = 3 };
  const uint32_t first = aiger_first_and(a);
  bool *is_cleared = fault_calloc(a->latches + 1, sizeof *is_cleared);
  uint8_t *may = fault_calloc(first + a->ands, 1);  // be
  memset(may + 1, Any, first - 1);
  may[0] = False;
  for (uint32_t i = 0; i < a->inputs; i++) {
    may[1 + i] = a->input_bit[i] == AigerReset ? False : Any;
  }
  for (uint32_t k = 0; k < a->ands; k++) {
    uint8_t of[2];
    for (uint32_t o = 0; o < 2; o++) {
      const uint8_t m = may[a->operands[k][o] / 2];
      of[o] = a->operands[k][o] & 1 ? (uint8_t)(m >> 1 | (m & 1) << 1) : m;
    }
    may[first + k] = (uint8_t)((of[0] & of[1] & True) | ((of[0] | of[1]) & False));
  }
  for (uint32_t i = 0; i < a->latches; i++) {
    is_cleared[i] = may[a->next[i] / 2] == (a->next[i] & 1 ? True : False);
  }
  free(may);
  return is_cleared;
}

// A register that a reset clears often says whether others hold something.
static void add_pairs(seen_t *s) {
  bool *is_cleared = find_cleared(s->rtl);
  const uint32_t most = s->count < MostPaired ? s->count : MostPaired;
  for (uint32_t i = 0, taken = 0, count = s->count; i < count && taken < MostCleared; i++) {
    const uint32_t a = s->whiles[i].a;
    if (is_latch(s->rtl, a) && !(a & 1) && is_cleared[a / 2 - aiger_first_latch(s->rtl)]) {
      for (uint32_t k = 0; k < most; k++) {
        add(s, a, s->whiles[k].a);
      }
      taken++;
    }
  }
  free(is_cleared);
}

// Pairs of registers are those that the unit itself combines.
void seen_create(seen_t *s, const aiger_t *rtl, uint32_t flaws) {
  const uint32_t nodes = aiger_first_and(rtl) + rtl->ands;
  *s = (seen_t){.rtl = rtl,
                .whiles = fault_calloc(
                    2 * (MostNodes + rtl->latches) + MostCleared * MostPaired + rtl->ands + 1,
                    sizeof *s->whiles),
                .order = fault_calloc(rtl->ands + 1, sizeof *s->order),
                .flaws = fault_calloc(flaws + 1, sizeof *s->flaws),
                .flaw_count = flaws,
                .state = fault_calloc(rtl->latches / 64 + 1, sizeof *s->state),
                .value = fault_calloc(nodes, sizeof *s->value)};
  add_nodes(s);
  add_pairs(s);
  for (uint32_t k = 0; k < rtl->ands; k++) {
    const uint32_t *of = rtl->operands[k];
    if (is_latch(rtl, of[0]) && is_latch(rtl, of[1])) {
      add(s, of[0], of[1]);
    }
  }
  s->words = s->count / 64 + 1;
  s->holds = fault_calloc(s->words, sizeof *s->holds);
}

void seen_destroy(seen_t *s) {
  for (uint32_t i = 0; i < s->flaw_count; i++) {
    for (uint32_t k = 0; k < 4 * s->flaws[i].count; k++) {
      free(s->flaws[i].was[k / 4][k / 2 % 2][k % 2]);
    }
  }
  free(s->whiles);
  free(s->order);
  free(s->flaws);
  free(s->state);
  free(s->holds);
  free(s->value);
}

void seen_change(seen_t *s, uint32_t flaw, uint32_t latch) {
  changes_t *c = &s->flaws[flaw];
  if (c->count < SeenRegisters) {
    for (uint32_t k = 0; k < 4; k++) {
      c->was[c->count][k / 2][k % 2] = fault_calloc(s->words, sizeof(uint64_t));
    }
    c->latches[c->count++] = latch;
  }
}

static bool bit(const uint64_t *state, uint32_t latch) {
  return state[latch / 64] >> latch % 64 & 1;
}

static bool is_true(const seen_t *s, uint32_t literal) {
  return s->value[literal / 2] != (literal & 1);
}

// Many flaws are seen beside one state of the unit.
static void take_state(seen_t *s, const uint64_t *unit) {
  const uint32_t latches = s->rtl->latches;
  const size_t size = (latches / 64 + 1) * sizeof *s->state;
  if (memcmp(s->state, unit, size) == 0 && s->holds[s->words - 1] >> s->count % 64 & 1) {
    return;
  }
  memcpy(s->state, unit, size);
  for (uint32_t i = 0; i < latches; i++) {
    s->value[aiger_first_latch(s->rtl) + i] = bit(unit, i);
  }
  for (uint32_t i = 0; i < s->order_count; i++) {
    const uint32_t *of = s->rtl->operands[s->order[i]];
    s->value[aiger_first_and(s->rtl) + s->order[i]] = is_true(s, of[0]) && is_true(s, of[1]);
  }
  memset(s->holds, 0, s->words * sizeof *s->holds);
  for (uint32_t i = 0; i < s->count; i++) {
    const bool is = is_true(s, s->whiles[i].a) && is_true(s, s->whiles[i].b);
    s->holds[i / 64] |= (uint64_t)is << i % 64;
  }
  s->holds[s->words - 1] |= UINT64_C(1) << s->count % 64;  // that they are known
}

void seen_state(seen_t *s, uint32_t flaw, const uint64_t *unit, const uint64_t *flawed) {
  const changes_t *c = &s->flaws[flaw];
  if (c->count) {
    take_state(s, unit);
  }
  for (uint32_t k = 0; k < c->count; k++) {
    uint64_t *was = c->was[k][bit(unit, c->latches[k])][bit(flawed, c->latches[k])];
    for (uint32_t i = 0; i < s->words; i++) {
      was[i] |= s->holds[i];
    }
  }
}

lit_t *seen_whiles(const seen_t *s, aig_t *aig, const lit_t *registers) {
  const aiger_t *a = s->rtl;
  lit_t *nodes = fault_calloc(aiger_first_and(a) + a->ands, sizeof *nodes);
  lit_t *whiles = fault_calloc(s->count + 1, sizeof *whiles);
  memcpy(nodes + aiger_first_latch(a), registers, a->latches * sizeof *nodes);
  for (uint32_t i = 0; i < s->order_count; i++) {
    const uint32_t *of = a->operands[s->order[i]];
    nodes[aiger_first_and(a) + s->order[i]] =
        aig_and(aig, nodes[of[0] / 2] ^ (of[0] & 1), nodes[of[1] / 2] ^ (of[1] & 1));
  }
  for (uint32_t i = 0; i < s->count; i++) {
    const while_t w = s->whiles[i];
    whiles[i] = aig_and(aig, nodes[w.a / 2] ^ (w.a & 1), nodes[w.b / 2] ^ (w.b & 1));
  }
  free(nodes);
  return whiles;
}

bool *seen_depends(const seen_t *s, const bool *registers) {
  const aiger_t *a = s->rtl;
  bool *nodes = fault_calloc(aiger_first_and(a) + a->ands, sizeof *nodes);
  bool *whiles = fault_calloc(s->count + 1, sizeof *whiles);
  memcpy(nodes + aiger_first_latch(a), registers, a->latches * sizeof *nodes);
  for (uint32_t i = 0; i < s->order_count; i++) {
    const uint32_t *of = a->operands[s->order[i]];
    nodes[aiger_first_and(a) + s->order[i]] = nodes[of[0] / 2] || nodes[of[1] / 2];
  }
  for (uint32_t i = 0; i < s->count; i++) {
    whiles[i] = nodes[s->whiles[i].a / 2] || nodes[s->whiles[i].b / 2];
  }
  free(nodes);
  return whiles;
}
