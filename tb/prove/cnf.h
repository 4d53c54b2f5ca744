// SPDX-License-Identifier: Apache-2.0
// Questions to the SAT solver CaDiCaL about functions of an and-inverter graph. A node's clauses
// are given to it (Tseitin) when it is first asked about, so one solver serves a growing graph.
#ifndef NOCTURNE_PROVE_CNF_H
#define NOCTURNE_PROVE_CNF_H

#include "aig.h"

typedef struct cnf cnf_t;
typedef enum { CnfUnknown = 0, CnfSatisfiable = 10, CnfUnsatisfiable = 20 } cnf_result_e;

cnf_t *cnf_create(const aig_t *aig);
// One whose answers "unsatisfiable" are given with their proof to the program of cnf_confirm_by, if
// that was called: the command reads what the solver was given and derived (confirm/confirm.c).
cnf_t *cnf_create_confirmed(const aig_t *aig);
void cnf_confirm_by(const char *command);
// Returns how many answers "unsatisfiable" there were. Ends the program with FaultRefuted where one
// of a confirmed solver has no proof.
uint64_t cnf_destroy(cnf_t *cnf);

// Holds from here on.
void cnf_require(cnf_t *cnf, lit_t l);
// The same of what follows from answers "unsatisfiable": the proof does not take it for granted.
void cnf_require_proved(cnf_t *cnf, lit_t l);
// Returns true if some values of the variables make the literal true. At most so many conflicts; 0:
// as many as it takes.
cnf_result_e cnf_solve(cnf_t *cnf, lit_t l, uint32_t conflicts);
// After CnfSatisfiable: value[node] of the variables, and by aig_evaluate of all nodes.
void cnf_values(const cnf_t *cnf, uint8_t *value);
// Literals that are required, in the order in which they came.
const lit_t *cnf_required(const cnf_t *cnf, uint32_t *count);
// True if all that is required holds under these values of all nodes.
bool cnf_allows(const cnf_t *cnf, const uint8_t *value);
// True if this literal, or one that needs it, was asked about.
bool cnf_knows(const cnf_t *cnf, lit_t l);
uint64_t cnf_clauses(const cnf_t *cnf);

#endif
