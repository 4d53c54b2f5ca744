// SPDX-License-Identifier: Apache-2.0
#include "crowd.h"

#include <stdlib.h>

#include "fault.h"

enum { MostBits = 16 };  // of a code

void crowd_create(crowd_t *c, const aiger_t *a, aig_t *aig, const flaw_t *flaws, uint32_t count) {
  lit_t code[MostBits];
  uint32_t bits = 0;
  *c = (crowd_t){aig, flaws, fault_calloc(count + 1, sizeof(lit_t)), count,
                 fault_calloc(aiger_places(a), sizeof(uint32_t))};
  while (1u << bits < count) {
    code[bits++] = aig_variable(aig);
  }
  for (uint32_t i = count; i-- > 0;) {
    c->under[i] = AigTrue;
    for (uint32_t b = 0; b < bits; b++) {
      c->under[i] = aig_and(aig, c->under[i], i >> b & 1 ? code[b] : aig_not(code[b]));
    }
    if (!flaws[i].mutant) {
      c->at[flaws[i].place] = i + 1;
    }
  }
}

void crowd_destroy(crowd_t *c) {
  free(c->under);
  free(c->at);
}

uint32_t crowd_chosen(const crowd_t *c, const uint8_t *value) {
  uint32_t i = 0;
  while (i + 1 < c->count && !aig_value(value, c->under[i])) {
    i++;
  }
  return i;
}
