// SPDX-License-Identifier: Apache-2.0
#include "models.h"

#include <stdlib.h>
#include <string.h>

#include "fault.h"

enum { Lanes = 64 };

struct models {
  const aig_t *aig;
  const products_t *products;
  const cnf_t *cnf;
  uint64_t *word;        // by node, a bit for each model
  uint32_t nodes, room;  // of `word`
  uint64_t is_kept;      // those that meet all that is required
  uint32_t next;         // the oldest, or one that is free
  uint32_t required;     // that was looked at
};

models_t *models_create(const aig_t *aig, const products_t *products, const cnf_t *cnf) {
  models_t *m = fault_calloc(1, sizeof *m);
  m->aig = aig;
  m->products = products;
  m->cnf = cnf;
  return m;
}

void models_destroy(models_t *m) {
  if (m) {
    free(m->word);
    free(m);
  }
}

// Variables that are new are 0, and what is new of the graph follows from them.
static void extend(models_t *m) {
  const uint32_t count = aig_count(m->aig);
  if (count > m->room) {
    m->room = count + count / 4;
    m->word = fault_realloc(m->word, m->room, sizeof *m->word);
  }
  memset(m->word + m->nodes, 0, (count - m->nodes) * sizeof *m->word);
  products_evaluate_words(m->products, m->nodes, m->word);
  m->nodes = count;
}

static void forget_refused(models_t *m) {
  uint32_t count;
  const lit_t *required = cnf_required(m->cnf, &count);
  for (; m->required < count; m->required++) {
    m->is_kept &= aig_word(m->word, required[m->required]);
  }
}

void models_add(models_t *m, const uint8_t *value) {
  if (!products_are(m->products, value) || !cnf_allows(m->cnf, value)) {
    return;
  }
  extend(m);
  forget_refused(m);
  const uint64_t bit = UINT64_C(1) << m->next;
  for (uint32_t i = 0; i < m->nodes; i++) {
    m->word[i] = value[i] ? m->word[i] | bit : m->word[i] & ~bit;
  }
  m->is_kept |= bit;
  m->next = (m->next + 1) % Lanes;
}

uint8_t *models_find(models_t *m, lit_t l) {
  extend(m);
  forget_refused(m);
  const uint64_t found = m->is_kept & aig_word(m->word, l);
  if (!found) {
    return NULL;
  }
  const uint32_t lane = (uint32_t)__builtin_ctzll(found);
  uint8_t *value = fault_calloc(m->nodes, 1);
  for (uint32_t i = 0; i < m->nodes; i++) {
    value[i] = m->word[i] >> lane & 1;
  }
  return value;
}
