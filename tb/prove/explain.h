// SPDX-License-Identifier: Apache-2.0
// A counterexample in the unit's words, and as vectors that the harness plays.
#ifndef NOCTURNE_PROVE_EXPLAIN_H
#define NOCTURNE_PROVE_EXPLAIN_H

#include <stdio.h>

#include "proof.h"

enum { CyclesShown = 12 };  // of a run, the last ones

// value: of every node (aig_evaluate).
void explain_inputs(FILE *f, const transition_t *t, const lit_t *in, const uint8_t *value);
void explain_state(FILE *f, const proof_t *p, const uint8_t *value);
void explain_duties(FILE *f, const proof_t *p, const duties_t *d, const uint8_t *value);
// Writes the subject of a duty.
void explain_duty(const transition_t *t, const duty_t *duty, char *text, size_t size);
// The field that bit of out_o belongs to, "scheduled[1], bit 3".
void explain_signal(const transition_t *t, uint32_t bit, char *text, size_t size);

#endif
