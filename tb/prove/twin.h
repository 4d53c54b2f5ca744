// SPDX-License-Identifier: Apache-2.0
// A flaw beside the unit that is proved: whether from any state that the proof's relation and
// invariant allow, under any inputs, both come to the same outputs, and to the same state of each
// register that these speak of. Outputs are compared as in lockstep: after the edge, under the
// inputs that the clock had, and after a reset under none. Then no run from reset tells them apart:
// after a reset they are in the same state, and by the proof of the unit the next state is one of
// those again.
#ifndef NOCTURNE_PROVE_TWIN_H
#define NOCTURNE_PROVE_TWIN_H

#include "crowd.h"
#include "flaw.h"
#include "models.h"
#include "proof.h"

// A first reset, from any state; a later one and a clock, from a state that the proof allows.
typedef enum { TwinBase, TwinReset, TwinStep, TwinMoments } twin_moment_e;

// The unit there.
typedef struct {
  lit_t rst_ni;
  const lit_t *latches;           // before it
  lit_t *nodes, *next;            // by node; registers after it
  lit_t *in_after, *nodes_after;  // as outputs are compared, of `next`: none after a reset
  lit_t *out;
} twin_unit_t;

typedef struct {
  const proof_t *proof;
  twin_unit_t unit[TwinMoments];
  bool *is_free;            // by register: relation and invariant say nothing of it
  cnf_t *given, *anything;  // what the proof allows; any state
  models_t *models;         // of `given`
} twin_t;

void twin_create(twin_t *twin, const proof_t *proof);
void twin_destroy(twin_t *twin);

// By flaw: CnfUnsatisfiable: equivalent; CnfSatisfiable: it shows in a state that the proof allows;
// CnfUnknown: the solver gave up after so many conflicts. learn: where a flaw shows in a state, by
// the values of all nodes; returns true if `given` excludes that state from then on. May be NULL.
typedef bool twin_learn_t(void *context, uint32_t flaw, const uint8_t *value);
void twin_ask(twin_t *twin, const flaw_t *flaws, uint32_t count, uint32_t conflicts,
              cnf_result_e *said, twin_learn_t *learn, void *context);

// Registers of the flawed unit at a moment's end; latches: before it.
void twin_apply(const twin_t *twin, const aiger_t *flawed, twin_moment_e moment,
                const lit_t *latches, lit_t *next);
// True where outputs differ with these registers of the flawed unit.
lit_t twin_differs(const twin_t *twin, const aiger_t *flawed, twin_moment_e moment,
                   const lit_t *registers);

// As cnf_solve; values that no multiplication has are not accepted. *value, after CnfSatisfiable:
// of all nodes, to be freed.
cnf_result_e twin_solve(const transition_t *t, cnf_t *cnf, lit_t l, uint32_t conflicts,
                        uint8_t **value);
// Values of all nodes near those of an answer, 64 at once: of 2^rarity variables one is another.
enum { TwinSame = 32 };  // none is
void twin_near(const transition_t *t, const uint8_t *value, uint32_t rarity, uint64_t *word);
// Asks under which flaws of a crowd the literal can be true, and sets said[i] of these to
// CnfSatisfiable; flaws for which it was before are left out. Returns false where the solver gave
// up. learn, context: as of twin_ask.
bool twin_solve_each(const twin_t *twin, cnf_t *cnf, const crowd_t *crowd, lit_t l,
                     uint32_t conflicts, cnf_result_e *said, twin_learn_t *learn, void *context);

#endif
