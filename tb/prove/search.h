// SPDX-License-Identifier: Apache-2.0
// Runs from reset, cycle after cycle: golden model and RTL side by side under inputs, and now and
// then a reset, that are variables. Answers what a run can come to; the RTL's registers begin
// unknown.
#ifndef NOCTURNE_PROVE_SEARCH_H
#define NOCTURNE_PROVE_SEARCH_H

#include <stdio.h>

#include "cnf.h"
#include "layout.h"
#include "proof.h"

// An event of a cycle, as a function of the transition system's variables.
typedef struct {
  const char *what;
  lit_t when;
} event_t;

typedef struct {
  lit_t reset, *in;          // variables
  lit_t *expected, *actual;  // outputs and observed state after it
  lit_t *events;             // whether they happen in it
} cycle_t;

typedef struct {
  const proof_t *proof;
  cnf_t *cnf;
  const event_t *events;
  uint32_t event_count;
  cycle_t *cycles;
  uint32_t count;
  lit_t *roots;             // of one cycle, as functions of the variables
  lit_t *golden, *latches;  // the state that the last cycle led to
  uint32_t root_count;
  bool has_resets;
} search_t;

// The events must stay until the destroy. resets: may come in any cycle.
void search_create(search_t *s, const proof_t *proof, const event_t *events, uint32_t count,
                   bool resets);
void search_destroy(search_t *s);

// Begins in this state in place of a reset's (play_state).
void search_begin(search_t *s, const uint8_t *state);
void search_cycle(search_t *s);  // one more
// Returns true if an event can happen in the last cycle; then value, of all nodes, is to be freed.
cnf_result_e search_ask(search_t *s, uint32_t event, uint32_t conflicts, uint8_t **value);

// Events that every proof can be asked about.
lit_t search_differs(const proof_t *proof);  // outputs or observed state, after a clock
// Each register that is not as related, each instance of the invariant, before a clock; what the
// golden model owes and the wrapper states, in it. Returns how many, to be freed.
uint32_t search_breaks(const proof_t *proof, event_t **breaks);
// Relation or invariant, before a clock; what the golden model owes and the wrapper states, in it.
lit_t search_strays(const proof_t *proof);
// That every stream fires, every error is reached and what the wrapper's prove_cover names happens;
// returns how many of them, to be freed.
uint32_t search_covers(const proof_t *proof, event_t **events);

// The run so far as vectors that the harness plays; params NULL: behind those that the file has.
// False: it can't be written.
bool search_write(const search_t *s, const uint8_t *value, const char *params, const char *path);
void search_report(FILE *f, const search_t *s, const uint8_t *value);

#endif
