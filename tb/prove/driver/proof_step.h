// SPDX-License-Identifier: Apache-2.0
// One proof: a unit at one size. Makes what build/prove reads, runs it, and repeats a
// counterexample in the harness. Works in the tree that is the working folder.
#ifndef NOCTURNE_PROVE_DRIVER_PROOF_STEP_H
#define NOCTURNE_PROVE_DRIVER_PROOF_STEP_H

#include <jansson.h>

#include "csim/base/err.h"
#include "csim/base/sha256.h"
#include "tb/harness/outside.h"
#include "words.h"

typedef struct {
  const unit_info_t *info;
  const json_t *room;        // of the unit (room.h); NULL: it is from outside the tree
  const outside_t *outside;  // with its RTL's folder; NULL: it is of the tree
  const char *wrapper;       // of a unit from outside; NULL: it has none
  const char *params;        // all of them, "NAME=VALUE ..."
  const json_t *beyond;      // of its streams and errors: tb/harness/room.h, NULL: none
  const char *shows;   // how the proof is shown not to be empty: "search", "runs", "hunt" or ""
  const char *folder;  // takes golden.bc, rtl.aig, logs, counterexample.vec
  const char *prover;  // the program build/prove
  const char *rtlil;   // the unit is the module of this RTLIL file; NULL: its RTL
  bool symbolic;       // the RTL's memories are open, and the golden model's are arrays
  bool certify;        // a second opinion of solver and translator
  uint32_t jobs;       // cases of the proof at a time
  uint32_t cycles;     // most cycles of a run from reset that is searched; 0: the prover's
  uint32_t search;     // so many more where none is found, from recorded runs, too
} proof_step_t;

// Makes the folder and what stands there for the parts of a joined unit.
bool proof_step_prepare(const proof_step_t *step, err_t *err);

// Writes the hash of all that decides the outcome. False with err_set: the wrapper cannot be read.
bool proof_step_key(const proof_step_t *step, char key[BaseSha256Text], err_t *err);

// Nothing is proved of this size, but runs are searched.
bool proof_step_only_hunts(const proof_step_t *step);

// Proves, and prints what the prover says. Returns the exit status: 0 proved; 1 refuted; 2 what the
// translator does not know.
int proof_step_run(const proof_step_t *step);

// Returns true if the unit is joined of parts, which are stand-ins in its proof.
bool proof_step_has_parts(const proof_step_t *step);
// Compiles the wrapper with the golden model to FOLDER/golden.bc, or, without clang's
// optimisations, to plain.bc; or prints why not.
bool proof_step_golden(const proof_step_t *step, bool plain);

// Makes what the prover reads; adds the words of a command that calls it, with the names of what it
// is to read in the folder. rtl: NULL for none.
bool proof_step_make(const proof_step_t *step);
void proof_step_begin(const proof_step_t *step, const char *golden, const char *rtl,
                      words_t *words);

// Refuses a machine that lacks a tool.
bool proof_step_tools(const char *prover, err_t *err);

#endif
