// SPDX-License-Identifier: Apache-2.0
// One mutant of a unit: a job of mutate.h, in a process of its own. Prints one line, the number and
// the mutant's fate.
#ifndef NOCTURNE_MUTATE_MUTANT_H
#define NOCTURNE_MUTATE_MUTANT_H

#include <stdint.h>

typedef struct {
  const char *const *unit;  // arguments of `nocturne unit` that name the unit and its size, NULL at
                            // the end
  const char *number;       // of the mutant
  const char *folder;       // takes what this mutant's runs write
  uint32_t first, last;     // seeds
  const char *vectors;      // folder of vectors and sequences that are played first; or NULL
  // For mutant_settle only.
  const char *prover, *name, *params, *proof;  // proof: folder of the unit's own proof
  const char *tables;                          // of a unit from outside the tree; or NULL
} mutant_t;

// Prints "killed ..." by vectors, a sequence or a seed, "survived", or "failed: ...". Returns an
// exit status: 1 if it failed.
int mutant_attack(const mutant_t *mutant);

// Prints what the prover says, given the proof of the unit with all mutants off: "equivalent"; or
// "killed" by one of the seeds after all; or "gap", a run from reset shows it and the harness
// repeats it; or "open".
int mutant_settle(const mutant_t *mutant);

#endif
