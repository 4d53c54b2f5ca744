// SPDX-License-Identifier: Apache-2.0
// The last values that a solver came up with, 64 at once: where one of them makes the next question
// true, the solver is not asked.
#ifndef NOCTURNE_PROVE_MODELS_H
#define NOCTURNE_PROVE_MODELS_H

#include "cnf.h"
#include "product.h"

typedef struct models models_t;

// cnf: whose requirements they must meet.
models_t *models_create(const aig_t *aig, const products_t *products, const cnf_t *cnf);
void models_destroy(models_t *models);

// value: of all nodes. One in which an open product is none is left out.
void models_add(models_t *models, const uint8_t *value);
// The values of all nodes, to be freed, where the literal is true; NULL: none is known.
uint8_t *models_find(models_t *models, lit_t l);

#endif
