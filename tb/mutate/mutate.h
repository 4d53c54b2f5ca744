// SPDX-License-Identifier: Apache-2.0
// Mutants of units (docs/how-to/mutation.md): wrong lines that nobody chose, run against the
// vectors and sequences of the unit and random traffic until one fails. What survives the first
// seeds goes to the proof, and what is not equivalent by it to the other seeds, then to the search
// for a run.
#ifndef NOCTURNE_MUTATE_MUTATE_H
#define NOCTURNE_MUTATE_MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "csim/base/err.h"
#include "tb/harness/outside.h"

typedef struct {
  const char *const *units;  // of the tree, `unit_count` of them; none: all
  size_t unit_count;
  uint32_t count;      // so many of a unit's mutants, evenly
  uint32_t seeds;      // of 20,000 cycles each, after ten of 2,000
  uint32_t jobs;       // mutants at a time
  const char *folder;  // FOLDER/UNIT: results, a folder for each survivor's proof
  const char *prover;  // the program build/prove
  const char *launch;  // starts each mutant's command (docs/how-to/cluster.md); or NULL
  uint32_t pdr;        // with flaws: seconds of CPU for abc (flaws.h)
  bool flaws;          // all single-bit flaws of the graph instead (flaws.h)
  bool speed;          // with flaws: beside that of lockstep
  bool no_proof;       // survivors stay open
  bool resume;         // go on with a run that was cut off
  outside_t outside;   // page NULL: none; rtl may be NULL
  const char *wrapper, *size, *vectors;  // of outside; each may be NULL
} mutate_options_t;

// Prints what is not killed or equivalent, then a table. Returns the exit status: 0 no gap, and at
// most 2 % open, for each unit; 1 otherwise, or a unit as it is fails; 2 bad usage; 3 a tool is
// missing. err is set where a unit could not be done.
int mutate_units(const mutate_options_t *options, err_t *err);

#endif
