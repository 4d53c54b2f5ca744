// SPDX-License-Identifier: Apache-2.0
// That golden model and RTL are equal, by induction: whatever two states are related and have the
// invariant, under any input and any reset, the outputs that follow are equal, the states that
// follow are related and have the invariant, and nothing that the golden model or the wrapper owes
// is broken. Related: each RTL register that the wrapper names is what prove_relate says; others
// are free.
#ifndef NOCTURNE_PROVE_PROOF_H
#define NOCTURNE_PROVE_PROOF_H

#include "relation.h"

// A register, or one that only reports show, with the literals of the state before the clock.
typedef struct {
  const char *name;
  uint32_t side, bits, elements;  // prove_side_e
  uint64_t offset, size;          // in Related or Rtl
  lit_t *before;                  // of the golden model, or of the RTL where it is free
} reg_t;

typedef struct {
  const char *what;
  lit_t broken;
  lit_t expected, actual;  // of a bit that is compared; AigNone: none
  uint32_t bit;            // of out_o
  bool is_output;
  const char *instance;  // of a check
} duty_t;

typedef struct {
  duty_t *list;
  uint32_t count, room;
} duties_t;

// ProofOutputs: of any related state, under any inputs, where the wrapper has prove_outputs().
typedef enum {
  ProofApart,
  ProofBase,
  ProofReset,
  ProofOutputs,
  ProofStep,
  ProofParts
} proof_part_e;

typedef struct {
  transition_t *t;
  reg_t *registers;
  uint32_t register_count, unmapped;  // RTL bits that the wrapper does not name
  bool finds;                         // registers that the wrapper does not name are looked for
  relation_t relation;                // what was found of them
  const relation_t *known;            // NULL: the proof's own
  lit_t *latches;                     // of the RTL before: related to the golden state
  lit_t assumed;                      // the invariant before
  lit_t without_any;         // the part of it that does not read Any; AigNone: there is no Any
  obligation_t *invariants;  // the same, each instance of each check
  uint32_t invariant_count;
  duties_t duties[ProofParts];
} proof_t;

extern const char *const ProofNames[ProofParts];

// known: what was found of this unit before; NULL: it is looked for.
void proof_create(proof_t *proof, transition_t *t, const relation_t *known);
void proof_destroy(proof_t *proof);

// Collects the duties that registers are related to the golden model's state of a moment, and that
// the invariant holds there. next: of the registers; those that are related are told in the golden
// model's words from then on.
void proof_collect_state(const proof_t *proof, const moment_t *moment, lit_t *next,
                         duties_t *duties);

// Conditions on state and inputs before that a part takes for granted.
lit_t proof_given(const proof_t *proof, proof_part_e part);

#endif
