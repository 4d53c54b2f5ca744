// SPDX-License-Identifier: Apache-2.0
#include "crowd.h"

#include <stdlib.h>

#include "fault.h"

enum { Parts = 4 };  // of a crowd

void crowd_create(crowd_t *c, const aiger_t *a, aig_t *aig, const flaw_t *flaws, uint32_t count) {
  *c = (crowd_t){aig,
                 flaws,
                 fault_calloc(count + 1, sizeof(lit_t)),
                 count,
                 fault_calloc(aiger_places(a), sizeof(uint32_t)),
                 {0},
                 0};
  while (1u << c->bits < count) {
    c->code[c->bits++] = aig_variable(aig);
  }
  for (uint32_t i = count; i-- > 0;) {
    c->under[i] = AigTrue;
    for (uint32_t b = 0; b < c->bits; b++) {
      c->under[i] = aig_and(aig, c->under[i], i >> b & 1 ? c->code[b] : aig_not(c->code[b]));
    }
    if (!flaws[i].mutant) {
      c->at[flaws[i].place] = i + 1;
    }
  }
  if (count && count < 1u << c->bits) {  // what is no flaw's number is the last one's
    c->under[count - 1] = aig_not(aig_or_all(aig, c->under, count - 1));
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

void crowd_spread(const crowd_t *c, uint32_t first, uint64_t *word) {
  for (uint32_t b = 0; b < c->bits; b++) {
    uint64_t lanes = 0;
    for (uint32_t k = 0; k < 64; k++) {
      lanes |= (uint64_t)((first + k) >> b & 1) << k;
    }
    word[c->code[b] / 2] = lanes;
  }
}

void crowd_ask(crowd_ask_t *ask, void *context, const flaw_t *flaws, uint32_t count,
               cnf_result_e *said) {
  uint32_t left[CrowdMost], left_count = 0;
  flaw_t part[CrowdMost];
  cnf_result_e part_said[CrowdMost];
  ask(context, flaws, count, said);
  for (uint32_t i = 0; i < count && count > 1; i++) {
    if (said[i] == CnfUnknown) {
      part[left_count] = flaws[i];
      left[left_count++] = i;
    }
  }
  const uint32_t size = (count + Parts - 1) / Parts;
  for (uint32_t first = 0; first < left_count; first += size) {
    crowd_ask(ask, context, part + first, left_count - first < size ? left_count - first : size,
              part_said + first);
  }
  for (uint32_t i = 0; i < left_count; i++) {
    said[left[i]] = part_said[i];
  }
}
