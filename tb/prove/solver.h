// SPDX-License-Identifier: Apache-2.0
// CaDiCaL for C, with its proofs, which its own C interface lacks. Literals are numbers from 1 on,
// negative where inverted.
#ifndef NOCTURNE_PROVE_SOLVER_H
#define NOCTURNE_PROVE_SOLVER_H

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct solver solver_t;

// proof: takes what the solver derives and drops, as binary DRAT; NULL: nothing is written.
solver_t *solver_create(FILE *proof);
void solver_destroy(solver_t *solver);
void solver_add(solver_t *solver, int literal);  // 0: the clause's end
// Says if the clauses can hold with one literal more: 10 yes, 20 no, 0 not known in so many
// conflicts (0: as many as it takes).
int solver_ask(solver_t *solver, int literal, int conflicts);
int solver_value(solver_t *solver, int variable);
const char *solver_name(void);

#ifdef __cplusplus
}
#endif

#endif
