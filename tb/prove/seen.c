// SPDX-License-Identifier: Apache-2.0
#include "seen.h"

#include <stdlib.h>

#include "fault.h"

static bool is_latch(const aiger_t *a, uint32_t literal) {
  return literal / 2 > a->inputs && literal / 2 <= a->inputs + a->latches;
}

// Pairs of registers are those that the unit itself combines.
void seen_create(seen_t *s, const aiger_t *rtl, uint32_t flaws) {
  *s = (seen_t){.rtl = rtl,
                .whiles = fault_calloc(2 * rtl->latches + rtl->ands + 1, sizeof *s->whiles),
                .flaws = fault_calloc(flaws + 1, sizeof *s->flaws),
                .flaw_count = flaws};
  for (uint32_t i = 0; i < 2 * rtl->latches; i++) {
    s->whiles[s->count++] = (while_t){2 * (1 + rtl->inputs) + i, 1};
  }
  for (uint32_t k = 0; k < rtl->ands; k++) {
    const uint32_t *of = rtl->operands[k];
    if (is_latch(rtl, of[0]) && is_latch(rtl, of[1])) {
      s->whiles[s->count++] = (while_t){of[0], of[1]};
    }
  }
  s->words = s->count / 64 + 1;
}

void seen_destroy(seen_t *s) {
  for (uint32_t i = 0; i < s->flaw_count; i++) {
    for (uint32_t k = 0; k < 4 * s->flaws[i].count; k++) {
      free(s->flaws[i].was[k / 4][k / 2 % 2][k % 2]);
    }
  }
  free(s->whiles);
  free(s->flaws);
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

static uint32_t latch_of(const seen_t *s, uint32_t literal) {
  return literal / 2 - 1 - s->rtl->inputs;
}

static bool bit(const uint64_t *state, uint32_t latch) {
  return state[latch / 64] >> latch % 64 & 1;
}

static bool holds(const seen_t *s, const uint64_t *state, uint32_t literal) {
  return literal == 1 || bit(state, latch_of(s, literal)) != (literal & 1);
}

void seen_state(seen_t *s, uint32_t flaw, const uint64_t *unit, const uint64_t *flawed) {
  const changes_t *c = &s->flaws[flaw];
  for (uint32_t i = 0; i < s->count && c->count; i++) {
    if (holds(s, unit, s->whiles[i].a) && holds(s, unit, s->whiles[i].b)) {
      for (uint32_t k = 0; k < c->count; k++) {
        uint64_t *was = c->was[k][bit(unit, c->latches[k])][bit(flawed, c->latches[k])];
        was[i / 64] |= UINT64_C(1) << i % 64;
      }
    }
  }
}

static lit_t literal_of(const seen_t *s, uint32_t literal, const lit_t *registers) {
  return (literal == 1 ? AigFalse : registers[latch_of(s, literal)]) ^ (literal & 1);
}

lit_t seen_while(const seen_t *s, aig_t *aig, while_t at, const lit_t *registers) {
  return aig_and(aig, literal_of(s, at.a, registers), literal_of(s, at.b, registers));
}

bool seen_is(const seen_t *s, const uint8_t *value, while_t at, const lit_t *registers) {
  return aig_value(value, literal_of(s, at.a, registers)) &&
         aig_value(value, literal_of(s, at.b, registers));
}
