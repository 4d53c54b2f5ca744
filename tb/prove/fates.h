// SPDX-License-Identifier: Apache-2.0
// The fate of each flaw of a unit's graph: killed in a recorded run, equivalent by the solver, or
// open. FOLDER/runs lists the runs, a path a line; at an empty line it is the solver's turn.
// FOLDER/journal takes a line for each flaw that is settled; a run that was cut off goes on from
// it.
#ifndef NOCTURNE_PROVE_FATES_H
#define NOCTURNE_PROVE_FATES_H

#include "proof.h"

typedef struct {
  const char *folder;
  const char *head;  // of the recorded runs: unit, bits and parameters
  uint32_t mutants;  // those of the graph (tb/mutate/mutants.sh) instead of all flaws; 0: all
  uint32_t cycles;   // of a run that is looked for
  uint32_t jobs;     // at a time, whose number changes nothing but the time
  bool no_solver;    // survivors stay open
  uint32_t invariant_seconds;  // of CPU for abc to look for an invariant of each flaw that is left
} fates_options_t;

// Prints progress to standard error, then a line with the counts; writes FOLDER/fates: a line for
// each flaw. Returns how many are open.
uint32_t fates_run(const fates_options_t *options, const proof_t *proof);

#endif
